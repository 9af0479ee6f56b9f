/** Changes of a rule set that a proposal is made of: an exception, another reading, another entry, another threshold. */
import { namesLists } from '../../engine/compile/list-flags.js';
import { unquoteCsv } from '../../engine/compile/terms.js';
import { parseThreshold, printThreshold } from '../../engine/compile/threshold.js';
import { asList } from '../../engine/compile/untrusted.js';
import type { RuleSetInput } from '../../engine/engine.js';
import { type Exception, resolveSemantics, type Semantics, semanticsOf } from '../../engine/semantics.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import type { Condition } from '../../platform/contract/rule.js';

/** A rule set and the readings that a caller gave for it. */
export interface Parts {
  readonly ruleSet: RuleSetInput;
  readonly semantics: Partial<Semantics> | undefined;
}

/** A change that can be made to any rule set that has its place. */
export interface Change {
  readonly kind: 'exception' | 'reading' | 'edges' | 'removal' | 'threshold';
  /** For people: lowercase, one line. */
  readonly detail: string;
  /** Changes of one subject exclude each other: they are other ways to the same end. */
  readonly subject: string;
  /** Words that the change adds to what is stopped or let through: fewer are preferred. */
  readonly size: number;
  /** Returns the changed rule set, with `comment` on the entries that it adds; the same object if it has no such place. */
  apply(parts: Parts, comment?: string): Parts;
}

/** The place of a term or a pattern: a keyword list, or else the conditions of a rule. */
interface EntryPlace {
  readonly ruleId: string;
  readonly listId?: string | undefined;
}

/** Returns the readings in force. */
export function readingsOf({ ruleSet, semantics }: Parts): Semantics {
  return resolveSemantics(semanticsOf(ruleSet, semantics));
}

/** Returns parts with another value of a reading, which stands with the rules, and also where the caller gave the reading. */
export function withReading<Name extends keyof Semantics>(parts: Parts, name: Name, value: Semantics[Name]): Parts {
  const { ruleSet, semantics } = parts;
  return {
    ruleSet: { ...ruleSet, semantics: { ...ruleSet.semantics, [name]: value } },
    semantics: semantics?.[name] === undefined ? semantics : { ...semantics, [name]: value },
  };
}

/** Returns parts with a list, and a comment on one of its terms. */
function withList(parts: Parts, list: KeywordList, term: string, comment: string | undefined): Parts {
  const { lists, comments } = parts.ruleSet;
  const isThere = lists.some((one) => one?.id === list.id);
  const own = comments?.[list.id];
  const noted =
    comment === undefined
      ? comments
      : { ...comments, [list.id]: { ...own, terms: { ...own?.terms, [term]: comment } } };
  const changed = isThere ? lists.map((one) => (one?.id === list.id ? list : one)) : [...lists, list];
  return { ...parts, ruleSet: { ...parts.ruleSet, lists: changed, ...(noted && { comments: noted }) } };
}

/**
 * Returns parts with a term that excepts matches of a list, or of a rule where there is none. The term goes into the list of exceptions that is
 * for this place alone; if there is none, one is made, so that the term has a place for a comment.
 */
export function withException(parts: Parts, { ruleId, listId }: EntryPlace, term: string, comment?: string): Parts {
  const target = listId === undefined ? { rules: [ruleId] } : { lists: [listId] };
  const { exceptions } = readingsOf(parts);
  const { lists } = parts.ruleSet;
  const isFor = (one: string | Exception): one is Exception =>
    typeof one !== 'string' && JSON.stringify(one.for) === JSON.stringify(target);
  const ids = exceptions.filter(isFor).flatMap((one) => one.lists ?? []);
  const existing = lists.find((list) => ids.includes(list?.id) && list.category !== 'pattern');
  if (existing !== undefined)
    return withList(parts, { ...existing, searchTerms: [...existing.searchTerms, term] }, term, comment);
  let id = `${listId ?? ruleId}-exceptions`;
  while (lists.some((list) => list?.id === id)) id += '-2';
  const made = withList(parts, { id, category: 'word', searchTerms: [term] }, term, comment);
  return withReading(made, 'exceptions', [...exceptions, { lists: [id], for: target }]);
}

/** Returns parts with other entries in a place: `change` gets each that is `written`, and returns what stands for it, if anything. */
export function withEntry(
  parts: Parts,
  { ruleId, listId }: EntryPlace,
  written: string,
  change: string | undefined,
  comment?: string,
): Parts {
  const { lists } = parts.ruleSet;
  const isIt = (entry: unknown) =>
    typeof entry === 'string' && (entry === written || entry.trim() === written || unquoteCsv(entry) === written);
  const changed = (entries: readonly string[]) => {
    if (!entries.some(isIt)) return undefined;
    const left = entries.flatMap((entry) => (isIt(entry) ? (change ?? []) : [entry]));
    // Conditions and lists without an entry are an error of the rules.
    return left.length === 0 ? undefined : left;
  };
  if (listId !== undefined) {
    const list = lists.find((one) => one?.id === listId);
    const searchTerms = list && changed(list.searchTerms);
    if (!searchTerms) return parts;
    return withList(parts, { ...list, searchTerms }, change ?? '', change === undefined ? undefined : comment);
  }
  return withConditions(parts, ruleId, (condition) => {
    const value = namesLists(condition) ? undefined : changed(asList(condition.value) as readonly string[]);
    return value && { ...condition, value };
  });
}

/** Returns parts with another threshold of a condition. */
export function withThreshold(parts: Parts, at: ThresholdPlace, greaterThan: number): Parts {
  return withConditions(parts, at.ruleId, (condition, conditionId) => {
    if (conditionId !== at.conditionId) return undefined;
    const isIt = (written: string) => {
      const threshold = parseThreshold(written);
      return threshold?.label === at.label && threshold.greaterThan === at.greaterThan;
    };
    const changed = printThreshold({ label: at.label, greaterThan });
    const value = (asList(condition.value) as readonly string[]).map((one) =>
      typeof one === 'string' && isIt(one) ? changed : one,
    );
    return { ...condition, value };
  });
}

/** A threshold of a condition. */
export interface ThresholdPlace {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly label: string;
  readonly greaterThan: number;
}

function withConditions(
  parts: Parts,
  ruleId: string,
  change: (condition: Condition, conditionId: number) => Condition | undefined,
): Parts {
  let isChanged = false;
  const changed = parts.ruleSet.rules.map((rule) => {
    if (rule?.id !== ruleId || !Array.isArray(rule.conditions)) return rule;
    const conditions = rule.conditions.map((condition, at) => {
      const own = change(condition, condition?.id ?? at + 1);
      isChanged ||= own !== undefined;
      return own ?? condition;
    });
    return { ...rule, conditions };
  });
  return isChanged ? { ...parts, ruleSet: { ...parts.ruleSet, rules: changed } } : parts;
}

/** Returns parts with another reading of the words of a list, or of all that have none of their own. */
export function withWords(
  parts: Parts,
  listId: string | undefined,
  change: { readonly reading?: string; readonly folding?: string },
): Parts {
  const { words, folding } = readingsOf(parts);
  const { default: other = 'word', lists } = typeof words === 'string' ? { default: words, lists: {} } : words;
  if (listId === undefined) {
    const value = (change.reading ?? other) as typeof other;
    if (change.folding !== undefined) return withReading(parts, 'folding', change.folding as typeof folding);
    return withReading(parts, 'words', typeof words === 'string' ? value : { ...words, default: value });
  }
  const own = lists[listId];
  const now = { ...(typeof own === 'string' ? { reading: own } : own), ...change };
  const value = Object.keys(now).length === 1 && now.reading !== undefined ? now.reading : now;
  return withReading(parts, 'words', { default: other, lists: { ...lists, [listId]: value } } as Semantics['words']);
}
