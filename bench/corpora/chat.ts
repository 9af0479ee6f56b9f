import { abuse } from '../../fixtures/phrases/abuse.js';
import { createRandom, type Random } from '../../fixtures/random.js';
import { isComparable } from '../../src/bench/comparable.js';
import { fixtureTexts } from './fixture-data.js';
import type { SampledPattern } from './patterns.js';

/** Texts of a corpus. */
export interface CorpusSpec {
  /** `natural`: the fixtures' messages as they are. `chat`: lines of them joined, with hits put in. `hostile`: see there. */
  readonly kind: 'natural' | 'chat' | 'hostile';
  readonly messages: number;
  /** UTF-16 units of every text, about; without, lengths vary as in chats, 80 on average. */
  readonly length?: number | undefined;
  /** Texts of 1,000 into which something of the rules is put. */
  readonly hitsPerThousand?: number | undefined;
  /** ASCII texts only. */
  readonly ascii?: boolean | undefined;
  /** No text in which a word is hidden on purpose. */
  readonly undisguised?: boolean | undefined;
}

/** What can be put into a text. */
export interface Bait {
  readonly terms: readonly string[];
  readonly patterns: readonly SampledPattern[];
}

/** Texts without any of the terms, before hits are put in: searched naively, since this must not rest on our engine. */
export function createTexts(spec: CorpusSpec, bait: Bait): string[] {
  const base = fixtureTexts().filter((text) => isComparable(text) && (spec.ascii !== true || /^[ -~]+$/.test(text)));
  if (spec.kind === 'natural') return base.slice(0, spec.messages);
  const clean = withoutHits(spec.undisguised === true ? base.filter((line) => !isDisguised(line)) : base, bait);
  const random = createRandom(1_812, 'chat');
  const texts = new Set<string>();
  while (texts.size < spec.messages) {
    const length =
      spec.length ??
      random.weighted([
        [20, 2],
        [45, 3],
        [80, 3],
        [140, 2],
        [220, 1],
      ]);
    let text = joinLines(clean, length, random);
    if (random.chance(spec.hitsPerThousand ?? 0)) text = putIn(text, bait, random);
    texts.add(text);
  }
  return [...texts];
}

/** Lines that hold none of the fixtures' terms; made terms occur in none of them by construction. */
function withoutHits(lines: readonly string[], { terms, patterns }: Bait): string[] {
  const folded = terms.slice(0, 300).map((term) => term.toLowerCase());
  // Patterns are kept out by what each of them needs: a digit, a sign. Whole lines without these are many enough.
  const suspicious = patterns.length > 0 ? /[\d@!:/[\]\u{1f300}-\u{1faff}]/u : /(?!)/;
  return lines.filter((line) => {
    const lower = line.toLowerCase();
    return !suspicious.test(line) && !folded.some((term) => lower.includes(term));
  });
}

/** The fixtures' words in disguise, and two more that they show what is odd by. */
const disguised = [...abuse.obfuscated, 'idi\u00adot', '\u{1d422}\u{1d41d}'].map((line) => line.toLowerCase());

function isDisguised(line: string): boolean {
  const lower = line.toLowerCase();
  return disguised.some((other) => lower.includes(other));
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

/** Puts a term, in one of the cases in which people write, or a text that a pattern matches between two words. */
function putIn(text: string, { terms, patterns }: Bait, random: Random): string {
  const usePattern = terms.length === 0 || (patterns.length > 0 && random.chance(500));
  const found = usePattern ? random.pick(patterns).sample(random) : inSomeCase(random.pick(terms), random);
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
