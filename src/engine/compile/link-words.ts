import { PORTION, type Portions } from '../../foundation/portions.js';
import { createAccentMatcher } from '../match/accent-matcher.js';
import { foldKey } from '../match/folding.js';
import { createKeywordMatcher, type KeywordMatcher } from '../match/keyword-matcher.js';
import { type GroupMember, groupMatchers } from '../match/matcher-group.js';
import { createObfuscationMatcher } from '../match/obfuscation/obfuscation-matcher.js';
import { readFormatting, readSeparated } from '../match/reread-matcher.js';
import type { Semantics } from '../semantics.js';
import type { CompiledExceptions, ExceptionEntry, WordIndex } from './compiled-rule-set.js';
import { createExactTerms } from './exact-terms.js';
import type { IssueLog, IssuePlace } from './issue.js';
import { byTextOperand, portionsByTextOperand, type TextOperand } from './operands.js';
import { indexReferences, type Reference, Repetitions } from './references.js';
import { admitTerms, type TermLimits, termLimits, tooLong } from './term-limits.js';
import { charactersOf, createTermReader, type ReadTerm, type TermFolding } from './word-readings.js';

/** A term that a condition refers to. */
export interface WordRequest {
  readonly reference: Reference;
  readonly operand: TextOperand;
  /** The whole text, trimmed, must equal it. */
  readonly whole: boolean;
  /** Place of the condition, for issues. */
  readonly place: IssuePlace;
  /** Position in the condition's `value` or in the list. */
  readonly index: number;
}

/** The index of all terms, and the compile errors by condition. */
interface LinkedWords {
  readonly index: WordIndex;
  /** The terms of exceptions; absent when none runs. */
  readonly exceptions?: CompiledExceptions['words'];
  /** Conditions with a rejected term, and why it was rejected. */
  readonly errors: ReadonlyMap<number, string>;
}

/**
 * Compiles, in portions, the terms of all rules into one automaton for each folding in use, and those of exceptions into another; terms that
 * are equal once folded, and have the same reading and folding, share one key. Those beyond the limits are left out and become issues.
 */
export function* linkWords(
  requests: readonly WordRequest[],
  exceptions: readonly ExceptionEntry[],
  semantics: Semantics,
  log: IssueLog,
  limits: TermLimits = termLimits,
): Portions<LinkedWords> {
  const { read, foldingOf } = createTermReader(semantics);
  const distinct = new DistinctTerms(limits);
  const keys = new Int32Array(requests.length);
  let left = PORTION;
  for (const [at, { reference, whole }] of requests.entries()) {
    const { written: term, listId } = reference;
    keys[at] = whole ? distinct.keyOfWhole(term, foldingOf(listId)) : distinct.keyOf(term, read(term, listId));
    left -= term.length + 1;
    if (left < 0) {
      left = PORTION;
      yield;
    }
  }
  const exceptionKeys = new Int32Array(exceptions.length);
  for (const [at, { kind, written }] of exceptions.entries()) {
    exceptionKeys[at] = kind === 'word' ? distinct.keyOf(written, read(written, undefined)) : NO_KEY;
    if (at % PORTION === 0) yield;
  }
  const { admitted, reason } = admitTerms(distinct.lengths, limits);
  const why = (key: number) => (admitted[key] === 1 ? undefined : (reason ?? ''));
  const errors = yield* reportRejected(requests, (at) => why(keys[at]!), limits, log);
  const { terms, termOf, parts, partTerms, whole, repeated } = yield* divide(requests, keys, admitted, distinct.terms);
  const excepting = yield* admittedExceptions(exceptions, exceptionKeys, why, limits, log);
  const exceptedOnly = [...excepting.keys()].filter((key) => termOf[key]! < 0);
  const index: WordIndex = {
    matcher: yield* linkMatcher(terms, semantics.folding),
    references: yield* portionsByTextOperand((operand) =>
      indexReferences(parts[operand], partTerms[operand], terms.length),
    ),
    count: terms.length,
    distinct: terms.length + exceptedOnly.length,
    exactTerms: yield* portionsByTextOperand((operand) => createExactTerms(whole[operand], foldingOf)),
    exactReferences: whole,
    repeated,
  };
  if (excepting.size === 0) return { index, errors };
  const exceptionTerms = [...excepting.keys()].map((key) => distinct.terms[key]!);
  const matcher = yield* linkMatcher(exceptionTerms, semantics.folding);
  return { index, errors, exceptions: { matcher, entries: [...excepting.values()] } };
}

/**
 * Divides the admitted references by operand, and by whether they compare whole texts: `whole` those that do, `parts` the others, with the
 * term of each in `partTerms`. Terms are numbered in the order in which they are first referred to; `termOf` has -1 for a key without one.
 */
function* divide(
  requests: readonly WordRequest[],
  keys: Int32Array,
  admitted: Uint8Array,
  keyTerms: DistinctTerms['terms'],
) {
  const terms: ReadTerm[] = [];
  const termOf = new Int32Array(keyTerms.length).fill(-1);
  const toTerm = (key: number): number => {
    if (termOf[key]! < 0) termOf[key] = terms.push(keyTerms[key]!) - 1;
    return termOf[key]!;
  };
  const parts = byTextOperand((): Reference[] => []);
  const partTerms = byTextOperand((): number[] => []);
  const whole = byTextOperand((): Reference[] => []);
  const repetitions = new Repetitions();
  for (const [at, { reference, operand, whole: isWhole }] of requests.entries()) {
    if (at % PORTION === 0) yield;
    const key = keys[at]!;
    if (admitted[key] !== 1 || repetitions.take(reference, key)) continue;
    if (isWhole) whole[operand].push(reference);
    else {
      parts[operand].push(reference);
      partTerms[operand].push(toTerm(key));
    }
  }
  return { terms, termOf, parts, partTerms, whole, repeated: repetitions.byFirst };
}

/** Returns the indices of the terms of exceptions, by key. A rejected one becomes an issue. */
function* admittedExceptions(
  exceptions: readonly ExceptionEntry[],
  keys: Int32Array,
  why: (key: number) => string | undefined,
  limits: TermLimits,
  log: IssueLog,
): Portions<ReadonlyMap<number, readonly number[]>> {
  const excepting = new Map<number, number[]>();
  for (const [at, { kind, written, listId, index }] of exceptions.entries()) {
    if (at % PORTION === 0) yield;
    if (kind !== 'word') continue;
    const key = keys[at]!;
    const reason = why(key);
    const same = excepting.get(key);
    if (reason !== undefined) {
      const place = { ...(listId !== undefined && { listId }), index };
      log.add('rejected-term', place, `exception was rejected: ${tooLong(written, limits) ?? reason}`);
    } else if (same === undefined) excepting.set(key, [at]);
    else same.push(at);
  }
  return excepting;
}

/** Stands for the key of a term that is too long. */
const NO_KEY = -1;

/** Numbers distinct folded terms. The same one has a key for each of its readings and foldings, and others when whole texts are compared with it. */
class DistinctTerms {
  /** For each key: UTF-16 units of the folded term. */
  readonly lengths: number[] = [];
  /** For each key: the term as it was first written; `undefined` for one that whole texts are compared with. */
  readonly terms: (ReadTerm | undefined)[] = [];
  readonly #keys = new Map<string, Map<string, number>>();
  readonly #limits: TermLimits;

  constructor(limits: TermLimits) {
    this.#limits = limits;
  }

  /** Returns the key of a term as written, which is `read` to be found in texts. */
  keyOf(written: string, read: ReadTerm): number {
    if (tooLong(written, this.#limits) !== undefined) return NO_KEY;
    return this.#keyOf(read.text, `${read.folding} ${read.reading}`, read.folding, read);
  }

  /** Returns the key of a term that whole texts are compared with. */
  keyOfWhole(written: string, folding: TermFolding): number {
    return tooLong(written, this.#limits) === undefined ? this.#keyOf(written.trim(), folding, folding) : NO_KEY;
  }

  #keyOf(text: string, manner: string, folding: TermFolding, read?: ReadTerm): number {
    const folded = foldKey(text, charactersOf(folding));
    const keys = this.#keys.get(manner) ?? new Map<string, number>();
    const known = keys.get(folded);
    if (known !== undefined) return known;
    keys.set(folded, this.lengths.length);
    this.#keys.set(manner, keys);
    this.terms.push(read);
    return this.lengths.push(folded.length) - 1;
  }
}

/**
 * Reports the terms that are left out: one issue for each that is too long by itself, and one for all others of the same
 * condition and list, for there may be many. Returns the reason by condition, for the conditions that lack a term.
 */
function* reportRejected(
  requests: readonly WordRequest[],
  why: (request: number) => string | undefined,
  limits: TermLimits,
  log: IssueLog,
): Portions<ReadonlyMap<number, string>> {
  const errors = new Map<number, string>();
  const report = (condition: number, place: IssuePlace, detail: string) => {
    log.add('rejected-term', place, detail);
    if (!errors.has(condition)) errors.set(condition, detail);
  };
  const crowded = new Map<string, { readonly first: number; count: number; shortest: number }>();
  for (const [at, request] of requests.entries()) {
    if (at % PORTION === 0) yield;
    const { reference, index } = request;
    const long = tooLong(reference.written, limits);
    if (long !== undefined) report(reference.condition, { ...placeOf(request), index }, `term was rejected: ${long}`);
    else if (why(at) !== undefined) {
      const name = `${reference.condition} ${reference.listId ?? ''}`;
      const others = crowded.get(name) ?? { first: at, count: 0, shortest: reference.written.length };
      others.count++;
      others.shortest = Math.min(others.shortest, reference.written.length);
      crowded.set(name, others);
    }
  }
  for (const { first, count, shortest } of crowded.values()) {
    const request = requests[first]!;
    const terms =
      count === 1
        ? `1 term was rejected, of ${shortest} characters`
        : `${count} terms were rejected, of ${shortest} characters and more`;
    report(request.reference.condition, placeOf(request), `${terms}: ${why(first)}`);
  }
  return errors;
}

function placeOf({ reference, place }: WordRequest): IssuePlace {
  return { ...place, ...(reference.listId !== undefined && { listId: reference.listId }) };
}

/** Makes one matcher of all terms: a group of one for each of their foldings. Without terms it has the given folding. */
function* linkMatcher(terms: readonly ReadTerm[], folding: TermFolding): Portions<KeywordMatcher> {
  const ofFoldings = new Map<TermFolding, number[]>();
  for (const [index, { folding: own }] of terms.entries()) {
    const same = ofFoldings.get(own);
    if (same === undefined) ofFoldings.set(own, [index]);
    else same.push(index);
    if (index % PORTION === 0) yield;
  }
  if (ofFoldings.size === 0) return yield* createMatcher(terms, folding);
  const members: GroupMember[] = [];
  // In an order that the order of rules and lists does not change.
  for (const own of [...ofFoldings.keys()].sort()) {
    const indices = ofFoldings.get(own)!;
    const matcher = yield* createMatcher(ofFoldings.size === 1 ? terms : indices.map((index) => terms[index]!), own);
    members.push({ matcher, terms: indices });
  }
  return members.length === 1 ? members[0]!.matcher : groupMatchers(members);
}

function* createMatcher(terms: readonly ReadTerm[], folding: TermFolding): Portions<KeywordMatcher> {
  const texts = terms.map(({ text }) => text);
  yield;
  const words = terms.map(({ reading }) => reading);
  yield;
  if (folding === 'exact') return yield* createKeywordMatcher(texts, { folding, words });
  if (folding === 'hardened') {
    const matcher = readFormatting(yield* createObfuscationMatcher(texts, { words }));
    return readSeparated(matcher, texts);
  }
  if (folding === 'accents') return readFormatting(yield* createAccentMatcher(texts, { words }));
  return readFormatting(yield* createKeywordMatcher(texts, { folding, words }));
}
