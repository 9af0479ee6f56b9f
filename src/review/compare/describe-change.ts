/**
 * Lists the differences between two rule sets as coded values, for a reviewer to read before any
 * message is judged.
 */
import { namesLists } from '../../engine/compile/list-flags.js';
import { isScored } from '../../engine/compile/threshold.js';
import { asFields, asList, asString, type Fields } from '../../engine/compile/untrusted.js';
import type { RuleSetInput } from '../../engine/engine.js';
import { type Semantics, semanticsOf } from '../../engine/semantics.js';
import { canonicalJson } from '../../foundation/digest.js';
import { RuleSetError } from '../../foundation/errors.js';
import { refuseUnknownOptions } from '../../foundation/options.js';
import { type ReadingChange, readingChanges } from './reading-changes.js';

interface OfRule {
  readonly ruleId: string;
  readonly ruleName: string;
}

interface OfCondition extends OfRule {
  readonly conditionId: number;
}

interface OfList {
  readonly listId: string;
  /** Names of the rules that refer to the list, in either rule set. */
  readonly ruleNames: readonly string[];
}

/**
 * A changed field of a rule, a condition or a list if it names one, otherwise of the rule set
 * itself.
 */
interface FieldChange extends Partial<OfCondition>, Partial<OfList> {
  readonly field: string;
  /**
   * The old and the new value. Both are absent if only the order or the repetition of values
   * differs.
   */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The entries that were added and removed, as written. */
interface EntryChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * One difference between two rule sets. `rule-enabled` and `rule-disabled` combine the flags
 * `enabled` and `active`. `condition-values` are the terms, patterns, thresholds or lists of a
 * condition. `field` is any other field, known or unknown. It is also used for the order of `rules`
 * or `lists`, which changes no decision, but changes the digest of the rule set.
 */
export type RuleSetChange =
  | ({ readonly kind: 'rule-added' | 'rule-removed' | 'rule-enabled' | 'rule-disabled' } & OfRule)
  | ({ readonly kind: 'condition-added' | 'condition-removed' } & OfCondition)
  | ({ readonly kind: 'condition-values'; readonly what: 'term' | 'pattern' | 'threshold' | 'list' } & OfCondition &
      EntryChange)
  | ({ readonly kind: 'list-added' | 'list-removed'; readonly entries: number } & OfList)
  | ({ readonly kind: 'list-entries' } & OfList & EntryChange)
  | ({ readonly kind: 'field' } & FieldChange)
  | ({ readonly kind: 'reading' } & ReadingChange);

/** The two rule sets of a diff, each with its readings. */
export interface DiffSides {
  /** The new rules. */
  readonly rules: RuleSetInput;
  /** The old rules. */
  readonly against: RuleSetInput;
  /** Readings for the new rules. They override the readings in the rule set itself. */
  readonly semantics?: Partial<Semantics> | undefined;
  /**
   * Readings for the old rules. They override the readings in the rule set itself. Default:
   * `semantics`.
   */
  readonly againstSemantics?: Partial<Semantics> | undefined;
}

const optionNames = Object.keys({
  rules: true,
  against: true,
  semantics: true,
  againstSemantics: true,
} satisfies Record<keyof DiffSides, true>);

/**
 * Lists the differences between the rule sets `against` and `rules`: first the readings, then the
 * rules in their order, then the lists. The result is empty exactly if rules, lists and readings
 * are equal as canonical JSON. Rules and lists are matched by their ids, conditions without an id
 * by their position.
 *
 * Throws `UsageError` for unknown options or semantics, and `RuleSetError` if a rule set is not an
 * object.
 *
 * @example
 * ```ts
 * const condition = { operand: 'text', value: ['buy now'] };
 * const against = { rules: [{ id: 'scams', conditions: [condition] }], lists: [] };
 * const changed = { ...condition, value: ['buy now', 'free money'] };
 * const rules = { rules: [{ id: 'scams', conditions: [changed] }], lists: [] };
 * describeChange({ rules, against })[0]?.kind; // 'condition-values'
 * ```
 */
export function describeChange(sides: DiffSides): RuleSetChange[] {
  refuseUnknownOptions('`describeChange`', sides, optionNames);
  const { rules, against, semantics, againstSemantics = semantics } = sides;
  for (const [name, side] of Object.entries({ rules, against })) {
    if (asFields(side) === undefined)
      throw new RuleSetError(`\`${name}\` must be a rule set, an object { rules, lists }`);
  }
  const readings = readingChanges(semanticsOf(against, againstSemantics), semanticsOf(rules, semantics));
  const namesOf = referringRules([...asList(against.rules), ...asList(rules.rules)]);
  const rulePairs = pair(asList(against.rules), asList(rules.rules), (rule) => asFields(rule)?.id ?? { rule });
  const listPairs = pair(asList(against.lists), asList(rules.lists), (list) => asFields(list)?.id ?? { list });
  return [
    ...readings.map((change): RuleSetChange => ({ kind: 'reading', ...change })),
    ...rulePairs.removed.map((rule): RuleSetChange => ({ kind: 'rule-removed', ...ruleOf(rule) })),
    ...rulePairs.added.map((rule): RuleSetChange => ({ kind: 'rule-added', ...ruleOf(rule) })),
    ...rulePairs.kept.flatMap(([before, after]) => ruleChanges(before, after)),
    ...(rulePairs.isReordered ? [{ kind: 'field', field: 'rules' } as const] : []),
    ...listPairs.removed.map((list): RuleSetChange => ({ kind: 'list-removed', ...listOf(list, namesOf) })),
    ...listPairs.added.map((list): RuleSetChange => ({ kind: 'list-added', ...listOf(list, namesOf) })),
    ...listPairs.kept.flatMap(([before, after]) => listChanges(before, after, namesOf)),
    ...(listPairs.isReordered ? [{ kind: 'field', field: 'lists' } as const] : []),
  ];
}

/** The items of two arrays, paired by key. Equal keys are paired in their order. */
interface Pairs {
  readonly removed: readonly unknown[];
  readonly added: readonly unknown[];
  readonly kept: readonly (readonly [before: unknown, after: unknown])[];
  /** Whether the items that both arrays have are in another order. */
  readonly isReordered: boolean;
}

function pair(
  before: readonly unknown[],
  after: readonly unknown[],
  keyOf: (item: unknown, at: number) => unknown,
): Pairs {
  const keyed = (items: readonly unknown[]) => {
    const seen = new Map<string, number>();
    return new Map(
      items.map((item, at) => {
        const key = canonicalJson(keyOf(item, at));
        const times = seen.get(key) ?? 0;
        seen.set(key, times + 1);
        return [`${times} ${key}`, item] as const;
      }),
    );
  };
  const [old, now] = [keyed(before), keyed(after)];
  const keptKeys = [...now.keys()].filter((key) => old.has(key));
  const oldKeys = [...old.keys()].filter((key) => now.has(key));
  return {
    removed: [...old].flatMap(([key, item]) => (now.has(key) ? [] : [item])),
    added: [...now].flatMap(([key, item]) => (old.has(key) ? [] : [item])),
    kept: keptKeys.map((key) => [old.get(key), now.get(key)] as const),
    isReordered: keptKeys.some((key, at) => key !== oldKeys[at]),
  };
}

function isSame(before: unknown, after: unknown): boolean {
  // An absent field and null have the same canonical text, but different digests.
  return (
    before === after ||
    ((before === undefined) === (after === undefined) && canonicalJson(before) === canonicalJson(after))
  );
}

/** Returns the fields in which two objects differ, in the order of the new object. */
function changedFields(before: Fields, after: Fields) {
  const fields = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return fields
    .filter((field) => !isSame(before[field], after[field]))
    .map((field) => ({ kind: 'field', field, before: before[field], after: after[field] }) as const);
}

function ruleOf(rule: unknown): OfRule {
  const { id, name } = asFields(rule) ?? {};
  const ruleId = asString(id) ?? '';
  return { ruleId, ruleName: asString(name) ?? ruleId };
}

function ruleChanges(before: unknown, after: unknown): RuleSetChange[] {
  const [old, now] = [asFields(before), asFields(after)];
  const rule = ruleOf(after);
  if (old === undefined || now === undefined) return [];
  const [wasOn, isOn] = [isSwitchedOn(old), isSwitchedOn(now)];
  const switched: RuleSetChange[] = wasOn === isOn ? [] : [{ kind: isOn ? 'rule-enabled' : 'rule-disabled', ...rule }];
  return [
    ...switched,
    ...changedFields(old, now).flatMap((change): RuleSetChange[] => {
      const { field, before: was, after: is } = change;
      if ((field === 'enabled' || field === 'active') && wasOn !== isOn) return [];
      if (field === 'conditions' && Array.isArray(was) && Array.isArray(is)) return conditionListChanges(was, is, rule);
      return [{ ...change, ...rule }];
    }),
  ];
}

function isSwitchedOn({ enabled, active }: Fields): boolean {
  return enabled !== false && active !== false;
}

function conditionListChanges(before: readonly unknown[], after: readonly unknown[], rule: OfRule): RuleSetChange[] {
  const idOf = (condition: unknown, at: number) => asFields(condition)?.id ?? at + 1;
  const { removed, added, kept, isReordered } = pair(before, after, idOf);
  const locate = (condition: unknown, all: readonly unknown[]): OfCondition => {
    const id = idOf(condition, all.indexOf(condition));
    return { ...rule, conditionId: typeof id === 'number' ? id : all.indexOf(condition) + 1 };
  };
  const changes: RuleSetChange[] = [
    ...removed.map((condition): RuleSetChange => ({ kind: 'condition-removed', ...locate(condition, before) })),
    ...added.map((condition): RuleSetChange => ({ kind: 'condition-added', ...locate(condition, after) })),
    ...kept.flatMap(([old, now]) => conditionChanges(old, now, locate(now, after))),
  ];
  return isReordered || changes.length === 0 ? [...changes, { kind: 'field', ...rule, field: 'conditions' }] : changes;
}

function conditionChanges(before: unknown, after: unknown, condition: OfCondition): RuleSetChange[] {
  const [old, now] = [asFields(before), asFields(after)];
  if (old === undefined || now === undefined) {
    return isSame(before, after) ? [] : [{ kind: 'field', ...condition, field: 'value', before, after }];
  }
  const entryKind = namesLists(now) ? 'list' : now.category === 'pattern' ? 'pattern' : 'term';
  const what = isScored(now) ? 'threshold' : entryKind;
  return changedFields(old, now).map((change): RuleSetChange => {
    const entries = change.field === 'value' ? entryChange(change) : undefined;
    if (entries === undefined) return { ...change, ...condition };
    return entries === 'reordered'
      ? { kind: 'field', ...condition, field: 'value' }
      : { kind: 'condition-values', what, ...condition, ...entries };
  });
}

/**
 * Returns the entries that were added and removed, or `undefined` if the values are not all texts.
 */
function entryChange(change: {
  readonly before?: unknown;
  readonly after?: unknown;
}): EntryChange | 'reordered' | undefined {
  const [before, after] = [asList(change.before), asList(change.after)];
  if (![...before, ...after].every((item) => typeof item === 'string')) return undefined;
  const [old, now] = [new Set(before as string[]), new Set(after as string[])];
  const added = [...now].filter((entry) => !old.has(entry));
  const removed = [...old].filter((entry) => !now.has(entry));
  return added.length + removed.length === 0 ? 'reordered' : { added, removed };
}

function listOf(list: unknown, namesOf: (listId: string) => readonly string[]): OfList & { entries: number } {
  const { id, searchTerms } = asFields(list) ?? {};
  const listId = asString(id) ?? '';
  return { listId, ruleNames: namesOf(listId), entries: asList(searchTerms).length };
}

function listChanges(before: unknown, after: unknown, namesOf: (listId: string) => readonly string[]): RuleSetChange[] {
  const [old, now] = [asFields(before), asFields(after)];
  if (old === undefined || now === undefined) return [];
  const { entries: _, ...list } = listOf(after, namesOf);
  return changedFields(old, now).map((change): RuleSetChange => {
    const entries = change.field === 'searchTerms' ? entryChange(change) : undefined;
    if (entries === undefined) return { ...change, ...list };
    return entries === 'reordered'
      ? { kind: 'field', ...list, field: 'searchTerms' }
      : { kind: 'list-entries', ...list, ...entries };
  });
}

/** Returns a function that returns the names of the rules that refer to a list. */
function referringRules(rules: readonly unknown[]): (listId: string) => readonly string[] {
  const names = new Map<string, Set<string>>();
  for (const rule of rules) {
    for (const condition of asList(asFields(rule)?.conditions)) {
      const fields = asFields(condition);
      if (fields === undefined || !namesLists(fields)) continue;
      for (const listId of asList(fields.value).filter((value) => typeof value === 'string')) {
        const ruleNames = names.get(listId) ?? new Set();
        names.set(listId, ruleNames.add(ruleOf(rule).ruleName));
      }
    }
  }
  return (listId) => [...(names.get(listId) ?? [])];
}
