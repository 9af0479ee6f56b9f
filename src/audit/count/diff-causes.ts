/**
 * The causes of differences between two decisions on a message, and the table that adds them up.
 */
import { stops } from '../../engine/compile/verdicts.js';
import type { Decision, ExceptionSource, Match, RuleHit, Verdict } from '../../engine/evaluate/decision.js';
import type { Span } from '../../engine/match/span.js';
import type { Auditable } from '../audit-entry.js';
import { type Cause, causeOf, exceptionKeyOf, keyOf } from './cause.js';
import { excerptOf, textAt } from './excerpt.js';
import { LeastExamples, type Rankable } from './least-examples.js';
import { addNumbers } from './tally.js';

/**
 * The difference that the new rules make for a message. `newlyStopped`: it was allowed and is
 * stopped. `released`: it was stopped and is allowed. `changed`: it was blocked and is dropped, or
 * the reverse. `reasonOnly`: it has the same verdict, other than `allow`, by other rules.
 */
export type DiffKind = 'newlyStopped' | 'released' | 'changed' | 'reasonOnly';

/** All kinds, in the order of causes. */
export const diffKinds = ['newlyStopped', 'released', 'changed', 'reasonOnly'] as const satisfies readonly DiffKind[];

/** The judgement of a person whether the old rules were right to allow or to stop a message. */
export type Outcome = 'right' | 'wrong';

/** Numbers of messages by outcome; `unknown` counts messages without one. */
export type OutcomeCounts = Readonly<Record<Outcome | 'unknown', number>>;

/** A message of a cause. */
export interface DiffExample extends Rankable {
  /** Null for a message without an id. */
  readonly messageId: string | null;
  /** Whether the message has this cause and no other. */
  readonly onlyCause: boolean;
  /**
   * At most 1,000 UTF-16 units of the message's text around the first match; `[redacted:57]` when
   * redacted.
   */
  readonly text: string;
  /** UTF-16 units of `text` as it was before redaction. */
  readonly length: number;
  /**
   * The first match of the cause, in `text` as it was before redaction; absent if the cause is not
   * in a text.
   */
  readonly span?: Span;
  /** The score that exceeds the threshold of the cause, with its own label. */
  readonly score?: { readonly label: string; readonly score: number };
  /** The verdict by the old rules. */
  readonly before: Verdict;
  /** The verdict by the new rules. */
  readonly after: Verdict;
}

/**
 * The identity of a cause: a rule, one of its conditions, and what matched. The label of a score is
 * left out: a change of rules can change only the threshold, which the rule holds.
 */
export interface DiffCausePlace extends Omit<Cause, 'label'> {
  readonly kind: DiffKind;
  /** The rule set of the cause: `against` if the new rules lack it, else `rules`. */
  readonly of: 'rules' | 'against';
  readonly ruleName: string;
  readonly conditionId?: number;
  readonly listRevisionId?: string;
  /** The exception that excepted the match in the other rule set. */
  readonly exception?: ExceptionSource;
}

/**
 * A cause with its messages. A cause without term, pattern and threshold is a condition that counts
 * as matched without them.
 */
export interface DiffCause extends DiffCausePlace {
  /** Messages with this cause. */
  readonly messages: number;
  /** Messages with this cause and no other. */
  readonly onlyCause: number;
  /** Present when outcomes were given. */
  readonly outcomes?: OutcomeCounts;
  readonly examples: readonly DiffExample[];
}

/** Returns how two decisions on a message differ; `undefined` if they do not. */
export function diffKindOf(before: Decision, after: Decision): DiffKind | undefined {
  if (before.verdict !== after.verdict) {
    if (!stops(before.verdict)) return 'newlyStopped';
    return stops(after.verdict) ? 'changed' : 'released';
  }
  if (!stops(after.verdict)) return undefined;
  const [old, now] = [determiningIds(before), determiningIds(after)];
  return old.size === now.size && [...now].every((id) => old.has(id)) ? undefined : 'reasonOnly';
}

function determiningIds({ matched }: Decision): ReadonlySet<string> {
  return new Set(matched.filter(({ determining }) => determining).map(({ ruleId }) => ruleId));
}

/** Returns the determining rules that explain a difference. */
function rulesOf(kind: DiffKind, before: Decision, after: Decision): Pick<DiffCausePlace, 'of'> & { hits: RuleHit[] } {
  const determining = (decision: Decision, opposite?: Decision) => {
    const excluded = opposite && determiningIds(opposite);
    return decision.matched.filter(({ determining, ruleId }) => determining && !excluded?.has(ruleId));
  };
  if (kind === 'released') return { of: 'against', hits: determining(before) };
  if (kind !== 'reasonOnly') return { of: 'rules', hits: determining(after) };
  const added = determining(after, before);
  return added.length > 0 ? { of: 'rules', hits: added } : { of: 'against', hits: determining(before, after) };
}

/** A cause of one message, with the first of its matches. */
interface FoundCause {
  readonly place: DiffCausePlace;
  readonly match: Match | undefined;
}

/** Returns the causes of a difference, each once, by key. */
function causesOf(kind: DiffKind, before: Decision, after: Decision): ReadonlyMap<string, FoundCause> {
  const causes = new Map<string, FoundCause>();
  const { of, hits } = rulesOf(kind, before, after);
  const exceptionOf = createExceptionLookup(of === 'rules' ? before : after);
  for (const { ruleId, ruleName, conditions } of hits) {
    for (const { conditionId, matches } of conditions) {
      for (const match of matches.length > 0 ? matches : [undefined]) {
        const exception = match && exceptionOf(ruleId, match);
        const thing = { ...(match && matchedThing(ruleId, match)), ...(exception && { exception }) };
        const place = { kind, of, ruleId, ruleName, conditionId, ...thing };
        const key = placeKeyOf(place);
        if (!causes.has(key)) causes.set(key, { place, match });
      }
    }
  }
  return causes;
}

/**
 * Returns a function that finds the exception that took back a match of a rule in another decision
 * on the same message.
 */
function createExceptionLookup({ excepted }: Decision): (ruleId: string, match: Match) => ExceptionSource | undefined {
  const keyOfMatch = (ruleId: string, match: Match) => {
    const { start = 0, end = 0 } = match.kind === 'score' ? {} : match.span;
    return `${keyOf(causeOf(ruleId, match))} ${start} ${end} ${match.path}`;
  };
  const known = new Map(excepted.map(({ ruleId, match, exception }) => [keyOfMatch(ruleId, match), exception]));
  return (ruleId, match) => (known.size === 0 ? undefined : known.get(keyOfMatch(ruleId, match)));
}

function matchedThing(ruleId: string, match: Match): Partial<DiffCausePlace> {
  const { label: _, ...cause } = causeOf(ruleId, match);
  const revision = match.kind === 'score' ? undefined : match.listRevisionId;
  return { ...cause, ...(revision !== undefined && { listRevisionId: revision }) };
}

/**
 * Returns the key of a cause in a diff: what matched, the kind, the rule set, the condition, the
 * revision of the list and the exception.
 */
function placeKeyOf(place: DiffCausePlace): string {
  const { kind, of, conditionId, listRevisionId, exception } = place;
  const excepted = exception && exceptionKeyOf(exception);
  return `${keyOf(place)}${JSON.stringify([conditionId, listRevisionId, kind, of, excepted])}`;
}

/** A message with its two decisions, which differ. */
interface Difference {
  readonly kind: DiffKind;
  readonly message: Auditable;
  readonly messageId: string | undefined;
  readonly before: Decision;
  readonly after: Decision;
  readonly outcome: Outcome | 'unknown' | undefined;
}

interface CauseRow {
  place: DiffCausePlace;
  messages: number;
  onlyCause: number;
  readonly outcomes: Record<Outcome | 'unknown', number>;
  readonly examples: LeastExamples<DiffExample>;
}

/**
 * Starts an empty table with at most `examples` examples of a cause, chosen as `LeastExamples`
 * does. Memory grows with the causes and their examples, not with the messages.
 */
export function createCauseTable(options: {
  readonly examples: number;
  readonly redact: boolean;
  readonly hasOutcomes: boolean;
}) {
  const rows = new Map<string, CauseRow>();
  const rowOf = (key: string, place: DiffCausePlace): CauseRow => {
    const row = rows.get(key);
    if (row === undefined) {
      const examples = new LeastExamples<DiffExample>(options.examples);
      const first = { place, messages: 0, onlyCause: 0, outcomes: noOutcomes(), examples };
      rows.set(key, first);
      return first;
    }
    // Two rules with the same id may differ in name; their order depends on the messages.
    if (place.ruleName < row.place.ruleName) row.place = place;
    return row;
  };
  return {
    add({ kind, message, messageId: id, before, after, outcome }: Difference): void {
      const causes = causesOf(kind, before, after);
      const ranked = { messageId: id ?? null, onlyCause: causes.size === 1 };
      for (const [key, { place, match }] of causes) {
        const row = rowOf(key, place);
        row.messages += 1;
        row.onlyCause += Number(ranked.onlyCause);
        if (outcome !== undefined) row.outcomes[outcome] += 1;
        if (!row.examples.admits(ranked)) continue;
        const text = exampleText(message, match, options.redact);
        row.examples.add({ ...ranked, ...text, before: before.verdict, after: after.verdict });
      }
    },
    /** Adds the causes of other messages of the same diff, counted with the same options. */
    merge(added: readonly DiffCause[]): void {
      for (const { messages, onlyCause, outcomes, examples, ...place } of added) {
        const row = rowOf(placeKeyOf(place), place);
        row.messages += messages;
        row.onlyCause += onlyCause;
        if (outcomes !== undefined) addNumbers(row.outcomes, outcomes);
        for (const example of examples) if (row.examples.admits(example)) row.examples.add(example);
      }
    },
    /** Returns the causes by kind, then by messages, most first, then by ids. */
    toJSON(): DiffCause[] {
      const ordered = [...rows].sort(
        ([key, row], [otherKey, otherRow]) =>
          diffKinds.indexOf(row.place.kind) - diffKinds.indexOf(otherRow.place.kind) ||
          otherRow.messages - row.messages ||
          (key < otherKey ? -1 : 1),
      );
      return ordered.map(([, { place, messages, onlyCause, outcomes, examples }]) => ({
        ...place,
        messages,
        onlyCause,
        ...(options.hasOutcomes && { outcomes: { ...outcomes } }),
        examples: examples.toJSON(),
      }));
    },
  };
}

/** Returns counts of outcomes that are all 0. */
export const noOutcomes = (): Record<Outcome | 'unknown', number> => ({ right: 0, wrong: 0, unknown: 0 });

function exampleText(
  message: Auditable,
  match: Match | undefined,
  redact: boolean,
): Pick<DiffExample, 'text' | 'length' | 'span' | 'score'> {
  const inText = match?.kind === 'score' ? undefined : match;
  const text = typeof message === 'string' ? message : textAt(message, inText?.path ?? 'data.text');
  const excerpt = excerptOf(text ?? '', text === undefined ? undefined : inText?.span);
  // A copy: a slice keeps the whole text that it was cut from in memory.
  const copy = redact ? `[redacted:${excerpt.text.length}]` : (JSON.parse(JSON.stringify(excerpt.text)) as string);
  const score = match?.kind === 'score' ? { score: { label: match.label, score: match.score } } : {};
  return { text: copy, length: excerpt.text.length, ...(excerpt.span && { span: excerpt.span }), ...score };
}
