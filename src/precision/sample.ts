/**
 * Random samples of judged messages, one of each stratum, in one pass and in memory that the sizes of the samples bound. Every message has a
 * rank: 53 bits of AES in counter mode, by a key made of the seed, at the place of the message in the stream. A sample is the messages of its
 * stratum with the least ranks (a bottom-k sample).
 *
 * INVARIANT: that is a simple random sample without replacement. Ranks are as good as independent and uniform, and depend neither on what a
 * message holds nor on how it was judged: all orders of a stratum by rank are equally likely, and so are all sets of its first n. They
 * go by the place and not by the id, since ids may be absent or repeat (a message and its edits): rows of one id are drawn each by itself.
 *
 * A larger sample of the same seed and messages begins with the smaller one, so that labels stay; and each beginning of a sample is a sample.
 */
import { createCipheriv, createHash } from 'node:crypto';
import type { AuditEntry } from '../audit/audit-entry.js';
import { type Cause, causesOf, keyOf } from '../audit/count/cause.js';
import type { MessageDraft } from '../contract/message-draft.js';
import type { Decision } from '../evaluate/decision.js';

/** Messages that a rule determined, by one term, pattern or label of it perhaps; all that were stopped; those that nothing stopped. */
export interface Stratum extends Omit<Cause, 'ruleId'> {
  readonly kind: 'rule' | 'stopped' | 'allowed';
  readonly ruleId?: string | undefined;
}

/** A message that was drawn. */
export interface SampleRow {
  /** Of a message without an id, its place among all messages, from 1: `#12`. */
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

/** How samples are drawn: the most messages of each, `ofRule` in place of `perRule`, and whether a rule is one stratum or its terms are. */
export interface SamplePlan {
  readonly seed: number;
  readonly perRule: number;
  readonly ofRule: ReadonlyMap<string, number>;
  readonly stopped: number;
  readonly allowed: number;
  readonly by: 'rule' | 'term';
}

interface GrowingStratum {
  readonly stratum: Stratum;
  readonly ruleName: string | undefined;
  readonly most: number;
  size: number;
  /** By rank, then in the order of the stream. */
  readonly drawn: { readonly rank: number; readonly row: SampleRow }[];
}

/** Starts samples. `add` takes the next message of the stream. `strata` are rules, those that stopped most first, then all stopped, then the rest. */
export function createSampler({ seed, perRule, ofRule, stopped, allowed, by }: SamplePlan) {
  const nextRank = createRanks(seed);
  const strata = new Map<string, GrowingStratum>();
  let place = 0;
  const growing = (stratum: Stratum, most: number, ruleName?: string): GrowingStratum => {
    const key = stratumKey(stratum);
    const found = strata.get(key) ?? { stratum, ruleName, most, size: 0, drawn: [] };
    strata.set(key, found);
    return found;
  };
  const strataOf = ({ verdict, matched }: Decision): GrowingStratum[] => {
    if (verdict === 'allow') return [growing({ kind: 'allowed' }, allowed)];
    const ofRules = matched.flatMap((hit) => {
      if (!hit.determining) return [];
      const { ruleId, ruleName } = hit;
      const causes: readonly Cause[] = by === 'term' ? causesOf(hit).map(({ cause }) => cause) : [];
      // A rule may stop a message without a match, for missing scores.
      const own = causes.length === 0 ? [{ ruleId }] : causes;
      return own.map((cause) => growing({ kind: 'rule', ...cause }, ofRule.get(ruleId) ?? perRule, ruleName));
    });
    return [...ofRules, growing({ kind: 'stopped' }, stopped)];
  };
  return {
    add({ messageId, message, decision }: AuditEntry<MessageDraft>): void {
      const rank = nextRank();
      place += 1;
      for (const own of strataOf(decision)) {
        own.size += 1;
        draw(own, rank, { messageId: messageId ?? `#${place}`, message, stratum: own.stratum, decision });
      }
    },
    strata(): readonly SampledStratum[] {
      const order = ['rule', 'stopped', 'allowed'];
      const all = [...strata].map(([key, own]) => ({ key, at: order.indexOf(own.stratum.kind), ...own }));
      all.sort((one, other) => one.at - other.at || other.size - one.size || (one.key < other.key ? -1 : 1));
      return all.map(({ stratum, ruleName, size, drawn }) => ({
        stratum: { ...stratum, ...(ruleName !== undefined && { ruleName }), size },
        rows: drawn.map(({ row }) => row),
      }));
    },
  };
}

/** The identity of a stratum as one text. */
export function stratumKey({ kind, ruleId = '', ...cause }: Stratum): string {
  return kind + keyOf({ ruleId, ...cause });
}

function draw({ drawn, most }: GrowingStratum, rank: number, row: SampleRow): void {
  if (drawn.length === most && (most === 0 || rank >= drawn[most - 1]!.rank)) return;
  let [from, to] = [0, drawn.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (drawn[middle]!.rank <= rank) from = middle + 1;
    else to = middle;
  }
  drawn.splice(from, 0, { rank, row });
  if (drawn.length > most) drawn.pop();
}

const blockBytes = 1 << 13;

/** The ranks of a stream of messages in its order, each from 0 to below 1. */
function createRanks(seed: number): () => number {
  const key = createHash('sha256').update(`sluice sample ${seed}`).digest();
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  let [block, at] = [Buffer.alloc(0), 0];
  return () => {
    if (at === block.length) [block, at] = [stream.update(Buffer.alloc(blockBytes)), 0];
    at += 8;
    return (block.readUInt32LE(at - 8) * 2 ** 21 + (block.readUInt32LE(at - 4) >>> 11)) / 2 ** 53;
  };
}
