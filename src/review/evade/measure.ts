import { createTermReader } from '../../engine/compile/word-readings.js';
import { createEngine, type Engine } from '../../engine/engine.js';
import type { Decision } from '../../engine/evaluate/decision.js';
import { readingChoices, type Semantics, valuesInUse, withValue } from '../../engine/semantics.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { precisionInterval } from '../precision-interval.js';
import type { DisguiseKind, Random } from './kinds.js';

/** Readings that disguises are looked for by: those in use, or these with one folding for all lists. */
export interface EvadeReading {
  /** The folding of all lists; `lists` if lists have different ones. */
  readonly folding: string;
  readonly inUse: boolean;
  readonly semantics: Partial<Semantics>;
}

/** How many of something, with the interval of 95 % that holds their share: 0 to 1. */
export interface Share extends Pick<EvadeReading, 'folding' | 'inUse'> {
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

/** A term as rules look for it. */
interface EvadedTerm {
  readonly text: string;
  /** The rules that look for it. */
  readonly ruleIds: ReadonlySet<string>;
}

/** Terms of a keyword list that running rules look for; `null` for terms of rules. */
export interface EvadedList {
  readonly listId: string | null;
  readonly terms: readonly EvadedTerm[];
  /** Terms that are not found in a sentence even as they are written: those of `equals`, of exceptions, of custom messages. Left out. */
  readonly unfound: number;
}

/** Disguises of one kind, of the terms of one list. */
export interface EvadeRow {
  readonly kind: string;
  readonly listId: string | null;
  /** Terms that a disguise was tried of, and those among them that this kind cannot be applied to, too short ones for instance. */
  readonly terms: number;
  readonly leftOut: number;
  readonly made: number;
  readonly found: readonly Share[];
  /** Those that the readings in use do not find. */
  readonly passed: readonly { readonly term: string; readonly disguise: string }[];
}

/** Lists of terms, and the engines that look for their disguises. */
export interface Evasion {
  readonly lists: readonly EvadedList[];
  /** Measures one kind on one list: at most `most` disguises, which follow from the seed and the terms. */
  measure(kind: DisguiseKind, list: EvadedList, seed: number, most: number): EvadeRow;
  close(): void;
}

/** Words around a term, without a letter alone and without a sign that a disguise is made with. */
const [before, after] = ['well, ', ' then'];

/** Returns a sentence with a term or a disguise in it. */
export function sentenceOf(text: string): string {
  return before + text + after;
}

/** Returns the readings in use, and these with each other folding, from the one that finds most. */
export function evadeReadings(semantics: Semantics): EvadeReading[] {
  const used = [...valuesInUse(semantics, 'folding')] as string[];
  const folding = used.length === 1 ? used[0]! : 'lists';
  const others = readingChoices.folding.toReversed().filter((other) => other !== folding);
  return [
    { folding, inUse: true, semantics },
    ...others.map((value) => ({
      folding: value,
      inUse: false,
      semantics: withValue(semantics, { reading: 'folding', value }),
    })),
  ];
}

export function sharesOf(readings: readonly EvadeReading[], counts: readonly number[], all: number): Share[] {
  return readings.map(({ folding, inUse }, at) => ({
    folding,
    inUse,
    count: counts[at]!,
    ...precisionInterval(counts[at]!, all),
  }));
}

/**
 * Prepares the terms of running rules. A disguise is found if a rule that looks for the term has any match that shares a character with the disguise.
 * Filters, exempt messages and `conditions: 'all'` are left out, since terms are measured, not senders.
 */
export function prepareEvasion(ruleSet: RuleSet, readings: readonly EvadeReading[]): Evasion {
  const rules = ruleSet.rules.map((rule) => ({ ...rule, filters: [] }));
  const engines = readings.map(({ semantics }) =>
    createEngine({ ...ruleSet, rules }, { ...semantics, conditions: 'any', exempt: [] }),
  );
  // INVARIANT: the readings in use are the first.
  const lists = listsOf(engines[0]!, readings[0]!.semantics as Semantics);
  return {
    lists,
    measure(kind, { listId, terms }, seed, most) {
      const random = createRandom(`${seed}/${kind.name}/${listId ?? ''}`);
      const made = makeDisguises(kind, terms, random, most);
      const counts = readings.map(() => 0);
      const passed: { readonly term: string; readonly disguise: string }[] = [];
      for (const { term, disguise } of made.disguises) {
        for (const [at, engine] of engines.entries()) {
          const isFound = finds(engine, term, disguise);
          counts[at]! += Number(isFound);
          if (at === 0 && !isFound) passed.push({ term: term.text, disguise });
        }
      }
      const { length } = made.disguises;
      const found = sharesOf(readings, counts, length);
      return { kind: kind.name, listId, terms: made.tried, leftOut: made.leftOut, made: length, found, passed };
    },
    close: () => {
      for (const engine of engines) engine.close();
    },
  };
}

function listsOf(engine: Engine, semantics: Semantics): EvadedList[] {
  const reader = createTermReader(semantics);
  const lists = new Map<string | null, Map<string, Set<string>>>();
  for (const { kind, written, listId, ruleId } of engine.references()) {
    // A link is not a word that could be disguised.
    if (kind !== 'word' || reader.isOfLinks(listId)) continue;
    const { text } = reader.read(written, listId);
    const terms = lists.get(listId ?? null) ?? new Map<string, Set<string>>();
    lists.set(listId ?? null, terms.set(text, (terms.get(text) ?? new Set()).add(ruleId)));
  }
  return [...lists].map(([listId, all]) => {
    const terms = [...all].map(([text, ruleIds]) => ({ text, ruleIds }));
    const found = terms.filter((term) => finds(engine, term, term.text));
    return { listId, terms: found, unfound: terms.length - found.length };
  });
}

function finds(engine: Engine, { ruleIds }: EvadedTerm, disguise: string): boolean {
  const { matched }: Decision = engine.explain(sentenceOf(disguise));
  const [start, end] = [before.length, before.length + disguise.length];
  return matched.some(
    ({ ruleId, conditions }) =>
      ruleIds.has(ruleId) &&
      conditions.some(({ matches }) =>
        matches.some((match) => match.kind !== 'score' && match.span.start < end && match.span.end > start),
      ),
  );
}

/** Goes round all terms, in an order of the seed's; a term that has nothing new in eight attempts is done. */
function makeDisguises({ disguise: make }: DisguiseKind, terms: readonly EvadedTerm[], random: Random, most: number) {
  const disguises: { readonly term: EvadedTerm; readonly disguise: string }[] = [];
  const seen = new Set<string>();
  let [round, tried, leftOut] = [shuffled(terms, random), 0, 0];
  for (let isFirst = true; round.length > 0 && disguises.length < most; isFirst = false) {
    round = round.filter((term) => {
      if (disguises.length === most) return false;
      let disguise = make(term.text, random);
      tried += Number(isFirst);
      leftOut += Number(isFirst && disguise === undefined);
      for (let left = 7; left > 0 && disguise !== undefined && seen.has(disguise); left--)
        disguise = make(term.text, random);
      if (disguise === undefined || seen.has(disguise)) return false;
      seen.add(disguise);
      disguises.push({ term, disguise });
      return true;
    });
  }
  return { disguises, tried, leftOut };
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const mixed = [...items];
  for (let left = mixed.length; left > 1; left--) {
    const at = random.below(left);
    [mixed[left - 1], mixed[at]] = [mixed[at]!, mixed[left - 1]!];
  }
  return mixed;
}

/** Returns a stream of choices for a name: FNV-1a of it, then Steele, Lea and Flood's SplitMix of 32 bits. The same name, the same choices. */
function createRandom(name: string): Random {
  let state = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) state = Math.imul(state ^ name.charCodeAt(at), 0x01000193);
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
  const below = (count: number) => Math.floor(next() * count);
  return { below, pick: (items) => items[below(items.length)]! };
}
