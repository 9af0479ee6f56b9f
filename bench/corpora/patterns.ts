import { createRandom, type Random } from '../../fixtures/random.js';
import { fixtureTexts } from './fixture-data.js';

/**
 * A pattern, and the template of a text that it matches: `~` and a length stand for letters, `^`
 * for capitals, `*` for letters of base 58, `#` for digits, `%` for hexadecimal digits.
 */
export interface SampledPattern {
  readonly source: string;
  readonly sample: string;
}

/** A text that matches the pattern. */
export function sampleOf({ sample }: SampledPattern, random: Random): string {
  return sample.replace(/([~^*#%])(\d+)/g, (_, kind: string, length: string) => {
    if (kind === '%') return random.hex(Number(length));
    const draw = () => (kind === '#' ? String(random.int(0, 9)) : String.fromCharCode(random.int(97, 122)));
    const drawn = Array.from({ length: Number(length) }, draw).join('');
    return kind === '^' ? drawn.toUpperCase() : kind === '*' ? drawn.replace(/l/g, 'k') : drawn;
  });
}

/**
 * What moderators write patterns for, each with a sample; valid in RE2, in `RegExp` and in
 * Hyperscan, with the same meaning.
 */
const typical: readonly (readonly [source: string, sample: string])[] = [
  ['[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}', '~6@~5.org'],
  ['\\b\\d{3}[-. ]\\d{3}[-. ]\\d{4}\\b', '#3-#3-#4'],
  ['\\+\\d{1,3}[ -]?\\d{2,4}[ -]?\\d{5,8}\\b', '+#2 #3 #6'],
  ['\\b(?:\\d{4}[ -]){3}\\d{4}\\b', '#4 #4 #4 #4'],
  ['\\bhttps?://[^\\s/]{3,}/[^\\s]{6,}', 'https://~7.example/~9'],
  ['(?i)\\b(?:join|server|invite)\\.(?:gg|chat|link)/[a-z0-9]{5,16}\\b', 'Join.gg/~8'],
  ['(?i)\\bt\\.?me/[a-z0-9_+]{5,}', 't.me/~9'],
  ['(?i)\\bwa\\.link/[a-z0-9]{4,}', 'wa.link/~6'],
  ['(?i)\\bs[ ._-]+p[ ._-]+a[ ._-]+m\\b', 's p a m'],
  ['(?i)\\bf[ ._-]+r[ ._-]+e[ ._-]+e\\b', 'F.R.E.E'],
  ['\\b[A-Z]{2}\\d{2}(?: ?[A-Z0-9]{4}){3,7}\\b', 'DE#2 #4 #4 #4'],
  ['\\b(?:bc1|[13])[a-km-zA-HJ-NP-Z1-9]{25,39}\\b', 'bc1q*30'],
  ['\\b0x[a-fA-F0-9]{40}\\b', '0x%40'],
  ['\\b(?:\\d{1,3}\\.){3}\\d{1,3}:\\d{2,5}\\b', '#2.#2.#2.1:#4'],
  ['[\\x{1F4B0}\\x{1F911}\\x{1F680}]{3,}', '💰💰🚀'],
  ['\\p{Cyrillic}{3,}[0-9]{3,}\\p{Cyrillic}{2,}', 'зов#4нет'],
  ['!{4,}', '!!!!!'],
  ['(?i)\\b(?:earn|make) \\$\\d{2,6} (?:a|per) (?:day|week)\\b', 'earn $9#2 per week'],
  ['(?i)\\bpromo[ -]?code:? [a-z]{3,8}\\d{2}\\b', 'Promo code: ~5#2'],
  ['(?i)\\b(?:dm|text|message) me (?:for|to) (?:prices?|details|buy)\\b', 'DM me for prices'],
  ['@everyone\\b|@here\\b', '@everyone'],
  ['\\b\\d{3}-\\d{2}-\\d{4}\\b', '#3-#2-#4'],
  ['(?i)\\bpass(?:word|code)? ?(?:is|:|=) ?[^\\s]{6,}', 'password is ~8'],
  ['\\[[^\\]]+\\]\\(https?://[^)]+\\)', '[~4](http://~6.example/x)'],
];

/**
 * The first `count` patterns: those that moderators typically write, then made ones of the same
 * shapes over other words.
 */
export function createPatterns(count: number): SampledPattern[] {
  const random = createRandom(90_210, 'patterns');
  const words = [
    ...new Set(
      fixtureTexts()
        .join(' ')
        .match(/\b[a-z]{4,9}\b/g) ?? [],
    ),
  ].sort();
  const patterns = typical.map(([source, sample]) => ({ source, sample }));
  while (patterns.length < count) patterns.push(makePattern(random, words));
  return patterns.slice(0, count);
}

function makePattern(random: Random, words: readonly string[]): SampledPattern {
  const [one, two] = [random.pick(words), random.pick(words)];
  const number = random.int(2, 5);
  const shapes: readonly SampledPattern[] = [
    { source: `(?i)\\b${one}[-_. ]?${two}\\d{${number}}\\b`, sample: `${one}-${two}#${number}` },
    { source: `\\bhttps?://${one}\\d{1,3}\\.[a-z.]{2,}/[^\\s]+`, sample: `https://${one}#2.example/${two}` },
    { source: `(?i)\\b${one}[^\\w\\s]{2,6}${two}\\b`, sample: `${one}***${two}` },
    { source: `\\b[A-Z]{${number}}-${two}-\\d{2,}\\b`, sample: `^${number}-${two}-#3` },
    { source: `(?i)${[...one].join('[ ._*-]{1,3}')}`, sample: [...one].join('.') },
  ];
  return random.pick(shapes);
}

/** Patterns for which backtracking takes exponential time, or an automaton has many states. */
export const hostilePatterns: readonly string[] = [
  '^(?:a+)+$',
  '(?:x+x+)+y',
  '(?:[a-z]+ ?)+[0-9]$',
  '[ab][^c]{40}d',
  '(?:a?){24}a{24}b',
  '(?i)(?:.*,){11}p',
];
