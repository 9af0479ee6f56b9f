/** Judges blocks of rows in worker threads. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Tinypool from 'tinypool';
import type { CounterPlan } from './count/counter.js';
import type { EnginesPlan } from './engines.js';
import type { JudgedPart } from './judge.js';
import { type BlockOptions, bytesOf } from './judge-block.js';
import type { Block, RowBlock } from './source/blocks.js';

/** Judges a block. */
export type JudgeBlock<Part> = (block: Block) => JudgedPart<Part> | Promise<JudgedPart<Part>>;

/** The plain data from which a thread begins. */
export interface WorkerData {
  readonly engines: EnginesPlan;
  readonly counter: CounterPlan;
  readonly options: BlockOptions;
}

/** The module of the threads; it exists once the sources are compiled. */
const workerFile = fileURLToPath(new URL('./judge-worker.js', import.meta.url));

/** Whether threads can judge: they cannot if the sources run uncompiled. */
export const canJudgeInThreads = existsSync(workerFile);

const noBytes = new Uint8Array(0);

/**
 * Starts threads, each of which makes its engines. `here` judges, in this thread, messages of a
 * platform and blocks with a bad row that stops the audit.
 */
export function createJudgePool<Part>(threads: number, data: WorkerData, here: JudgeBlock<Part>) {
  const pool = new Tinypool({
    filename: workerFile,
    minThreads: threads,
    maxThreads: threads,
    workerData: data,
    // The objects of a block are garbage at its end, so a small young generation is enough.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  let given = 0;
  const judgeThere = async (block: RowBlock): Promise<JudgedPart<Part>> => {
    const { range } = block;
    // A thread reads the range of a file itself. Other bytes are copied, since their buffer is
    // filled again.
    const handed = { ...block, bytes: range ? noBytes : new Uint8Array(block.bytes) };
    const judged: JudgedPart<Part> | undefined = await pool.run(handed, { name: 'judge' });
    return judged ?? here(range ? { ...block, bytes: bytesOf(range) } : handed);
  };
  return {
    judge: async (block: Block): Promise<JudgedPart<Part>> => {
      // This thread judges too once every thread has a block and one more waits: reading leaves it
      // time.
      if ('messages' in block || given >= threads + 1) return here(block);
      given++;
      try {
        return await judgeThere(block);
      } finally {
        given--;
      }
    },
    close: () => pool.destroy(),
  };
}
