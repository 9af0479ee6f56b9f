/**
 * The wording for unevaluated conditions, and the options that help. Screens, pages and help share
 * it.
 */
import type { Unevaluated } from '../engine/evaluate/decision.js';
import { escapeText } from './terminal/text.js';

type Why = Unevaluated['why'];

/** Label for conditions, rules and messages that could not be evaluated. */
export const unchecked = 'could not be checked';

/** Label for messages that at least one rule could not evaluate. */
export const uncheckedByEveryRule = `${unchecked} by every rule`;

/** Heading over the reasons why conditions of one message were not evaluated. */
export const notEvaluated = 'not evaluated, so neither a match nor a clean bill';

/** Label for messages that were left out because they have no time. */
export const undatedWords = 'without a `sentAt` in seconds, left out by `--since` and `--until`';

/** The inputs of a command, which determine which option could help. */
export interface Given {
  /** The option that shows the errors of the rules. Absent if they are already shown. */
  readonly errors?: string | undefined;
  /** The scores of `--scores`. */
  readonly scores: { readonly size: number };
  /** Whether the message consists of a text alone. */
  readonly isTextAlone?: boolean;
}

/** The wording for each reason. The type requires all reasons. */
const reasons: Readonly<
  Record<
    Why,
    {
      /**
       * Wording for a column about all conditions with the reason. It contains no detail of a
       * message.
       */
      readonly kind: string;
      /** A clause about one message. If absent, the detail itself is used. */
      readonly clause?: string;
      /** Returns the option that helps. */
      readonly option?: (given: Given) => string | undefined;
    }
  >
> = {
  'not-compiled': {
    kind: 'not all of it could be compiled',
    clause: 'the rule has an error',
    option: ({ errors }) => errors,
  },
  'no-scores': {
    kind: 'scores are missing',
    option: ({ scores }) => (scores.size === 0 ? '--scores FILE' : undefined),
  },
  'not-answerable': {
    kind: 'the message lacks what the condition reads',
    option: ({ isTextAlone }) => (isTextAlone ? '--message FILE' : undefined),
  },
  'engine-fault': { kind: 'the search failed' },
};

/**
 * Describes in one clause why conditions could not be checked. Properties that the message lacks
 * are named together.
 */
export function reasonWords(
  unevaluated: readonly (Pick<Unevaluated, 'why' | 'lacks'> & { readonly detail?: string | undefined })[],
): string {
  const lacking = unevaluated.flatMap(({ lacks }) => (lacks ? `no ${lacks.party} ${escapeText(lacks.property)}` : []));
  const clauses = unevaluated
    .filter(({ lacks }) => lacks === undefined)
    .map(({ why, detail = '' }) => reasons[why].clause ?? escapeText(detail));
  const joined = lacking.length > 0 ? [`the message names ${[...new Set(lacking)].join(' and ')}`] : [];
  return [...joined, ...new Set(clauses)].join('; ');
}

/** Describes one reason why conditions could not be checked, for a column. */
export function kindWords(why: Why): string {
  return reasons[why].kind;
}

/**
 * Returns the option that helps, or shows the error, in brackets for the end of a reason. Empty if
 * there is none.
 */
export function optionWords(why: Why, given: Given): string {
  const option = reasons[why].option?.(given);
  return option === undefined ? '' : ` (${option})`;
}

/** Returns advice on how to give scores, if scores are missing that an option could give. */
export function scoresAdvice(unevaluated: readonly Pick<Unevaluated, 'why'>[], given: Given): string | undefined {
  const option = reasons['no-scores'].option?.(given);
  if (option === undefined || !unevaluated.some(({ why }) => why === 'no-scores')) return undefined;
  return `add \`${option}\` to bring the scores that are missing`;
}

/** Returns the warning that scores seem to range from 0 to 1. */
export function scaleWords(files: number): string {
  const what = `none of ${files} scored texts and files has a score above 1, and thresholds count from 0 to 100`;
  return `${what}: scores from 0 to 1 need \`--scores-scale 1\``;
}

/** The warning for a rule set that is `truncated`. */
export const maybeTruncated = 'the list of rules filled its page and has no second one, so rules may be missing';
