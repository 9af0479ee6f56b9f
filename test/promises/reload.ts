/** Rule sets that come and go, as a refresh brings them. */
import { bytesInUse } from '../../bench/heap.js';
import { createEngine, type Semantics } from '../../src/index.js';
import { blocking } from './engines.js';

/** What so many reloads left behind, in bytes. */
interface Leftovers {
  readonly reloads: number;
  readonly heap: number;
  readonly rss: number;
}

/**
 * Memory once all that can be freed is: buffers go in a turn of their own, after the collection
 * that finds them.
 */
async function settled(): Promise<Omit<Leftovers, 'reloads'>> {
  for (let turn = 0; turn < 3; turn++) {
    bytesInUse();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { heap: bytesInUse(), rss: process.memoryUsage.rss() };
}

/**
 * Compiles, evaluates and closes rule sets, no two alike, `warm` of them before the memory is
 * measured.
 */
export async function reload(
  reloads: number,
  warm: number,
  changes: Partial<Semantics>,
  until = Number.POSITIVE_INFINITY,
): Promise<Leftovers> {
  let from = { heap: 0, rss: 0 };
  let round = 0;
  for (; round < reloads + warm && Date.now() < until; round++) {
    if (round === warm) from = await settled();
    const patterns = Array.from({ length: 20 }, (_, at) => `[a-z]{1,8}${round}x${at}@[a-z]+\\.com`);
    const terms = Array.from({ length: 100 }, (_, at) => `term ${round} number ${at}`);
    const rules = [blocking('p', patterns, 'pattern'), blocking('w', terms)];
    const engine = createEngine({ rules, lists: [] }, changes);
    const texts = [`a${round}x7@example.com`, `the term ${round} number 42!`, 'nothing'];
    const verdicts = texts.map((text) => engine.decide(text)).join();
    engine.close();
    if (verdicts !== 'blockMessage,blockMessage,allow') throw new Error(`reload ${round} answered ${verdicts}`);
  }
  const to = await settled();
  return { reloads: round - warm, heap: to.heap - from.heap, rss: to.rss - from.rss };
}
