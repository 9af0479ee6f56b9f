import { classOf } from './likeness.js';
import { readingOf } from './readings.js';

const UNKNOWN = -5;
/** No letter or several, half a pair, something hidden: to be looked at properly. */
export const UNCLEAR = -4;
/** Stands behind the last character of a text. */
export const END = -3;

/** By UTF-16 unit: its class, learned as used. One table for the process. */
const unitClasses = new Int32Array(0x10000).fill(UNKNOWN);

/** The class of the unit at an offset of a text. */
export function classAt(text: string, at: number): number {
  if (at >= text.length) return END;
  const unit = text.charCodeAt(at);
  const known = unitClasses[unit]!;
  if (known !== UNKNOWN) return known;
  const { letters } = readingOf(unit);
  const isHalf = (unit & 0xf800) === 0xd800;
  const learned = isHalf || letters.length !== 1 ? UNCLEAR : classOf(letters[0]!);
  unitClasses[unit] = learned;
  return learned;
}
