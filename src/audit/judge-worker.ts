/** Runs in the threads of a pool (`pool.ts`): judges blocks of lines with engines of its own. */
import Tinypool from 'tinypool';
import { prepareFrom } from './count/counter.js';
import { openEngines } from './engines.js';
import type { JudgedBy, JudgedPart } from './judge.js';
import { judgeLines, type Lines } from './judge-lines.js';
import type { WorkerData } from './pool.js';

const { engines: plan, counter, options } = Tinypool.workerData as WorkerData;
let by: Promise<JudgedBy<unknown>> | undefined;

async function prepare(): Promise<JudgedBy<unknown>> {
  const engines = await openEngines(plan);
  return { engines, start: await prepareFrom(counter, engines) };
}

/** Judges a block; undefined when a bad row stops the audit: errors lose their class on the way, so it is judged once more over there. */
export async function judge(lines: Lines): Promise<JudgedPart<unknown> | undefined> {
  by ??= prepare();
  const judged = judgeLines(lines, await by, options);
  return judged.fault === undefined ? judged : undefined;
}
