/** Runs in the threads of a pool (`pool.ts`): judges blocks of rows with engines of its own. */
import Tinypool from 'tinypool';
import { prepareFrom } from './count/counter.js';
import { openEngines } from './engines.js';
import type { JudgedBy, JudgedPart } from './judge.js';
import { bytesOf, judgeBlock } from './judge-block.js';
import type { WorkerData } from './pool.js';
import type { RowBlock } from './source/blocks.js';

const { engines: plan, counter, options } = Tinypool.workerData as WorkerData;
let by: Promise<JudgedBy<unknown>> | undefined;

async function prepare(): Promise<JudgedBy<unknown>> {
  const engines = await openEngines(plan);
  return { engines, start: await prepareFrom(counter, engines) };
}

/**
 * Judges a block; if it has a range of a file, reads its bytes there. Resolves to undefined if a
 * bad row stops the audit: an error would lose its class between threads, so the main thread judges
 * the block again.
 */
export async function judge(block: RowBlock): Promise<JudgedPart<unknown> | undefined> {
  by ??= prepare();
  const { range } = block;
  const used = await by;
  const judged = judgeBlock(range ? { ...block, bytes: bytesOf(range) } : block, used, options);
  return judged.fault === undefined ? judged : undefined;
}
