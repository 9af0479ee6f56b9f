/**
 * Letters written in parts that readings do not know one by one: Korean syllables as their consonants and vowels, Arabic
 * letters with a hamza of its own, Greek ones with an iota below. Texts that hold such parts are few. They are scanned as they
 * are, and once more with the parts put together.
 */
import { COMPATIBILITY, isSimpler } from './transforms.js';

/** Parts of letters. An iota below that nothing comes of is a mark like any other. */
const parts = /[\u0345\u0653-\u0655\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;
const inParts =
  /[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7ff]?|\P{M}\p{M}*[\u0345\u0653-\u0655]\p{M}*/gu;
/** The Greek iota below, a letter to case folding; generators of zalgo put it under any. */
export const IOTA_BELOW = 0x345;
/** A mark of the same length, for an iota below that is one. */
const RING_BELOW = '\u0325';

/** So much around a match is put together with it: more than decides what a sign in it is. */
const AROUND = 64;

/** A text with its letters put together, and how its offsets correspond with those of the text. */
export interface ComposedText {
  readonly text: string;
  /** The offset in the text as it was sent; -1 within a letter that was in parts. */
  sentOf(offset: number): number;
  /** The offset here of one in the text as it was sent, where a letter begins or ends there. */
  offsetOf(sent: number): number;
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
    const { change, behind } = this.#at(offset, ({ from }) => from);
    if (change === undefined || offset >= change.to) return offset + behind;
    return offset === change.from ? change.start : -1;
  }

  offsetOf(sent: number): number {
    const { change, behind } = this.#at(sent, ({ start }) => start);
    if (change === undefined || sent >= change.end) return sent - behind;
    return change.from;
  }

  isChanged(start: number, end: number): boolean {
    return this.#changes.some((change) => change.start < end && change.end > start);
  }

  /** The last change that begins at an offset or before it, and how much further texts as sent are behind it. */
  #at(offset: number, beginning: (change: Change) => number) {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (beginning(this.#changes[middle]!) <= offset) low = middle + 1;
      else high = middle;
    }
    const change = this.#changes[low - 1];
    return { change, behind: change === undefined ? 0 : change.end - change.to };
  }
}

/** The transforms by which a stretch of a text is a term, as it is or with its letters put together. */
export function transformsWhenComposed(
  text: string,
  start: number,
  end: number,
  transformsAt: (text: string, start: number, end: number) => number | undefined,
): number | undefined {
  const asSent = transformsAt(text, start, end);
  if (asSent === 0 || !hasParts(text)) return asSent;
  const from = Math.max(0, start - AROUND);
  const composed = composeLetters(text.slice(from, end + AROUND));
  if (composed === undefined) return asSent;
  const joined = transformsAt(composed.text, composed.offsetOf(start - from), composed.offsetOf(end - from));
  if (joined === undefined) return asSent;
  const found = composed.isChanged(start - from, end - from) ? joined | COMPATIBILITY : joined;
  return asSent === undefined || isSimpler(found, asSent) ? found : asSent;
}
