/** What a message's two decisions differ in, and the table of causes that they add up to. */
import type { Auditable } from '../audit/audit.js';
import { excerptOf, textAt } from '../audit/count/excerpt.js';
import { digest } from '../digest.js';
import type { Decision, Match, RuleHit, Verdict } from '../evaluate/decision.js';
import type { Span } from '../match/span.js';

/**
 * How a message fares by the new rules: `newlyStopped` was allowed and is not, `released` the other way, `changed` was blocked
 * and is dropped or the other way, `reasonOnly` has the same verdict, not `allow`, by other rules.
 */
export type DiffKind = 'newlyStopped' | 'released' | 'changed' | 'reasonOnly';

/** All kinds, in the order of causes. */
export const diffKinds = ['newlyStopped', 'released', 'changed', 'reasonOnly'] as const satisfies readonly DiffKind[];

/** What human review found of how a message was handled under the old rules: rightly or wrongly sent, rightly or wrongly stopped. */
export type Outcome = 'right' | 'wrong';

/** Numbers of messages by outcome; `unknown` have none. */
export type OutcomeCounts = Readonly<Record<Outcome | 'unknown', number>>;

/** A message of a cause. */
export interface DiffExample {
  /** Null for a message without an id. */
  readonly messageId: string | null;
  /** At most 1,000 UTF-16 units of the message's text around the first match; `[redacted:57]` when redacted. */
  readonly text: string;
  /** The first match of the cause, in `text` as it was before redaction; absent where the cause has no place in a text. */
  readonly span?: Span;
  /** The score that exceeds the threshold of the cause, with its own label. */
  readonly score?: { readonly label: string; readonly score: number };
  /** By the old rules. */
  readonly before: Verdict;
  /** By the new rules. */
  readonly after: Verdict;
}

/** What a cause names: a rule, one of its conditions, and what of it matched. */
export interface DiffCausePlace {
  readonly kind: DiffKind;
  /** The rule set that the cause stands in: `against` where it names what is gone, else `rules`. */
  readonly of: 'rules' | 'against';
  readonly ruleId: string;
  readonly ruleName: string;
  readonly conditionId?: number;
  readonly listId?: string;
  readonly listRevisionId?: string;
  /** As its author wrote it. */
  readonly term?: string;
  readonly pattern?: string;
  /** Of a picture or video whose score exceeds it. */
  readonly threshold?: { readonly label: string; readonly greaterThan: number };
}

/** A cause with its messages. A cause without term, pattern and threshold is a condition that counts as matched without them. */
export interface DiffCause extends DiffCausePlace {
  /** Messages with this cause. */
  readonly messages: number;
  /** Messages with this cause and no other. */
  readonly onlyCause: number;
  /** Present when outcomes were given. */
  readonly outcomes?: OutcomeCounts;
  readonly examples: readonly DiffExample[];
}

/** How two decisions on a message differ; `undefined` when they do not. */
export function diffKindOf(before: Decision, after: Decision): DiffKind | undefined {
  if (before.verdict !== after.verdict) {
    if (before.verdict === 'allow') return 'newlyStopped';
    return after.verdict === 'allow' ? 'released' : 'changed';
  }
  if (after.verdict === 'allow') return undefined;
  const [old, now] = [determiningIds(before), determiningIds(after)];
  return old.size === now.size && [...now].every((id) => old.has(id)) ? undefined : 'reasonOnly';
}

function determiningIds({ matched }: Decision): ReadonlySet<string> {
  return new Set(matched.filter(({ determining }) => determining).map(({ ruleId }) => ruleId));
}

/** The determining rules that a difference is put down to. */
function rulesOf(kind: DiffKind, before: Decision, after: Decision): Pick<DiffCausePlace, 'of'> & { hits: RuleHit[] } {
  const determining = (decision: Decision, other?: Decision) => {
    const others = other && determiningIds(other);
    return decision.matched.filter(({ determining, ruleId }) => determining && !others?.has(ruleId));
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

/** The causes of a difference, each once, by key. */
function causesOf(kind: DiffKind, before: Decision, after: Decision): ReadonlyMap<string, FoundCause> {
  const causes = new Map<string, FoundCause>();
  const { of, hits } = rulesOf(kind, before, after);
  for (const { ruleId, ruleName, conditions } of hits) {
    for (const { conditionId, matches } of conditions) {
      for (const match of matches.length > 0 ? matches : [undefined]) {
        const place = { kind, of, ruleId, ruleName, conditionId, ...(match && matchedThing(match)) };
        const key = keyOf(place);
        if (!causes.has(key)) causes.set(key, { place, match });
      }
    }
  }
  return causes;
}

function matchedThing(match: Match): Partial<DiffCausePlace> {
  if (match.kind === 'score') return { threshold: match.threshold };
  const { listId, listRevisionId } = match;
  return {
    ...(listId !== undefined && { listId }),
    ...(listRevisionId !== undefined && { listRevisionId }),
    ...(match.kind === 'word' ? { term: match.term } : { pattern: match.pattern }),
  };
}

function keyOf({ kind, of, ruleId, conditionId, listId, listRevisionId, term, pattern, threshold }: DiffCausePlace) {
  const kindRank = diffKinds.indexOf(kind);
  const scored = threshold && [threshold.label, threshold.greaterThan];
  return JSON.stringify([kindRank, ruleId, conditionId, listId, listRevisionId, term, pattern, scored, of]);
}

/** A message with its two decisions, which differ. */
export interface Difference {
  readonly kind: DiffKind;
  readonly message: Auditable;
  readonly messageId: string | undefined;
  readonly before: Decision;
  readonly after: Decision;
  readonly outcome: Outcome | 'unknown' | undefined;
}

/** A growing table of causes. Memory grows with the causes and their examples, not with the messages. */
export interface CauseTable {
  add(difference: Difference): void;
  /** By kind, then with most messages first, then by ids in code unit order. */
  causes(): DiffCause[];
}

interface CauseRow {
  readonly place: DiffCausePlace;
  messages: number;
  onlyCause: number;
  readonly outcomes: { right: number; wrong: number; unknown: number };
  readonly examples: RankedExample[];
}

/** An example with its rank: the smaller, the earlier it is shown. */
interface RankedExample {
  readonly rank: string;
  /** Digest of the message's id: equal for the same message. */
  readonly identity: string;
  readonly example: DiffExample;
}

/**
 * Starts an empty table with at most `examples` examples a cause: first messages with no other cause, then those with the
 * smallest digest of their id, or of the message where it has none. Which they are depends neither on the order of the messages
 * nor on how often one of them comes, and they are spread over all of them.
 */
export function createCauseTable(plan: {
  readonly examples: number;
  readonly redact: boolean;
  readonly hasOutcomes: boolean;
}): CauseTable {
  const rows = new Map<string, CauseRow>();
  return {
    add(difference) {
      const { kind, message, messageId, before, after, outcome } = difference;
      const causes = causesOf(kind, before, after);
      const isOnly = causes.size === 1;
      const identity = plan.examples === 0 ? '' : digest(messageId ?? { message });
      for (const [key, { place, match }] of causes) {
        const row = rows.get(key) ?? newRow(place);
        rows.set(key, row);
        row.messages += 1;
        row.onlyCause += Number(isOnly);
        if (outcome !== undefined) row.outcomes[outcome] += 1;
        const rank = `${isOnly ? 0 : 1}${identity}`;
        const last = row.examples[plan.examples - 1];
        if (plan.examples === 0 || (last !== undefined && rank > last.rank)) continue;
        const example = {
          messageId: messageId ?? null,
          ...exampleText(message, match, plan.redact),
          before: before.verdict,
          after: after.verdict,
        };
        // Two messages with one id may differ in text, after an edit for instance.
        keepLeast(row.examples, { rank: rank + JSON.stringify(example), identity, example }, plan.examples);
      }
    },
    causes() {
      const ordered = [...rows].sort(
        ([key, row], [otherKey, other]) =>
          diffKinds.indexOf(row.place.kind) - diffKinds.indexOf(other.place.kind) ||
          other.messages - row.messages ||
          (key < otherKey ? -1 : 1),
      );
      return ordered.map(([, { place, messages, onlyCause, outcomes, examples }]) => ({
        ...place,
        messages,
        onlyCause,
        ...(plan.hasOutcomes && { outcomes: { ...outcomes } }),
        examples: examples.map(({ example }) => example),
      }));
    },
  };
}

function newRow(place: DiffCausePlace): CauseRow {
  return { place, messages: 0, onlyCause: 0, outcomes: { right: 0, wrong: 0, unknown: 0 }, examples: [] };
}

/** Adds an example to a sorted list that keeps the `most` of least rank, one for each message. */
function keepLeast(kept: RankedExample[], added: RankedExample, most: number): void {
  const same = kept.findIndex(({ identity }) => identity === added.identity);
  if (same !== -1) {
    if (kept[same]!.rank <= added.rank) return;
    kept.splice(same, 1);
  }
  const at = kept.findIndex(({ rank }) => rank > added.rank);
  kept.splice(at === -1 ? kept.length : at, 0, added);
  if (kept.length > most) kept.pop();
}

function exampleText(
  message: Auditable,
  match: Match | undefined,
  redact: boolean,
): Pick<DiffExample, 'text' | 'span' | 'score'> {
  const inText = match?.kind === 'score' ? undefined : match;
  const text = typeof message === 'string' ? message : textAt(message, inText?.path ?? 'data.text');
  const excerpt = excerptOf(text ?? '', text === undefined ? undefined : inText?.span);
  // A copy: a slice keeps the whole text that it was cut from in memory.
  const copy = redact ? `[redacted:${excerpt.text.length}]` : (JSON.parse(JSON.stringify(excerpt.text)) as string);
  const score = match?.kind === 'score' ? { score: { label: match.label, score: match.score } } : {};
  return { ...excerpt, text: copy, ...score };
}
