import type { Engine } from '../engine.js';
import { UsageError } from '../errors.js';
import { createJudge, type JudgedBlock, judgeLines, type LineOptions } from './judge-lines.js';
import { checkListed } from './source/message-row.js';
import type { JudgeShard, Shard } from './source/shards.js';

/** A shard with its results. */
export interface JudgedShard {
  readonly shard: Shard;
  readonly judged: JudgedBlock;
}

/** Judges shards in this thread. */
export function judgeHere(engine: Pick<Engine, 'explain'>, options: LineOptions): JudgeShard {
  return (shard) => {
    if (shard.kind === 'lines') return judgeLines(shard.block, engine, options);
    if (shard.kind === 'window') throw new TypeError('the messages of a window are not here');
    const judge = createJudge(engine, options);
    try {
      for (const message of shard.messages) {
        checkListed(message);
        judge.add(message);
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return { ...judge.end(), bad: [], badCount: 0, fault: error };
    }
    return { ...judge.end(), bad: [], badCount: 0 };
  };
}

/**
 * Judges shards, up to `width` of them at once, and yields them in their order. What fails, fails when its turn has come: everything
 * before it was yielded. Reads no further ahead than `width` shards.
 */
export async function* judgeInOrder(
  shards: AsyncIterable<Shard>,
  judge: JudgeShard,
  { width, signal }: { readonly width: number; readonly signal?: AbortSignal | undefined },
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
  signal?.throwIfAborted();
}
