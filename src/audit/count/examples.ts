/**
 * Examples of what matched: a few messages for each term, pattern and label of each rule, kept
 * while an audit runs.
 */
import type { Match } from '../../engine/evaluate/decision.js';
import type { Span } from '../../engine/match/span.js';
import type { Auditable, AuditEntry } from '../audit-entry.js';
import { type Cause, causesOf, keyOf } from './cause.js';
import { excerptOf, textAt } from './excerpt.js';
import { digestOf, LeastExamples, type Rankable } from './least-examples.js';

/** One message that has a cause. */
export interface Example extends Rankable {
  /** Null for a message without an id. */
  readonly messageId: string | null;
  /** Whether the message has no other cause: no other term, pattern or label of any rule. */
  readonly onlyCause: boolean;
  /** Sender, conversation and second since the epoch, if the message has them. */
  readonly sender?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly sentAt?: number | undefined;
  /** JSON path of the text inside the message, or of the score. */
  readonly path: string;
  /**
   * The part of the text around the first match, `longestExample` UTF-16 units at most; absent when
   * redacted, and for a score.
   */
  readonly text?: string | undefined;
  /** The offset of that part in the whole text, in UTF-16 units. */
  readonly from: number;
  /** The matches that begin in that part, as half-open UTF-16 offsets within it. */
  readonly spans: readonly Span[];
  /** The score of a label, from 0 to 100; absent for terms and patterns. */
  readonly score?: number | undefined;
}

/** A cause with its examples, by their rank. */
export interface CauseExamples extends Cause {
  readonly examples: readonly Example[];
}

/** The content of examples: parts of messages, or only the positions of matches. */
export type ExampleContent = 'text' | 'redacted';

export const mostExamplesOfCause = 3;

/** The largest length of the text of an example, in UTF-16 units. */
export const longestExample = 300;

/** The largest number of causes with examples. */
export const mostCauses = 1_000;

interface Kept {
  readonly cause: Cause;
  readonly key: string;
  readonly digest: number;
  readonly examples: LeastExamples<Example>;
}

/**
 * Starts a collection of examples, in bounded memory. Of more than `mostCauses` causes, those with
 * the smallest digests have examples: this choice does not depend on messages, so that the examples
 * of disjoint parts add up to those of the whole.
 */
export function createExamples(content: ExampleContent) {
  const causes = new Map<string, Kept>();
  /** The cause that is dropped next; undefined while there is room. */
  let last: Kept | undefined;

  const keptOf = (key: string, cause: Cause): Kept | undefined => {
    const found = causes.get(key);
    if (found !== undefined) return found;
    const kept: Kept = { cause, key, digest: digestOf(key), examples: new LeastExamples(mostExamplesOfCause) };
    if (last !== undefined) {
      if (isBehind(kept, last)) return undefined;
      causes.delete(last.key);
    }
    causes.set(key, kept);
    if (causes.size === mostCauses)
      last = [...causes.values()].reduce((left, right) => (isBehind(left, right) ? left : right));
    return kept;
  };
  return {
    add({ message, decision, place }: Pick<AuditEntry, 'message' | 'decision'> & { readonly place?: number }): void {
      if (decision.matched.length === 0) return;
      const found = decision.matched.flatMap(causesOf);
      const onlyCause = found.every(({ key }) => key === found[0]!.key);
      const messageId = idOf(message);
      const ranked = { messageId, onlyCause, ...(messageId === null && place !== undefined && { row: place }) };
      for (const { cause, key, matches } of found) {
        const examples = keptOf(key, cause)?.examples;
        if (examples?.admits(ranked)) examples.add(exampleOf(message, ranked, matches, content));
      }
    },
    /** Adds the examples of another part of the same audit, of the same content. */
    merge(added: readonly CauseExamples[]): void {
      for (const { examples, ...cause } of added) {
        const kept = keptOf(keyOf(cause), cause)?.examples;
        for (const example of examples) if (kept?.admits(example)) kept.add(example);
      }
    },
    /** Returns plain JSON, sorted by rule, list and what matched. */
    toJSON: (): CauseExamples[] =>
      [...causes.values()]
        .sort((left, right) => (left.key < right.key ? -1 : 1))
        .map(({ cause, examples }) => ({ ...cause, examples: examples.toJSON() })),
  };
}

/**
 * Returns the example of a message: its text around the first match, with all matches in that part.
 */
function exampleOf(
  message: Auditable,
  ranked: Rankable,
  matches: readonly [Match, ...Match[]],
  content: ExampleContent,
): Example {
  const [first] = matches;
  const { path } = first;
  const origin = originOf(message);
  if (first.kind === 'score') return { ...ranked, ...origin, path, from: 0, spans: [], score: first.score };
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
  return { ...ranked, ...origin, path, ...(content === 'text' && { text }), from, spans: sorted };
}

function originOf(message: Auditable): Pick<Example, 'sender' | 'conversationId' | 'sentAt'> {
  if (typeof message === 'string') return {};
  const { sender, conversationId, sentAt } = message as Readonly<Record<string, unknown>>;
  return {
    ...(typeof sender === 'string' && { sender }),
    ...(typeof conversationId === 'string' && { conversationId }),
    ...(Number.isFinite(sentAt) && { sentAt: sentAt as number }),
  };
}

function idOf(message: Auditable): string | null {
  const id: unknown = typeof message === 'string' ? undefined : message.id;
  return typeof id === 'string' ? id : null;
}

function isBehind(left: Kept, right: Kept): boolean {
  return left.digest === right.digest ? left.key > right.key : left.digest > right.digest;
}
