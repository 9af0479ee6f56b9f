/**
 * Messages of any size that keep matching busy, for tests of what is answered and measurements of
 * how long it takes.
 */
import { createEngine, type Engine, type Semantics } from '../../src/index.js';

/** What it is, the message of a size, a size that is small, and the engine that is to judge it. */
type Growing = readonly [name: string, make: (size: number) => unknown, small: number, asked: Engine];

const inText = (value: string[], changes?: Partial<Semantics>) =>
  createEngine(
    { rules: [{ id: 'r', action: 'blockMessage', conditions: [{ operand: 'text', value }] }], lists: [] },
    changes,
  );

const custom = (customData: unknown) => ({ category: 'custom', data: { customData } });

/** So many levels, each made of the one inside it. */
function levels(count: number, wrap: (inner: unknown) => unknown): unknown {
  let inner: unknown = 'darn';
  for (let level = 0; level < count; level++) inner = wrap(inner);
  return inner;
}

/**
 * All of them; those that look at more than one text are judged by `engine`, which has rules for
 * texts and custom data.
 */
export function growingMessages(engine: Engine): readonly Growing[] {
  const nested = Array.from({ length: 40 }, (_, index) => 'a'.repeat(index + 1));
  const suffixes = Array.from({ length: 40 }, (_, index) => `${'a'.repeat(index)}b`);
  const ends = [...nested, ...suffixes];
  // Forty terms end at each letter, so a longer text would only take longer.
  const oneLetter = (name: string, asked: Engine): Growing => [name, (size) => 'a'.repeat(size), 512, asked];
  const pieces: readonly (readonly [string, string])[] = [
    ['white space', ' '],
    ['words and white space', 'a  \t'],
    ['halves of pairs', '\ud83d'],
    ['emoji', '😀'],
    ['marks', '\u0301'],
    ['nul', '\u0000'],
    ['hits', 'oh darn '],
  ];
  const spaced = inText(['a b', 'b a', ' a', 'a ']);
  return [
    oneLetter('one letter repeated, whole words', inText(ends)),
    oneLetter('one letter repeated, substrings', inText(ends, { words: 'substring' })),
    oneLetter(
      'one letter repeated, substrings within excepted ones',
      inText(ends, { words: 'substring', exceptions: ['aaa', 'aaaa'] }),
    ),
    oneLetter('one letter repeated, terms that never end', inText(suffixes, { words: 'substring' })),
    ...pieces.flatMap(([name, piece]): Growing[] => {
      const make = (size: number) => piece.repeat(size / piece.length);
      return [
        [name, make, 4_096, engine],
        [`${name}, terms with spaces`, make, 4_096, spaced],
      ];
    }),
    [
      'many texts in custom data',
      (size) => custom(Array.from({ length: size / 100 }, (_, index) => ({ index, text: 'so darn '.repeat(12) }))),
      40_000,
      engine,
    ],
    ['one long text in custom data', (size) => custom('so darn '.repeat(size / 8)), 160_000, engine],
    [
      'something found at every level of custom data, first',
      (size) => custom(levels(size, (inner) => ({ text: 'darn', inner }))),
      600,
      engine,
    ],
    [
      'something found at every level of custom data, last',
      (size) => custom(levels(size, (inner) => ({ inner, text: 'darn' }))),
      600,
      engine,
    ],
    ['custom data that is deep', (size) => custom(levels(size, (inner) => ({ inner }))), 6_000, engine],
  ];
}
