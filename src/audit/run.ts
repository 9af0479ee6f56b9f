/**
 * The loop over blocks of messages, judged in this thread or in others, several at once. Their
 * results are kept or added up in the order of the blocks, so that the result depends neither on
 * threads nor on when and how often a run was interrupted. `stream.ts` does the same in memory.
 */
import { SluiceError } from '../foundation/errors.js';
import { createPace } from '../foundation/portions.js';
import type { Counting } from './count/counter.js';
import type { Counts } from './count/counters.js';
import { type Engines, type EnginesPlan, plainPlan } from './engines.js';
import { badRowsKept, type JudgedPart } from './judge.js';
import { type BlockOptions, judgeBlock } from './judge-block.js';
import type { BadRows, Kept } from './keep/manifest.js';
import { createJudgePool, type JudgeBlock } from './pool.js';
import type { Block, BlockSource } from './source/blocks.js';

interface RunPlan<Part> {
  readonly source: BlockSource;
  readonly engines: Engines;
  readonly counting: Counting<Part>;
  readonly options: BlockOptions;
  /**
   * The number of further threads, and the plan of their engines. If absent, this thread judges.
   */
  readonly threads?: { readonly count: number; readonly engines: EnginesPlan } | undefined;
  /**
   * The directory of the results, with the blocks that an earlier run kept; absent if blocks are
   * not kept.
   */
  readonly directory?: RunDirectory<Part> | undefined;
  readonly signal: AbortSignal;
  /**
   * Called after each block with the number of messages so far, those of earlier runs included, and
   * the share of the source, 0 to 1.
   */
  readonly onProgress?: ((messages: number, share: number | undefined) => void) | undefined;
}

/** The part of a results directory that a run uses. */
export interface RunDirectory<Part> {
  readonly kept: Kept;
  add(judged: JudgedPart<Part>, end: unknown): Promise<void>;
  counts(): Part;
}

/** Result of a run. */
export interface RunResult<Part = Counts> {
  readonly counts: Part;
  /** Messages that were judged, those of earlier runs included. */
  readonly messages: number;
  /**
   * Messages of this run that were left out because they have no time and a window of time was
   * requested.
   */
  readonly undated: number;
  readonly bad: BadRows;
  /**
   * Messages that were read: judged, or left out by the filters, those of earlier runs included.
   */
  readonly read: number;
  /** Messages that an earlier run had judged. */
  readonly resumed: number;
  /**
   * The reason why judging ended before the last message: an interruption, or a failure of the
   * source.
   */
  readonly stopped: { readonly reason: unknown } | undefined;
}

/**
 * Judges blocks to the end of their source. An interruption or a `SluiceError` ends this early, and
 * is the `stopped` of the result; it rejects with any other error.
 */
export async function run<Part>(plan: RunPlan<Part>): Promise<RunResult<Part>> {
  const { source, directory, signal, onProgress } = plan;
  const counter = plan.counting.prepare()();
  const resumed = directory?.kept.messages ?? 0;
  const first: JudgedPart['bad'][number][] = [];
  let [messages, leftOut, undated, badCount] = [resumed, directory?.kept.leftOut ?? 0, 0, 0];
  let stopped: RunResult<Part>['stopped'];
  onProgress?.(messages, undefined);
  const judging = startJudging(plan);
  try {
    const blocks = source.blocks(directory?.kept.position);
    for await (const { block, judged } of judgeInOrder(blocks, judging.judge, { width: judging.width, signal })) {
      if (directory === undefined) counter.merge(judged.counts);
      // The run that resumes judges an incomplete block again.
      else if (block.end !== undefined && judged.fault === undefined) await directory.add(judged, block.end);
      if (judged.fault !== undefined) throw judged.fault;
      for (const bad of judged.bad.slice(0, badRowsKept - first.length)) first.push(bad);
      badCount += judged.badCount;
      messages += judged.messages;
      leftOut += judged.leftOut;
      undated += judged.undated;
      onProgress?.(messages, block.share);
    }
  } catch (reason) {
    if (!signal.aborted && !(reason instanceof SluiceError)) throw reason;
    stopped = { reason };
  } finally {
    await judging.close();
  }
  if (directory !== undefined) counter.merge(directory.counts());
  const bad = directory?.kept.bad ?? { first, count: badCount };
  return { counts: counter.toJSON(), messages, bad, read: messages + leftOut, undated, resumed, stopped };
}

/**
 * Starts judging blocks, in this thread or in others; `width` is the number of blocks to be judged
 * at once.
 */
function startJudging<Part>({ engines, counting, options, threads }: RunPlan<Part>) {
  const by = { engines, start: counting.prepare(engines) };
  const here = (block: Block) => judgeBlock(block, by, options);
  if (threads === undefined || threads.count === 0) return { judge: here, width: 1, close: async () => undefined };
  const counter = { module: counting.module, options: counting.options };
  const pool = createJudgePool(threads.count, { engines: plainPlan(threads.engines), counter, options }, here);
  return { judge: pool.judge, width: 2 * threads.count + 2, close: pool.close };
}

/** A block with its results. */
interface JudgedBlock<Part> {
  readonly block: Pick<Block, 'end' | 'share'>;
  readonly judged: JudgedPart<Part>;
}

/**
 * Judges blocks, at most `width` of them at once, and yields them in their order. A failure is
 * thrown in its turn, after all earlier blocks were yielded. Never reads more than `width` blocks
 * ahead.
 */
async function* judgeInOrder<Part>(
  blocks: AsyncIterable<Block>,
  judge: JudgeBlock<Part>,
  { width, signal }: { readonly width: number; readonly signal: AbortSignal },
): AsyncGenerator<JudgedBlock<Part>, void, undefined> {
  const begun: Promise<JudgedBlock<Part>>[] = [];
  const take = () => begun.shift()!;
  const pause = createPace();
  try {
    for await (const block of blocks) {
      const { end, share } = block;
      // INVARIANT: the bytes of a block are read, or copied, before the next block is requested.
      const judging = (async () => ({ block: { end, share }, judged: await judge(block) }))();
      // A failure is thrown in its turn; until then it must not count as unhandled.
      judging.catch(() => undefined);
      begun.push(judging);
      if (begun.length >= width) yield await take();
      // Timers and signals of the process run between blocks, also when nothing waits for input.
      await pause();
    }
  } catch (error) {
    // A failure of the source, or an interruption, comes after the blocks that were read before it.
    while (begun.length > 0) yield await take();
    throw error;
  }
  while (begun.length > 0) yield await take();
  signal.throwIfAborted();
}
