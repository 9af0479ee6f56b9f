import { readingOf } from './readings.js';

/** `kind` of the reading of a UTF-16 unit as a number; half a pair is `PAIR`, to be looked at properly. */
export const OTHER_KIND = 1;
export const LETTER_KIND = 2;
export const SYMBOL_KIND = 3;
export const HIDDEN_KIND = 4;
export const PAIR_KIND = 5;

/** By UTF-16 unit, learned as used. One table for the process. */
const kinds = new Uint8Array(0x10000);

/** The kind of the unit at an offset of a text. */
export function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const known = kinds[unit]!;
  if (known !== 0) return known;
  const learned = learn(unit);
  kinds[unit] = learned;
  return learned;
}

function learn(unit: number): number {
  if ((unit & 0xf800) === 0xd800) return PAIR_KIND;
  const { kind } = readingOf(unit);
  if (kind === 'letter') return LETTER_KIND;
  if (kind === 'symbol') return SYMBOL_KIND;
  return kind === 'other' ? OTHER_KIND : HIDDEN_KIND;
}
