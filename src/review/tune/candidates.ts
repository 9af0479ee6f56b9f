/** Candidates: changes that may free messages that were stopped wrongly, or find those that were missed, by what matched in them. */
import { causesOf, type FoundCause } from '../../audit/count/cause.js';
import { textAt } from '../../audit/count/excerpt.js';
import type { Match } from '../../engine/evaluate/decision.js';
import { type ListReading, readingChoices, type Semantics } from '../../engine/semantics.js';
import type { NearReading } from '../why-not/answer.js';
import { whyNot } from '../why-not/why-not.js';
import {
  type Change,
  type EntryPlace,
  type Parts,
  readingsOf,
  withEntry,
  withException,
  withReading,
  withWords,
} from './changes.js';
import type { Item } from './items.js';

/** A term or a pattern that matched in messages, by what the labels say of these. */
interface Suspect {
  readonly found: FoundCause;
  readonly wrong: Item[];
  readonly right: Item[];
}

/** Returns the terms and patterns that matched in messages that were stopped wrongly, with all labelled messages in which they matched. */
function suspectsOf(
  items: readonly Item[],
): readonly (Suspect & { readonly texts: ReadonlyMap<Item, readonly Match[]> })[] {
  const suspects = new Map<string, Suspect & { readonly texts: Map<Item, readonly Match[]> }>();
  for (const item of items) {
    if (!item.isHit) continue;
    const hits = item.decision.matched.filter(({ ruleId, determining }) =>
      item.ruleId === undefined ? determining : ruleId === item.ruleId,
    );
    for (const found of hits.flatMap(causesOf)) {
      if (found.cause.label !== undefined) continue;
      const own = suspects.get(found.key) ?? { found, wrong: [], right: [], texts: new Map() };
      suspects.set(found.key, own);
      (item.isRight ? own.right : own.wrong).push(item);
      own.texts.set(item, found.matches);
    }
  }
  return [...suspects.values()].filter(({ wrong }) => wrong.length > 0);
}

/** Words around a match that an exception takes in, at most. */
const mostWords = 3;
/** Exceptions of one term that are tried. */
const mostPhrases = 3;

const word = /[\p{L}\p{N}\p{M}_'’-]+/gu;

/** Returns the text around a match with up to three of the words beside it, each choice of them once; the match with the rest of its word first. */
function phrasesAround(text: string, { start, end }: { readonly start: number; readonly end: number }): string[] {
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
      if (phrase.length > end - start) phrases.push(phrase);
    }
  }
  return phrases;
}

/** Returns the phrases around the matches of a message. */
function phrasesOf({ message }: Item, matches: readonly Match[]): ReadonlySet<string> {
  return new Set(
    matches.flatMap((match) => {
      if (match.kind === 'score') return [];
      const text = typeof message === 'string' ? message : textAt(message, match.path);
      return text === undefined ? [] : phrasesAround(text, match.span);
    }),
  );
}

/** Names a term or a pattern with its place. */
function nameOf({ cause: { ruleId, listId, term, pattern } }: FoundCause): string {
  const entry = term === undefined ? `pattern \`${pattern}\`` : `term \`${term}\``;
  return `${entry} of ${listId === undefined ? `rule \`${ruleId}\`` : `list \`${listId}\``}`;
}

/** Returns candidates for a term or a pattern that stopped messages wrongly: exceptions, stricter readings, word edges, and to take it out. */
function* changesOf(suspect: ReturnType<typeof suspectsOf>[number], least: number, parts: Parts): Generator<Change> {
  const { found, wrong, right, texts } = suspect;
  const { cause, key } = found;
  const written = cause.term ?? cause.pattern ?? '';
  const place: EntryPlace = { ruleId: cause.ruleId, listId: cause.listId };
  const counts = new Map<string, number>();
  for (const item of wrong)
    for (const phrase of phrasesOf(item, texts.get(item)!)) counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
  for (const item of right) for (const phrase of phrasesOf(item, texts.get(item)!)) counts.delete(phrase);
  const phrases = [...counts].filter(([, count]) => count >= least).sort(([, one], [, other]) => other - one);
  for (const [phrase] of phrases.slice(0, mostPhrases)) {
    yield {
      kind: 'exception',
      detail: `except \`${phrase}\` from ${nameOf(found)}`,
      subject: key,
      size: phrase.split(' ').length,
      apply: (to, comment) => withException(to, place, phrase, comment),
    };
  }
  yield* readingsFor(found, parts);
  if (wrong.length < least) return;
  if (cause.pattern !== undefined) {
    for (const edged of [`\\b(?:${written})\\b`, `\\b(?:${written})`, `(?:${written})\\b`]) {
      const detail = `word edges: \`${edged}\` in the place of ${nameOf(found)}`;
      const apply = (to: Parts, comment?: string) => withEntry(to, place, written, edged, comment);
      yield { kind: 'edges', detail, subject: key, size: 1, apply };
    }
  }
  const apply = (to: Parts) => withEntry(to, place, written, undefined);
  yield { kind: 'removal', detail: `take out ${nameOf(found)}`, subject: key, size: 5, apply };
}

/** Returns stricter readings of the list of a term, of all words of rules for a term without one, or of all patterns. */
function* readingsFor({ cause: { listId, pattern } }: FoundCause, parts: Parts): Generator<Change> {
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
function* readingsThatFind(items: readonly Item[], { ruleSet, semantics }: Parts): Generator<Change> {
  const missed = items.filter(({ isHit, isRight, ruleId }) => !isHit && !isRight && ruleId === undefined);
  const seen = new Set<string>();
  for (const { message, scores } of missed.slice(0, mostMissed)) {
    const near = whyNot(ruleSet, message, { semantics, scores }).flatMap(
      (one): readonly (NearReading & { match: Match })[] => one.near ?? [],
    );
    for (const { reading, value, match } of near) {
      const listId = match.kind === 'score' ? undefined : match.listId;
      const change = readingChange({ reading, value }, listId);
      if (seen.has(change.detail)) continue;
      seen.add(change.detail);
      yield change;
    }
  }
}

/** Returns all candidates for items, each once; `least` is the number of wrong messages that an exception has to free. */
export function candidatesFor(items: readonly Item[], parts: Parts, least: number): readonly Change[] {
  const suspects = suspectsOf(items).toSorted((one, other) => other.wrong.length - one.wrong.length);
  const all = [...suspects.flatMap((one) => [...changesOf(one, least, parts)]), ...readingsThatFind(items, parts)];
  return [...new Map(all.map((change) => [change.detail, change])).values()];
}
