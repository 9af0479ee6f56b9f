/** Runs in the threads of a pool (`pool.ts`): judges blocks of lines with engines of its own. */
import Tinypool from 'tinypool';
import { type Engines, openEngines } from './engines.js';
import type { JudgedPart } from './judge.js';
import { judgeLines } from './judge-lines.js';
import type { WorkerData } from './pool.js';
import type { LineBlock } from './source/line-blocks.js';

const { engines: plan, options } = Tinypool.workerData as WorkerData;
let engines: Promise<Engines> | undefined;

/** Judges a block; undefined when a bad row stops the audit: errors lose their class on the way, so it is judged once more over there. */
export async function judge(block: Pick<LineBlock, 'bytes' | 'firstLine'>): Promise<JudgedPart | undefined> {
  engines ??= openEngines(plan);
  const judged = judgeLines(block, await engines, options);
  return judged.fault === undefined ? judged : undefined;
}
