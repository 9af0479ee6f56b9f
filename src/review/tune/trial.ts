/** Trials: a changed rule set judges labelled messages and golden cases, and how probable it is that chance would do the same. */
import { compileEngine, type Engine } from '../../engine/engine.js';
import { differencesOf, type TestCase } from '../cases/test-case.js';
import { precisionInterval } from '../precision-interval.js';
import type { Parts } from './changes.js';
import { type Item, isHitBy } from './items.js';

/** The items that a change decides otherwise. */
export interface Effect {
  /** Stopped wrongly before, and let through now. */
  readonly freed: readonly Item[];
  /** Missed before, and stopped now. */
  readonly found: readonly Item[];
  /** Judged rightly before, and otherwise now. */
  readonly lost: readonly Item[];
}

/** A case with the engine's result for it before any change: those that fail already cannot be broken. */
export interface HeldCase {
  readonly case: TestCase;
  readonly scores: Item['scores'];
}

/** The share of labelled messages that were stopped rightly, of those that are stopped, with the interval of 95 %. */
export interface Precision {
  readonly right: number;
  readonly labelled: number;
  /** Null without a labelled message that is stopped. */
  readonly precision: number | null;
  readonly low: number;
  readonly high: number;
}

/** A changed rule set on trial. The engine is to be closed. */
export interface Trial {
  readonly engine: Engine;
  readonly effect: Effect;
  readonly breaksCase: boolean;
}

/** Compiles changed rules and judges items and cases by them. Rejects as `compileEngine` does. */
export async function tryParts(
  { ruleSet, semantics }: Parts,
  items: readonly Item[],
  cases: readonly HeldCase[],
  signal: AbortSignal | undefined,
): Promise<Trial> {
  const engine = await compileEngine(ruleSet, semantics, { signal });
  const breaksCase = cases.some(
    ({ case: one, scores }) => differencesOf(one, engine.explain(one.message, scores)).length > 0,
  );
  return { engine, effect: effectOf(engine, items), breaksCase };
}

/** Returns what an engine makes of items. */
export function effectOf(engine: Engine, items: readonly Item[]): Effect {
  const [freed, found, lost]: [Item[], Item[], Item[]] = [[], [], []];
  for (const item of items) {
    if (isHitBy(engine.explain(item.message, item.scores), item.ruleId) === item.isHit) continue;
    (item.isRight ? lost : item.isHit ? freed : found).push(item);
  }
  return { freed, found, lost };
}

/** Returns the number of messages of items. */
export function messagesOf(items: readonly Item[]): number {
  return new Set(items.map(({ messageId }) => messageId)).size;
}

/**
 * Returns the probability that a change that has nothing to do with the labels changes at least as many wrong items among as many items: of
 * those that were hit, and of those that were not, each a hypergeometric tail, and both of them together by Fisher's method (1932). 1 for a change
 * without an effect.
 */
export function chanceOf({ freed, found, lost }: Effect, items: readonly Item[]): number {
  const ofSide = (isHit: boolean, wrong: readonly Item[]) => {
    const side = items.filter((item) => item.isHit === isHit);
    const touched = wrong.length + lost.filter((item) => item.isHit === isHit).length;
    return upperTail(wrong.length, touched, side.filter(({ isRight }) => !isRight).length, side.length);
  };
  const both = ofSide(true, freed) * ofSide(false, found);
  return Math.min(1, freed.length > 0 && found.length > 0 ? both * (1 - Math.log(both)) : both);
}

/** The probability of `least` or more marked ones among `drawn` of `all`, of which `marked` are. */
function upperTail(least: number, drawn: number, marked: number, all: number): number {
  let sum = 0;
  for (let count = least; count <= Math.min(drawn, marked); count++) {
    sum += Math.exp(choose(marked, count) + choose(all - marked, drawn - count) - choose(all, drawn));
  }
  return Math.min(1, sum);
}

/** The logarithm of a binomial coefficient. */
function choose(all: number, some: number): number {
  if (some < 0 || some > all) return Number.NEGATIVE_INFINITY;
  let log = 0;
  for (let at = 1; at <= some; at++) log += Math.log(all - some + at) - Math.log(at);
  return log;
}

/**
 * Returns the indices of those that hold by Benjamini and Hochberg (1995), with weights: at most a share `level` of those returned is expected to be
 * chance, so that, if all are chance, any is returned with a probability of at most the level. Weights must not come from what the chances come from.
 */
export function holding(
  all: readonly { readonly chance: number; readonly weight: number }[],
  level: number,
): ReadonlySet<number> {
  const sum = all.reduce((whole, { weight }) => whole + weight, 0);
  const scaled = all.map(({ chance, weight }) => (chance * sum) / weight);
  const order = [...all.keys()].sort((one, other) => scaled[one]! - scaled[other]!);
  const last = order.findLastIndex((index, rank) => scaled[index]! <= level * (rank + 1));
  return new Set(order.slice(0, last + 1));
}

/** Returns the precision on items before a change, or by its effect. */
export function precisionOf(items: readonly Item[], effect?: Effect): Precision {
  const changed = new Set(effect && [...effect.freed, ...effect.found, ...effect.lost]);
  const hit = items.filter((item) => item.isHit !== changed.has(item));
  const right = hit.filter((item) => item.isRight === item.isHit).length;
  const labelled = hit.length;
  return {
    right,
    labelled,
    precision: labelled === 0 ? null : right / labelled,
    ...precisionInterval(right, labelled),
  };
}
