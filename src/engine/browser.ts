/**
 * `sluice/engine`: the public names of Sluice that run in a browser, also what
 * `import … from 'sluice'` finds under the `browser` condition. A part of `index.ts`, whose other
 * names need Node: the client, the loader, the moderator, the audit, files.
 */

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
} from '../foundation/errors.js';
export type { KeywordList } from '../platform/contract/keyword-list.js';
export type { Message } from '../platform/contract/message.js';
export type { MessageDraft } from '../platform/contract/message-draft.js';
export type { Condition, Filter, Rule } from '../platform/contract/rule.js';
export type { ListComments, MissingKind, MissingList, RuleSet } from '../platform/contract/rule-set.js';
export type { EngineReference, EngineRule } from './compile/contents.js';
export type { Issue, IssueCode } from './compile/issue.js';
export {
  type CompileOptions,
  compileEngine,
  createEngine,
  type Engine,
  type EngineCounts,
  type RuleSetInput,
} from './engine.js';
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
export { type MaskOptions, mask } from './mask.js';
export type { Span } from './match/span.js';
export type { WordReading } from './match/word-edges.js';
export { type ReasonOptions, reasonFor } from './reason.js';
export { defaultSemantics, type Exception, type Semantics } from './semantics.js';
