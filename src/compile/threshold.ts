/** A limit on a score: the label it is about, and the number that the score must be strictly greater than (§2.5). */
export interface Threshold {
  /** The label as the rule writes it. */
  readonly label: string;
  /** The label as labels are compared. */
  readonly key: string;
  /** `AnyOf`: any label over the number. */
  readonly any: boolean;
  /** 0..100, strictly greater. */
  readonly greaterThan: number;
}

const SEPARATOR = '_greaterThan_';

/** How labels are compared: case-insensitively, with spaces, `_` and `-` equal. */
export function labelKey(label: string): string {
  return label.toLowerCase().replace(/[\s_-]/g, ' ');
}

/**
 * Reads `<label>_greaterThan_<number>` (§2.5) from the right, since a label may hold anything. The number is a plain
 * decimal; `undefined` for everything else, such as `1e3`, `80abc`, `-5` or an empty label.
 */
export function parseThreshold(text: string): Threshold | undefined {
  const at = text.lastIndexOf(SEPARATOR);
  if (at <= 0) return undefined;
  const label = text.slice(0, at);
  const number = text.slice(at + SEPARATOR.length);
  if (!/^\d+(\.\d+)?$/.test(number) || label.trim() === '') return undefined;
  const key = labelKey(label);
  return { label, key, any: key === 'anyof', greaterThan: Number(number) };
}

/** Writes a threshold as rules write it. */
export function printThreshold({ label, greaterThan }: Pick<Threshold, 'label' | 'greaterThan'>): string {
  return `${label}${SEPARATOR}${greaterThan}`;
}
