/** The requests of the page and the answers of its workers. Everything is plain data. */
import type { DiffCause, DiffKind } from '../../audit/count/diff-causes.js';
import type { ColumnMap } from '../../audit/source/columns.js';
import type { ScoredOperand } from '../../engine/compile/operands.js';
import type { ExceptedMatch, RuleHit, Unevaluated, Verdict } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { Finding } from '../../review/lint/finding.js';
import type { WhyNot } from '../../review/why-not/answer.js';
import type { PlayRules } from '../handler.js';

/** Rules and messages as they were opened. What is absent stays as it is. */
export interface Opened {
  readonly rules?: PlayRules | undefined;
  readonly rulesName?: string | undefined;
  readonly messages?: readonly MessageDraft[] | undefined;
  /** Scores of the messages, by position. */
  readonly scores?: readonly (readonly Scores[])[] | undefined;
  readonly messagesName?: string | undefined;
  /** A note on what was left out, for people. */
  readonly note?: string | undefined;
}

/**
 * A text that people edit: the rules, the readings, or a keyword list, whose `id` is `list:` and
 * its id.
 */
export interface Doc {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** A label of scores that rules name, with the thresholds that they have for it. */
export interface ScoreLabel {
  readonly operand: ScoredOperand;
  readonly label: string;
  readonly thresholds: readonly number[];
}

/** The reason why a text cannot be used. Lines count from 0. */
export interface DocError {
  readonly doc: string;
  readonly line?: number | undefined;
  readonly detail: string;
}

/** A piece of a text; `isMarked` says whether it is inside a match. */
export interface Segment {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The decision on the text that is tried. */
export interface Tried {
  readonly verdict: Verdict;
  readonly texts: readonly { readonly path: string; readonly segments: readonly Segment[] }[];
  readonly matched: readonly RuleHit[];
  readonly excepted: readonly ExceptedMatch[];
  readonly unevaluated: readonly Unevaluated[];
  readonly others: readonly { readonly ruleId: string; readonly ruleName: string }[];
  /** Whether the text was read as a message in JSON. */
  readonly isMessage: boolean;
  readonly isTruncated: boolean;
}

/** The messages of a day, or of several days if there are too many of them. */
export interface DayCounts {
  /** `2026-03-01` */
  readonly day: string;
  readonly before: number;
  readonly after: number;
  readonly newlyStopped: number;
  readonly released: number;
}

/**
 * The effect of the edited rules on all messages, compared with that of the rules as they were
 * opened.
 */
export interface Seen {
  readonly messages: number;
  readonly before: number;
  readonly after: number;
  readonly kinds: Readonly<Record<DiffKind, number>>;
  readonly causes: readonly DiffCause[];
  /** The number of causes that are not listed. */
  readonly moreCauses: number;
  readonly days: readonly DayCounts[];
  /** Messages that a term or pattern matched, by `termKey`. */
  readonly terms: Readonly<Record<string, number>>;
  readonly tookMs: number;
}

/** The key of a term in `Seen.terms`. */
export const termKey = (listId = '', term = '') => `${listId.length} ${listId} ${term}`;

/** Returns the term of a key. */
export const termOfKey = (key: string) => key.slice(key.indexOf(' ') + Number.parseInt(key, 10) + 2);

/** The query of listed messages. */
export interface Query {
  readonly view: 'all' | 'stopped' | 'allowed' | DiffKind;
  readonly ruleId?: string | undefined;
  /** The key of a term. */
  readonly term?: string | undefined;
  readonly search?: string | undefined;
}

/** A message of the list. */
export interface Row {
  /** The id of the message, or its position: `row 18,461`. */
  readonly id: string;
  readonly sender: string;
  /** `2026-03-01 08:00`, or nothing. */
  readonly time: string;
  readonly segments: readonly Segment[];
  readonly before: Verdict;
  readonly after: Verdict;
  readonly rules: readonly string[];
}

/** A finding of lint beside its line. */
export interface PlacedFinding extends Finding {
  readonly doc: string;
  /** The line, from 0. */
  readonly line: number;
}

/** A file that was opened, with its path inside a folder. */
export interface DroppedFile {
  readonly path: string;
  readonly blob: Blob;
}

/** A request of the page. */
export type Request =
  | { readonly type: 'lint'; readonly port: object }
  | { readonly type: 'start'; readonly port: object }
  | { readonly type: 'demo'; readonly data: string }
  | { readonly type: 'files'; readonly files: readonly DroppedFile[]; readonly map?: ColumnMap | undefined }
  | { readonly type: 'served'; readonly url: string; readonly token: string }
  | { readonly type: 'edit'; readonly docs: Readonly<Record<string, string>> }
  | { readonly type: 'try'; readonly text: string; readonly scores: readonly Scores[] }
  | { readonly type: 'why'; readonly ruleId: string; readonly text: string; readonly scores: readonly Scores[] }
  | { readonly type: 'add'; readonly list: KeywordList }
  | { readonly type: 'rows'; readonly query: Query }
  | {
      readonly type: 'keep';
      readonly form: 'json' | 'case';
      readonly text: string;
      readonly scores: readonly Scores[];
    };

/** An answer of a worker. */
export type Answer =
  | {
      readonly type: 'opened';
      readonly docs: readonly Doc[];
      readonly rulesName: string;
      readonly messagesName: string;
      readonly messages: number;
      readonly note?: string | undefined;
    }
  | { readonly type: 'docs'; readonly docs: readonly Doc[] }
  | {
      readonly type: 'compiled';
      readonly errors: readonly DocError[];
      readonly labels: readonly ScoreLabel[];
      readonly rules: readonly { readonly ruleId: string; readonly ruleName: string }[];
    }
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'seen'; readonly seen: Seen }
  | { readonly type: 'tried'; readonly tried: Tried | undefined }
  | { readonly type: 'why'; readonly ruleId: string; readonly answers: readonly WhyNot[] }
  | { readonly type: 'rows'; readonly total: number; readonly rows: readonly Row[] }
  | { readonly type: 'findings'; readonly findings: readonly PlacedFinding[] }
  | { readonly type: 'kept'; readonly data: Blob | string }
  /** `columns` are those of messages whose text has no known column. */
  | { readonly type: 'failed'; readonly detail: string; readonly columns?: readonly string[] | undefined };
