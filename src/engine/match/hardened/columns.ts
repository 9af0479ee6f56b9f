/**
 * The input alphabet of the automaton: labels of the letters of terms, and columns of the
 * characters of texts.
 *
 * Letters of terms that the same characters may stand for have the same *label*; rare ones share
 * one. A *column* is a class of characters: the labels of all letters that these may stand for,
 * whether they are edges of words, and their role among letters that stand apart (`roles.ts`).
 *
 * An instance of: an approximate alphabet, as `alphabet.ts` has one for plain folding. What the
 * automaton finds is compared with the text.
 *
 * Invariants: a column has the labels of all letters that its characters may stand for. The column
 * of a character never changes; `units` has it once it is known.
 */
import type { Portions } from '../../../foundation/portions.js';
import { DOT, ELLIPSIS, WHITE } from '../folding.js';
import { isFormattingUnit } from '../formatting.js';
import { joinsWords } from '../word-edges.js';
import { confusableBy, joiners, leetSigns, lettersWithPrototypes, looksOf, prototypesOf } from './confusables.js';
import { decompositionOf } from './decompositions.js';
import { Role, roleOf } from './roles.js';
import type { Terms } from './terms.js';
import { hasSeveralForms } from './text-forms.js';

/** Role of a column's characters in words. */
export const ColumnKind = {
  /** They join with what is beside them. */
  JOINING: 0,
  /** A word may begin or end there. */
  EDGE: 1,
  /** Not displayed, and passed over; to case folding they are edges. */
  HIDDEN: 2,
  /** Combining marks, passed over. */
  MARK: 3,
} as const;

export interface Column {
  readonly kind: number;
  readonly role: number;
  /** Labels of the letters of terms that its characters may stand for; at least one. */
  readonly labels: readonly number[];
  /** Whether some character may be a letter, and an edge beside it. */
  readonly isAmbiguous: boolean;
  /** Whether its characters are signs of formatting. */
  readonly isFormatting: boolean;
}

export const COLUMN_BITS = 6;
/** So many columns have cells in rows; the last one says that a character has to be looked up. */
export const COLUMNS = 1 << COLUMN_BITS;
export const LOOK_UP = COLUMNS - 1;
/** The column of the end of a text. */
export const END = 0;
/** In place of a column: the character has several forms, and so has its text. */
export const SEVERAL_FORMS = -1;
const severalForms: readonly number[] = [SEVERAL_FORMS];

/** Labels that no letter of a term has: of characters that join words, and of others. */
const JOINING_LABEL = 0;
const EDGE_LABEL = 1;
/** The label of white space and of the signs that stand for it. */
const WHITE_LABEL = 2;
/** The labels of other signs in terms: emoji and the like, and those that may be letters. */
const SIGN_LABEL = 3;
const LETTER_SIGN_LABEL = 4;
const FIRST_LABEL = 5;
/** Stands for a label that is dealt later. */
const UNDEALT = 0;
/** There are so many labels. The label of a letter that goes on with a run is as much higher. */
export const LABELS = 42;
/**
 * Letters that join words get so many labels at least if there are so many, and others so many too.
 */
const FEWEST_OF_A_KIND = 4;

const MAX_KNOWN = 20_000;
/** So many characters are described in a portion of work. */
const CHARACTERS_AT_ONCE = 64;
const SPACE = 0x20;

export class Columns {
  /** Column of each UTF-16 unit, `LOOK_UP` until it is known. */
  readonly units = new Uint8Array(0x10000).fill(LOOK_UP);
  readonly all: Column[] = [];
  /** 1 for each label of letters that join words. */
  readonly joins = new Uint8Array(2 * LABELS);
  /** Class and label of each letter of the terms' table. */
  readonly classOf: Int32Array;
  readonly labelOf: Uint8Array;
  readonly #numbers = new Map<string, number>();
  /** Columns by code point. */
  readonly #known = new Map<number, readonly number[]>();
  /**
   * Classes by the base of letters of terms, labels by class; bases of terms by what they look
   * like.
   */
  readonly #classes = new Map<number, number>();
  readonly #labels: number[] = [];
  readonly #classesFor = new Map<number, readonly number[]>();
  readonly #labelsOf = new Map<number, readonly number[]>();
  readonly #byPrototype = new Map<number, number[]>();

  private constructor(terms: Terms) {
    this.classOf = new Int32Array(terms.letters.length);
    this.labelOf = new Uint8Array(terms.letters.length);
    this.joins[JOINING_LABEL] = 1;
  }

  static *of(terms: Terms): Portions<Columns> {
    const columns = new Columns(terms);
    yield;
    const weights = weightsOf(terms);
    columns.#dealLabels(terms, weights);
    for (const [number, { base }] of terms.letters.entries()) {
      columns.classOf[number] = columns.#classes.get(base)!;
      columns.labelOf[number] = columns.#labels[columns.classOf[number]!]!;
    }
    yield;
    yield* columns.#describe(weights);
    for (let unit = 0; unit < 0x80; unit++) columns.of(unit);
    return columns;
  }

  /** Returns the columns of the letters of a character, or `SEVERAL_FORMS`. */
  of(code: number): readonly number[] {
    return hasSeveralForms(code) ? severalForms : this.ofForm(code);
  }

  /** Returns the same columns in one form of a text: of the character as it is. */
  ofForm(code: number): readonly number[] {
    return this.#known.get(code) ?? this.#learn(code);
  }

  /** Returns the classes of the letters of terms that a letter of a text may stand for. */
  classesFor(base: number): readonly number[] {
    return this.#classesFor.get(base) ?? this.#findClasses(base);
  }

  #findClasses(base: number): readonly number[] {
    const found = new Set<number>();
    const add = (wanted: number): void => {
      const known = this.#classes.get(wanted);
      if (known !== undefined && confusableBy(base, wanted) >= 0) found.add(known);
    };
    for (const look of looksOf(base)) {
      add(look);
      for (const alike of this.#byPrototype.get(look) ?? []) add(alike);
    }
    if (joiners.has(base)) add(WHITE);
    const classes = [...found];
    if (this.#classesFor.size > MAX_KNOWN) this.#classesFor.clear();
    this.#classesFor.set(base, classes);
    return classes;
  }

  /** Returns the labels of these classes, or the one of letters that no term has. */
  labelsOf(base: number): readonly number[] {
    const known = this.#labelsOf.get(base);
    if (known !== undefined) return known;
    const labels = [...new Set(this.classesFor(base).map((number) => this.#labels[number]!))].sort();
    if (labels.length === 0) labels.push(base !== WHITE && joinsWords(base) ? JOINING_LABEL : EDGE_LABEL);
    if (this.#labelsOf.size > MAX_KNOWN) this.#labelsOf.clear();
    this.#labelsOf.set(base, labels);
    return labels;
  }

  /** Describes a character; apart from the scan, which must not allocate closures. */
  #learn(code: number): readonly number[] {
    const found = this.#columnsOf(code).map((column) => this.#numberOf(column));
    const isUnit = code <= 0xffff && (code & 0xf800) !== 0xd800 && !hasSeveralForms(code);
    if (isUnit && found.length === 1 && found[0]! < LOOK_UP) this.units[code] = found[0]!;
    // Texts that walk through all of Unicode do not fill the memory.
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
    this.#known.set(code, found);
    return found;
  }

  #columnsOf(code: number): Column[] {
    const { kind, letters } = decompositionOf(code);
    if (kind === 'mark') return [columnOf(ColumnKind.MARK, Role.OTHER, [])];
    if (kind === 'ignorable') return [columnOf(ColumnKind.HIDDEN, Role.OTHER, [])];
    const isJoining = kind === 'letter';
    const isFormatting = isFormattingUnit(code);
    // Three dots are one sign if no term has a dot.
    const bases = code === ELLIPSIS && !this.#classes.has(DOT) ? letters.slice(0, 1) : letters;
    return bases.map((base, index) => {
      const labels = this.labelsOf(base);
      const role = index === 0 ? roleOf(code) : Role.SAME;
      if (isJoining) return columnOf(ColumnKind.JOINING, role, labels[0] === EDGE_LABEL ? [JOINING_LABEL] : labels);
      const isLetter = labels[0] !== JOINING_LABEL && labels.some((label) => this.joins[label] === 1);
      const edges = labels[0] === JOINING_LABEL ? [EDGE_LABEL] : labels;
      return { ...columnOf(ColumnKind.EDGE, role, edges), isAmbiguous: isLetter, isFormatting };
    });
  }

  /**
   * Returns the number of a column. A new one comes after those with cells if all of these are
   * taken.
   */
  #numberOf(column: Column): number {
    const key = `${column.kind} ${column.role} ${column.labels.join()} ${column.isFormatting}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.all.length === LOOK_UP) this.all.push(column);
    const number = this.all.push(column) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  /** Sorts the letters of terms into classes, and deals labels to these. */
  #dealLabels({ letters }: Terms, weights: ReadonlyMap<number, number>): void {
    const classes = new Map<string, LetterClass>();
    for (const { base, joins } of letters) {
      if (this.#classes.has(base)) continue;
      for (const prototype of prototypesOf(base)) {
        const same = this.#byPrototype.get(prototype);
        if (same === undefined) this.#byPrototype.set(prototype, [base]);
        else same.push(base);
      }
      const key = `${joins} ${prototypesOf(base).join() || base}`;
      const label = labelOfSign(base, joins);
      const known = classes.get(key) ?? { number: classes.size, weight: 0, joins, label };
      known.weight += weights.get(base) ?? 0;
      classes.set(key, known);
      this.#classes.set(base, known.number);
      this.#labels[known.number] = label;
    }
    const ranked = [...classes.values()]
      .filter(({ label }) => label === UNDEALT)
      .sort((left, right) => right.weight - left.weight);
    const joining = ranked.filter(({ joins }) => joins);
    const separate = ranked.filter(({ joins }) => !joins);
    const room = LABELS - FIRST_LABEL;
    const share = Math.round((room * sumOf(separate)) / Math.max(1, sumOf(ranked)));
    const most = room - Math.min(joining.length, FEWEST_OF_A_KIND);
    const count = Math.min(separate.length, Math.max(FEWEST_OF_A_KIND, Math.min(share, most)));
    this.#deal(separate, FIRST_LABEL, FIRST_LABEL + count);
    this.#deal(joining, FIRST_LABEL + count, LABELS);
    this.joins.fill(1, FIRST_LABEL + count, LABELS);
    this.joins.fill(1, LABELS + FIRST_LABEL + count);
  }

  /**
   * Deals labels from `first` to `end` to classes, which are sorted: each time the least used one.
   */
  #deal(classes: readonly LetterClass[], first: number, end: number): void {
    const loads = new Float64Array(end - first);
    for (const { number, weight } of classes) {
      let lightest = 0;
      for (let label = 1; label < loads.length; label++) if (loads[label]! < loads[lightest]!) lightest = label;
      loads[lightest]! += weight + 1;
      this.#labels[number] = first + lightest;
    }
  }

  /** Makes the columns of the commonest characters, which have cells in rows. */
  *#describe(weights: ReadonlyMap<number, number>): Portions<void> {
    this.#numberOf(columnOf(ColumnKind.EDGE, Role.SPACE, [EDGE_LABEL]));
    for (const kind of [ColumnKind.MARK, ColumnKind.HIDDEN]) this.#numberOf(columnOf(kind, Role.OTHER, []));
    this.#numberOf(columnOf(ColumnKind.JOINING, Role.WORD, [JOINING_LABEL]));
    for (const role of [Role.SIGN, Role.OTHER]) this.#numberOf(columnOf(ColumnKind.EDGE, role, [EDGE_LABEL]));
    this.#numberOf(columnOf(ColumnKind.EDGE, Role.SIGN, [SIGN_LABEL]));
    const signs = [SPACE, ...joiners, ...leetSigns(), 0x27, 0x22, 0x3f, 0x5b, 0x2026];
    const ranked = [...weights].sort((left, right) => right[1] - left[1]).map(([code]) => code);
    const letters = ranked.filter((code) => code !== WHITE);
    for (const [index, code] of [...signs, ...letters, ...lettersWithPrototypes()].entries()) {
      if (index % CHARACTERS_AT_ONCE === 0) yield;
      if (!hasSeveralForms(code)) this.#learn(code);
    }
  }
}

/** Returns how often each base occurs in the terms. */
function weightsOf({ letters, numbers }: Terms): Map<number, number> {
  const counts = new Int32Array(letters.length);
  for (let at = 0; at < numbers.length; at++) counts[numbers[at]!]!++;
  const weights = new Map<number, number>();
  for (const [number, { base }] of letters.entries()) weights.set(base, (weights.get(base) ?? 0) + counts[number]!);
  return weights;
}

function columnOf(kind: number, role: number, labels: readonly number[]): Column {
  return { kind, role, labels, isAmbiguous: false, isFormatting: false };
}

/** Returns the label of a letter that is white space or a sign. */
function labelOfSign(base: number, joins: boolean): number {
  if (base === WHITE || (!joins && joiners.has(base))) return WHITE_LABEL;
  const role = joins ? Role.WORD : roleOf(base);
  if (role === Role.WORD || role === Role.OTHER) return UNDEALT;
  return role === Role.SIGN ? SIGN_LABEL : LETTER_SIGN_LABEL;
}

/** Letters of terms that the same characters may stand for. */
interface LetterClass {
  readonly number: number;
  /** The number of times that they occur in the terms. */
  weight: number;
  readonly joins: boolean;
  /** The label if it is the one of signs, or `UNDEALT`. */
  readonly label: number;
}

const sumOf = (classes: readonly LetterClass[]) => classes.reduce((total, { weight }) => total + weight, 0);
