/**
 * How time grows with the text, as ratios within one run: texts that would take a careless engine
 * the square of their length, or more. What the same texts are answered with, and how many steps
 * are taken, is what `npm test` looks at.
 */
import { markedLines } from '../../src/cli/terminal/marked-text.js';
import { createHardenedMatcher } from '../../src/engine/match/hardened/hardened-matcher.js';
import { createKeywordMatcher } from '../../src/engine/match/keyword-matcher.js';
import { re2js } from '../../src/engine/match/patterns/re2js.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { createEngine } from '../../src/index.js';
import { hostileRules, lists } from '../evaluate/hostile-rules.js';
import { type HostileText, hostileText, hostileTexts, rereadTexts } from '../match/hardened/hostile-texts.js';
import { buildingPatterns, buildingText } from '../match/pattern/building-texts.js';
import { bestTime, engineOf } from '../promises/engines.js';
import { hostilePairs } from '../promises/hostile-pairs.js';
import { growingMessages } from '../support/growing-messages.js';
import type { Figure, Soak } from './figure.js';

/** A piece of work that grows with its size. */
interface Growth {
  readonly name: string;
  readonly work: (size: number) => () => unknown;
  readonly small: number;
}

/** Work of one kind: for `times` the size it may take less than `most` times as long. */
interface Kind {
  readonly what: string;
  readonly times: number;
  readonly most: number;
  readonly all: readonly Growth[];
}

/** A moment that a collection or another process may take, in milliseconds. */
const moment = 5;

/** The least ratio of the time for a long text to that for a short one, over some turns. */
function ratioOf({ work, small }: Growth, { times, most }: Kind): number {
  const [few, many] = [work(small), work(small * times)];
  bestTime(1, many);
  let best = { few: bestTime(2, few), many: bestTime(1, many) };
  for (let turn = 0; turn < 5 && best.many >= most * best.few; turn++) {
    best = { few: Math.min(best.few, bestTime(1, few)), many: Math.min(best.many, bestTime(1, many)) };
  }
  return Math.max(0, best.many - moment) / Math.max(best.few, 0.01);
}

/** Work on an input that is made once for each size. */
function growing<Input>(
  name: string,
  small: number,
  make: (size: number) => Input,
  run: (input: Input) => unknown,
): Growth {
  const work = (size: number) => {
    const input = make(size);
    return () => run(input);
  };
  return { name, small, work };
}

function hardened(words: 'word' | 'substring'): Growth[] {
  return hostileTexts.map((hostile) => {
    const engine = engineOf(hostile[0], { words, folding: 'hardened' });
    return growing(JSON.stringify(hostile), 2_048, (size) => hostileText(hostile, size), engine.decide);
  });
}

function reread(hostile: HostileText): Growth {
  const matcher = runAtOnce(createHardenedMatcher(hostile[0], { words: 'substring' }));
  const scan = (text: string) => matcher.scan(text, () => {});
  return growing(JSON.stringify(hostile), 2_000, (size) => hostileText(hostile, size), scan);
}

function messages(): Growth[] {
  const conditions = [
    { operand: 'text', value: ['darn', 'oh darn'] },
    { operand: 'text', category: 'pattern', value: ['d[a-z]+n', '(?i)x$'] },
    { operand: 'custom', value: ['darn'] },
    { operand: 'custom', category: 'pattern', value: ['[0-9]{3}', 'd.rn'] },
  ];
  const engine = createEngine({ rules: [{ id: 'all', action: 'blockMessage', conditions }], lists: [] });
  return growingMessages(engine).flatMap(([name, make, small, asked]) =>
    (['decide', 'explain'] as const).map((answer) =>
      growing(`${answer}: ${name}`, small * 4, make, (message) => asked[answer](message as never)),
    ),
  );
}

function bounded(): Growth[] {
  return hostileRules.flatMap(([name, rules, changes, textOf]) => {
    const engine = createEngine({ rules, lists }, changes);
    return (['decide', 'explain'] as const).map((answer) =>
      growing(`${answer}: ${name}`, 4_096, textOf, engine[answer]),
    );
  });
}

function patterns(): Growth[] {
  const backtracking = hostilePairs.map(([pattern, attack]) =>
    growing(pattern, 50_000, attack, engineOf([pattern], {}, 'pattern').decide),
  );
  const building = buildingPatterns.map(([source, alphabet]) => {
    const set = re2js.compile([{ source, insensitive: false, whole: false }]);
    const mark = (text: string) => set.mark(text, () => {});
    return growing(source, 1 << 14, (size) => buildingText(alphabet, size), mark);
  });
  return [...backtracking, ...building];
}

function words(): Growth[] {
  const folded = { folding: 'case', words: 'substring' } as const;
  const matcher = runAtOnce(createKeywordMatcher(['aaaaaaaaab', 'aaab', 'ab'], folded));
  const scan = (text: string) => matcher.scan(text, () => {});
  const terms = [1, 2, 3, 7, 64, 65_536].map((times) => 'a'.repeat(times));
  const nested = engineOf(terms, { words: 'substring' });
  const screen = { width: 40, paint: (_tone: unknown, text: string) => text };
  const show = (half: string) =>
    markedLines(`${half}bad ${half}`, [{ start: half.length, end: half.length + 3, labels: [] }], screen);
  const letters = (size: number) => 'a'.repeat(size);
  return [
    growing('terms that begin and never end', 4_000_000, letters, scan),
    growing('terms of one letter, up to 65,536 of them', 65_536, letters, nested.decide),
    growing('the lines that show a match', 2_000_000, (size) => 'word '.repeat(size / 10), show),
  ];
}

const kinds: readonly Kind[] = [
  { what: 'hostile patterns', times: 4, most: 10, all: patterns() },
  { what: 'long and deep messages', times: 4, most: 10, all: messages() },
  { what: 'terms', times: 4, most: 10, all: words() },
  { what: 'rules with more occurrences than characters', times: 16, most: 40, all: bounded() },
  { what: 'hardened words', times: 16, most: 40, all: hardened('word') },
  { what: 'hardened substrings', times: 16, most: 40, all: [...hardened('substring'), ...rereadTexts.map(reread)] },
];

/** For each kind the worst ratio there is, with the text that has it when it is too much. */
export const growth: Soak = () =>
  kinds.map((kind): Figure => {
    let worst = { ratio: 0, name: '' };
    for (const one of kind.all) {
      const ratio = ratioOf(one, kind);
      if (ratio > worst.ratio) worst = { ratio, name: one.name };
    }
    const held = worst.ratio < kind.most;
    const what = `${kind.what}: time for ${kind.times} times the text${held ? '' : `, ${worst.name}`}`;
    return { promise: 'P4', what, figure: Math.round(worst.ratio * 10) / 10, unit: 'times', held };
  });

/** A message of 64 KB of the same, in milliseconds for each KB. */
export const costOfAKilobyte: Soak = () => {
  let worst = { cost: 0, name: '' };
  for (const { name, work } of bounded()) {
    const cost = bestTime(3, work(65_536)) / 64;
    if (cost > worst.cost) worst = { cost, name };
  }
  const figure = Math.round(worst.cost * 100) / 100;
  const what = `rules with more occurrences than characters, 64 KB: ${worst.name}`;
  return [{ promise: 'P4', what, figure, unit: 'ms/KB', held: figure <= 6 }];
};

/**
 * Patterns that cost too much are refused soon: the compiling of thousands of them, in
 * milliseconds, for the record.
 */
export const admission: Soak = () => {
  const spec = (source: string) => ({ source, insensitive: false, whole: false });
  const many = (count: number, make: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => spec(make(index)));
  const heavy: Readonly<Record<string, ReturnType<typeof many>>> = {
    'long repeats': many(100, (index) => `.{1,1000}x${index}`),
    'Unicode classes': many(5_000, (index) => `\\p{L}{1,3}x${index}`),
    'invalid ones': many(10_000, (index) => `[a-z${index}`),
  };
  return Object.entries(heavy).map(([name, specs]) => {
    const figure = Math.round(bestTime(1, () => re2js.compile(specs)));
    return { promise: 'P6', what: `compiled or refused: ${name}`, figure, unit: 'ms', held: figure < 15_000 };
  });
};
