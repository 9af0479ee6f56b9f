/**
 * Draws random samples of judged messages, one for each stratum, in one pass; the sizes of the
 * samples bound the memory. Every message has a rank: 53 bits of AES in counter mode, with a key
 * made from the seed, at the position of the message in its source. A sample has the messages of
 * its stratum with the least ranks (a bottom-k sample), so that the samples of parts add up to that
 * of the whole.
 *
 * INVARIANT: this is a simple random sample without replacement. Ranks are practically independent
 * and uniform, and depend neither on the content of a message nor on its decision: all orders of a
 * stratum by rank are equally likely, and so are all sets of its first n messages. Ranks follow
 * from the position and not from the id, since ids may be absent or repeat (a message and its
 * edits): rows with the same id are drawn independently.
 *
 * A larger sample of the same seed and messages begins with the smaller one, so that labels stay;
 * and each beginning of a sample is itself a sample.
 */
import { createCipheriv, createHash } from 'node:crypto';
import { stops } from '../../engine/compile/verdicts.js';
import type { Decision } from '../../engine/evaluate/decision.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { type Counter, type Counting, countingBy, type PrepareCounter } from '../count/counter.js';
import { createMessagesDigest } from '../count/messages-digest.js';

/**
 * A group of messages that is sampled: those whose verdict rests on one rule, all that were
 * stopped, or all that were allowed.
 */
export interface Stratum {
  readonly kind: 'rule' | 'stopped' | 'allowed';
  readonly ruleId?: string | undefined;
}

/** A message that was drawn. */
export interface SampleRow {
  /**
   * The id of the message; without one, its position among all rows of its file or all messages of
   * the platform, from 1, as `#12`.
   */
  readonly messageId: string;
  readonly message: MessageDraft;
  readonly stratum: Stratum;
  readonly decision: Decision;
}

/** A stratum with the name of its rule, its size in messages, and its sample by rank. */
export interface SampledStratum {
  readonly stratum: Stratum & { readonly ruleName?: string | undefined; readonly size: number };
  readonly rows: readonly SampleRow[];
}

/** The largest sizes of the samples; `ofRule` replaces `perRule` for the rules that it names. */
export interface SamplePlan {
  readonly seed: number;
  readonly perRule: number;
  readonly ofRule: ReadonlyMap<string, number>;
  readonly stopped: number;
  readonly allowed: number;
}

/** A message that was drawn, with its rank from 0 to below 1. */
interface Drawn {
  readonly rank: number;
  readonly row: SampleRow;
}

/**
 * Samples of a part of the messages, or of all. Plain data; the rows of a stratum are sorted by
 * rank.
 */
interface Samples {
  readonly strata: readonly (SampledStratum['stratum'] & { readonly drawn: readonly Drawn[] })[];
  /** The digest of the messages. */
  readonly messages: string;
}

interface GrowingStratum {
  readonly stratum: Stratum;
  readonly ruleName: string | undefined;
  readonly most: number;
  size: number;
  /** The messages drawn, by rank, then in the order of the stream. */
  readonly drawn: Drawn[];
}

/** Returns the counters that draw the samples of a plan, for a run. */
export function sampleCounting(plan: SamplePlan): Counting<Samples> {
  return countingBy(import.meta.url, prepareCounter, plan);
}

/**
 * Prepares samples in a thread, which remembers the least ranks of each stratum over all of its
 * parts: other messages cannot be in a sample, so only few are passed on.
 */
export const prepareCounter: PrepareCounter<SamplePlan, Samples> = (plan) => {
  const rankOf = createRanks(plan.seed);
  const least = new Map<string, number[]>();
  const leastOf = (key: string) => {
    const found = least.get(key) ?? [];
    least.set(key, found);
    return found;
  };
  return () => createSampler(plan, rankOf, leastOf);
};

function createSampler(
  { perRule, ofRule, stopped, allowed }: SamplePlan,
  rankOf: (place: number) => number,
  leastOf: (key: string) => number[],
): Counter<Samples> {
  const strata = new Map<string, GrowingStratum & { readonly least: number[] }>();
  const digest = createMessagesDigest();
  const mostOf = ({ kind, ruleId = '' }: Stratum) =>
    kind === 'rule' ? (ofRule.get(ruleId) ?? perRule) : kind === 'stopped' ? stopped : allowed;
  const growing = (stratum: Stratum, ruleName?: string) => {
    const key = stratumKey(stratum);
    const found = strata.get(key);
    if (found !== undefined) return found;
    const begun = { stratum, ruleName, most: mostOf(stratum), size: 0, drawn: [], least: leastOf(key) };
    strata.set(key, begun);
    return begun;
  };
  // Nearly every message is allowed, so the key of that stratum is made only once.
  let ofAllowed: readonly ReturnType<typeof growing>[] | undefined;
  const strataOf = ({ verdict, matched }: Decision) => {
    if (!stops(verdict)) {
      ofAllowed ??= [growing({ kind: 'allowed' })];
      return ofAllowed;
    }
    const ofRules = matched
      .filter(({ determining }) => determining)
      .map(({ ruleId, ruleName }) => growing({ kind: 'rule', ruleId }, ruleName));
    return [...ofRules, growing({ kind: 'stopped' })];
  };
  return {
    add({ messageId, message: given, decision, place, scores }) {
      digest.add(given, scores);
      const rank = rankOf(place);
      for (const grown of strataOf(decision)) {
        grown.size += 1;
        if (!insert(grown.least, grown.most, rank, (leastRank) => leastRank)) continue;
        const message: MessageDraft = typeof given === 'string' ? { data: { text: given } } : given;
        const row: SampleRow = { messageId: messageId ?? `#${place}`, message, stratum: grown.stratum, decision };
        insert(grown.drawn, grown.most, { rank, row }, (drawn) => drawn.rank);
      }
    },
    merge(added) {
      digest.merge(added.messages);
      for (const { ruleName, size, drawn, ...stratum } of added.strata) {
        const grown = growing(stratum, ruleName);
        grown.size += size;
        for (const item of drawn) insert(grown.drawn, grown.most, item, ({ rank }) => rank);
      }
    },
    toJSON: () => ({
      strata: [...strata.values()].map(({ stratum, ruleName, size, drawn }) => {
        return { ...stratum, ...(ruleName !== undefined && { ruleName }), size, drawn };
      }),
      messages: digest.toJSON(),
    }),
  };
}

/**
 * Returns the samples by stratum: rules, those that stopped most first, then all that were stopped,
 * then the rest.
 */
export function sampledStrata({ strata }: Samples): readonly SampledStratum[] {
  const order = ['rule', 'stopped', 'allowed'];
  const all = strata.map(({ drawn, ...stratum }) => ({ key: stratumKey(stratum), stratum, drawn }));
  all.sort(
    ({ key, stratum: left }, { key: otherKey, stratum: right }) =>
      order.indexOf(left.kind) - order.indexOf(right.kind) || right.size - left.size || (key < otherKey ? -1 : 1),
  );
  return all.map(({ stratum, drawn }) => ({ stratum, rows: drawn.map(({ row }) => row) }));
}

/** Returns the identity of a stratum as one text. */
function stratumKey({ kind, ruleId = '' }: Stratum): string {
  return `${kind} ${ruleId}`;
}

/**
 * Inserts an item after those of the same rank, and keeps the `most` items of least rank; returns
 * false if the item is not among them.
 */
function insert<Item>(items: Item[], most: number, item: Item, rankOf: (item: Item) => number): boolean {
  const rank = rankOf(item);
  if (most === 0 || (items.length === most && rank > rankOf(items[most - 1]!))) return false;
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (rankOf(items[middle]!) <= rank) from = middle + 1;
    else to = middle;
  }
  items.splice(from, 0, item);
  if (items.length > most) items.pop();
  return true;
}

const bytesOfRank = 8;
const ranksOfBlock = 1 << 10;
const bytesOfAesBlock = 16;

/**
 * Returns a function from the position of a message to its rank, from 0 to below 1; it is fastest
 * for consecutive positions.
 */
function createRanks(seed: number): (place: number) => number {
  const key = createHash('sha256').update(`sluice sample ${seed}`).digest();
  const zeros = Buffer.alloc(ranksOfBlock * bytesOfRank);
  let [block, first] = [zeros, -1];
  return (place) => {
    const index = (place - 1) % ranksOfBlock;
    if (first !== place - index) {
      first = place - index;
      const counter = Buffer.alloc(bytesOfAesBlock);
      counter.writeBigUInt64BE(BigInt(((first - 1) * bytesOfRank) / bytesOfAesBlock), bytesOfAesBlock - 8);
      block = createCipheriv('aes-256-ctr', key, counter).update(zeros);
    }
    const at = index * bytesOfRank;
    return (block.readUInt32LE(at) * 2 ** 21 + (block.readUInt32LE(at + 4) >>> 11)) / 2 ** 53;
  };
}
