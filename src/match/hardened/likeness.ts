/**
 * Which letters look alike or stand for each other: Unicode's confusables, and digits and signs written for letters. For the
 * scan all that may ever be read alike shares a class; `likeness` then tells exactly.
 */
import { readConfusables } from './confusables.js';
import { HOMOGLYPH, LEET } from './transforms.js';

/** What a digit or a sign is written for. */
const leet: Readonly<Record<string, string>> = {
  '4': 'a',
  '@': 'a',
  '8': 'b',
  '3': 'e',
  '€': 'e',
  '6': 'g',
  '9': 'g',
  '1': 'il',
  '!': 'i',
  '|': 'il',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
  '+': 't',
  '2': 'z',
};

const codes = (text: string) => [...text].map((character) => character.codePointAt(0)!);
const leetOf = new Map(Object.entries(leet).map(([sign, letters]) => [sign.codePointAt(0)!, codes(letters)]));
const none: readonly number[] = [];

/** The letters and digits that a letter looks like, itself not included. */
let prototypes: ReadonlyMap<number, readonly number[]> | undefined;
let classes: ReadonlyMap<number, number> | undefined;

function prototypesOf(letter: number): readonly number[] {
  if (letter < 0x80) return none;
  prototypes ??= readConfusables();
  return prototypes.get(letter) ?? none;
}

/** Whether a character that joins no words can stand for a letter. */
export function mayReadAsLetter(code: number): boolean {
  return leetOf.has(code) || prototypesOf(code).length > 0;
}

/** Transforms under which a letter of a text is a letter of a term; -1 when it is not. */
export function likeness(written: number, wanted: number): number {
  if (written === wanted) return 0;
  if (looksAlike(written, wanted)) return HOMOGLYPH;
  const stands = leetOf.get(written);
  if (stands === undefined) return -1;
  if (stands.includes(wanted)) return LEET;
  // No closure, here and below: what it holds would be allocated for every question.
  for (let index = 0; index < stands.length; index++) {
    if (looksAlike(stands[index]!, wanted)) return LEET | HOMOGLYPH;
  }
  return -1;
}

/** By letter: what `looksLikeSign` found out once. Letters of a few thousand terms, not all of Unicode, come by. */
const likeSigns = new Map<number, boolean>();

/** Whether a digit or a sign that is written for letters looks like a letter, too: `3` like `з`. */
export function looksLikeSign(letter: number): boolean {
  if (letter < 0x80) return false;
  let does = likeSigns.get(letter);
  if (does === undefined) {
    does = [...leetOf.keys()].some((sign) => looksAlike(sign, letter));
    likeSigns.set(letter, does);
  }
  return does;
}

const alphabet = codes('abcdefghijklmnopqrstuvwxyz');
/** By letter: what `plainLettersLike` found out once. */
const plainLetters = new Map<number, number>();

/** Bits of the ASCII letters that are read as a letter of a term, `a` the lowest. */
export function plainLettersLike(letter: number): number {
  let bits = plainLetters.get(letter);
  if (bits === undefined) {
    bits = alphabet.reduce((all, other, index) => all | (likeness(other, letter) >= 0 ? 1 << index : 0), 0);
    plainLetters.set(letter, bits);
  }
  return bits;
}

/** Whether two letters are one, or share a letter that both look like. */
function looksAlike(one: number, other: number): boolean {
  if (one === other) return true;
  const left = prototypesOf(one);
  const right = prototypesOf(other);
  if (left.includes(other) || right.includes(one)) return true;
  for (let index = 0; index < left.length; index++) if (right.includes(left[index]!)) return true;
  return false;
}

/** A number that letters share when one may ever be read as the other, and many that may not. */
export function classOf(letter: number): number {
  classes ??= joinClasses();
  return classes.get(letter) ?? letter;
}

function joinClasses(): Map<number, number> {
  const joined = new Map<number, number>();
  const find = (letter: number): number => {
    const next = joined.get(letter);
    return next === undefined ? letter : find(next);
  };
  const join = (letter: number, other: number) => {
    const from = find(letter);
    const to = find(other);
    if (from !== to) joined.set(from, to);
  };
  for (const [sign, letters] of leetOf) for (const letter of letters) join(sign, letter);
  prototypes ??= readConfusables();
  for (const [letter, like] of prototypes) for (const other of like) join(letter, other);
  return new Map([...joined.keys()].map((letter) => [letter, find(letter)]));
}
