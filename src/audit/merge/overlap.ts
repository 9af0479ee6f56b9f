/** Finds messages that several parts of an audit have, by their ids and by the windows of time of the parts. */
import { hash } from 'node:crypto';
import { UsageError } from '../../foundation/errors.js';
import { type FinishedPart, rowsOfPart, textOf } from './finished-part.js';

/** Largest number of repeated digests that are compared by the ids themselves; hardly any repeat by chance. */
const mostSuspects = 1_000;

/**
 * Rejects with `UsageError` if two parts overlap: a message has a row in both, the first or the last message of one has a row in the other or is
 * its first or last, or both fetched the same second of a platform. Reads the rows of all parts, and keeps eight bytes for each. Rejects with
 * the reason of `signal`.
 */
export async function refuseOverlap(parts: readonly FinishedPart[], signal: AbortSignal): Promise<void> {
  refuseSharedTimes(parts);
  const ends = new Map<string, FinishedPart>();
  for (const part of parts) for (const id of part.kept.ends) refuseOther(ends, id, part);
  const digests = new Float64Array(parts.reduce((sum, { results }) => sum + results.rows, 0));
  let count = 0;
  for (const part of parts) {
    const from = count;
    for await (const id of idsOf(part, signal)) {
      refuseOther(ends, id, part, { isKept: false });
      digests[count++] = digestOf(id);
    }
    // A message that comes twice in one part does not make parts overlap.
    count = from + keepUnique(digests.subarray(from, count));
  }
  const suspects = repeated(digests.subarray(0, count));
  if (suspects.size === 0) return;
  const seen = new Map<string, FinishedPart>();
  for (const part of parts)
    for await (const id of idsOf(part, signal)) if (suspects.has(digestOf(id))) refuseOther(seen, id, part);
}

/** Throws if another part has the id, and otherwise records its part. */
function refuseOther(
  owners: Map<string, FinishedPart>,
  id: string,
  part: FinishedPart,
  { isKept = true }: { readonly isKept?: boolean } = {},
): void {
  const owner = owners.get(id);
  if (owner !== undefined && owner !== part) throw overlap(owner, part, `message \`${id}\` is in both`);
  if (isKept) owners.set(id, part);
}

/** Throws if windows of time at one platform have a second in common, even if none of its messages has a row. */
function refuseSharedTimes(parts: readonly FinishedPart[]): void {
  const asked = parts
    // Parts that were read from files have bytes; two files may have one name.
    .filter(({ results }) => results.messages === undefined)
    .map((part) => {
      const { since = 0, until = part.end ?? Number.POSITIVE_INFINITY } = part.inputs;
      return { part, since, until };
    })
    .sort((left, right) => left.since - right.since);
  const last = new Map<string, (typeof asked)[number]>();
  for (const window of asked) {
    const { source, conversation, onBehalfOf } = window.part.inputs;
    const key = JSON.stringify([source, conversation, onBehalfOf]);
    const before = last.get(key);
    if (before !== undefined && window.since <= before.until) {
      const at = new Date(window.since * 1000).toISOString();
      throw overlap(before.part, window.part, `both fetched messages of ${at}`);
    }
    last.set(key, window);
  }
}

function overlap({ directory: one }: FinishedPart, { directory: other }: FinishedPart, fact: string): UsageError {
  return new UsageError(`\`${one}\` and \`${other}\` overlap: ${fact}; cut the parts so that each message is in one`);
}

const beginning = /^\{"messageId":("(?:[^"\\]|\\.)*")/;

/** Yields the ids of the messages of the rows, if they have any. Rows begin with them, so that the rest need not be parsed. */
async function* idsOf(part: FinishedPart, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  for await (const { bytes } of rowsOfPart(part)) {
    signal.throwIfAborted();
    for (const row of textOf(bytes).split('\n')) {
      const id = beginning.exec(row)?.[1];
      if (id !== undefined) yield JSON.parse(id) as string;
    }
  }
}

/** Returns 48 bits of a cryptographic digest as a number. */
function digestOf(id: string): number {
  return hash('sha256', id, 'buffer').readUIntBE(0, 6);
}

/** Sorts numbers, moves the distinct ones to the beginning, and returns how many these are. */
function keepUnique(numbers: Float64Array): number {
  numbers.sort();
  let count = 0;
  for (const number of numbers) if (count === 0 || number !== numbers[count - 1]) numbers[count++] = number;
  return count;
}

/** Returns numbers that occur more than once, at most `mostSuspects` of them. */
function repeated(numbers: Float64Array): ReadonlySet<number> {
  numbers.sort();
  const found = new Set<number>();
  for (let at = 1; at < numbers.length && found.size < mostSuspects; at++)
    if (numbers[at] === numbers[at - 1]) found.add(numbers[at]!);
  return found;
}
