/** The public names of Sluice, listed one by one. `startService` is at `sluice/service`, `re2wasm` at `sluice/re2-wasm`; `sluice/engine` has those that need no Node. */

export type { Auditable, AuditEntry, AuditOptions } from './audit/audit-entry.js';
export type {
  DiffCause,
  DiffCausePlace,
  DiffExample,
  DiffKind,
  OutcomeCounts,
} from './audit/count/diff-causes.js';
export { audit } from './audit/stream.js';
export type {
  ExpectationReport,
  ExpectationResult,
  RuleExpectation,
  UnexpectedRules,
} from './cases/corpus-expectations.js';
export type { OutcomeFailure, OutcomeReport } from './cases/corpus-outcomes.js';
export type { CoverageFigure, RuleCoverage, TermCoverage } from './cases/coverage.js';
export type { CaseDifference, CaseResult, TestCase } from './cases/test-case.js';
export { type DuplicateName, type TestOptions, type TestReport, testRules } from './cases/test-rules.js';
export { type Client, createClient } from './client/client.js';
export type { RequestEvent } from './client/diagnostics.js';
export type { Confirmation, MarkerOptions } from './client/operations.js';
export type { ClientOptions, RetryOptions, Timeouts } from './client/options.js';
export type { Page, WalkOptions } from './client/paginate.js';
export type { CallOptions } from './client/request.js';
export { type DiffSides, describeChange, type RuleSetChange } from './compare/describe-change.js';
export {
  type DiffOptions,
  type DiffReceipt,
  diffRuleSets,
  type RuleSetDiff,
} from './compare/diff-rule-sets.js';
export type { ReadingChange } from './compare/reading-changes.js';
export type { SideErrors } from './compare/rule-errors.js';
export type { CompileStage } from './compile/compiled-rule-set.js';
export type { EngineCost, EngineReference, EngineRule } from './compile/contents.js';
export type { Issue, IssueCode } from './compile/issue.js';
export type { Conversation } from './contract/conversation.js';
export type { Operation } from './contract/endpoints.js';
export type { Group } from './contract/group.js';
export type { KeywordList } from './contract/keyword-list.js';
export type { Message } from './contract/message.js';
export type { MessageDraft } from './contract/message-draft.js';
export type { MessageQuery } from './contract/message-query.js';
export type { Cursor, Meta } from './contract/meta.js';
export type { Condition, Filter, Rule } from './contract/rule.js';
export type { ListComments, MissingKind, MissingList, RuleSet } from './contract/rule-set.js';
export type { User } from './contract/user.js';
export {
  type CompileOptions,
  compileEngine,
  createEngine,
  createWordEngine,
  type Engine,
  type EngineCounts,
  type RuleSetInput,
} from './engine.js';
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
} from './errors.js';
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
} from './evaluate/decision.js';
export type { ScoreRequest } from './evaluate/score-requests.js';
export type { Scores } from './evaluate/scores.js';
export type {
  Finding,
  FindingId,
  FindingSeverity,
  IgnoredFinding,
  LintOptions,
  LintReport,
} from './lint/finding.js';
export { lintRuleSet } from './lint/lint-rule-set.js';
export { createFileSource, type FileSourceOptions } from './loader/file-source.js';
export { type LoadOptions, loadRuleSet } from './loader/load-rule-set.js';
export { type ReadOptions, readRuleSetFile, writeRuleSetFile } from './loader/rule-set-file.js';
export { writeRuleSetFolder } from './loader/rule-set-folder.js';
export type { RuleSource } from './loader/rule-source.js';
export { expiredTerms } from './loader/term-comments.js';
export { type MaskOptions, mask } from './mask.js';
export type { PatternEngine, PatternSet, PatternSpec, RejectedPattern } from './match/patterns/engine.js';
export type { Span, TakeMatch } from './match/span.js';
export type { WordReading } from './match/word-edges.js';
export type { CanaryCounts, CanaryOptions } from './moderator/canary.js';
export { createDecisionLog, type DecisionLog, type DecisionLogOptions } from './moderator/decision-log.js';
export type { GuardOptions, HeldRuleSet, RuleSetLoss, UnevaluatedCondition } from './moderator/guard.js';
export { createModerator, type Moderator } from './moderator/moderator.js';
export type { ModeratorOptions } from './moderator/options.js';
export type { ModeratorStatus, RefreshEvent, ScoresWarning, StatusError } from './moderator/status.js';
export type { DecisionEvent, LiveDecision, MatchedRule } from './moderator/watch.js';
export type { Label, LabelOutcome } from './precision/label.js';
export { type PrecisionInterval, type PrecisionIntervalOptions, precisionInterval } from './precision-interval.js';
export { type ReasonOptions, reasonFor } from './reason.js';
export { carriedScores } from './scorers/carried-scores.js';
export { createHttpScorer, type HttpScorerOptions } from './scorers/http-scorer.js';
export type { Scorer } from './scorers/scorer.js';
export type { ScorerCallEvent, ScoringFailure, ScoringOptions } from './scorers/scoring.js';
export { defaultSemantics, type Exception, type Semantics } from './semantics.js';
export type { FilterMiss, NearMatch, NearReading, ScoreMiss, WhyNot, WhyNotReason } from './why-not/answer.js';
export { type WhyNotOptions, whyNot } from './why-not/why-not.js';
