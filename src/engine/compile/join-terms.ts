/** Puts the terms of all conditions behind one matcher for each folding in use. */
import { PORTION, type Portions } from '../../foundation/portions.js';
import { createAccentMatcher } from '../match/accent-matcher.js';
import { createHardenedMatcher } from '../match/hardened/hardened-matcher.js';
import { createKeywordMatcher, type KeywordMatcher } from '../match/keyword-matcher.js';
import { whyNotDomain } from '../match/links/host.js';
import { createLinkMatcher } from '../match/links/link-matcher.js';
import { type GroupMember, groupMatchers } from '../match/matcher-group.js';
import { readFormatting, readSeparated } from '../match/reread-matcher.js';
import { readWholeTexts } from '../match/whole-texts.js';
import type { WordReading } from '../match/word-edges.js';
import type { Semantics } from '../semantics.js';
import type { CompiledExceptions, ExceptionEntry, WordIndex } from './compiled-rule-set.js';
import type { IssueCode, IssueLog, IssuePlace } from './issue.js';
import { byTextOperand, portionsByTextOperand, type TextOperand, textOperands } from './operands.js';
import { indexReferences, type Reference, Repetitions } from './references.js';
import { admitTerms, type TermLimits, termLimits, tooLong } from './term-limits.js';
import { createTermReader, keyOfTerm, type ReadTerm, type TermFolding } from './word-readings.js';

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
interface JoinedTerms {
  readonly index: WordIndex;
  /** The terms of exceptions; absent when none runs. */
  readonly exceptions?: CompiledExceptions['words'];
  /** Conditions with a rejected term, and why it was rejected. */
  readonly errors: ReadonlyMap<number, string>;
}

/**
 * Compiles, in portions, the terms of all rules into one automaton for each folding in use, and
 * those of exceptions into another; terms that are equal once folded, and have the same reading and
 * folding, share one key. Those beyond the limits are left out and become issues.
 */
export function* joinTerms(
  requests: readonly WordRequest[],
  exceptions: readonly ExceptionEntry[],
  semantics: Semantics,
  log: IssueLog,
  limits: TermLimits = termLimits,
): Portions<JoinedTerms> {
  const { read, readWhole } = createTermReader(semantics);
  const distinct = new DistinctTerms(limits);
  const keys = new Int32Array(requests.length);
  let left = PORTION;
  for (const [at, { reference, whole }] of requests.entries()) {
    const { written: term, listId } = reference;
    keys[at] = distinct.keyOf(term, whole ? readWhole(term, listId) : read(term, listId));
    left -= term.length + 1;
    if (left < 0) {
      left = PORTION;
      yield;
    }
  }
  const exceptionKeys = new Int32Array(exceptions.length);
  for (const [at, { kind, written, listId }] of exceptions.entries()) {
    exceptionKeys[at] = kind === 'word' ? distinct.keyOf(written, read(written, listId)) : NO_KEY;
    if (at % PORTION === 0) yield;
  }
  const { admitted, reason } = admitTerms(distinct.lengths, limits);
  const why = (key: number) => (admitted[key] === 1 ? undefined : (reason ?? ''));
  const errors = yield* reportRejected(requests, keys, why, limits, log);
  const { terms, termOf, parts, partTerms, repeated } = yield* divide(requests, keys, admitted, distinct.terms);
  const excepting = yield* admittedExceptions(exceptions, exceptionKeys, why, limits, log);
  const exceptedOnly = [...excepting.keys()].filter((key) => termOf[key]! < 0);
  const index: WordIndex = {
    matcher: yield* joinedMatcher(terms, semantics.folding, false),
    references: yield* portionsByTextOperand((operand) =>
      indexReferences(parts[operand], partTerms[operand], terms.length),
    ),
    count: terms.length,
    distinct: terms.length + exceptedOnly.length,
    repeated,
  };
  if (excepting.size === 0) return { index, errors };
  const exceptionTerms = [...excepting.keys()].map((key) => distinct.terms[key]!);
  const matcher = yield* joinedMatcher(exceptionTerms, semantics.folding, true);
  const joined = { matcher, entries: [...excepting.values()] };
  yield* reportExceptedTerms(terms, index, { ...joined, terms: exceptionTerms, all: exceptions }, log);
  return { index, errors, exceptions: joined };
}

/** Reports whether a term of one reading is found wherever the same term of another is. */
function isAsWide(reading: ReadTerm['reading'], narrower: ReadTerm['reading']): boolean {
  const isOpenAt = (candidate: typeof reading, end: 'prefix' | 'suffix') =>
    candidate === 'substring' || candidate === end;
  return (['prefix', 'suffix'] as const).every((end) => isOpenAt(reading, end) || !isOpenAt(narrower, end));
}

type LinkedExceptions = NonNullable<CompiledExceptions['words']>;

/**
 * Reports the exceptions that are the whole of a term to which they apply, so that it never
 * matches: once for each exception.
 */
function* reportExceptedTerms(
  terms: readonly ReadTerm[],
  { references }: WordIndex,
  exceptions: LinkedExceptions & { readonly terms: readonly ReadTerm[]; readonly all: readonly ExceptionEntry[] },
  log: IssueLog,
): Portions<void> {
  const { matcher, entries, all } = exceptions;
  const reported = new Set<number>();
  for (const operand of textOperands) {
    const { from, references: indexed } = references[operand];
    for (const [key, { text, reading }] of terms.entries()) {
      if (key % (PORTION / 4) === 0) yield;
      const scopes = new Set<number>();
      for (let at = from[key]!; at < from[key + 1]!; at++)
        for (const scope of indexed[at]!.scopes ?? []) scopes.add(scope);
      if (scopes.size === 0) continue;
      matcher.scan(text, (term, start, end) => {
        if (start > 0 || end < text.length || !isAsWide(exceptions.terms[term]!.reading, reading)) return;
        for (const entry of entries[term]!) {
          const { written, listId, index, scope } = all[entry]!;
          if (!scopes.has(scope) || reported.has(entry)) continue;
          reported.add(entry);
          const location = { ...(listId !== undefined && { listId }), index };
          const names = [written, text].map((name) => `\`${name.slice(0, 60)}\``);
          log.add(
            'excepted-term',
            location,
            `exception ${names[0]} is the whole of term ${names[1]}, which never matches`,
          );
        }
      });
    }
  }
}

/**
 * Divides the admitted references by operand, with the term of each in `partTerms`. Terms are
 * numbered in the order in which they are first referred to; `termOf` has -1 for a key without one.
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
  const repetitions = new Repetitions();
  for (const [at, { reference, operand }] of requests.entries()) {
    if (at % PORTION === 0) yield;
    const key = keys[at]!;
    if (admitted[key] !== 1 || repetitions.take(reference, key)) continue;
    parts[operand].push(reference);
    partTerms[operand].push(toTerm(key));
  }
  return { terms, termOf, parts, partTerms, repeated: repetitions.byFirst };
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
      const location = { ...(listId !== undefined && { listId }), index };
      const { code, detail } = ownRejection(written, key, limits) ?? rejected(reason);
      log.add(code, location, `exception ${detail}`);
    } else if (same === undefined) excepting.set(key, [at]);
    else same.push(at);
  }
  return excepting;
}

/** Stand for the keys of a term that is too long, and of one that must be a domain and is not. */
const NO_KEY = -1;
const NO_DOMAIN = -2;

/** Why a term is left out, as an issue says it. */
interface Rejection {
  readonly code: IssueCode;
  readonly detail: string;
}

const rejected = (reason: string): Rejection => ({ code: 'rejected-term', detail: `was rejected: ${reason}` });

/** Returns why a term is left out for its own sake; `undefined` if it is not. */
function ownRejection(written: string, key: number, limits: TermLimits): Rejection | undefined {
  const long = tooLong(written, limits);
  if (long !== undefined) return rejected(long);
  if (key !== NO_DOMAIN) return undefined;
  const name = written.length > 60 ? `${written.slice(0, 60)}…` : written;
  return { code: 'malformed-domain', detail: `\`${name}\` ${whyNotDomain(written)}` };
}

/**
 * Numbers distinct folded terms. The same one has a key for each of its readings and foldings, and
 * others when whole texts are compared with it.
 */
class DistinctTerms {
  /** For each key: UTF-16 units of the folded term. */
  readonly lengths: number[] = [];
  /** For each key: the term as it was first written. */
  readonly terms: ReadTerm[] = [];
  readonly #keys = new Map<string, Map<string, number>>();
  readonly #limits: TermLimits;

  constructor(limits: TermLimits) {
    this.#limits = limits;
  }

  /** Returns the key of a term as written, which is `read` to be found in texts. */
  keyOf(written: string, read: ReadTerm): number {
    if (tooLong(written, this.#limits) !== undefined) return NO_KEY;
    if (read.reading === 'links' && read.text === '') return NO_DOMAIN;
    return this.#numberOf(`${read.folding} ${read.reading}`, keyOfTerm(read), read);
  }

  #numberOf(manner: string, folded: string, read: ReadTerm): number {
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
 * Reports the terms that are left out: one issue for each that is left out for its own sake, and
 * one for all others of the same condition and list, for there may be many. Returns the reason by
 * condition, for the conditions that lack a term.
 */
function* reportRejected(
  requests: readonly WordRequest[],
  keys: Int32Array,
  why: (key: number) => string | undefined,
  limits: TermLimits,
  log: IssueLog,
): Portions<ReadonlyMap<number, string>> {
  const errors = new Map<number, string>();
  const report = (condition: number, location: IssuePlace, { code, detail }: Rejection) => {
    log.add(code, location, detail);
    if (!errors.has(condition)) errors.set(condition, detail);
  };
  const crowded = new Map<string, { readonly first: number; count: number; shortest: number }>();
  for (const [at, request] of requests.entries()) {
    if (at % PORTION === 0) yield;
    const { reference, index } = request;
    const rejection = ownRejection(reference.written, keys[at]!, limits);
    if (rejection !== undefined) {
      report(reference.condition, { ...placeOf(request), index }, { ...rejection, detail: `term ${rejection.detail}` });
    } else if (why(keys[at]!) !== undefined) {
      const name = `${reference.condition} ${reference.listId ?? ''}`;
      const crowd = crowded.get(name) ?? { first: at, count: 0, shortest: reference.written.length };
      crowd.count++;
      crowd.shortest = Math.min(crowd.shortest, reference.written.length);
      crowded.set(name, crowd);
    }
  }
  for (const { first, count, shortest } of crowded.values()) {
    const request = requests[first]!;
    const terms =
      count === 1
        ? `1 term was rejected, of ${shortest} characters`
        : `${count} terms were rejected, of ${shortest} characters and more`;
    const rejection: Rejection = { code: 'rejected-term', detail: `${terms}: ${why(keys[first]!)}` };
    report(request.reference.condition, placeOf(request), rejection);
  }
  return errors;
}

function placeOf({ reference, place }: WordRequest): IssuePlace {
  return { ...place, ...(reference.listId !== undefined && { listId: reference.listId }) };
}

/**
 * Makes one matcher of all terms: a group of one for each of their foldings, and one for links.
 * Without terms it has the given folding.
 */
function* joinedMatcher(
  terms: readonly ReadTerm[],
  folding: TermFolding,
  isExcepting: boolean,
): Portions<KeywordMatcher> {
  const groups = new Map<string, number[]>();
  for (const [index, { reading, folding: termFolding }] of terms.entries()) {
    const name = reading === 'links' ? `${reading} ${termFolding}` : termFolding;
    const same = groups.get(name);
    if (same === undefined) groups.set(name, [index]);
    else same.push(index);
    if (index % PORTION === 0) yield;
  }
  if (groups.size === 0) return yield* createMatcher([], folding, isExcepting);
  const members: GroupMember[] = [];
  // In an order that the order of rules and lists does not change; links come last.
  for (const name of [...groups.keys()].sort()) {
    const indices = groups.get(name)!;
    const groupTerms = groups.size === 1 ? terms : indices.map((index) => terms[index]!);
    members.push({ matcher: yield* createMatcher(groupTerms, groupTerms[0]!.folding, isExcepting), terms: indices });
  }
  return members.length === 1 ? members[0]!.matcher : groupMatchers(members);
}

/** Makes the matcher of terms of one folding, which are words or links. */
function* createMatcher(
  terms: readonly ReadTerm[],
  folding: TermFolding,
  isExcepting: boolean,
): Portions<KeywordMatcher> {
  const texts = terms.map(({ text }) => text);
  yield;
  const readings = terms.flatMap(({ reading }) => (reading === 'links' ? [] : reading === 'whole' ? 'word' : reading));
  yield;
  const isWhole = Uint8Array.from(terms, ({ reading }) => (reading === 'whole' ? 1 : 0));
  if (readings.length < terms.length)
    return yield* createLinkMatcher(texts, { isHardened: folding === 'hardened', isExcepting });
  return readWholeTexts(yield* createWordMatcher(texts, folding, readings), isWhole, folding === 'hardened');
}

/** Makes the matcher of words of one folding. */
function* createWordMatcher(
  texts: readonly string[],
  folding: TermFolding,
  readings: readonly WordReading[],
): Portions<KeywordMatcher> {
  if (folding === 'exact') return yield* createKeywordMatcher(texts, { folding, words: readings });
  if (folding === 'hardened') {
    const matcher = readFormatting(yield* createHardenedMatcher(texts, { words: readings }), true);
    return readSeparated(matcher, texts);
  }
  if (folding === 'accents') return readFormatting(yield* createAccentMatcher(texts, { words: readings }));
  return readFormatting(yield* createKeywordMatcher(texts, { folding, words: readings }));
}
