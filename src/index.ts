/**
 * The public names of Sluice, listed one by one. `startService` is at `sluice/service`, `re2wasm`
 * at `sluice/re2-wasm`; `sluice/engine` has those that need no Node.
 */

export type { Auditable, AuditEntry, AuditOptions } from './audit/audit-entry.js';
export type {
  DiffCause,
  DiffCausePlace,
  DiffExample,
  DiffKind,
  OutcomeCounts,
} from './audit/count/diff-causes.js';
export type { Label, LabelOutcome } from './audit/sample/label.js';
export { audit } from './audit/stream.js';
export type { EngineReference, EngineRule } from './engine/compile/contents.js';
export type { Issue, IssueCode } from './engine/compile/issue.js';
export {
  type CompileOptions,
  compileEngine,
  createEngine,
  type Engine,
  type EngineCounts,
  type RuleSetInput,
} from './engine/engine.js';
export type {
  ConditionHit,
  Decision,
  ExceptedMatch,
  ExceptionSource,
  Match,
  PatternMatch,
  RuleHit,
  ScoreMatch,
  Unevaluated,
  Verdict,
  WordMatch,
} from './engine/evaluate/decision.js';
export type { ScoreRequest } from './engine/evaluate/score-requests.js';
export type { Scores } from './engine/evaluate/scores.js';
export { type MaskOptions, mask } from './engine/mask.js';
export type { Span } from './engine/match/span.js';
export type { WordReading } from './engine/match/word-edges.js';
export { type ReasonOptions, reasonFor } from './engine/reason.js';
export { defaultSemantics, type Exception, type Semantics } from './engine/semantics.js';
export {
  type CallErrorOptions,
  type CallFacts,
  HttpError,
  type HttpFailure,
  NetworkError,
  RuleSetError,
  ShapeError,
  SluiceError,
  TimeoutError,
  type TimeoutPhase,
  UsageError,
} from './foundation/errors.js';
export type { CanaryCounts, CanaryOptions } from './live/moderator/canary.js';
export { createDecisionLog, type DecisionLog, type DecisionLogOptions } from './live/moderator/decision-log.js';
export type { GuardOptions, HeldRuleSet, RuleSetLoss, UnevaluatedCondition } from './live/moderator/guard.js';
export { createModerator, type Moderator } from './live/moderator/moderator.js';
export type { ModeratorOptions } from './live/moderator/options.js';
export type { ModeratorStatus, RefreshEvent, ScoresWarning, StatusError } from './live/moderator/status.js';
export type { DecisionEvent, LiveDecision, MatchedRule } from './live/moderator/watch.js';
export { createHttpScorer, type HttpScorerOptions } from './live/scorers/http-scorer.js';
export type { Scorer } from './live/scorers/scorer.js';
export type { ScorerCallEvent, ScoringFailure, ScoringOptions } from './live/scorers/scoring.js';
export { type Client, createClient } from './platform/client/client.js';
export type { Confirmation, MarkerOptions } from './platform/client/operations.js';
export type { ClientOptions, RetryOptions, Timeouts } from './platform/client/options.js';
export type { Page, WalkOptions } from './platform/client/paginate.js';
export type { CallOptions } from './platform/client/request.js';
export type { Conversation } from './platform/contract/conversation.js';
export type { Operation } from './platform/contract/endpoints.js';
export type { Group } from './platform/contract/group.js';
export type { KeywordList } from './platform/contract/keyword-list.js';
export type { Message } from './platform/contract/message.js';
export type { MessageDraft } from './platform/contract/message-draft.js';
export type { MessageQuery } from './platform/contract/message-query.js';
export type { Cursor, Meta } from './platform/contract/meta.js';
export type { ModeratedMessage } from './platform/contract/moderated-message.js';
export type { Condition, Filter, Rule } from './platform/contract/rule.js';
export type { ListComments, MissingKind, MissingList, PulledDigests, RuleSet } from './platform/contract/rule-set.js';
export type { User } from './platform/contract/user.js';
export { createFileSource, type FileSourceOptions } from './platform/loader/file-source.js';
export { type LoadOptions, loadRuleSet } from './platform/loader/load-rule-set.js';
export { type ReadOptions, readRuleSetFile, writeRuleSetFile } from './platform/loader/rule-set-file.js';
export { writeRuleSetFolder } from './platform/loader/rule-set-folder.js';
export type { RuleSource } from './platform/loader/rule-source.js';
export type { CoverageFigure, RuleCoverage, TermCoverage } from './review/cases/coverage.js';
export type { CaseDifference, CaseResult, TestCase } from './review/cases/test-case.js';
export { type DuplicateName, type TestOptions, type TestReport, testRules } from './review/cases/test-rules.js';
export { type DiffSides, describeChange, type RuleSetChange } from './review/compare/describe-change.js';
export {
  type DiffOptions,
  type DiffReceipt,
  diffRuleSets,
  type RuleSetDiff,
} from './review/compare/diff-rule-sets.js';
export type { ReadingChange } from './review/compare/reading-changes.js';
export type { SideErrors } from './review/compare/rule-errors.js';
export type {
  Finding,
  FindingId,
  FindingSeverity,
  IgnoredFinding,
  LintOptions,
  LintReport,
} from './review/lint/finding.js';
export { lintRuleSet } from './review/lint/lint-rule-set.js';
export {
  type PrecisionInterval,
  type PrecisionIntervalOptions,
  precisionInterval,
} from './review/precision-interval.js';
export type { FilterMiss, NearMatch, NearReading, ScoreMiss, WhyNot, WhyNotReason } from './review/why-not/answer.js';
export { type WhyNotOptions, whyNot } from './review/why-not/why-not.js';
