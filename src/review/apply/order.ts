/**
 * The order of writes that leaves no hole: new lists; lists that gain, with what they lose still in them; new rules; changed rules; rules that
 * go; lists that lose; lists that go. No live rule ever names a list that is not there, and a message that both the old and the new rules stop
 * is let through at no moment, except for a changed rule while it is replaced.
 *
 * Parts that go are deleted first where the limits of the platform do not leave room for the new ones beside the old, and the plan names
 * the windows: messages that they stopped are let through until the new ones are there.
 */
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import { writeLimits } from '../../platform/contract/moderation-writes.js';
import type { Rule } from '../../platform/contract/rule.js';
import { type Part, type PartKind, termsOf } from '../../platform/loader/part-form.js';
import { isTooLarge } from './limits.js';
import { type LiveParts, listsNamedBy, type PartName, partsById, type Wanted } from './parts.js';

/** One write, from the content before to the content afterwards. A list that gains and loses terms has two. */
export interface Write extends PartName {
  readonly before: Part | undefined;
  readonly after: Part | undefined;
}

/** A moment in which messages that old and new rules stop are let through. */
export interface Window extends PartName {
  /** `gone-first`: the part is deleted before new ones are created. `at-once`: the list loses before it gains. */
  readonly why: 'gone-first' | 'at-once';
}

/** Writes in their order. */
interface OrderedWrites {
  readonly writes: readonly Write[];
  readonly windows: readonly Window[];
  /** The kind of parts that would exceed its limit at some moment, whatever the order. */
  readonly tooMany: { readonly kind: PartKind; readonly most: number } | undefined;
}

/** Orders changes, each of which differs from the platform's part. */
export function orderWrites(changes: readonly Wanted[], live: LiveParts): OrderedWrites {
  const there = { rule: partsById(live, 'rule'), list: partsById(live, 'list') };
  const windows: Window[] = [];
  const all = changes.map(({ kind, id, part }): Write => ({ kind, id, before: there[kind].get(id), after: part }));
  const of = (kind: PartKind, isOne: (write: Write) => boolean) =>
    all.filter((write) => write.kind === kind && isOne(write));
  const isNew = ({ before }: Write) => before === undefined;
  const isGone = ({ after }: Write) => after === undefined;
  const isChanged = (write: Write) => !isNew(write) && !isGone(write);
  const [gaining, losing]: [Write[], Write[]] = [[], []];
  for (const write of of('list', isChanged)) {
    const { first, second, window } = stepsOf(write);
    if (first !== undefined) gaining.push(first);
    if (second !== undefined) losing.push(second);
    if (window !== undefined) windows.push(window);
  }
  const room = makeRoom(
    of('list', isNew).length,
    of('rule', isNew).length,
    of('list', isGone),
    of('rule', isGone),
    live,
  );
  const late = (write: Write) => !room.first.includes(write);
  const writes = [
    ...room.first,
    ...[...of('list', isNew), ...gaining],
    ...[...of('rule', isNew), ...of('rule', isChanged), ...of('rule', isGone).filter(late)],
    ...[...losing, ...of('list', isGone).filter(late)],
  ];
  return { writes, windows: [...room.windows, ...windows], tooMany: room.tooMany };
}

/** The writes of a changed list: the first with the terms of both, where it gains; the second without those that it loses. */
function stepsOf(write: Write) {
  const [before, after] = [write.before as KeywordList, write.after as KeywordList];
  const [old, now] = [termsOf(before), termsOf(after)];
  const [had, has] = [new Set(old), new Set(now)];
  const lost = old.filter((term) => !has.has(term));
  if (lost.length === 0) return { first: write };
  const both: KeywordList = { ...after, searchTerms: [...now, ...new Set(lost)] };
  if (now.every((term) => had.has(term))) return { second: write };
  const { kind, id } = write;
  if (isTooLarge(both.searchTerms)) return { second: write, window: { kind, id, why: 'at-once' } as const };
  return { first: { ...write, after: both }, second: { ...write, before: both } };
}

/** Chooses parts to be deleted first, so that the new parts fit. */
function makeRoom(
  newLists: number,
  newRules: number,
  goneLists: readonly Write[],
  goneRules: readonly Write[],
  live: LiveParts,
): {
  readonly first: readonly Write[];
  readonly windows: readonly Window[];
  readonly tooMany: OrderedWrites['tooMany'];
} {
  const isCustom = ({ before }: Write) => before?.default !== true;
  const customRules = live.rules.filter((rule) => rule.default !== true).length;
  const [customGoneRules, customGoneLists] = [goneRules.filter(isCustom), goneLists.filter(isCustom)];
  const tooManyRules = newRules === 0 ? 0 : customRules + newRules - writeLimits.rules;
  const tooManyLists = newLists === 0 ? 0 : live.customLists + newLists - writeLimits.lists;
  if (tooManyRules > customGoneRules.length)
    return { first: [], windows: [], tooMany: { kind: 'rule', most: writeLimits.rules } };
  const rulesFirst = new Set(customGoneRules.slice(0, Math.max(0, tooManyRules)));
  const listsFirst: Write[] = [];
  const namedBy = (list: Write) => live.rules.filter((rule) => listsNamedBy(rule as Rule).includes(list.id));
  const ruleWrite = (rule: Rule) => goneRules.find(({ id }) => id === rule.id);
  // Lists that no rule names go without a window; then those that are named by fewest rules that go.
  const candidates = customGoneLists
    .map((list) => ({ list, rules: namedBy(list) }))
    .filter(({ rules }) => rules.every((rule) => ruleWrite(rule) !== undefined))
    .sort((one, other) => one.rules.length - other.rules.length);
  for (const { list, rules } of candidates.slice(0, Math.max(0, tooManyLists))) {
    for (const rule of rules) rulesFirst.add(ruleWrite(rule)!);
    listsFirst.push(list);
  }
  const tooMany = listsFirst.length < tooManyLists ? ({ kind: 'list', most: writeLimits.lists } as const) : undefined;
  const windows = [...rulesFirst].map(({ kind, id }): Window => ({ kind, id, why: 'gone-first' }));
  return { first: [...rulesFirst, ...listsFirst], windows, tooMany };
}
