/**
 * Determines which terms and patterns of a rule set fire on a text, and makes texts to try them
 * with.
 *
 * Terms that are looked for in the same way share one number, which is their key; the numbers of
 * patterns follow. That one term covers another is concluded from texts that were tried: each text
 * that fires the other fires it too. This is not a proof.
 */
import type { CompiledRuleSet } from '../../engine/compile/compiled-rule-set.js';
import { textOperands } from '../../engine/compile/operands.js';
import { createTermReader, type ReadTerm } from '../../engine/compile/word-readings.js';
import type { ClosedTerms } from '../../engine/match/keyword-scan.js';
import { ANY_LINK } from '../../engine/match/links/host.js';
import { programOf, re2js } from '../../engine/match/patterns/re2js.js';
import { translatePattern } from '../../engine/match/patterns/translate.js';
import type { Semantics } from '../../engine/semantics.js';
import { runAtOnce } from '../../foundation/portions.js';
import type { Entry, Sources } from './entries.js';
import { type Shortest, shortestText } from './shortest-text.js';

export class Firing {
  /** The numbers of terms and patterns are 0 to `count - 1`. */
  readonly count: number;
  /** Units that were scanned and steps of the scans. Tests read it. */
  scanned = 0;
  readonly #compiled: CompiledRuleSet;
  readonly #semantics: Semantics;
  readonly #sources: Sources;
  readonly #reader: ReturnType<typeof createTermReader>;
  readonly #closed: ClosedTerms;
  readonly #entries: (readonly Entry[])[] = [];
  #empty: ReadonlySet<number> | undefined;
  readonly #covering = new Map<number, ReadonlySet<number>>();
  readonly #shortest = new Map<string, Shortest | undefined>();

  constructor(compiled: CompiledRuleSet, semantics: Semantics, sources: Sources) {
    this.#compiled = compiled;
    this.#semantics = semantics;
    this.#sources = sources;
    this.#reader = createTermReader(semantics);
    this.#closed = compiled.words.matcher.createClosedTerms();
    this.count = compiled.words.count + compiled.patterns.count;
  }

  /** Returns the entries that have a number, in the order of their conditions for each operand. */
  entriesOf(language: number): readonly Entry[] {
    this.#entries[language] ??= this.#readEntries(language);
    return this.#entries[language];
  }

  #readEntries(language: number): readonly Entry[] {
    const { words, patterns } = this.#compiled;
    const isPattern = language >= words.count;
    const kind = isPattern ? 'pattern' : 'word';
    const key = isPattern ? language - words.count : language;
    return textOperands.flatMap((operand) => {
      const { from, references } = (isPattern ? patterns : words).references[operand];
      return references
        .slice(from[key]!, from[key + 1]!)
        .map((reference): Entry => ({ kind, language, operand, reference }));
    });
  }

  /**
   * Returns the entries with a number that are left out because they repeat others of their
   * conditions.
   */
  repeatedIn(language: number): readonly Entry[] {
    const { words, patterns } = this.#compiled;
    const { repeated } = language < words.count ? words : patterns;
    return this.entriesOf(language).flatMap((entry) =>
      (repeated.get(entry.reference) ?? []).map((reference) => ({ ...entry, reference })),
    );
  }

  /** Yields the entries whose numbers are in a range, by default all. */
  *all(from = 0, to = this.count): Generator<Entry> {
    for (let language = from; language < to; language++) yield* this.entriesOf(language);
  }

  terms = () => this.all(0, this.#compiled.words.count);

  patterns = () => this.all(this.#compiled.words.count);

  /** Returns the numbers of the terms and patterns that a text fires. */
  firedBy(text: string): ReadonlySet<number> {
    const { words, patterns } = this.#compiled;
    const fired = new Set<number>();
    const take = (key: number) => {
      fired.add(key);
      this.#closed.close(key);
    };
    words.matcher.scan(text, take, this.#closed);
    this.#closed.clear();
    this.scanned += text.length + words.matcher.steps;
    patterns.set?.mark(text, (pattern) => fired.add(words.count + pattern));
    return fired;
  }

  /** Returns how a term is read: as a word or as a domain. */
  readOf({ reference: { written, listId, condition } }: Entry): ReadTerm {
    return this.#sources.isWhole(condition)
      ? this.#reader.readWhole(written, listId)
      : this.#reader.read(written, listId);
  }

  /** Returns a text that fires an entry: the term itself, or a shortest text for a pattern. */
  sampleOf(entry: Entry): string | undefined {
    if (entry.kind === 'pattern') return this.shortestOf(entry)?.text;
    const { reading, text } = this.readOf(entry);
    return reading === 'links' ? `http://${text === ANY_LINK ? 'example.com' : text}` : text;
  }

  /**
   * Returns a shortest text for the pattern of an entry, or for a piece of it, or `undefined` if
   * none is known.
   */
  shortestOf({ reference: { written, condition } }: Entry, pattern = written): Shortest | undefined {
    if (this.#semantics.engine !== re2js) return undefined;
    const whole = this.#sources.isWhole(condition);
    const key = `${whole} ${pattern}`;
    if (this.#shortest.has(key)) return this.#shortest.get(key);
    const insensitive = this.#semantics.patterns === 'insensitive';
    const program = runAtOnce(programOf({ source: translatePattern(pattern), insensitive, whole }));
    const shortest = program && shortestText(program);
    this.#shortest.set(key, shortest);
    return shortest;
  }

  /**
   * Yields texts that fire a term, each with everything that it fires: the term as written, and
   * forms that other terms may match differently.
   */
  *textsOf(entry: Entry): Generator<{ text: string; fired: ReadonlySet<number> }> {
    const sample = this.sampleOf(entry);
    if (entry.kind === 'pattern' || sample === undefined) return;
    const { reading, text: domain } = this.readOf(entry);
    for (const text of reading === 'links' ? linksLike(sample, domain === ANY_LINK) : wordsLike(sample)) {
      const fired = this.firedBy(text);
      if (fired.has(entry.language)) yield { text, fired };
    }
  }

  /**
   * Returns the numbers of what fires on every text that was tried with a term, its own number
   * first. For patterns and for hardened terms, which have too many forms to try, it is only their
   * own number. What fires on the empty text covers nothing.
   */
  coveringOf(language: number): ReadonlySet<number> {
    const known = this.#covering.get(language);
    if (known !== undefined) return known;
    this.#empty ??= this.firedBy('');
    const [entry] = this.entriesOf(language);
    let covering: readonly number[] = [];
    if (entry?.kind === 'word' && this.readOf(entry).folding !== 'hardened') {
      let isFirst = true;
      for (const { fired } of this.textsOf(entry)) {
        covering = [...(isFirst ? fired : covering)].filter((candidate) => fired.has(candidate));
        isFirst = false;
        if (covering.length < 2) break;
      }
    }
    const found = new Set([language, ...covering].filter((candidate) => !this.#empty!.has(candidate)));
    this.#covering.set(language, found);
    return found;
  }
}

/**
 * Yields forms of a term: formatting signs around each of its characters, other case, accents,
 * letters that are read as two, neighbouring words, and signs that join words.
 */
function* wordsLike(text: string): Generator<string> {
  yield text;
  const characters = Array.from(text);
  for (const sign of ['**', '_', '~~', '`']) {
    for (const [at, character] of characters.entries()) {
      if (sign === '**' || at === 1) yield characters.with(at, `${sign}${character}${sign}`).join('');
    }
  }
  yield text.toUpperCase();
  yield text.toLowerCase();
  yield text.normalize('NFD').replace(/\p{M}/gu, '');
  yield text.replace(/\p{L}/gu, '$&\u0301');
  yield text.replace(/ss/gi, 'ß').replace(/ae/gi, 'æ').replace(/oe/gi, 'œ');
  yield text.replaceAll("'", '\u02bc').replaceAll('...', '…');
  for (const neighbour of ['0 ', 'z', '_', "'", '日', '.', '\n']) {
    yield `${neighbour}${text}`;
    yield `${text}${neighbour}`;
    yield `${neighbour}${text}${neighbour}`;
  }
}

/** Yields forms of a link. If any link is meant, other links are among them. */
function* linksLike(link: string, isAny: boolean): Generator<string> {
  yield link;
  if (isAny) yield* ['http://nobody.example', 'http://192.0.2.1/'];
  const address = link.slice('http://'.length);
  yield address;
  yield `see ${address}, or not`;
  yield link.toUpperCase();
  yield `https://www.${address}`;
  yield `${link}/a/b?c#d`;
  yield `**${address}**`;
}
