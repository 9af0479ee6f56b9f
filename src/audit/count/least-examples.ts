/**
 * Chooses the examples of audits and diffs: those of least rank, at most one for each message. A
 * rank has three parts. First, messages that have no other cause precede those that have some;
 * then, the smallest digest of the message's id comes first, so that examples are spread over all
 * messages; then, the JSON of the example decides, since two messages may share an id, for instance
 * after an edit. An example without an id has the digest of its JSON.
 *
 * INVARIANT: a rank follows from the JSON of the example alone. The choice therefore depends
 * neither on the order of messages and parts nor on repetitions: an example among the least of the
 * whole is among the least of each part that has it.
 */

/** The fields on which the rank of an example depends, beside its JSON. */
export interface Rankable {
  /** Null for a message without an id. */
  readonly messageId: string | null;
  /** Whether its message has no other cause. */
  readonly onlyCause: boolean;
  /** The position of a message without an id among all rows, from 1. Ranks do not depend on it. */
  readonly row?: number | undefined;
}

interface Ranked<Item> {
  /**
   * The first two parts of the rank: the digest, and above it a bit that is set for messages with
   * other causes.
   */
  readonly rank: number;
  /** The last part of the rank. */
  readonly json: string;
  readonly example: Item;
}

/** One more than the largest digest. */
const endOfDigests = 2 ** 32;

/**
 * Keeps the `most` examples of least rank. An addition takes time in proportion to `most`; `admits`
 * is fast.
 */
export class LeastExamples<Item extends Rankable> {
  readonly #most: number;
  /** The examples, by rank. */
  readonly #kept: Ranked<Item>[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Reports whether an example of a message may be kept, before the caller makes it. */
  admits({ messageId, onlyCause }: Rankable): boolean {
    if (this.#kept.length < this.#most) return true;
    const last = this.#kept.at(-1);
    return last !== undefined && rankOf(onlyCause, messageId === null ? 0 : digestOf(messageId)) <= last.rank;
  }

  add(example: Item): void {
    const json = JSON.stringify({ ...example, row: undefined });
    const { messageId, onlyCause, row = 0 } = example;
    const added = { rank: rankOf(onlyCause, digestOf(messageId ?? json)), json, example };
    const kept = this.#kept;
    const same = kept.findIndex((ranked) => isOfSameMessage(ranked, added));
    if (same !== -1) {
      const order = compareRanks(kept[same]!, added);
      if (order < 0 || (order === 0 && (kept[same]!.example.row ?? 0) <= row)) return;
      kept.splice(same, 1);
    }
    const at = kept.findIndex((ranked) => compareRanks(ranked, added) > 0);
    kept.splice(at === -1 ? kept.length : at, 0, added);
    if (kept.length > this.#most) kept.pop();
  }

  /** Returns the examples, by rank. */
  toJSON(): Item[] {
    return this.#kept.map(({ example }) => example);
  }
}

/**
 * Chooses among ids in the same way: returns the `most` ids with the smallest digests. `kept` is an
 * earlier choice, which is returned itself if it does not change.
 */
export function leastIds(kept: readonly string[], added: readonly string[], most: number): readonly string[] {
  const last = kept[most - 1];
  const fresh = added.filter((id) => !kept.includes(id) && (last === undefined || compareIds(id, last) < 0));
  if (fresh.length === 0) return kept;
  return [...new Set([...kept, ...fresh])].sort(compareIds).slice(0, most);
}

/**
 * Returns a digest of 32 bits: FNV-1a over UTF-16 units, then the last step of MurmurHash3, without
 * which ids that differ only in their last digit would be adjacent. A cryptographic digest took
 * longer than making the example.
 */
export function digestOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function rankOf(onlyCause: boolean, digest: number): number {
  return onlyCause ? digest : endOfDigests + digest;
}

function compareRanks(left: Ranked<unknown>, right: Ranked<unknown>): number {
  return left.rank - right.rank || compareTexts(left.json, right.json);
}

/**
 * Reports whether two examples belong to the same message; without ids they do if they are equal.
 */
function isOfSameMessage(left: Ranked<Rankable>, right: Ranked<Rankable>): boolean {
  const { messageId } = left.example;
  return messageId === right.example.messageId && (messageId !== null || left.json === right.json);
}

function compareIds(left: string, right: string): number {
  return digestOf(left) - digestOf(right) || compareTexts(left, right);
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
