/**
 * The distinct terms and patterns that run, as languages: the sets of the texts that fire them.
 *
 * Whether a language lies within another is proved by a product of automata (`inclusion.ts`). Which pairs are looked at follows from texts
 * that fire the first: what covers it fires on each of them. Of two terms most pairs are decided by where the one stands in the other, so
 * that a list of 65,000 terms costs one scan of each.
 */
import type { CompiledRuleSet, ExceptionEntry } from '../../engine/compile/compiled-rule-set.js';
import { textOperands } from '../../engine/compile/operands.js';
import { charactersOf, createTermReader, type ReadLink, type ReadWord } from '../../engine/compile/word-readings.js';
import { foldKey } from '../../engine/match/folding.js';
import type { ClosedTerms } from '../../engine/match/keyword-scan.js';
import { ANY_LINK } from '../../engine/match/links/host.js';
import type { PatternProgram } from '../../engine/match/patterns/program.js';
import { programOf, re2js } from '../../engine/match/patterns/re2js.js';
import { wordOf } from '../../engine/match/patterns/syntax.js';
import { translatePattern } from '../../engine/match/patterns/translate.js';
import { freeSidesOf, type WordReading } from '../../engine/match/word-edges.js';
import type { Semantics } from '../../engine/semantics.js';
import { runAtOnce } from '../../foundation/portions.js';
import type { Entry, Sources } from './entries.js';
import { type Budget, decideInclusion, decideInclusions, type Inclusion } from './inclusion.js';
import { isLinkWithin, isWithin } from './term-in-term.js';
import { termProgram } from './term-program.js';

/** Nodes of one product; and steps of all products of a rule set, of some 10 ns each. */
const NODES = 1_000_000;
const STEPS = 1_000_000_000;
/** With fewer steps left nothing is decided any more, so that no claim is made where nothing was tried. */
const LEAST_STEPS = 1_000_000;

/** Number of terms that are decided together with one pattern, and of those that are considered. */
const TOGETHER = 64;
const LOOKED_AT = 512;
const none: readonly number[] = [];

/** A language of terms: the term as it is read, compared with whole texts or found in them. */
interface Words {
  readonly read: ReadWord;
  readonly whole: boolean;
}

export class Languages {
  /** Numbers of languages are from 0 up to this: terms by their keys, patterns by their indices, terms that equal whole texts. */
  readonly count: number;
  readonly budget: Budget = { nodes: NODES, left: STEPS };
  /** Units scanned and steps of their scans, to be counted by tests. */
  scanned = 0;
  readonly #compiled: CompiledRuleSet;
  readonly #semantics: Semantics;
  readonly #sources: Sources;
  readonly #read: ReturnType<typeof createTermReader>;
  readonly #firstPattern: number;
  readonly #programs = new Map<number, PatternProgram | undefined>();
  readonly #shortest = new Map<number, Inclusion>();
  readonly #entries: (readonly Entry[])[] = [];
  readonly #closed: ClosedTerms;
  readonly #candidates = new Map<number, readonly number[]>();
  /** Terms of exceptions by folding and folded text. */
  #exceptions: Map<string, { readonly exception: ExceptionEntry; readonly read: ReadWord }[]> | undefined;
  readonly #decided = new Map<number, Inclusion['kind']>();

  constructor(compiled: CompiledRuleSet, semantics: Semantics, sources: Sources) {
    this.#compiled = compiled;
    this.#semantics = semantics;
    this.#sources = sources;
    this.#read = createTermReader(semantics);
    this.#closed = compiled.words.matcher.createClosedTerms();
    this.#firstPattern = compiled.words.count;
    this.count = compiled.words.count + compiled.patterns.count;
  }

  /** Returns the entries of a language, in the order of their conditions for each operand. */
  entriesOf(language: number): readonly Entry[] {
    this.#entries[language] ??= this.#readEntries(language);
    return this.#entries[language];
  }

  #readEntries(language: number): readonly Entry[] {
    const isPattern = language >= this.#firstPattern;
    const kind = isPattern ? 'pattern' : 'word';
    const key = isPattern ? language - this.#firstPattern : language;
    return textOperands.flatMap((operand) => {
      const { from, references } = this.#compiled[isPattern ? 'patterns' : 'words'].references[operand];
      const own = references.slice(from[key]!, from[key + 1]!);
      return own.map((reference, order): Entry => ({ kind, language, operand, reference, order }));
    });
  }

  /** Returns the entries that are left out of a language because they repeat others of their conditions. */
  repeatedIn(language: number): readonly Entry[] {
    const { repeated } = this.#compiled[this.isPattern(language) ? 'patterns' : 'words'];
    return this.entriesOf(language).flatMap((entry) =>
      (repeated.get(entry.reference) ?? []).map((reference) => ({ ...entry, reference })),
    );
  }

  /** Yields the entries of the languages from one number up to another, by default of all. */
  *all(from = 0, to = this.count): Generator<Entry> {
    for (let language = from; language < to; language++) yield* this.entriesOf(language);
  }

  terms = () => this.all(0, this.#firstPattern);

  patterns = () => this.all(this.#firstPattern);

  isPattern(language: number): boolean {
    return language >= this.#firstPattern;
  }

  /** Returns a shortest text that fires a language, or that there is none; `undefined` if that is not decided. */
  shortestOf(language: number): Inclusion | undefined {
    const program = this.#programOf(language);
    if (program === undefined) return undefined;
    const known = this.#shortest.get(language) ?? decideInclusion(program, undefined, this.budget);
    this.#shortest.set(language, known);
    return known;
  }

  /** Returns a text that one of some patterns finds and that does not fire an entry; `undefined` also where one of them is not a pattern. */
  missedOf(parts: readonly string[], { language }: Entry): string | undefined {
    const program = this.#programOf(language);
    const programs = parts.map((part) => this.#parse(part, false));
    if (program === undefined || programs.includes(undefined)) return undefined;
    const missed = programs.map((part) => decideInclusion(part!, program, this.budget));
    return missed.flatMap((found) => (found.kind === 'not' && found.missing ? [found.missing] : []))[0];
  }

  /** Returns the word that an entry is, whatever its edges and case. */
  wordOf(entry: Entry): string | undefined {
    const { written } = entry.reference;
    const word = entry.kind === 'word' ? this.#wordsOf(entry)?.read.text : wordOf(written);
    return word && foldKey(word, 'case');
  }

  /** Returns a shortest text that fires a language and not another, where neither lies within the other. */
  missedBoth(one: number, other: number): string | undefined {
    const [program, wider] = [this.#programOf(one), this.#programOf(other)];
    if (one === other || this.#isApart(one, other) || program === undefined || wider === undefined) return undefined;
    const missed = decideInclusion(program, wider, this.budget);
    const isNeither = missed.kind === 'not' && decideInclusion(wider, program, this.budget).kind === 'not';
    return isNeither ? missed.missing : undefined;
  }

  /** Reports whether one is of texts without accents and the other of texts as they are written, so that they cannot be compared. */
  #isApart(one: number, other: number): boolean {
    const [first, second] = [one, other].map((language) => {
      return !this.isPattern(language) && this.#wordsOf(this.entriesOf(language)[0])?.read.folding === 'accents';
    });
    return first !== second;
  }

  /** Returns an exception that each match of a term lies in: the same word by the same folding, which needs no more edges. */
  exceptionTo(entry: Entry): ExceptionEntry | undefined {
    const own = entry.reference.scopes && this.#wordsOf(entry);
    if (own === undefined || own.whole) return undefined;
    const keyOf = (read: ReadWord) => `${read.folding} ${foldKey(read.text, charactersOf(read.folding))}`;
    if (this.#exceptions === undefined) {
      this.#exceptions = new Map();
      for (const exception of this.#compiled.exceptions?.entries ?? []) {
        if (exception.kind !== 'word') continue;
        const read = this.#read.read(exception.written, exception.listId);
        if (read.reading === 'links') continue;
        const same = this.#exceptions.get(keyOf(read)) ?? [];
        this.#exceptions.set(keyOf(read), same);
        same.push({ exception, read });
      }
    }
    return this.#exceptions.get(keyOf(own.read))?.find(({ exception, read }) => {
      const [free, freeOfTerm] = freeSidesOf([read.reading as WordReading, own.read.reading as WordReading], 2);
      return entry.reference.scopes!.includes(exception.scope) && (freeOfTerm! & ~free!) === 0;
    })?.exception;
  }

  /** Returns a text that fires a language; for a term the term itself. */
  sampleOf(language: number): string | undefined {
    const [entry] = this.entriesOf(language);
    if (entry === undefined) return undefined;
    const link = this.#linkOf(entry);
    if (link !== undefined) return `http://${link.text === ANY_LINK ? 'example.com' : link.text}`;
    if (!this.isPattern(language)) return this.#wordsOf(entry)?.read.text;
    const shortest = this.shortestOf(language);
    return shortest?.kind === 'not' ? shortest.missing : undefined;
  }

  /** Returns the languages that may hold all of a language, itself left out: those that fire on each of some texts that fire it. */
  candidatesOf(language: number): readonly number[] {
    const known = this.#candidates.get(language) ?? this.#findCandidates(language);
    this.#candidates.set(language, known);
    return known;
  }

  #findCandidates(language: number): readonly number[] {
    const sample = this.sampleOf(language);
    if (sample === undefined) return none;
    const [first, ...others] = [sample, respelled(sample), `0 ${sample} 0`, `zz${sample}zz`];
    let found = [...this.firedBy(first!)].filter((other) => other !== language);
    for (const text of others) {
      // Between two terms the rest is decided at once.
      if (found.length === 0 || (text !== others[0] && !found.some((other) => this.isPattern(other)))) break;
      const fired = text === sample ? undefined : this.firedBy(text);
      if (fired?.has(language) === true) found = found.filter((other) => fired.has(other));
    }
    return found.length === 0 ? none : found;
  }

  /** Returns the languages that a text fires. */
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
    patterns.set?.mark(text, (pattern) => fired.add(this.#firstPattern + pattern));
    return fired;
  }

  /** Decides whether all texts that fire `one` fire `other`. `included` is proved; `not` is also the answer where nothing can be proved. */
  includes(other: number, one: number): Inclusion['kind'] {
    if (one === other) return 'included';
    if (!this.candidatesOf(one).includes(other)) return 'not';
    const pair = one * this.count + other;
    const known = this.#decided.get(pair);
    if (known !== undefined) return known;
    const decided = this.#decide(one, other);
    this.#decided.set(pair, decided);
    return decided;
  }

  #decide(one: number, other: number): Inclusion['kind'] {
    const [link, wide] = [one, other].map((language) => this.#linkOf(this.entriesOf(language)[0]));
    if (link !== undefined || wide !== undefined)
      return link !== undefined && wide !== undefined && isLinkWithin(link, wide) ? 'included' : 'not';
    const [first, second] = [one, other].map((language) => {
      return this.isPattern(language) ? undefined : this.#wordsOf(this.entriesOf(language)[0]);
    });
    if (first !== undefined && second !== undefined && !first.whole && !second.whole) {
      if (first.read.folding === second.read.folding && isWithin(second.read, first.read)) return 'included';
    }
    const wider = this.#isApart(one, other) ? undefined : this.#programOf(other);
    const program = wider && this.#programOf(one);
    if (wider === undefined || program === undefined || this.budget.left < LEAST_STEPS) return 'not';
    const behind = this.isPattern(other) ? this.#termsBehind(one, other) : [];
    const decided = decideInclusions([program, ...behind.map((term) => term.program)], wider, this.budget);
    for (const [at, { term }] of behind.entries()) this.#decided.set(term * this.count + other, decided[at + 1]!.kind);
    return decided[0]!.kind;
  }

  /** Returns later terms that may lie in the same pattern, to be decided together with a term. */
  #termsBehind(one: number, pattern: number) {
    const found: { readonly term: number; readonly program: PatternProgram }[] = [];
    const end = Math.min(one + LOOKED_AT, this.#firstPattern);
    for (let term = one + 1; term < end && found.length < TOGETHER; term++) {
      if (!this.candidatesOf(term).includes(pattern) || this.#isApart(term, pattern)) continue;
      const program = this.#programOf(term);
      if (program !== undefined) found.push({ term, program });
    }
    return found;
  }

  #wordsOf(entry: Entry | undefined): Words | undefined {
    if (entry === undefined) return undefined;
    const { written, listId, condition } = entry.reference;
    const whole = this.#sources.isWhole(condition);
    const folding = this.#read.foldingOf(listId);
    if (folding === 'hardened') return undefined;
    if (whole) return { whole, read: { text: written.trim(), reading: 'word', folding } };
    const read = this.#read.read(written, listId);
    return read.reading === 'links' ? undefined : { whole, read };
  }

  /** Returns the domain of an entry that is one. */
  #linkOf(entry: Entry | undefined): ReadLink | undefined {
    if (entry?.kind !== 'word' || this.#sources.isWhole(entry.reference.condition)) return undefined;
    const read = this.#read.read(entry.reference.written, entry.reference.listId);
    return read.reading === 'links' ? read : undefined;
  }

  #programOf(language: number): PatternProgram | undefined {
    if (this.#programs.has(language)) return this.#programs.get(language);
    const [entry] = this.entriesOf(language);
    const program = entry && this.#makeProgram(entry);
    // Terms are many, and quickly made.
    if (this.isPattern(language)) this.#programs.set(language, program);
    return program;
  }

  #makeProgram(entry: Entry): PatternProgram | undefined {
    const { written, condition } = entry.reference;
    if (entry.kind === 'word') {
      const words = this.#wordsOf(entry);
      if (words === undefined || words.read.folding === 'hardened') return undefined;
      const { text, reading, folding } = words.read;
      return termProgram({ text, reading: reading as WordReading, folding, whole: words.whole });
    }
    return this.#parse(written, this.#sources.isWhole(condition));
  }

  /** Returns the program of a pattern; `undefined` where another engine than re2js finds it. */
  #parse(written: string, whole: boolean): PatternProgram | undefined {
    if (this.#semantics.engine !== re2js) return undefined;
    const insensitive = this.#semantics.patterns === 'insensitive';
    return runAtOnce(programOf({ source: translatePattern(written), insensitive, whole }));
  }
}

/** Returns a text with the forms of its signs that join words, or that are one character for three. */
function respelled(text: string): string {
  return text.replaceAll("'", '\u02bc').replaceAll('...', '…');
}
