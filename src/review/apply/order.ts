/**
 * Orders the writes of a change so that they leave no gap: 1. new lists, 2. lists that gain terms,
 * which still keep the terms that they will lose, 3. new rules, 4. changed rules, those that only
 * gain first and those that only lose last, 5. deleted rules, 6. lists that lose terms, 7. deleted
 * lists.
 *
 * No live rule ever names a list that does not exist. A message that both the old and the new rules
 * stop is stopped at every moment between, except in the gaps that the plan names.
 */
import { asList, type Fields } from '../../engine/compile/untrusted.js';
import { stops } from '../../engine/compile/verdicts.js';
import { canonicalJson } from '../../foundation/digest.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import { formOf, type Part, type PartKind, termsOf } from '../../platform/loader/part-form.js';
import { isTooLarge } from './limits.js';
import { type LiveParts, type PartName, partsById, type Wanted } from './parts.js';

/**
 * One write: the content before it and the content after it. A list that gains and loses terms is
 * written twice.
 */
export interface Write extends PartName {
  readonly before: Part | undefined;
  readonly after: Part | undefined;
}

/** The writes in their order. */
interface OrderedWrites {
  readonly writes: readonly Write[];
  /**
   * The parts whose write may, for a moment, let through messages that both the old and the new
   * rules stop.
   */
  readonly gaps: readonly PartName[];
}

/** Orders changes. Each change must differ from what the platform has. */
export function orderWrites(changes: readonly Wanted[], live: LiveParts): OrderedWrites {
  const there = { rule: partsById(live, 'rule'), list: partsById(live, 'list') };
  const all = changes.map(({ kind, id, part }): Write => ({ kind, id, before: there[kind].get(id), after: part }));
  const writesOf = (kind: PartKind, isOne: (write: Write) => boolean) =>
    all.filter((write) => write.kind === kind && isOne(write));
  const isNew = ({ before }: Write) => before === undefined;
  const isGone = ({ after }: Write) => after === undefined;
  const isChanged = (write: Write) => !isNew(write) && !isGone(write);
  const steps = writesOf('list', isChanged).map(stepsOf);
  const changed = writesOf('rule', isChanged).map((write) => ({ write, turn: turnOf(write) }));
  // A single rule that gains and loses leaves no gap. With several of them, one may lose what
  // another has not gained yet.
  const mixed = changed.filter(({ turn }) => turn === 1).map(({ write }) => write);
  const rules = changed.sort((left, right) => left.turn - right.turn).map(({ write }) => write);
  const writes = [
    ...[...writesOf('list', isNew), ...steps.flatMap(({ first }) => first ?? [])],
    ...[...writesOf('rule', isNew), ...rules, ...writesOf('rule', isGone)],
    ...[...steps.flatMap(({ second }) => second ?? []), ...writesOf('list', isGone)],
  ];
  const gaps = [...(mixed.length > 1 ? mixed : []), ...steps.flatMap(({ gap }) => gap ?? [])];
  return { writes, gaps: gaps.map(({ kind, id }) => ({ kind, id })) };
}

/**
 * Returns the writes of a changed list: the first adds the new terms, the second removes the lost
 * ones.
 */
function stepsOf(write: Write): { readonly first?: Write; readonly second?: Write; readonly gap?: Write } {
  const [before, after] = [write.before as KeywordList, write.after as KeywordList];
  const [old, now] = [termsOf(before), termsOf(after)];
  const [had, has] = [new Set(old), new Set(now)];
  const lost = old.filter((term) => !has.has(term));
  if (lost.length === 0) return { first: write };
  if (now.every((term) => had.has(term))) return { second: write };
  const both: KeywordList = { ...after, searchTerms: [...new Set([...now, ...lost])].sort() };
  if (isTooLarge(both.searchTerms)) return { second: write, gap: write };
  return { first: { ...write, after: both }, second: { ...write, before: both } };
}

/**
 * Returns the position of a changed rule in the order: 0 if it only gains, 1 if it also loses, 3 if
 * it only loses.
 */
function turnOf({ before, after }: Write): number {
  const [gains, loses] = [hasMore(after!, before!), hasMore(before!, after!)];
  if (gains) return loses ? 1 : 0;
  return loses ? 3 : 2;
}

/** Reports whether the first rule stops anything that the second does not stop. */
function hasMore(left: Part, right: Part): boolean {
  const [leftReach, rightReach] = [reachOf(left), reachOf(right)];
  const isWider = leftReach.values.size > 0 && [...rightReach.filters].some((filter) => !leftReach.filters.has(filter));
  return isWider || [...leftReach.values].some((value) => !rightReach.values.has(value));
}

/**
 * Returns the values by which a rule stops messages, which are empty if it is off, and the filters
 * that narrow them.
 */
function reachOf(rule: Part) {
  const { enabled, active, action, filters, conditions } = formOf('rule', rule);
  const isOn = enabled === true && active === true && asList(action).some(stops);
  const values = (asList(conditions) as Fields[]).flatMap(({ id: _, message: __, value, ...how }) =>
    asList(value).map((entry) => canonicalJson([how, entry])),
  );
  return { values: new Set(isOn ? values : []), filters: new Set(asList(filters).map(canonicalJson)) };
}
