/**
 * What tests cannot promise, since no test asks a clock: times and memory, for as long as one has.
 */
import { re2wasm } from '../../src/engine/match/patterns/re2-wasm.js';
import { re2js } from '../../src/engine/match/patterns/re2js.js';
import { bestTime, engineOf } from '../promises/engines.js';
import { hostilePairs } from '../promises/hostile-pairs.js';
import { reload } from '../promises/reload.js';
import { type Figure, figuresOf, type Soak } from './figure.js';
import { admission, costOfAKilobyte, growth } from './growth.js';
import { moderationLoad } from './moderation-load.js';

const stalls: Soak = (until) => {
  const patterns = hostilePairs.map(([pattern]) => pattern);
  const all = engineOf(patterns, {}, 'pattern');
  let worst = 0;
  let messages = 0;
  for (let size = 1_000; size <= 20_000 && Date.now() < until; size += 1_000) {
    for (const [pattern, attack] of hostilePairs) {
      const text = attack(size);
      const alone = engineOf([pattern], {}, 'pattern');
      worst = Math.max(worst, ...[alone, all].map((engine) => bestTime(2, () => engine.decide(text))));
      messages += 2;
    }
  }
  const figure = figuresOf('P4');
  return [
    figure('hostile messages', messages, 'messages', messages > 0),
    figure('longest', Math.round(worst * 10) / 10, 'ms', worst <= 50),
  ];
};

const reloads: Soak = async (until) => {
  const figures: Figure[] = [];
  const half = Date.now() + (until - Date.now()) / 2;
  for (const [engine, end] of [
    [re2js, half],
    [re2wasm, until],
  ] as const) {
    const { reloads: done, heap, rss } = await reload(10_000, 200, { engine }, end);
    const start = process.memoryUsage.rss() - rss;
    const figure = figuresOf('P5');
    figures.push(
      figure(`reloads, ${engine.name}`, done, 'reloads', done > 0),
      figure(`heap each, ${engine.name}`, Math.round(heap / done), 'B', heap / done < 2_000),
      figure(`rss drift, ${engine.name}`, Math.round((1000 * rss) / start) / 10, '%', rss / start < 0.05),
    );
  }
  return figures;
};

/** By name, each with its share of the time. */
export const soaks: Readonly<Record<string, { readonly soak: Soak; readonly share: number }>> = {
  growth: { soak: growth, share: 0 },
  'cost-of-a-kilobyte': { soak: costOfAKilobyte, share: 0 },
  admission: { soak: admission, share: 0 },
  stalls: { soak: stalls, share: 0.35 },
  'moderation-load': { soak: moderationLoad, share: 0.35 },
  reloads: { soak: reloads, share: 0.3 },
};
