import { createRandom, type Random } from '../../fixtures/random.js';
import { fixtureTexts } from './fixture-data.js';

/** A pattern, and how a text that matches it is made. */
export interface SampledPattern {
  readonly source: string;
  readonly sample: (random: Random) => string;
}

const letters = (random: Random, length: number) =>
  Array.from({ length }, () => String.fromCharCode(random.int(97, 122))).join('');
const digits = (random: Random, length: number) => Array.from({ length }, () => random.int(0, 9)).join('');

/** What moderators write patterns for; valid in RE2, in `RegExp` and in Hyperscan, with the same meaning. */
const typical: readonly SampledPattern[] = [
  { source: '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}', sample: (r) => `${letters(r, 6)}@${letters(r, 5)}.org` },
  { source: '\\b\\d{3}[-. ]\\d{3}[-. ]\\d{4}\\b', sample: (r) => `${digits(r, 3)}-${digits(r, 3)}-${digits(r, 4)}` },
  {
    source: '\\+\\d{1,3}[ -]?\\d{2,4}[ -]?\\d{5,8}\\b',
    sample: (r) => `+${digits(r, 2)} ${digits(r, 3)} ${digits(r, 6)}`,
  },
  { source: '\\b(?:\\d{4}[ -]){3}\\d{4}\\b', sample: (r) => Array.from({ length: 4 }, () => digits(r, 4)).join(' ') },
  { source: '\\bhttps?://[^\\s/]{3,}/[^\\s]{6,}', sample: (r) => `https://${letters(r, 7)}.example/${letters(r, 9)}` },
  {
    source: '(?i)\\b(?:join|server|invite)\\.(?:gg|chat|link)/[a-z0-9]{5,16}\\b',
    sample: (r) => `Join.gg/${letters(r, 8)}`,
  },
  { source: '(?i)\\bt\\.?me/[a-z0-9_+]{5,}', sample: (r) => `t.me/${letters(r, 9)}` },
  { source: '(?i)\\bwa\\.link/[a-z0-9]{4,}', sample: (r) => `wa.link/${letters(r, 6)}` },
  { source: '(?i)\\bs[ ._-]+p[ ._-]+a[ ._-]+m\\b', sample: () => 's p a m' },
  { source: '(?i)\\bf[ ._-]+r[ ._-]+e[ ._-]+e\\b', sample: () => 'F.R.E.E' },
  {
    source: '\\b[A-Z]{2}\\d{2}(?: ?[A-Z0-9]{4}){3,7}\\b',
    sample: (r) => `DE${digits(r, 2)} ${digits(r, 4)} ${digits(r, 4)} ${digits(r, 4)}`,
  },
  {
    source: '\\b(?:bc1|[13])[a-km-zA-HJ-NP-Z1-9]{25,39}\\b',
    sample: (r) => `bc1q${letters(r, 30).replace(/l/g, 'k')}`,
  },
  { source: '\\b0x[a-fA-F0-9]{40}\\b', sample: (r) => `0x${r.hex(40)}` },
  {
    source: '\\b(?:\\d{1,3}\\.){3}\\d{1,3}:\\d{2,5}\\b',
    sample: (r) => `${digits(r, 2)}.${digits(r, 2)}.${digits(r, 2)}.1:${digits(r, 4)}`,
  },
  { source: '[\\x{1F4B0}\\x{1F911}\\x{1F680}]{3,}', sample: () => '💰💰🚀' },
  { source: '\\p{Cyrillic}{3,}[0-9]{3,}\\p{Cyrillic}{2,}', sample: (r) => `зов${digits(r, 4)}нет` },
  { source: '!{4,}', sample: () => '!!!!!' },
  {
    source: '(?i)\\b(?:earn|make) \\$\\d{2,6} (?:a|per) (?:day|week)\\b',
    sample: (r) => `earn $9${digits(r, 2)} per week`,
  },
  {
    source: '(?i)\\bpromo[ -]?code:? [a-z]{3,8}\\d{2}\\b',
    sample: (r) => `Promo code: ${letters(r, 5)}${digits(r, 2)}`,
  },
  { source: '(?i)\\b(?:dm|text|message) me (?:for|to) (?:prices?|details|buy)\\b', sample: () => 'DM me for prices' },
  { source: '@everyone\\b|@here\\b', sample: () => '@everyone' },
  { source: '\\b\\d{3}-\\d{2}-\\d{4}\\b', sample: (r) => `${digits(r, 3)}-${digits(r, 2)}-${digits(r, 4)}` },
  { source: '(?i)\\bpass(?:word|code)? ?(?:is|:|=) ?[^\\s]{6,}', sample: (r) => `password is ${letters(r, 8)}` },
  {
    source: '\\[[^\\]]+\\]\\(https?://[^)]+\\)',
    sample: (r) => `[${letters(r, 4)}](http://${letters(r, 6)}.example/x)`,
  },
];

/** The first `count` patterns: those that moderators typically write, then made ones of the same shapes over other words. */
export function createPatterns(count: number): SampledPattern[] {
  const random = createRandom(90_210, 'patterns');
  const words = [
    ...new Set(
      fixtureTexts()
        .join(' ')
        .match(/\b[a-z]{4,9}\b/g) ?? [],
    ),
  ].sort();
  const patterns = [...typical];
  while (patterns.length < count) patterns.push(makePattern(random, words));
  return patterns.slice(0, count);
}

function makePattern(random: Random, words: readonly string[]): SampledPattern {
  const [one, two] = [random.pick(words), random.pick(words)];
  const number = random.int(2, 5);
  const shapes: readonly SampledPattern[] = [
    { source: `(?i)\\b${one}[-_. ]?${two}\\d{${number}}\\b`, sample: (r) => `${one}-${two}${digits(r, number)}` },
    {
      source: `\\bhttps?://${one}\\d{1,3}\\.[a-z.]{2,}/[^\\s]+`,
      sample: (r) => `https://${one}${digits(r, 2)}.example/${two}`,
    },
    { source: `(?i)\\b${one}[^\\w\\s]{2,6}${two}\\b`, sample: () => `${one}***${two}` },
    {
      source: `\\b[A-Z]{${number}}-${two}-\\d{2,}\\b`,
      sample: (r) => `${letters(r, number).toUpperCase()}-${two}-${digits(r, 3)}`,
    },
    { source: `(?i)${[...one].join('[ ._*-]{1,3}')}`, sample: () => [...one].join('.') },
  ];
  return random.pick(shapes);
}

const none = () => '';

/** Patterns that make a backtracking engine try exponentially many ways, or an automaton grow many states. */
export const hostilePatterns: readonly SampledPattern[] = [
  { source: '^(?:a+)+$', sample: none },
  { source: '(?:x+x+)+y', sample: none },
  { source: '(?:[a-z]+ ?)+[0-9]$', sample: none },
  { source: '[ab][^c]{40}d', sample: none },
  { source: '(?:a?){24}a{24}b', sample: none },
  { source: '(?i)(?:.*,){11}p', sample: none },
];
