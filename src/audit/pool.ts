/** Judges blocks of lines in worker threads. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Tinypool from 'tinypool';
import type { CounterPlan } from './count/counter.js';
import type { EnginesPlan } from './engines.js';
import type { JudgedPart } from './judge.js';
import type { LineOptions } from './judge-lines.js';
import { type JudgeShard, linesOf, type Shard } from './source/shards.js';

/** The plain data from which a thread begins. */
export interface WorkerData {
  readonly engines: EnginesPlan;
  readonly counter: CounterPlan;
  readonly options: LineOptions;
}

/** There once the sources are compiled. */
const workerFile = fileURLToPath(new URL('./judge-worker.js', import.meta.url));

/** Whether there can be a pool: not when the sources themselves run. */
export const canJudgeInThreads = existsSync(workerFile);

/** Starts threads, each of which makes its engines. `here` judges messages of a platform, and blocks with a bad row that stops the audit. */
export function createJudgePool<Part>(threads: number, data: WorkerData, here: JudgeShard<Part>) {
  const pool = new Tinypool({
    filename: workerFile,
    minThreads: threads,
    maxThreads: threads,
    workerData: data,
    // The objects of a block are dead at its end; a small young generation keeps threads small.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  let given = 0;
  return {
    judge: async (shard: Shard, before: number): Promise<JudgedPart<Part>> => {
      // With a block in each thread and one that waits, this thread judges too: reading leaves it time.
      if (shard.kind !== 'lines' || given >= threads + 1) return here(shard, before);
      given++;
      try {
        const judged: JudgedPart<Part> | undefined = await pool.run(linesOf(shard, before), { name: 'judge' });
        return judged ?? here(shard, before);
      } finally {
        given--;
      }
    },
    close: () => pool.destroy(),
  };
}
