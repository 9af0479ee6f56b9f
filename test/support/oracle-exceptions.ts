/**
 * Which matches are none, by the oracle: every exception is looked for in every text, and every
 * match held against each of its places.
 */
import type { Semantics } from '../../src/index.js';
import type { Place } from './oracle-formatting.js';
import { type Finder, LONGEST_TERM, patternFinder, termFinder } from './oracle-text.js';
import { termsOfList, type World } from './oracle-world.js';

/** A term or a pattern of the reading `exceptions`. */
interface Excepting {
  /** As `term list` or `pattern list`. */
  readonly name: string;
  readonly find: Finder;
  /** What it is for: everything where that is absent. */
  readonly rules: readonly string[] | undefined;
  readonly lists: readonly string[] | undefined;
}

/** A match that an exception holds. */
interface ExceptedSpan {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

type Exception = Exclude<Semantics['exceptions'][number], string>;

/**
 * The exceptions of a world in the order of the reading: of each its terms, then its patterns, then
 * those of its lists.
 */
export function exceptionsOf({ readings, lists }: World): Excepting[] {
  return readings.exceptions.flatMap((written): Excepting[] => {
    const exception: Exception = typeof written === 'string' ? { terms: [written] } : written;
    const target = { rules: exception.for?.rules, lists: exception.for?.lists };
    const ofTerms = (terms: readonly string[], from: string) =>
      terms
        .filter((term) => term.trim() !== '' && term.length <= LONGEST_TERM)
        .map((term) => ({
          name: `${term} ${from}`,
          find: termFinder(term, 'contains', readings, from, true),
          ...target,
        }));
    const ofPatterns = (patterns: readonly string[], from: string) =>
      patterns.flatMap((pattern) => {
        const find = pattern.trim() === '' ? undefined : patternFinder(pattern, 'contains', readings);
        return find === undefined ? [] : [{ name: `${pattern} ${from}`, find, ...target }];
      });
    return [
      ...ofTerms(exception.terms ?? [], ''),
      ...ofPatterns(exception.patterns ?? [], ''),
      ...(exception.lists ?? []).flatMap((id) => {
        const list = lists.find((one) => one.id === id);
        return (list?.category === 'pattern' ? ofPatterns : ofTerms)(termsOfList(list), id);
      }),
    ];
  });
}

/**
 * Parts the places of a term or pattern of a rule, from a list or from none, into those that stand
 * and those that lie inside an exception: of several the one that begins first, and of these the
 * first of the reading.
 */
export function sift(
  places: readonly Place[],
  text: string,
  of: { readonly rule: string; readonly from: string },
  exceptions: readonly Excepting[],
): { standing: Place[]; excepted: ExceptedSpan[] } {
  const isFor = ({ rules, lists }: Excepting) =>
    (rules === undefined || rules.includes(of.rule)) && (lists === undefined || lists.includes(of.from));
  const spared = exceptions.filter(isFor).flatMap(({ name, find }) => find(text).map((span) => ({ name, span })));
  const standing: Place[] = [];
  const excepted: ExceptedSpan[] = [];
  for (const [start, end, isFormatted = false] of places) {
    // What is only there without signs says nothing of the text as it was sent.
    const applying = spared.filter(({ span }) => isFormatted || span[2] !== true);
    const covering = applying.filter(({ span }) => span[0] <= start && end <= span[1]);
    const [first] = covering.sort((a, b) => a.span[0] - b.span[0]);
    if (first === undefined) standing.push([start, end]);
    else excepted.push({ start, end, by: first.name });
  }
  return { standing, excepted };
}
