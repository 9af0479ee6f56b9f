/** Examples of what matched: a few messages for each term, pattern and label of each rule, kept while an audit runs. */
import type { Match, RuleHit } from '../../evaluate/decision.js';
import type { Span } from '../../match/span.js';
import type { Auditable, AuditEntry } from '../audit.js';
import { compareIds } from './audit-summary.js';
import { excerptOf, textAt } from './excerpt.js';

/** What examples are of: a term, a pattern, or a label over a threshold, for one rule. */
export interface Cause {
  readonly ruleId: string;
  readonly kind: Match['kind'];
  /** The keyword list that holds the term or pattern; absent for what the rule holds itself. */
  readonly listId?: string | undefined;
  /** The term or pattern as its author wrote it, or the label as the scores have it. */
  readonly what: string;
  /** Of a label. */
  readonly threshold?: { readonly label: string; readonly greaterThan: number } | undefined;
}

/** One message that has a cause. */
export interface Example {
  /** Null for a message without an id. */
  readonly messageId: string | null;
  /** JSON path of the text inside the message, or of the score. */
  readonly path: string;
  /** The part of the text around the first match, `longestExample` UTF-16 units at the most; absent when redacted, and for a score. */
  readonly text?: string | undefined;
  /** Where that part begins in the whole text, in UTF-16 units. */
  readonly from: number;
  /** The matches that begin in that part: half-open UTF-16 offsets in it, none behind its end. */
  readonly spans: readonly Span[];
  /** From 0 to 100; of a label. */
  readonly score?: number | undefined;
}

/** A cause with its examples, by their ids: shorter ones first, then in code unit order; messages without an id last. */
export interface CauseExamples extends Cause {
  readonly examples: readonly Example[];
}

/** Whether examples hold parts of messages, or only the places of matches. */
export type ExampleContent = 'text' | 'redacted';

/** Most examples of a cause. */
export const mostExamplesOfCause = 3;

/** UTF-16 units of an example's text at the most. */
export const longestExample = 300;

/** Most causes that have examples. */
export const mostCauses = 1_000;

/**
 * Running examples of an audit, in bounded memory. Of more than `mostCauses` causes those with the smallest hashes have examples: a
 * choice among causes that does not depend on messages, so that examples of disjoint parts add up to those of the whole.
 */
export interface Examples {
  add(entry: Pick<AuditEntry, 'message' | 'decision'>): void;
  /** Adds the examples of another part of the same audit, of the same content. */
  merge(part: readonly CauseExamples[]): void;
  /** Plain JSON, sorted by rule, kind, list and what matched. */
  toJSON(): CauseExamples[];
}

interface Kept {
  readonly cause: Cause;
  readonly key: string;
  readonly hash: number;
  examples: readonly Example[];
}

/** Starts without examples. */
export function createExamples(content: ExampleContent): Examples {
  const causes = new Map<string, Kept>();
  /** The cause that goes next; undefined while there is room. */
  let last: Kept | undefined;

  const keptOf = (key: string, cause: Cause): Kept | undefined => {
    const found = causes.get(key);
    if (found !== undefined) return found;
    const kept: Kept = { cause, key, hash: hashOf(key), examples: [] };
    if (last !== undefined) {
      if (isBehind(kept, last)) return undefined;
      causes.delete(last.key);
    }
    causes.set(key, kept);
    if (causes.size === mostCauses)
      last = [...causes.values()].reduce((left, right) => (isBehind(left, right) ? left : right));
    return kept;
  };
  const insert = (kept: Kept, example: Example) => {
    const { examples } = kept;
    const before = examples.findIndex((other) => compareExamples(example, other) <= 0);
    const at = before === -1 ? examples.length : before;
    // Equal examples are one, so that it does not matter how often a part is counted.
    if (at === mostExamplesOfCause || (before !== -1 && compareExamples(example, examples[at]!) === 0)) return;
    kept.examples = [...examples.slice(0, at), example, ...examples.slice(at)].slice(0, mostExamplesOfCause);
  };
  return {
    add({ message, decision }) {
      for (const hit of decision.matched) {
        for (const { cause, key, matches } of causesOf(hit)) {
          const kept = keptOf(key, cause);
          const worst = kept?.examples[mostExamplesOfCause - 1];
          if (kept === undefined || (worst !== undefined && compareMessages(idOf(message), worst.messageId) > 0))
            continue;
          insert(kept, exampleOf(message, matches, content));
        }
      }
    },
    merge(part) {
      for (const { examples, ...cause } of part) {
        const kept = keptOf(keyOf(cause), cause);
        if (kept !== undefined) for (const example of examples) insert(kept, example);
      }
    },
    toJSON: () =>
      [...causes.values()]
        .sort((left, right) => (left.key < right.key ? -1 : 1))
        .map(({ cause, examples }) => ({ ...cause, examples })),
  };
}

/** The identity of a cause as one text. */
export function keyOf({ ruleId, kind, listId, what, threshold }: Cause): string {
  return JSON.stringify([ruleId, kind, listId ?? null, what, threshold?.label ?? null, threshold?.greaterThan ?? null]);
}

/** The causes of a rule that matched, each with its matches in their order. */
function causesOf({ ruleId, conditions }: RuleHit) {
  const found = new Map<string, { readonly cause: Cause; readonly key: string; readonly matches: Match[] }>();
  for (const { matches } of conditions) {
    for (const match of matches) {
      const cause = causeOf(ruleId, match);
      const key = keyOf(cause);
      const before = found.get(key);
      if (before === undefined) found.set(key, { cause, key, matches: [match] });
      else before.matches.push(match);
    }
  }
  return found.values();
}

function causeOf(ruleId: string, match: Match): Cause {
  if (match.kind === 'score') return { ruleId, kind: 'score', what: match.label, threshold: match.threshold };
  const what = match.kind === 'word' ? match.term : match.pattern;
  return { ruleId, kind: match.kind, ...(match.listId !== undefined && { listId: match.listId }), what };
}

/** A message as an example: around its first match, with the other ones in the same text. */
function exampleOf(message: Auditable, matches: readonly Match[], content: ExampleContent): Example {
  const [first] = matches as [Match];
  const { path } = first;
  const messageId = idOf(message);
  if (first.kind === 'score') return { messageId, path, from: 0, spans: [], score: first.score };
  const whole = (typeof message === 'string' ? message : textAt(message, path)) ?? first.text;
  const { text, span = first.span } = excerptOf(whole, first.span, longestExample);
  const from = first.span.start - span.start;
  const spans = new Map<string, Span>();
  for (const match of matches) {
    if (match.kind === 'score' || match.path !== path) continue;
    const start = match.span.start - from;
    const end = Math.min(match.span.end - from, text.length);
    if (start >= 0 && start <= end) spans.set(`${start} ${end}`, { start, end });
  }
  const sorted = [...spans.values()].sort((left, right) => left.start - right.start || left.end - right.end);
  return { messageId, path, ...(content === 'text' && { text }), from, spans: sorted };
}

function idOf(message: Auditable): string | null {
  const id: unknown = typeof message === 'string' ? undefined : message.id;
  return typeof id === 'string' ? id : null;
}

/** A total order: by id, then by all that an example holds. */
function compareExamples(left: Example, right: Example): number {
  return compareMessages(left.messageId, right.messageId) || compareTexts(JSON.stringify(left), JSON.stringify(right));
}

/** A message without an id comes last. */
function compareMessages(left: string | null, right: string | null): number {
  return left === null || right === null ? Number(left === null) - Number(right === null) : compareIds(left, right);
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

function isBehind(left: Kept, right: Kept): boolean {
  return left.hash === right.hash ? left.key > right.key : left.hash > right.hash;
}

/** FNV-1a over UTF-16 units: spreads the causes that are kept over rules and lists. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
