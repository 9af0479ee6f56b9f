/**
 * The order of writes that leaves no gap: new lists; lists that gain, with what they lose still in
 * them; new rules; changed rules, those that gain first and those that lose last; rules that go;
 * lists that lose; lists that go. No live rule ever names a list that is not there, and a message
 * that both the old and the new rules stop is let through at no moment, except where the plan names
 * a gap.
 */
import { asList, type Fields } from '../../engine/compile/untrusted.js';
import { stops } from '../../engine/compile/verdicts.js';
import { canonicalJson } from '../../foundation/digest.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import { formOf, type Part, type PartKind, termsOf } from '../../platform/loader/part-form.js';
import { isTooLarge } from './limits.js';
import { type LiveParts, type PartName, partsById, type Wanted } from './parts.js';

/** One write, from the content before to the content afterwards. A list that gains and loses terms has two. */
export interface Write extends PartName {
  readonly before: Part | undefined;
  readonly after: Part | undefined;
}

/** Writes in their order. */
interface OrderedWrites {
  readonly writes: readonly Write[];
  /** The parts whose write may let messages through that the old and the new rules stop. */
  readonly gaps: readonly PartName[];
}

/** Orders changes, each of which differs from the platform's part. */
export function orderWrites(changes: readonly Wanted[], live: LiveParts): OrderedWrites {
  const there = { rule: partsById(live, 'rule'), list: partsById(live, 'list') };
  const all = changes.map(({ kind, id, part }): Write => ({ kind, id, before: there[kind].get(id), after: part }));
  const of = (kind: PartKind, isOne: (write: Write) => boolean) =>
    all.filter((write) => write.kind === kind && isOne(write));
  const isNew = ({ before }: Write) => before === undefined;
  const isGone = ({ after }: Write) => after === undefined;
  const isChanged = (write: Write) => !isNew(write) && !isGone(write);
  const steps = of('list', isChanged).map(stepsOf);
  const changed = of('rule', isChanged).map((write) => ({ write, turn: turnOf(write) }));
  // One rule that gains and loses leaves no gap; another may lose meanwhile what this one gains.
  const mixed = changed.filter(({ turn }) => turn === 1).map(({ write }) => write);
  const rules = changed.sort((one, other) => one.turn - other.turn).map(({ write }) => write);
  const writes = [
    ...[...of('list', isNew), ...steps.flatMap(({ first }) => first ?? [])],
    ...[...of('rule', isNew), ...rules, ...of('rule', isGone)],
    ...[...steps.flatMap(({ second }) => second ?? []), ...of('list', isGone)],
  ];
  const gaps = [...(mixed.length > 1 ? mixed : []), ...steps.flatMap(({ gap }) => gap ?? [])];
  return { writes, gaps: gaps.map(({ kind, id }) => ({ kind, id })) };
}

/**
 * The writes of a changed list: the first with the terms of both, if it gains; the second without
 * those that it loses.
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

/** Returns the turn of a changed rule: 0 if it only gains, 1 if it loses as well, 3 if it only loses. */
function turnOf({ before, after }: Write): number {
  const [gains, loses] = [hasMore(after!, before!), hasMore(before!, after!)];
  if (gains) return loses ? 1 : 0;
  return loses ? 3 : 2;
}

/** Reports whether a rule stops anything that another one does not. */
function hasMore(one: Part, other: Part): boolean {
  const [own, others] = [reachOf(one), reachOf(other)];
  const isWider = own.values.size > 0 && [...others.filters].some((filter) => !own.filters.has(filter));
  return isWider || [...own.values].some((value) => !others.values.has(value));
}

/**
 * Returns the values by which a rule stops messages, none if it is off, and the filters that narrow
 * them.
 */
function reachOf(rule: Part) {
  const { enabled, active, action, filters, conditions } = formOf('rule', rule);
  const isOn = enabled === true && active === true && asList(action).some(stops);
  const values = (asList(conditions) as Fields[]).flatMap(({ id: _, message: __, value, ...how }) =>
    asList(value).map((entry) => canonicalJson([how, entry])),
  );
  return { values: new Set(isOn ? values : []), filters: new Set(asList(filters).map(canonicalJson)) };
}
