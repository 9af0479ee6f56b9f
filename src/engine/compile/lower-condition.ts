/** Turns a condition (§2.5) into terms, patterns or thresholds, or into an issue. */
import { nearestNames } from '../../foundation/nearest-names.js';
import { PORTION, type Portions } from '../../foundation/portions.js';
import type { TextOperand } from './compiled-rule-set.js';
import type { IssueCode, IssueLog, IssuePlace } from './issue.js';
import { namesLists } from './list-flags.js';
import { isMediaOperand, isTextOperand, operands } from './operands.js';
import { termLimits } from './term-limits.js';
import type { TermList } from './terms.js';
import { endsInThreshold, isScored, parseThreshold, printThreshold, type Threshold } from './threshold.js';
import { asList, asString, type Fields } from './untrusted.js';

/** A term or pattern as written, with its place in the condition or in a keyword list. */
export interface TermSource {
  readonly written: string;
  readonly list?: TermList;
  /** Position in the list's `searchTerms`, or in the condition's `value`. */
  readonly index: number;
}

/** A lowered condition: terms, patterns or thresholds, with what they apply to. */
export type Lowered =
  | {
      readonly kind: 'words' | 'patterns';
      readonly operand: TextOperand;
      readonly whole: boolean;
      /** To be iterated over once. */
      readonly sources: Iterable<TermSource>;
      /**
       * The part of its keyword lists that could not be read, as text for people; the lists have
       * the issue.
       */
      readonly fault?: string;
    }
  | { readonly kind: 'scores'; readonly thresholds: readonly Threshold[] };

/** Reports problems of the current condition. */
type Report = (code: IssueCode, detail: string, location?: IssuePlace, isIdle?: boolean) => void;

interface Context {
  readonly place: IssuePlace;
  readonly lists: ReadonlyMap<string, TermList>;
  /** Why a list could not be loaded, by its id. */
  readonly missing: ReadonlyMap<string, string>;
  /** The number of terms and patterns that it may refer to. */
  readonly room: number;
  /** Slips in lists that were reported, by code and id: many conditions may name one list. */
  readonly reported: Set<string>;
  readonly log: IssueLog;
}

/**
 * Lowers one condition (§2.5), in portions, to what must be found in texts or scores. What cannot
 * be lowered becomes an issue; returns the part that can be, or `undefined` when nothing can.
 */
export function* lowerCondition(fields: Fields, context: Context): Portions<Lowered | undefined> {
  const report: Report = (code, detail, location, isIdle) =>
    context.log.add(code, { ...context.place, ...location }, detail, isIdle);
  const { entity, operand, category, operator } = fields;
  if ((entity ?? 'message') !== 'message') return void report('unknown-entity', 'is not about a message');
  const known = (operator ?? 'contains') === 'contains' || operator === 'equals';
  if (!known) {
    const hint = didYouMean(operator, ['contains', 'equals']);
    return void report('unknown-operator', `operator ${quote(operator)} is not known here${hint}`);
  }
  const kind = category ?? 'word';
  const isThreshold = isScored(fields);
  if (!isThreshold && kind !== 'word' && kind !== 'pattern') {
    // A category of live platforms that is not evaluated here is not a mistake of the rule; a
    // misspelt one is.
    const hint = didYouMean(category, ['word', 'pattern']);
    if (hint === '' && typeof category === 'string') {
      return void report('unknown-category', `category ${quote(category)} cannot be evaluated here`);
    }
    return void report('malformed-condition', `category ${quote(category)} is not known here${hint}`);
  }
  if (!isTextOperand(operand) && !isMediaOperand(operand)) {
    const hint = didYouMean(operand, operands);
    return void report('unknown-operand', `operand ${quote(operand)} cannot be evaluated here${hint}`);
  }
  if (isThreshold || isMediaOperand(operand)) {
    if (operator === 'equals') return void report('unknown-operator', 'operator `equals` means nothing for scores');
    return yield* lowerThresholds(fields, report);
  }
  const isWords = kind === 'word';
  const reject = (count: number) =>
    report(
      isWords ? 'rejected-term' : 'rejected-pattern',
      `refers to ${count} terms, and conditions before it leave ${context.room} of ${termLimits.references}`,
    );
  const found = namesLists(fields)
    ? yield* fromLists(fields, context, report, reject)
    : yield* inline(fields, context, report);
  if (found === undefined) return undefined;
  return { kind: isWords ? 'words' : 'patterns', operand, whole: operator === 'equals', ...found };
}

/** The terms of a condition, and the errors of their lists. */
type Found = Pick<Exclude<Lowered, { readonly kind: 'scores' }>, 'sources' | 'fault'>;

/** Returns the strings of `value` with their positions; anything else in it is an issue. */
function* valuesOf(fields: Fields, report: Report): Portions<readonly (readonly [index: number, value: string])[]> {
  const values = asList(fields.value);
  // `some` passes over the holes of a sparse array.
  if (!values.some(() => true)) report('empty-value', 'has nothing in `value`');
  const strings: (readonly [index: number, value: string])[] = [];
  for (const [index, value] of values.entries()) {
    if (typeof value === 'string') strings.push([index, value]);
    else if (index in values) report('malformed-condition', `value ${index + 1} is not a string`, { index });
    if (index % PORTION === 0) yield;
  }
  return strings;
}

/**
 * Returns the terms of the lists that a condition names. Many rules with one long list may refer to
 * more terms than there is room for.
 */
function* fromLists(
  fields: Fields,
  { lists, missing, room, reported, log }: Context,
  report: Report,
  reject: (count: number) => void,
): Portions<Found | undefined> {
  const found: TermList[] = [];
  for (const [index, listId] of yield* valuesOf(fields, report)) {
    const list = lists.get(listId);
    const reason = missing.get(listId);
    if (list === undefined) {
      const [near] = reason === undefined ? nearestNames(listId, [...lists.keys()]) : [];
      const hint = near === undefined ? '' : `; did you mean \`${near}\`?`;
      report('missing-list', `keyword list is missing${reason === undefined ? hint : `: ${reason}`}`, {
        listId,
        index,
      });
      continue;
    }
    found.push(list);
    if (list.terms.size > 0 || list.fault !== undefined || reported.has(listId)) continue;
    reported.add(listId);
    log.add('empty-list', { listId }, 'has no term, so it stops nothing', true);
  }
  if (found.length === 0) return undefined;
  const distinct = new Set(found);
  const count = [...distinct].reduce((sum, { terms }) => sum + terms.size, 0);
  if (count > room) return void reject(count);
  const fault = found.find((list) => list.fault !== undefined)?.fault;
  return { sources: sourcesOf(distinct), ...(fault !== undefined && { fault }) };
}

/** Yields the terms of lists one by one, since a list may be named by many conditions. */
function* sourcesOf(lists: Iterable<TermList>): Generator<TermSource, void, undefined> {
  for (const list of lists) for (const [index, written] of list.terms) yield { written, list, index };
}

/**
 * Returns the strings of `value` as terms. One that is the id of a keyword list was probably meant
 * as a reference to it.
 */
function* inline(fields: Fields, { lists }: Context, report: Report): Portions<Found | undefined> {
  const values = yield* valuesOf(fields, report);
  const sources: TermSource[] = [];
  const seen = new Set<string>();
  for (const [index, written] of values) {
    if (written.trim() === '') report('empty-term', `value ${index + 1} is empty and never matches`, { index });
    else if (!seen.has(written)) {
      sources.push({ written, index });
      if (lists.has(written)) {
        const detail =
          'is the id of a keyword list, and is taken as a word: to refer to the list, set `isKeywordsReferencePresent`';
        report('unflagged-list', `value ${index + 1} ${detail}`, { listId: written, index }, true);
      }
    }
    seen.add(written);
    if (index % PORTION === 0) yield;
  }
  return values.length === 0 ? undefined : { sources };
}

function* lowerThresholds(fields: Fields, report: Report): Portions<Lowered | undefined> {
  const thresholds = new Map<string, Threshold>();
  for (const [index, written] of yield* valuesOf(fields, report)) {
    const threshold = parseThreshold(written);
    if (threshold === undefined) {
      const why = endsInThreshold(written)
        ? 'is exceeded by no score: scores are from 0 to 100, so the number must be below 100'
        : 'is not `<label>_greaterThan_<number>`';
      report('malformed-threshold', `${quote(written)} ${why}`, { index });
      continue;
    }
    const { label, key, greaterThan } = threshold;
    if (greaterThan > 0 && greaterThan < 1) {
      const likely = printThreshold({ label, greaterThan: Math.round(greaterThan * 1e4) / 100 });
      report(
        'low-threshold',
        `${quote(written)} is nearly 0, since scores are from 0 to 100; did you mean ${quote(likely)}?`,
        {
          index,
        },
      );
    }
    // A threshold that is written twice counts once, as a term does: the first.
    const name = `${greaterThan} ${key}`;
    if (!thresholds.has(name)) thresholds.set(name, threshold);
  }
  return thresholds.size === 0 ? undefined : { kind: 'scores', thresholds: [...thresholds.values()] };
}

/** Suggests the known value that is nearest to an unknown one; empty when none is near. */
function didYouMean(value: unknown, known: readonly string[]): string {
  const [near] = typeof value === 'string' ? nearestNames(value, known) : [];
  return near === undefined ? '' : `; did you mean \`${near}\`?`;
}

/**
 * Quotes a value in backticks, cut to 60 characters. Objects are not written out: a deep one
 * overflows the stack.
 */
function quote(value: unknown): string {
  const text = asString(value) ?? (typeof value === 'object' && value !== null ? 'an object' : String(value));
  return `\`${text.length > 60 ? `${text.slice(0, 60)}…` : text}\``;
}
