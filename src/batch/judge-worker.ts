/** Runs in the threads of a pool (`pool.ts`): judges blocks of lines with an engine of its own. */
import Tinypool from 'tinypool';
import { createEngine, type Engine } from '../engine.js';
import { SluiceError } from '../errors.js';
import { type JudgedBlock, judgeLines, type LineOptions } from './judge-lines.js';
import type { LineBlock } from './line-blocks.js';
import type { WorkerData } from './pool.js';

const { ruleSet, semantics, patternEngine, options } = Tinypool.workerData as WorkerData;
let engine: Engine | undefined;

/** Judges a block; undefined when a bad row stops the audit: the error is made where it is thrown, by judging once more. */
export async function judge(block: Pick<LineBlock, 'bytes' | 'firstLine'>): Promise<JudgedBlock | undefined> {
  engine ??= createEngine(ruleSet, { ...semantics, ...(await engineNamed(patternEngine)) });
  try {
    return judgeLines(block, engine, options satisfies LineOptions);
  } catch (error) {
    if (error instanceof SluiceError) return undefined;
    throw error;
  }
}

async function engineNamed(name: WorkerData['patternEngine']) {
  if (name !== 're2-wasm') return {};
  const { re2wasm } = await import('../re2-wasm.js');
  return { engine: re2wasm };
}
