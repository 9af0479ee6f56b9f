/**
 * Letters written in parts that have no decomposition one by one: Korean syllables as their consonants and vowels, Greek
 * letters with an iota below. Texts that hold such parts are few. They are scanned as they
 * are, and once more with the parts put together.
 */
import { type Piece, RewrittenText, rewrite } from '../rewritten-text.js';

/** Parts of letters. An iota below that composes with nothing is a mark like any other. */
const parts = /[\u0345\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;
const inParts =
  /[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7ff]?|[\uac00-\ud7a3][\u11a8-\u11c2]|\P{M}\p{M}*\u0345\p{M}*/gu;
/** The Greek iota below, a letter to case folding; generators of zalgo put it under any. */
export const IOTA_BELOW = 0x345;
/** A mark of the same length, for an iota below that is one. */
const RING_BELOW = '\u0325';

/** Reports whether a text holds parts of letters. */
export function hasParts(text: string): boolean {
  return parts.test(text);
}

/** Puts letters together; undefined when that changes nothing. */
export function composeLetters(text: string): RewrittenText | undefined {
  if (!hasParts(text)) return undefined;
  const composed = rewrite(text, joinedPieces(text));
  const before = composed?.text ?? text;
  const read = before.replaceAll(String.fromCharCode(IOTA_BELOW), RING_BELOW);
  return read === before ? composed : new RewrittenText(read, composed?.changes ?? []);
}

function* joinedPieces(text: string): Generator<Piece> {
  for (const { 0: written, index } of text.matchAll(inParts)) {
    const read = written.normalize('NFC');
    // Marks in another order keep their places.
    if (read.length !== written.length) yield { start: index, end: index + written.length, read };
  }
}
