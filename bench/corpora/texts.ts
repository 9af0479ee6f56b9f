import { createRandom, type Random } from '../../fixtures/random.js';
import type { Definition } from '../definition.js';
import { isComparable } from '../rules/searches.js';
import { fixtureTexts } from './fixture-data.js';
import { type SampledPattern, sampleOf } from './patterns.js';

/** Lengths of chat messages, by weight. */
const chatLengths = Object.entries({ 20: 2, 45: 3, 80: 3, 140: 2, 220: 1 }).map(
  ([length, weight]) => [Number(length), weight] as const,
);

/**
 * Distinct texts of a corpus. Before hits are inserted they contain none of the terms; that is
 * found by a naive search, since the corpus must not depend on the engine.
 */
export function createTexts(
  spec: Omit<Definition['corpus'], 'quick'>,
  terms: readonly string[],
  patterns: readonly SampledPattern[],
): string[] {
  const base = fixtureTexts().filter((text) => isComparable(text) && (spec.ascii !== true || /^[ -~]+$/.test(text)));
  if (spec.kind === 'natural') return base.slice(0, spec.messages);
  const plain = spec.undisguised === true ? base.filter((line) => !isObfuscated(line)) : base;
  const clean = withoutHits(plain, terms, patterns.length > 0);
  const random = createRandom(1_812, 'chat');
  const texts = new Set<string>();
  while (texts.size < spec.messages) {
    let text = joinLines(clean, spec.length ?? random.weighted(chatLengths), random);
    if (spec.signs === true) text = withSigns(text, random);
    if (random.chance(spec.hitsPerThousand ?? 0)) text = insertHit(text, terms, patterns, random);
    texts.add(text);
  }
  return [...texts];
}

/** Lines without terms of the fixtures; made terms occur in none of them by construction. */
function withoutHits(lines: readonly string[], terms: readonly string[], withPatterns: boolean): string[] {
  const folded = terms.slice(0, 300).map((term) => term.toLowerCase());
  // Every pattern needs a digit or a sign; there are enough lines without any.
  const suspicious = withPatterns ? /[\d@!:/[\]\u{1f300}-\u{1faff}]/u : /(?!)/;
  return lines.filter((line) => {
    const lower = line.toLowerCase();
    return !suspicious.test(line) && !folded.some((term) => lower.includes(term));
  });
}

/** The obfuscated words of the fixtures, and two of their examples of unusual characters. */
const obfuscated = [
  ...[
    'you \u0456diot',
    'you i\u200bd\u200bi\u200bo\u200bt',
    'what a \uff4d\uff4f\uff52\uff4f\uff4e',
    'm o r o n',
    'such a l0s3r',
  ],
  ...['i-d-i-o-t', 'you jerrrk', 'idi0ts everywhere', 'dam\u0301n', 'm\u043er\u043en', 'c.r.a.p', 'sh!t happens'],
  ...['idi\u00adot', '\u{1d422}\u{1d41d}'],
].map((line) => line.toLowerCase());

function isObfuscated(line: string): boolean {
  const lower = line.toLowerCase();
  return obfuscated.some((other) => lower.includes(other));
}

function joinLines(lines: readonly string[], length: number, random: Random): string {
  const parts: string[] = [];
  for (let size = 0; size < length; size += parts.at(-1)!.length + 3) parts.push(random.pick(lines));
  const text = parts.join(' · ');
  if (text.length <= length + 12) return text;
  const cut = text.lastIndexOf(' ', length);
  return (cut > length / 2 ? text.slice(0, cut) : text.slice(0, length))
    .toWellFormed()
    .replace(/\ufffd/g, '')
    .trim();
}

const tokens = [
  '@user7',
  '#BreakingNews',
  '&amp;',
  '\u{1f602}\u{1f602}',
  '2024',
  'https://t.example/x1',
  '100%',
  '10:30',
  "don't",
  '!!!',
];
const oneSign = ['5*3', '_maybe', '~ish', 'a | b', '@user_name', '*', '`'];
const twoSigns = ['snake_case_name', '*sigh*', '**so** good', '||spoiler||', '@a_b @c_d'];

/** Puts what people write beside words between the words of a text. */
function withSigns(text: string, random: Random): string {
  const words = text.split(' ');
  const put = (written: string) => words.splice(random.int(0, words.length), 0, written);
  for (const _ of [1, 2]) put(random.pick(tokens));
  if (random.chance(200)) put(random.pick(oneSign));
  else if (random.chance(75)) put(random.pick(twoSigns));
  return words.join(' ');
}

/** Inserts a term in one of the usual cases, or a match of a pattern, between two words. */
function insertHit(
  text: string,
  terms: readonly string[],
  patterns: readonly SampledPattern[],
  random: Random,
): string {
  const usePattern = terms.length === 0 || (patterns.length > 0 && random.chance(500));
  const found = usePattern ? sampleOf(random.pick(patterns), random) : inSomeCase(random.pick(terms), random);
  const words = text.split(' ');
  words.splice(random.int(0, words.length), 0, found);
  return words.join(' ');
}

function inSomeCase(term: string, random: Random): string {
  const written = random.weighted([
    [term, 6],
    [term.charAt(0).toUpperCase() + term.slice(1), 3],
    [term.toUpperCase(), 1],
  ]);
  return written.toLowerCase() === term && isComparable(written) ? written : term;
}

/** Distinct texts for `hostilePatterns`: most nearly match over all of their length. */
export function hostileTexts(messages: number): string[] {
  return Array.from({ length: messages }, (_, index) => {
    const size = 26 + (index % 7) * 40;
    const shapes = [
      `${'a'.repeat(size)}!`,
      `${'x'.repeat(size)}z`,
      `${'word '.repeat(size / 5)}?`,
      'ab'.repeat(size / 2),
      `${'a'.repeat(size)}c`,
      '1,'.repeat(size / 2),
      // These match at their end: a count of 0 would prove nothing.
      `${'x'.repeat(size)}y`,
      `${'ab'.repeat(size)}d`,
      `${'1,'.repeat(size / 2)}P`,
    ];
    return `${shapes[index % shapes.length]}${index}!`;
  });
}
