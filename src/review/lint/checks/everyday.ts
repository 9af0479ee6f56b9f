/**
 * The checks `everyday-term` and `everyday-pattern`: they find terms and patterns that match stop
 * words and harmless messages.
 */
import { isWordEdge } from '../../../engine/match/word-edges.js';
import { nextTask } from '../../../foundation/portions.js';
import type { Check, LintContext } from '../context.js';
import type { Entry } from '../entries.js';
import type { Found } from '../finding.js';
import { longerWord } from '../longer-word.js';
import { placesIn, placesOf } from '../places.js';

/**
 * Harmless texts in many languages, from `fixtures/everyday`, which names their origin and
 * licences.
 */
interface EverydayTexts {
  /**
   * Words that are so common that no rule should stop them, each with its languages. Words of many
   * languages come first.
   */
  readonly stopWords: readonly { readonly word: string; readonly languages: readonly string[] }[];
  readonly messages: readonly string[];
}

/**
 * Loads the texts when a check first needs them, so that bundles of the engine do not contain them.
 */
export async function everydayTexts(): Promise<EverydayTexts> {
  // The path is the same from `src/` and from `dist/`.
  const { messages, stopWords } = await import('../../../../fixtures/everyday/texts.js');
  const languagesOf = new Map<string, string[]>();
  for (const [language, common] of Object.entries(stopWords)) {
    for (const word of common.split('|')) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language]);
  }
  const listed = [...languagesOf].map(([word, languages]) => ({ word, languages }));
  return { messages, stopWords: listed.sort((left, right) => right.languages.length - left.languages.length) };
}

/** Number of stop words that a finding names. */
const mostWords = 10;

/** Number of exceptions that a finding proposes. */
const mostExceptions = 5;

/** The texts that a term or pattern matches. */
interface Matched {
  stopWords: number;
  /** The first matched stop words, each with its languages. */
  readonly words: string[];
  messages: number;
  /** The text that is shown: a message, or a word if no message is matched. */
  witness: string;
  /** Whether every match begins and ends at a word edge, or is a whole text. */
  hasEdges: boolean;
  /** The first longer words that contain a match. */
  readonly longer: Set<string>;
}

let loaded: Promise<EverydayTexts> | undefined;

/** The matches and places of terms and patterns, by key. Both checks share them. */
const measured = new WeakMap<LintContext, ReturnType<typeof measure>>();

/**
 * Checks for terms and patterns that stop harmless texts. Rules are examined without their filters.
 */
export const everydayChecks: readonly Check[] = [
  { id: 'everyday-term', severity: 'warning', find: (context) => findingsOf('word', context) },
  { id: 'everyday-pattern', severity: 'warning', find: (context) => findingsOf('pattern', context) },
];

async function* findingsOf(kind: Entry['kind'], context: LintContext): AsyncGenerator<Found> {
  if (!measured.has(context)) measured.set(context, measure(context));
  const { texts, matched, places } = await measured.get(context)!;
  for (const [key, place] of places) {
    if ((place.pattern === undefined) !== (kind === 'word')) continue;
    const found = matched.get(key)!;
    // A rule with filters does not match a text alone.
    const shows = [...placesIn(context.engine.explain(found.witness).matched)].some((hit) => hit.key === key);
    const shown = shows && { witness: found.witness };
    yield { ...place, detail: detailOf(found, texts), mend: mendOf(kind, found), ...shown };
  }
}

async function measure(context: LintContext) {
  loaded ??= everydayTexts();
  const texts = await loaded;
  const matched = new Map<string, Matched>();
  const judge = (text: string, isWord: boolean, count: (found: Matched) => void) => {
    const { matched: hits } = context.unfiltered.explain(text);
    if (hits.length === 0) return;
    const seen = new Set<Matched>();
    for (const { key, match } of placesIn(hits)) {
      const { start, end } = match.span;
      const found = matched.get(key) ?? {
        stopWords: 0,
        words: [],
        messages: 0,
        witness: text,
        hasEdges: true,
        longer: new Set(),
      };
      matched.set(key, found);
      if (!isWordEdge(text, start) || !isWordEdge(text, end)) found.hasEdges = false;
      if (!seen.has(found)) count(found);
      seen.add(found);
      if (found.longer.size > mostExceptions) continue;
      const longer = isWord && end - start < text.length ? text : longerWord(text, match.span);
      if (longer !== undefined) found.longer.add(longer);
    }
  };
  for (const [at, message] of texts.messages.entries()) {
    if (at % 500 === 0) await nextTask();
    judge(message, false, (found) => {
      found.messages += 1;
    });
  }
  for (const [at, { word, languages }] of texts.stopWords.entries()) {
    if (at % 2000 === 0) await nextTask();
    judge(word, true, (found) => {
      found.stopWords += 1;
      if (found.words.length < mostWords) found.words.push(`${word} (${languages.join(', ')})`);
    });
  }
  return { texts, matched, places: placesOf(matched, context) };
}

function detailOf({ stopWords, words, messages }: Matched, texts: EverydayTexts): string {
  const clauses: string[] = [];
  if (messages > 0)
    clauses.push(`${messages.toLocaleString('en')} of ${texts.messages.length.toLocaleString('en')} harmless messages`);
  const nouns = stopWords === 1 ? 'stop word' : 'stop words';
  const more = stopWords > words.length ? ', …' : '';
  if (stopWords > 0) clauses.push(`${stopWords.toLocaleString('en')} ${nouns}: ${words.join(', ')}${more}`);
  return `matches ${clauses.join(', and ')}`;
}

function mendOf(kind: Entry['kind'], { hasEdges, longer }: Matched): string {
  const harmless = 'add an exception for what is harmless (`exceptions`)';
  const meant = 'or ignore this where it is meant';
  if (kind === 'pattern') return `make it narrower, for instance with \`\\b\`, or ${harmless}, ${meant}`;
  const named = [...longer].slice(0, mostExceptions).map((word) => JSON.stringify(word));
  const more = longer.size > mostExceptions ? ', …' : '';
  const exceptions =
    named.length === 0
      ? harmless
      : `add exceptions for the longer words (\`exceptions: [${named.join(', ')}${more}]\`)`;
  const reading = hasEdges ? 'write a longer term' : 'read it as a whole word (`words`)';
  // Words without visible edges are helped only by an exception.
  const fixes = hasEdges && named.length > 0 ? [exceptions, reading] : [reading, exceptions];
  return `${fixes.join(', or ')}, ${meant}`;
}
