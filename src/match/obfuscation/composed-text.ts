/**
 * Letters written in parts that have no decomposition one by one: Korean syllables as their consonants and vowels, Arabic
 * letters with a hamza of its own, Greek ones with an iota below. Texts that hold such parts are few. They are scanned as they
 * are, and once more with the parts put together.
 */
import { firstWhere } from '../binary-search.js';

/** Parts of letters. An iota below that composes with nothing is a mark like any other. */
const parts = /[\u0345\u0653-\u0655\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;
const inParts =
  /[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7ff]?|\P{M}\p{M}*[\u0345\u0653-\u0655]\p{M}*/gu;
/** The Greek iota below, a letter to case folding; generators of zalgo put it under any. */
export const IOTA_BELOW = 0x345;
/** A mark of the same length, for an iota below that is one. */
const RING_BELOW = '\u0325';

/** A text with its letters put together, and how its offsets correspond with those of the text. */
export interface ComposedText {
  readonly text: string;
  /** The offset in the text as it was sent; -1 within a letter that was in parts. */
  sentOf(offset: number): number;
  /** Whether something was put together between two offsets of the text as it was sent. */
  isChanged(start: number, end: number): boolean;
}

/** Whether a code point is a part of a letter. */
export function isPartOfLetter(code: number): boolean {
  if (code < 0x345 || code > 0xd7ff) return false;
  if (code < 0x1100) return code === 0x345 || (code >= 0x653 && code <= 0x655);
  return code <= 0x11ff || (code >= 0xa960 && code <= 0xa97f) || code >= 0xd7b0;
}

/** Whether a text holds parts of letters. */
export function hasParts(text: string): boolean {
  return parts.test(text);
}

/** Puts letters together; undefined when that changes nothing. */
export function composeLetters(text: string): ComposedText | undefined {
  if (!hasParts(text)) return undefined;
  const changes: Change[] = [];
  let composed = '';
  let done = 0;
  for (const { 0: written, index } of text.matchAll(inParts)) {
    const joined = written.normalize('NFC');
    if (joined === written) continue;
    composed += text.slice(done, index);
    done = index + written.length;
    // Marks in another order have the same places.
    if (joined.length !== written.length)
      changes.push({ from: composed.length, to: composed.length + joined.length, start: index, end: done });
    composed += joined;
  }
  composed += text.slice(done);
  const read = composed.replaceAll(String.fromCharCode(IOTA_BELOW), RING_BELOW);
  return read === text ? undefined : new Composition(read, changes);
}

/** A stretch of the composed text, `from` to `to`, and that of the text as it was sent which it stands for. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

class Composition implements ComposedText {
  readonly text: string;
  readonly #changes: readonly Change[];

  constructor(text: string, changes: readonly Change[]) {
    this.text = text;
    this.#changes = changes;
  }

  sentOf(offset: number): number {
    const behind = firstWhere(0, this.#changes.length, (index) => this.#changes[index]!.from > offset);
    // The last change that begins at the offset or before it.
    const change = this.#changes[behind - 1];
    if (change === undefined) return offset;
    if (offset >= change.to) return offset + change.end - change.to;
    return offset === change.from ? change.start : -1;
  }

  isChanged(start: number, end: number): boolean {
    return this.#changes.some((change) => change.start < end && change.end > start);
  }
}
