import { foldKey } from '../match/folding.js';
import { createHardenedMatcher, hardenedKey } from '../match/obfuscation/obfuscation-matcher.js';
import { createKeywordMatcher } from '../match/keyword-matcher.js';
import type { Semantics } from '../semantics.js';
import type { TextOperand, Use, WordIndex } from './compiled-rule-set.js';
import { indexUses } from './index-uses.js';
import type { IssueLog, IssuePlace } from './issue.js';
import { admitTerms, type TermLimits, termLimits, tooLong } from './term-limits.js';
import { createWholeTexts } from './whole-texts.js';

/** A term that a condition asks for. */
export interface WordRequest {
  readonly use: Use;
  readonly operand: TextOperand;
  /** The whole text, trimmed, must equal it. */
  readonly whole: boolean;
  /** The condition. */
  readonly place: IssuePlace;
  /** Position in the condition's `value` or in the list. */
  readonly index: number;
}

/** The index, and what it means for the conditions that asked. */
export interface LinkedWords {
  readonly index: WordIndex;
  /** Conditions with a rejected term, and why it was rejected. */
  readonly troubles: ReadonlyMap<number, string>;
}

/**
 * Puts all terms of all rules behind one automaton, the allow-terms behind another; equal terms once folded are one key. Those
 * beyond the limits are left out and become issues.
 */
export function linkWords(
  requests: readonly WordRequest[],
  semantics: Semantics,
  log: IssueLog,
  limits: TermLimits = termLimits,
): LinkedWords {
  const { folding } = semantics;
  const allowTerms = semantics.allowTerms.flatMap((written, index) =>
    written.trim() === '' ? [] : { written, index },
  );
  const distinct = new DistinctTerms(folding, limits);
  const keys = requests.map(({ use, whole }) => distinct.keyOf(use.written, whole));
  const allowKeys = allowTerms.map(({ written }) => distinct.keyOf(written, false));
  const { admitted, reason } = admitTerms(distinct.lengths, limits);
  const why = (key: number) => (admitted[key] === 1 ? undefined : reason);
  const troubles = reportRejected(requests, (at) => why(keys[at]!), limits, log);

  const terms: string[] = [];
  const termOf = new Int32Array(distinct.lengths.length).fill(-1);
  const toTerm = (key: number, written: string): number => {
    if (termOf[key]! < 0) termOf[key] = terms.push(written) - 1;
    return termOf[key]!;
  };
  const parts: Record<TextOperand, Use[]> = { text: [], custom: [] };
  const partTerms: Record<TextOperand, number[]> = { text: [], custom: [] };
  const whole: Record<TextOperand, Use[]> = { text: [], custom: [] };
  for (const [at, { use, operand, whole: isWhole }] of requests.entries()) {
    const key = keys[at]!;
    if (admitted[key] !== 1) continue;
    if (isWhole) whole[operand].push(use);
    else {
      parts[operand].push(use);
      partTerms[operand].push(toTerm(key, use.written));
    }
  }
  const allowed = new Map<number, string>();
  for (const [at, { written, index }] of allowTerms.entries()) {
    const key = allowKeys[at]!;
    if (admitted[key] === 1) allowed.set(key, written);
    else log.add('rejected-term', { index }, `allow-term was rejected: ${tooLong(written, limits) ?? reason}`);
  }
  const allowedOnly = [...allowed.keys()].filter((key) => termOf[key]! < 0);
  const index: WordIndex = {
    ...linkMatcher(terms, semantics),
    uses: {
      text: indexUses(parts.text, partTerms.text, terms.length),
      custom: indexUses(parts.custom, partTerms.custom, terms.length),
    },
    count: terms.length,
    distinct: terms.length + allowedOnly.length,
    ...(allowed.size > 0 && { allowed: linkMatcher([...allowed.values()], semantics).matcher }),
    wholeTexts: { text: createWholeTexts(whole.text, folding), custom: createWholeTexts(whole.custom, folding) },
  };
  return { index, troubles };
}

/** What a term that is too long has in place of a key. */
const NO_KEY = -1;

/** Numbers terms that differ once folded; what a text contains and what it equals are two. */
class DistinctTerms {
  /** By key: UTF-16 units once folded. */
  readonly lengths: number[] = [];
  readonly #parts = new Map<string, number>();
  readonly #whole = new Map<string, number>();
  readonly #folding: Semantics['folding'];
  readonly #limits: TermLimits;

  constructor(folding: Semantics['folding'], limits: TermLimits) {
    this.#folding = folding;
    this.#limits = limits;
  }

  keyOf(written: string, whole: boolean): number {
    if (tooLong(written, this.#limits) !== undefined) return NO_KEY;
    const term = whole ? written.trim() : written;
    const folded = this.#folding === 'hardened' ? hardenedKey(term) : foldKey(term, this.#folding);
    const keys = whole ? this.#whole : this.#parts;
    const known = keys.get(folded);
    if (known !== undefined) return known;
    keys.set(folded, this.lengths.length);
    return this.lengths.push(folded.length) - 1;
  }
}

/**
 * Reports what is left out: each term that is too long by itself, the others of a condition or a list of it as one issue, for
 * there may be many. Answers the conditions that lack one.
 */
function reportRejected(
  requests: readonly WordRequest[],
  why: (request: number) => string | undefined,
  limits: TermLimits,
  log: IssueLog,
): ReadonlyMap<number, string> {
  const troubles = new Map<number, string>();
  const report = (condition: number, place: IssuePlace, detail: string) => {
    log.add('rejected-term', place, detail);
    if (!troubles.has(condition)) troubles.set(condition, detail);
  };
  const crowded = new Map<string, { readonly first: number; count: number; shortest: number }>();
  for (const [at, request] of requests.entries()) {
    const { use, index } = request;
    const long = tooLong(use.written, limits);
    if (long !== undefined) report(use.condition, { ...placeOf(request), index }, `term was rejected: ${long}`);
    else if (why(at) !== undefined) {
      const name = `${use.condition} ${use.listId ?? ''}`;
      const others = crowded.get(name) ?? { first: at, count: 0, shortest: use.written.length };
      others.count++;
      others.shortest = Math.min(others.shortest, use.written.length);
      crowded.set(name, others);
    }
  }
  for (const { first, count, shortest } of crowded.values()) {
    const request = requests[first]!;
    const terms =
      count === 1
        ? `1 term was rejected, of ${shortest} characters`
        : `${count} terms were rejected, of ${shortest} characters and more`;
    report(request.use.condition, placeOf(request), `${terms}: ${why(first)}`);
  }
  return troubles;
}

function placeOf({ use, place }: WordRequest): IssuePlace {
  return { ...place, ...(use.listId !== undefined && { listId: use.listId }) };
}

function linkMatcher(
  terms: readonly string[],
  { folding, words }: Semantics,
): Pick<WordIndex, 'matcher' | 'transformsOf'> {
  if (folding !== 'hardened') return { matcher: createKeywordMatcher(terms, { folding, words }) };
  const matcher = createHardenedMatcher(terms, { words });
  return { matcher, transformsOf: (key, text, { start, end }) => matcher.transformsOf(key, text, start, end) };
}
