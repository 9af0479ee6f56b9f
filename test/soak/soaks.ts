/** The promises of the engine at length: the same checks as in `npm test`, for as long as one has. */
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { createRandom } from '../../fixtures/random.js';
import { re2wasm } from '../../src/engine/match/patterns/re2-wasm.js';
import { re2js } from '../../src/engine/match/patterns/re2js.js';
import { bestTime, engineOf, findsOf } from '../promises/engines.js';
import { differences, everyPattern, everyText, worlds } from '../promises/every-pattern.js';
import { anyBytesAsResponse, anyJsonAsRuleSet, anyValueAsMessage } from '../promises/hostile-inputs.js';
import { hostilePairs } from '../promises/hostile-pairs.js';
import { keywordsEqualBruteForce } from '../promises/keyword-properties.js';
import { breaking, laceWithUnseen, plant, plantable } from '../promises/planted-terms.js';
import { falseAlarms, recallOf } from '../promises/recall.js';
import { reload } from '../promises/reload.js';
import { auditsOfBrokenNetworks } from './broken-network-audits.js';
import { type Figure, figuresOf, type Soak } from './figure.js';
import { admission, costOfAKilobyte, growth } from './growth.js';
import { killedAudits } from './killed-audits.js';
import { liveModerator } from './live-moderator.js';
import { moderationLoad } from './moderation-load.js';
import { replacedRules } from './replaced-rules.js';

const keywords: Soak = (until) => {
  const { numRuns, failed, seed, counterexamplePath } = fc.check(keywordsEqualBruteForce, {
    numRuns: 1_000_000_000,
    interruptAfterTimeLimit: Math.max(1, until - Date.now()),
  });
  const wrong = counterexamplePath === null ? 0 : 1;
  const what = wrong === 0 ? 'cases against brute force' : `differs from brute force, seed ${seed}`;
  return [figuresOf('P2')(what, numRuns, 'cases', wrong === 0 && (!failed || numRuns > 0))];
};

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

const planted: Soak = (until) => {
  const random = createRandom(Date.now() % 1_000_000, 'planted');
  const foldings = ['case', 'exact', 'hardened'] as const;
  const asked = foldings.flatMap((folding) =>
    plantable.map((term) => ({ folding, term, engine: engineOf([term], { folding }) })),
  );
  let texts = 0;
  let found = 0;
  while (Date.now() < until && texts < 1_000_000) {
    const { folding, term, engine } = random.pick(asked);
    const laced = folding === 'hardened' && /^[a-zа-я]{3,}$/.test(term);
    const written = laced ? laceWithUnseen(term, random) : term;
    const { text, start } = plant(written, laced ? [' ', '😀', '\u0000'] : breaking, random);
    texts++;
    if (findsOf(engine, text).includes(`${start} ${start + written.length} ${term}`)) found++;
  }
  const figure = figuresOf('P7');
  return [
    figure('planted terms', texts, 'texts', texts > 0),
    figure('found', (100 * found) / texts, '%', found === texts),
  ];
};

const recall: Soak = () => {
  const figure = figuresOf('P29');
  const found = (['case', 'hardened'] as const).flatMap((folding) =>
    recallOf(folding, 40, createRandom(29, 'recall')).map(({ evasion, asked, found }) => {
      const share = Math.round((1000 * found) / asked) / 10;
      return figure(`${folding}: ${evasion}`, share, '%', folding === 'case' || share === 100);
    }),
  );
  const words = createRequire(import.meta.url)('an-array-of-english-words') as string[];
  const alarms = Math.round((1_000_000 * falseAlarms(words).length) / words.length);
  return [...found, figure('false alarms of a million words', alarms, 'words', alarms < 50)];
};

const everyPatternAlike: Soak = (until) => {
  const going = Object.values(worlds).map((world) => ({
    texts: everyText(world, world.letters.length > 2 ? 3 : 5),
    patterns: everyPattern(world, { atoms: 3, operators: 4 }),
  }));
  let pairs = 0;
  let wrong = 0;
  while (going.length > 0 && Date.now() < until) {
    const one = going.shift()!;
    const batch: string[] = [];
    for (let next = one.patterns.next(); !next.done; next = one.patterns.next()) {
      if (batch.push(next.value) === 100) break;
    }
    wrong += differences(batch, one.texts).length;
    pairs += batch.length * one.texts.length;
    if (batch.length > 0) going.push(one);
  }
  const figure = figuresOf('P1');
  return [
    figure('patterns and texts asked of RE2 too', pairs, 'pairs', pairs > 0),
    figure('answered differently', wrong, 'pairs', wrong === 0),
  ];
};

/** Millions of values that no caller should send: each third of the time, with the seed that brings them again. */
const hostileInputs: Soak = (until) => {
  const properties: readonly (readonly [string, fc.IProperty<never>])[] = [
    ['values as messages', anyValueAsMessage as never],
    ['JSON as rule sets', anyJsonAsRuleSet as never],
    ['bytes as responses', anyBytesAsResponse as never],
  ];
  return properties.map(([what, property], index) => {
    const left = (until - Date.now()) / (properties.length - index);
    const { numRuns, seed, counterexamplePath } = fc.check(property, {
      numRuns: 1_000_000_000,
      interruptAfterTimeLimit: Math.max(1, left),
    });
    const wrong = counterexamplePath !== null;
    const path = wrong ? `, path ${counterexamplePath}` : '';
    return { promise: 'P24', what: `${what}, seed ${seed}${path}`, figure: numRuns, unit: 'values', held: !wrong };
  });
};

/** By name, each with its share of the time. */
export const soaks: Readonly<Record<string, { readonly soak: Soak; readonly share: number }>> = {
  recall: { soak: recall, share: 0 },
  growth: { soak: growth, share: 0 },
  'cost-of-a-kilobyte': { soak: costOfAKilobyte, share: 0 },
  admission: { soak: admission, share: 0 },
  stalls: { soak: stalls, share: 0.1 },
  patterns: { soak: everyPatternAlike, share: 0.1 },
  planted: { soak: planted, share: 0.1 },
  keywords: { soak: keywords, share: 0.15 },
  'hostile-inputs': { soak: hostileInputs, share: 0.1 },
  moderator: { soak: liveModerator, share: 0.05 },
  'replaced-rules': { soak: replacedRules, share: 0.05 },
  'moderation-load': { soak: moderationLoad, share: 0.05 },
  reloads: { soak: reloads, share: 0.15 },
  'killed-audits': { soak: killedAudits, share: 0.1 },
  'broken-networks': { soak: auditsOfBrokenNetworks, share: 0.05 },
};
