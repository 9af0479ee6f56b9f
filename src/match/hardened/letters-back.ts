import { isPairBefore } from './letters.js';
import { classOf, mayReadAsLetter } from './likeness.js';
import { readingOf } from './readings.js';
import { classAt, UNCLEAR } from './unit-classes.js';

const before = (text: string, at: number) => at - (isPairBefore(text, at) ? 2 : 1);
const basesBefore = (text: string, at: number) => readingOf(text.codePointAt(before(text, at))!).letters;

/**
 * The run of letters of one class that ends at an offset. What is known of one that ended before in the same run is kept: a
 * text that ends a term with every letter is read once.
 */
export class LastGroup {
  #end = 0;
  /** No character before it that is a whole one of the run is unread. */
  #from = 0;
  #class = NO_CLASS;
  #base = NO_CLASS;
  #isMarked = false;
  readonly #starts = new Map<number, number>();
  /** How many letters it has; how many of the last are equal; how often they change, marks or none being a change as well. */
  letters = 0;
  equal = 0;
  changes = 0;

  /** A new text. */
  begin(): void {
    this.#end = 0;
    this.#class = NO_CLASS;
    this.#starts.clear();
  }

  /** Moves to the run that ends with the character that ends at an offset. Offsets ascend. */
  moveTo(text: string, end: number): void {
    const lastClass = classOf(basesBefore(text, end).at(-1)!);
    const added: number[] = [];
    let from = end;
    let at = end;
    for (let isWhole = true; isWhole && at > this.#end; at = before(text, at)) {
      const bases = basesBefore(text, at);
      for (let index = bases.length - 1; isWhole && index >= 0; index--) {
        if (classOf(bases[index]!) !== lastClass) isWhole = false;
        else added.push(at, bases[index]!);
      }
      if (!isWhole) break;
      from = before(text, at);
    }
    if (at > this.#end || lastClass !== this.#class) {
      this.letters = 0;
      this.equal = 0;
      this.changes = 0;
      this.#class = lastClass;
      this.#base = NO_CLASS;
      this.#from = from;
      this.#starts.clear();
    }
    for (let index = added.length - 2; index >= 0; index -= 2)
      this.#add(added[index + 1]!, isMarked(text, added[index]!));
    this.#end = end;
  }

  #add(base: number, marked: boolean): void {
    this.letters++;
    if (base === this.#base && marked === this.#isMarked) this.equal++;
    else {
      this.equal = 1;
      this.changes++;
    }
    this.#base = base;
    this.#isMarked = marked;
  }

  /** Where the `groups`-th run of one class before the end begins, of the first one at most `most` letters. */
  startOf(text: string, groups: number, most: number): number {
    if (groups === 1) return startBefore(text, this.#end, NO_CLASS, groups, most);
    const key = groups * MAX_LETTERS + most;
    const known = this.#starts.get(key);
    if (known !== undefined) return known;
    const start = startBefore(text, this.#from, this.#class, groups, most);
    this.#starts.set(key, start);
    return start;
  }
}

/** No class, and no letter. */
const NO_CLASS = -1;
/** More than a term has. */
const MAX_LETTERS = 2 ** 26;

/** Whether the character that ends at an offset has marks. */
function isMarked(text: string, end: number): boolean {
  if (readingOf(text.codePointAt(before(text, end))!).marks.length > 0) return true;
  for (let at = end; at < text.length; ) {
    const code = text.codePointAt(at)!;
    const { kind } = readingOf(code);
    if (kind !== 'ignorable') return kind === 'mark';
    at += code > 0xffff ? 2 : 1;
  }
  return false;
}

/** Goes back over runs of one class from an offset on; `inside` is the class of the one that goes on behind it. */
function startBefore(text: string, end: number, inside: number, groups: number, most: number): number {
  let seen = inside === NO_CLASS ? 0 : 1;
  let last = inside;
  let inFirst = 0;
  let start = end;
  for (let at = end; at > 0; at = before(text, at)) {
    const unitClass = classAt(text, at - 1);
    if (unitClass !== UNCLEAR) {
      if (unitClass !== last) seen++;
      last = unitClass;
      if (seen > groups || (seen === groups && ++inFirst > most)) return start;
      start = at - 1;
      continue;
    }
    const bases = basesBefore(text, at);
    for (let index = bases.length - 1; index >= 0; index--) {
      const letterClass = classOf(bases[index]!);
      if (letterClass !== last) seen++;
      last = letterClass;
      if (seen > groups) return start;
      if (seen === groups && ++inFirst > most) return start;
    }
    if (bases.length > 0) start = before(text, at);
  }
  return start;
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
