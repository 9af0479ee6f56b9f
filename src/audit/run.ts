/**
 * The loop over shards of many messages: here or in threads, several at once. What they gave is kept or added up in their
 * order, so that the result does not depend on where and how often a run was interrupted. `stream.ts` is the same for a stream in memory.
 */
import { SluiceError, UsageError } from '../errors.js';
import { type Counts, createCounters } from './count/counters.js';
import { type Engines, type EnginesPlan, plainPlan } from './engines.js';
import { badRowsKept, createJudge, type Judged, type JudgedPart } from './judge.js';
import { judgeLines, type LineOptions } from './judge-lines.js';
import type { AuditDirectory, BadRows } from './keep/audit-directory.js';
import { createJudgePool } from './pool.js';
import { checkListed } from './source/message-row.js';
import { hasWindow, isDated } from './source/message-selection.js';
import type { JudgeShard, Shard, ShardSource } from './source/shards.js';

/** What is judged in shards, how, and where its results go. */
export interface RunPlan {
  readonly source: ShardSource;
  readonly engines: Engines;
  readonly options: LineOptions;
  /** Threads beside this one, and what their engines are made of; none judges where it is absent. */
  readonly threads?: { readonly count: number; readonly engines: EnginesPlan } | undefined;
  /** Where results are kept, and what was judged before; absent when they are not. */
  readonly directory?: AuditDirectory | undefined;
  readonly signal: AbortSignal;
  /** Called behind each shard with the messages so far, those of earlier runs included, and the share of the source, 0 to 1. */
  readonly onProgress?: ((messages: number, share: number | undefined) => void) | undefined;
}

/** What was judged. */
export interface RunResult {
  readonly counts: Counts;
  readonly bad: BadRows;
  /** Messages that were read: judged, or left out by the filters, those of earlier runs included. */
  readonly read: number;
  /** Messages that an earlier run had judged. */
  readonly resumed: number;
  /** What was judged of a shard that is not whole, and not kept. */
  readonly rest?: Judged | undefined;
  /** Why judging ended before the last message: an interruption, or a failure of the source. */
  readonly stopped: { readonly reason: unknown } | undefined;
}

/** Judges shards to the end of their source, or until it is stopped. Rejects with what is neither an interruption nor a `SluiceError`. */
export async function run(plan: RunPlan): Promise<RunResult> {
  const { source, directory, options, signal, onProgress } = plan;
  const counters = createCounters(options.counts);
  const resumed = directory?.messages ?? 0;
  const first: JudgedPart['bad'][number][] = [];
  let [messages, leftOut, badCount] = [resumed, directory?.leftOut ?? 0, 0];
  let stopped: RunResult['stopped'];
  let rest: JudgedPart | undefined;
  onProgress?.(messages, undefined);
  const judging = startJudging(plan);
  try {
    const shards = source.shards(directory?.position);
    for await (const { shard, judged } of judgeInOrder(shards, judging.judge, { width: judging.width, signal })) {
      const isKept = directory !== undefined && shard.end !== undefined && judged.fault === undefined;
      if (isKept) await directory.add(judged, shard.end);
      else if (directory !== undefined) rest = judged;
      else counters.merge(judged.counts);
      if (judged.fault !== undefined) throw judged.fault;
      first.push(...judged.bad.slice(0, badRowsKept - first.length));
      badCount += judged.badCount;
      messages += judged.messages;
      leftOut += judged.leftOut;
      onProgress?.(messages, shard.share);
    }
  } catch (reason) {
    if (!signal.aborted && !(reason instanceof SluiceError)) throw reason;
    stopped = { reason };
  } finally {
    await judging.close();
  }
  if (directory !== undefined) counters.merge(directory.counts());
  if (rest !== undefined) counters.merge(rest.counts);
  const bad = directory?.badRows ?? { first, count: badCount };
  return { counts: counters.toJSON(), bad, read: messages + leftOut, resumed, rest, stopped };
}

/** What judges the shards of a plan, and how many it should have at once. */
function startJudging({ engines, options, threads }: RunPlan) {
  const here = judgeHere(engines, options);
  if (threads === undefined || threads.count === 0) return { judge: here, width: 1, close: async () => undefined };
  const pool = createJudgePool(threads.count, { engines: plainPlan(threads.engines), options }, here);
  return { judge: pool.judge, width: 2 * threads.count + 2, close: pool.close };
}

/** Judges shards in this thread. */
export function judgeHere(engines: Engines, options: LineOptions): JudgeShard {
  return (shard) => {
    if (shard.kind === 'lines') return judgeLines(shard.block, engines, options);
    const judge = createJudge(engines, options);
    try {
      for (const message of shard.messages) {
        checkListed(message);
        // The platform chose by time what has one.
        if (hasWindow(options.selection) && !isDated(message)) judge.leaveOut('undated');
        else judge.add(message);
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return { ...judge.end(), bad: [], badCount: 0, fault: error };
    }
    return { ...judge.end(), bad: [], badCount: 0 };
  };
}

/** A shard with its results. */
interface JudgedShard {
  readonly shard: Shard;
  readonly judged: JudgedPart;
}

/**
 * Judges shards, up to `width` of them at once, and yields them in their order. What fails, fails when its turn has come: everything
 * before it was yielded. Reads no further ahead than `width` shards.
 */
async function* judgeInOrder(
  shards: AsyncIterable<Shard>,
  judge: JudgeShard,
  { width, signal }: { readonly width: number; readonly signal: AbortSignal },
): AsyncGenerator<JudgedShard, void, undefined> {
  const begun: Promise<JudgedShard>[] = [];
  const take = () => begun.shift()!;
  try {
    for await (const shard of shards) {
      const judging = (async () => ({ shard, judged: await judge(shard) }))();
      // A failure is thrown in its turn; until then it must not count as unhandled.
      judging.catch(() => undefined);
      begun.push(judging);
      if (begun.length >= width) yield await take();
      // Timers and signals of the process run between shards, also when nothing waits for input.
      await new Promise((resume) => setImmediate(resume));
    }
  } catch (error) {
    // A failure of the source, and an interruption, come behind the shards that were read before.
    while (begun.length > 0) yield await take();
    throw error;
  }
  while (begun.length > 0) yield await take();
  signal.throwIfAborted();
}
