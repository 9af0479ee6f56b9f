/** Reads thresholds of scores, such as `violence_greaterThan_30` (§2.5). */
import { isMediaOperand } from './operands.js';
import { asList } from './untrusted.js';

/**
 * A threshold of a scored condition (§2.5): a label, and the number that its score must be strictly
 * greater than.
 */
export interface Threshold {
  /** The label as the rule writes it. */
  readonly label: string;
  /** The label in the form in which labels are compared: `labelKey`. */
  readonly key: string;
  /** `AnyOf`: any label over the number. */
  readonly any: boolean;
  /** 0 to below 100, strictly greater. */
  readonly greaterThan: number;
}

const SEPARATOR = '_greaterThan_';
const number = /^\d+(\.\d+)?$/;

/** The fields that determine whether a condition is scored. */
export interface ScoredFields {
  readonly operand?: unknown;
  readonly category?: unknown;
  readonly value?: unknown;
}

/**
 * Reports whether a condition is a threshold over scores of its operand: one on files, or one whose
 * category is neither `word` nor `pattern` (`toxicity`, `sentence-similarity`) and whose values all
 * have a label before `_greaterThan_`. The number behind is checked apart.
 */
export function isScored({ operand, category, value }: ScoredFields): boolean {
  const kind = category ?? 'word';
  if (kind === 'word' || kind === 'pattern') return isMediaOperand(operand);
  const values = asList(value);
  const isThreshold = (written: unknown) => typeof written === 'string' && written.lastIndexOf(SEPARATOR) > 0;
  return typeof kind === 'string' && values.length > 0 && values.every(isThreshold);
}

/**
 * Returns the form in which labels are compared: lower case, with `_`, `-` and white space as
 * spaces.
 */
export function labelKey(label: string): string {
  return label.toLowerCase().replace(/[\s_-]/g, ' ');
}

/**
 * Reads `<label>_greaterThan_<number>` (§2.5) from the right, since a label may contain the
 * separator. The number is a plain decimal from 0 to below 100, which is the highest score;
 * `undefined` for everything else, such as `100`, `1e3`, `80abc`, `-5` or an empty label.
 */
export function parseThreshold(text: string): Threshold | undefined {
  const at = text.lastIndexOf(SEPARATOR);
  if (at <= 0) return undefined;
  const label = text.slice(0, at);
  if (!endsInThreshold(text) || label.trim() === '') return undefined;
  const greaterThan = Number(text.slice(at + SEPARATOR.length));
  if (greaterThan >= 100) return undefined;
  const key = labelKey(label);
  return { label, key, any: key === 'anyof', greaterThan };
}

/**
 * Reports whether a text has the end of a threshold, with whatever number: one of 100 or more is
 * not a threshold, and was meant as one.
 */
export function endsInThreshold(text: string): boolean {
  const at = text.lastIndexOf(SEPARATOR);
  return at >= 0 && number.test(text.slice(at + SEPARATOR.length));
}

/** Prints a threshold as `<label>_greaterThan_<number>`; inverse of `parseThreshold`. */
export function printThreshold({ label, greaterThan }: Pick<Threshold, 'label' | 'greaterThan'>): string {
  return `${label}${SEPARATOR}${greaterThan}`;
}
