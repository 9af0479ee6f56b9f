/** Runs in the threads of a pool (`pool.ts`): judges blocks of lines with an engine of its own. */
import Tinypool from 'tinypool';
import { createEngine, type Engine } from '../engine.js';
import { type JudgedBlock, judgeLines } from './judge-lines.js';
import type { WorkerData } from './pool.js';
import type { LineBlock } from './source/line-blocks.js';

const { ruleSet, semantics, patternEngine, options } = Tinypool.workerData as WorkerData;
let engine: Engine | undefined;

/** Judges a block; undefined when a bad row stops the audit: errors lose their class on the way, so it is judged once more over there. */
export async function judge(block: Pick<LineBlock, 'bytes' | 'firstLine'>): Promise<JudgedBlock | undefined> {
  engine ??= createEngine(ruleSet, { ...semantics, ...(await engineNamed(patternEngine)) });
  const judged = judgeLines(block, engine, options);
  return judged.fault === undefined ? judged : undefined;
}

async function engineNamed(name: WorkerData['patternEngine']) {
  if (name !== 're2-wasm') return {};
  const { re2wasm } = await import('../re2-wasm.js');
  return { engine: re2wasm };
}
