/** Candidates: changes that may free messages that were stopped wrongly, or find those that were missed, by what matched in them. */
import type { Auditable } from '../../audit/audit-entry.js';
import { type Cause, causesOf, type FoundCause } from '../../audit/count/cause.js';
import { textAt } from '../../audit/count/excerpt.js';
import type { Match } from '../../engine/evaluate/decision.js';
import { type ListReading, readingChoices, type Semantics } from '../../engine/semantics.js';
import { whyNot } from '../why-not/why-not.js';
import { type Change, type Parts, readingsOf, withEntry, withException, withReading, withWords } from './changes.js';
import type { Item } from './items.js';

/** A term or a pattern that matched in messages, with its matches in those that the labels call wrong and right. */
interface Suspect {
  readonly found: FoundCause;
  readonly wrong: Map<Item, readonly Match[]>;
  readonly right: Map<Item, readonly Match[]>;
}

/** Returns the terms and patterns that matched in messages that were stopped wrongly, those of most messages first. */
function suspectsOf(items: readonly Item[]): readonly Suspect[] {
  const suspects = new Map<string, Suspect>();
  for (const item of items.filter(({ isHit }) => isHit)) {
    const hits = item.decision.matched.filter(({ ruleId, determining }) =>
      item.ruleId === undefined ? determining : ruleId === item.ruleId,
    );
    for (const found of hits.flatMap(causesOf)) {
      if (found.cause.label !== undefined) continue;
      const own = suspects.get(found.key) ?? { found, wrong: new Map(), right: new Map() };
      suspects.set(found.key, own);
      own[item.isRight ? 'right' : 'wrong'].set(item, found.matches);
    }
  }
  return [...suspects.values()]
    .filter(({ wrong }) => wrong.size > 0)
    .sort((one, other) => other.wrong.size - one.wrong.size);
}

/** Words around a match that an exception takes in, at most. */
const mostWords = 3;
/** Exceptions of one term that are tried. */
const mostPhrases = 3;

const word = /[\p{L}\p{N}\p{M}_'’-]+/gu;

/** Characters around a match that are looked at, and those of the longest exception: a platform takes terms of 100. */
const mostAround = 200;
const longestPhrase = 100;

/** Returns the text around a match with up to three of the words beside it, each choice of them once; the match with the rest of its word first. */
function phrasesAround(whole: string, span: { readonly start: number; readonly end: number }): string[] {
  const cut = Math.max(0, span.start - mostAround);
  const text = whole.slice(cut, span.end + mostAround);
  const [start, end] = [span.start - cut, span.end - cut];
  const words = [...text.matchAll(word)].map(({ index, 0: own }) => ({ start: index, end: index + own.length }));
  const before = words.filter((one) => one.end <= start);
  const inside = words.filter((one) => one.end > start && one.start < end);
  const behind = words.filter((one) => one.start >= end);
  const from = Math.min(start, inside[0]?.start ?? start);
  const to = Math.max(end, inside.at(-1)?.end ?? end);
  const phrases: string[] = [];
  for (let all = 0; all <= mostWords; all++) {
    for (let left = 0; left <= all; left++) {
      const first = left === 0 ? from : before.at(-left)?.start;
      const last = all === left ? to : behind[all - left - 1]?.end;
      if (first === undefined || last === undefined) continue;
      const phrase = text.slice(first, last).replace(/\s+/g, ' ').toLowerCase();
      if (phrase.length > end - start && phrase.length <= longestPhrase) phrases.push(phrase);
    }
  }
  return phrases;
}

/** Returns the phrases around the matches of a message. */
function phrasesOf(message: Auditable, matches: readonly Match[]): ReadonlySet<string> {
  const phrases = matches.flatMap((match) => {
    if (match.kind === 'score') return [];
    const text = typeof message === 'string' ? message : textAt(message, match.path);
    return text === undefined ? [] : phrasesAround(text, match.span);
  });
  return new Set(phrases);
}

/** Returns candidates for a term or a pattern that stopped messages wrongly: exceptions, stricter readings, word edges, and to take it out. */
function* changesOf({ found, wrong, right }: Suspect, least: number, parts: Parts): Generator<Change> {
  const { cause, key: subject } = found;
  const { term, pattern, ruleId, listId } = cause;
  const written = term ?? pattern ?? '';
  const entry = term === undefined ? `pattern \`${pattern}\`` : `term \`${term}\``;
  const named = `${entry} of ${listId === undefined ? `rule \`${ruleId}\`` : `list \`${listId}\``}`;
  const counts = new Map<string, number>();
  for (const [{ message }, matches] of wrong)
    for (const phrase of phrasesOf(message, matches)) counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
  for (const [{ message }, matches] of right) for (const phrase of phrasesOf(message, matches)) counts.delete(phrase);
  const phrases = [...counts].filter(([, count]) => count >= least).sort(([, one], [, other]) => other - one);
  for (const [phrase] of phrases.slice(0, mostPhrases)) {
    const apply = (to: Parts, comment?: string) => withException(to, cause, phrase, comment);
    yield {
      kind: 'exception',
      detail: `except \`${phrase}\` from ${named}`,
      subject,
      size: phrase.split(' ').length,
      apply,
    };
  }
  yield* stricterReadings(cause, parts);
  if (wrong.size < least) return;
  const edges = pattern === undefined ? [] : [`\\b(?:${pattern})\\b`, `\\b(?:${pattern})`, `(?:${pattern})\\b`];
  for (const edged of edges) {
    const apply = (to: Parts, comment?: string) => withEntry(to, cause, written, edged, comment);
    yield { kind: 'edges', detail: `word edges: \`${edged}\` in the place of ${named}`, subject, size: 1, apply };
  }
  const apply = (to: Parts) => withEntry(to, cause, written, undefined);
  yield { kind: 'removal', detail: `take out ${named}`, subject, size: 5, apply };
}

/** Returns stricter readings of the list of a term, of all words of rules for a term without one, or of all patterns. */
function* stricterReadings({ listId, pattern }: Cause, parts: Parts): Generator<Change> {
  const { words, folding, patterns } = readingsOf(parts);
  if (pattern !== undefined) {
    if (patterns === 'insensitive') yield readingChange({ reading: 'patterns', value: 'as-written' }, undefined);
    return;
  }
  const lists: Readonly<Record<string, string | ListReading>> = typeof words === 'string' ? {} : words.lists;
  const given = listId === undefined ? undefined : lists[listId];
  const own: Partial<Record<'reading' | 'folding', string>> | undefined =
    typeof given === 'string' ? { reading: given } : given;
  const reading = own?.reading ?? (typeof words === 'string' ? words : (words.default ?? 'word'));
  const stricter: Readonly<Record<string, readonly string[]>> = {
    substring: ['prefix', 'suffix', 'word'],
    prefix: ['word'],
    suffix: ['word'],
  };
  for (const value of stricter[reading] ?? []) yield readingChange({ reading: 'words', value }, listId);
  const foldings = readingChoices.folding;
  for (const value of foldings.slice(0, foldings.indexOf((own?.folding ?? folding) as Semantics['folding'])).reverse())
    yield readingChange({ reading: 'folding', value }, listId);
}

/** A change of one reading, of a list where that is possible. */
function readingChange(
  { reading, value }: { readonly reading: string; readonly value: string },
  listId?: string,
): Change {
  const isOfWords = reading === 'words' || reading === 'folding';
  const of = isOfWords && listId !== undefined ? ` for list \`${listId}\`` : '';
  return {
    kind: 'reading',
    detail: `reading \`${reading}\`: \`${value}\`${of}`,
    subject: `reading ${isOfWords ? `${reading} ${listId}` : reading}`,
    size: 2,
    apply: (parts) => {
      if (!isOfWords) return withReading(parts, reading as 'patterns', value as Semantics['patterns']);
      return withWords(parts, listId, reading === 'words' ? { reading: value } : { folding: value });
    },
  };
}

/** Messages that were missed and are examined at most: each takes an engine for every other reading. */
const mostMissed = 40;

/** Returns readings by which messages that were missed would match. */
function readingsThatFind(items: readonly Item[], { ruleSet, semantics }: Parts): readonly Change[] {
  const missed = items.filter(({ isHit, isRight }) => !isHit && !isRight).slice(0, mostMissed);
  return missed
    .flatMap(({ message, scores }) => whyNot(ruleSet, message, { semantics, scores }))
    .flatMap(({ near = [] }) => near)
    .map(({ reading, value, match }) =>
      readingChange({ reading, value }, match.kind === 'score' ? undefined : match.listId),
    );
}

/** Returns all candidates for items, each once; `least` is the number of wrong messages that an exception has to free. */
export function candidatesFor(items: readonly Item[], parts: Parts, least: number): readonly Change[] {
  const all = [
    ...readingsThatFind(items, parts),
    ...suspectsOf(items).flatMap((one) => [...changesOf(one, least, parts)]),
  ];
  return [...new Map(all.map((change) => [change.detail, change])).values()];
}
