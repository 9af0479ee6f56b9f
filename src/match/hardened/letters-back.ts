import { isPairBefore } from './letters.js';
import { classOf, mayReadAsLetter } from './likeness.js';
import { readingOf } from './readings.js';
import { classAt, UNCLEAR } from './unit-classes.js';

/** Reads a text backwards from `end`. */
export function lettersBack(text: string, end: number) {
  const before = (at: number) => at - (isPairBefore(text, at) ? 2 : 1);
  const basesBefore = (at: number) => readingOf(text.codePointAt(before(at))!).letters;

  /** How many equal letters end here, counted up to one more than `most`. */
  const equalLetters = (most: number): number => {
    const base = basesBefore(end).at(-1)!;
    let count = 0;
    for (let at = end; at > 0 && count <= most; at = before(at)) {
      const bases = basesBefore(at);
      if (bases.some((other) => other !== base)) break;
      count += bases.length;
    }
    return count;
  };

  /** Where the `groups`-th run of one class before `end` begins, of the first one at most `most` letters. */
  const startOf = (groups: number, most: number): number => {
    let seen = 0;
    let last: number | undefined;
    let inFirst = 0;
    let start = end;
    for (let at = end; at > 0; at = before(at)) {
      const unitClass = classAt(text, at - 1);
      if (unitClass !== UNCLEAR) {
        if (unitClass !== last) seen++;
        last = unitClass;
        if (seen > groups || (seen === groups && ++inFirst > most)) return start;
        start = at - 1;
        continue;
      }
      const bases = basesBefore(at);
      for (let index = bases.length - 1; index >= 0; index--) {
        const letterClass = classOf(bases[index]!);
        if (letterClass !== last) seen++;
        last = letterClass;
        if (seen > groups) return start;
        if (seen === groups && ++inFirst > most) return start;
      }
      if (bases.length > 0) start = before(at);
    }
    return start;
  };
  return { equalLetters, startOf };
}

/** Remembers where a text was last spoken: the last letter that is no digit and no sign for one. */
export class LastSpoken {
  #looked = 0;
  #at = -1;

  /** A new text. */
  begin(): void {
    this.#looked = 0;
    this.#at = -1;
  }

  /** Where the last such letter before an offset begins, or -1. Offsets ascend. */
  before(text: string, end: number): number {
    for (; this.#looked < end; this.#looked++) {
      const code = text.codePointAt(this.#looked)!;
      if (readingOf(code).letters.some((base) => base > 0x7f || !mayReadAsLetter(base))) this.#at = this.#looked;
      if (code > 0xffff) this.#looked++;
    }
    return this.#at;
  }
}
