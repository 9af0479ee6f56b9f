/**
 * The forms in which rules and keyword lists are compared with those of a platform and sent to it,
 * and their digests.
 */
import { listFlags, namesLists } from '../../engine/compile/list-flags.js';
import { unquoteCsv } from '../../engine/compile/terms.js';
import { asFields, asList, type Fields } from '../../engine/compile/untrusted.js';
import { digest } from '../../foundation/digest.js';
import type { KeywordList } from '../contract/keyword-list.js';
import type { Rule } from '../contract/rule.js';
import type { PulledDigests, RuleSet } from '../contract/rule-set.js';

/** A rule or a keyword list. */
export type Part = Rule | KeywordList;
export type PartKind = 'rule' | 'list';

/** Fields that a platform takes. */
const sent: Readonly<Record<PartKind, readonly string[]>> = {
  rule: ['id', 'name', 'description', 'enabled', 'action', 'filters', 'conditions'],
  list: ['id', 'name', 'description', 'category', 'searchTerms'],
};

/** The parts of a rule set by kind, as `rules` and `lists` name them. */
export const collections = { rule: 'rules', list: 'lists' } as const;

/**
 * Returns a part as it is compared: the fields that a platform takes, and `active`, with defaults
 * filled in, single values as arrays, the spellings of one flag as one, and terms of CSV cells
 * without their quotes. Fields that a platform adds, such as `revisionId`, are left out.
 */
export function formOf(kind: PartKind, part: Part): Fields {
  const fields = present(part as unknown as Fields);
  const { id, name = id, description = '', active = true, enabled = true, category = 'word' } = fields;
  const shared = { id, name, description, active };
  if (kind === 'list') return { ...shared, category, searchTerms: termsOf(part as KeywordList) };
  const filters = asList(fields.filters).map((filter) => present(asFields(filter) ?? {}));
  const conditions = asList(fields.conditions).map((condition, at) => conditionForm(asFields(condition) ?? {}, at));
  return { ...shared, enabled, action: asList(fields.action), filters, conditions };
}

/** Returns the ids of the lists that a rule names. */
export function listsNamedBy(rule: Rule): string[] {
  const conditions = formOf('rule', rule).conditions as readonly { lists: boolean; value: readonly unknown[] }[];
  const isId = (value: unknown): value is string => typeof value === 'string' && value !== '';
  return conditions.flatMap(({ lists, value }) => (lists ? value.filter(isId) : []));
}

/** Returns the terms of a list, those of CSV cells without their quotes. */
export function termsOf({ isCSV, searchTerms }: Pick<KeywordList, 'isCSV' | 'searchTerms'>): readonly string[] {
  const terms = asList(searchTerms).map(String);
  return isCSV === true ? terms.map(unquoteCsv) : terms;
}

function conditionForm(condition: Fields, index: number): Fields {
  const { id = index + 1, entity = 'message', category = 'word', operator = 'contains', ...rest } = present(condition);
  const flags = new Set<string>([...listFlags, '_id']);
  // A flag that is false means the same as an absent one.
  const kept = Object.entries(rest).filter(([name, value]) => !flags.has(name) && value !== false);
  const values = { value: asList(condition.value), message: asList(condition.message), lists: namesLists(condition) };
  return { ...Object.fromEntries(kept), id, entity, category, operator, ...values };
}

function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

/** Returns the fields of a part that a platform takes. */
export function bodyOf(kind: PartKind, part: Part): Part {
  const fields = present(part as unknown as Fields);
  const body = Object.fromEntries(sent[kind].flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
  return (kind === 'list' ? { ...body, searchTerms: termsOf(part as KeywordList) } : body) as unknown as Part;
}

/**
 * Returns the part that a platform has once `part` replaces `live`: a part that was written is
 * active.
 */
export function sentOver(kind: PartKind, part: Part, live: Part | undefined): Part {
  const isBuiltIn = live?.default === true;
  return { ...bodyOf(kind, part), ...(isBuiltIn && { default: true }) };
}

/** Digests a part by its form. */
export function partDigest(kind: PartKind, part: Part): string {
  return digest(formOf(kind, part));
}

/**
 * Returns rules and lists with each part as it is compared; a condition that names lists has the
 * flag that says so.
 */
export function comparedForms({ rules, lists }: Pick<RuleSet, 'rules' | 'lists'>): Pick<RuleSet, 'rules' | 'lists'> {
  const fieldsOf = (parts: unknown) => asList(parts).filter((part) => asFields(part) !== undefined) as Part[];
  const flagged = ({ lists, ...condition }: Fields) => ({
    ...condition,
    ...(lists === true && { [listFlags[0]]: true }),
  });
  const forms = {
    rules: fieldsOf(rules).map((rule) => {
      const form = formOf('rule', rule);
      return { ...form, conditions: (form.conditions as Fields[]).map(flagged) };
    }),
    lists: fieldsOf(lists).map((list) => formOf('list', list)),
  };
  return forms as unknown as Pick<RuleSet, 'rules' | 'lists'>;
}

/** Returns the digest of an id, which may be a name such as `constructor`. */
export function digestOf(digests: Readonly<Record<string, string>> | undefined, id: string): string | undefined {
  return digests !== undefined && Object.hasOwn(digests, id) ? digests[id] : undefined;
}

/**
 * Digests each rule and each list of a rule set, by id; of two with the same id the first counts.
 */
export function digestParts(ruleSet: Pick<RuleSet, 'rules' | 'lists'>): PulledDigests {
  const digests = (kind: PartKind) => {
    const parts: readonly Part[] = ruleSet[collections[kind]];
    const entries = parts
      .filter((part) => typeof part?.id === 'string')
      .map((part) => [part.id, partDigest(kind, part)]);
    return Object.fromEntries(entries.reverse()) as Record<string, string>;
  };
  return { rules: digests('rule'), lists: digests('list') };
}
