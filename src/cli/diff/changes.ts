/** The wording of changes of a rule set, and of what a comparison of two rule sets rests on. */

import type { RuleSet } from '../../platform/contract/rule-set.js';
import { commentOf } from '../../platform/loader/term-comments.js';
import type { RuleSetChange } from '../../review/compare/describe-change.js';
import type { DiffReceipt } from '../../review/compare/diff-rule-sets.js';
import { joined, listed, quoted, type Words, words } from '../document/document.js';
import { counted } from '../terminal/text.js';

/** Number of entries of a change that are shown. Further ones are counted. */
const mostEntries = 5;

/** Fields on which no decision depends. */
const bookkeeping = new Set(['revisionId', 'updatedAt', 'createdAt', 'description', 'default']);

/**
 * Returns a clause for each change. Fields on which no decision depends share one clause. Terms
 * that a list gained are shown with their comments.
 */
export function changeClauses(changes: readonly RuleSetChange[], rules: RuleSet): Words[] {
  const isAside = (change: RuleSetChange) =>
    change.kind === 'field' && change.conditionId === undefined && bookkeeping.has(change.field);
  const aside = changes.filter(isAside).flatMap((change) => ('field' in change ? [change.field] : []));
  const clauses = changes.filter((change) => !isAside(change)).map((change) => changeWords(change, rules));
  if (aside.length === 0) return clauses;
  return [...clauses, `fields that decide nothing: ${[...new Set(aside)].join(', ')}`];
}

function changeWords(change: RuleSetChange, rules: RuleSet): Words {
  switch (change.kind) {
    case 'reading':
      return words`reading ${change.reading}: ${begotWords(change)}`;
    case 'field':
      return joined([...placeWords(change), fieldWords(change)], ': ');
    case 'rule-added':
    case 'rule-removed':
    case 'rule-enabled':
    case 'rule-disabled':
      return words`${ruleWords(change)} ${change.kind.slice('rule-'.length)}`;
    case 'condition-added':
    case 'condition-removed':
      return words`${conditionWords(change)} ${change.kind.slice('condition-'.length)}`;
    case 'condition-values':
      return words`${conditionWords(change)} ${entryWords(change, change.what)}`;
    case 'list-added':
    case 'list-removed':
      return words`${listWords(change)} ${change.kind.slice('list-'.length)}, with ${counted(change.entries, 'term')}`;
    case 'list-entries':
      return words`${listWords(change)} ${entryWords(change, 'term', (term) => {
        const comment = commentOf(rules, change.listId, term);
        return comment === undefined ? quoted(term) : words`${quoted(term)} (${quoted(comment)})`;
      })}`;
  }
}

function ruleWords({ ruleName }: { readonly ruleName: string }): Words {
  return words`rule ${quoted(ruleName)}`;
}

function conditionWords(condition: { readonly ruleName: string; readonly conditionId: number }): Words {
  return words`${ruleWords(condition)}, condition ${condition.conditionId}`;
}

/** Names the rule, condition or list that a field belongs to. Empty for a field of the rule set. */
function placeWords({
  ruleName,
  conditionId,
  listId,
  ruleNames = [],
}: Extract<RuleSetChange, { kind: 'field' }>): Words[] {
  if (listId !== undefined) return [listWords({ listId, ruleNames })];
  if (ruleName === undefined) return [];
  return [conditionId === undefined ? ruleWords({ ruleName }) : conditionWords({ ruleName, conditionId })];
}

function listWords({ listId, ruleNames }: { listId: string; ruleNames: readonly string[] }): Words {
  return words`list ${quoted(listId)} (${ruleNames.length === 0 ? 'of no rule' : listed(ruleNames, 2, quoted)})`;
}

function entryWords(
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
  noun: string,
  show: (entry: string) => Words = quoted,
): Words {
  const some = (verb: string, entries: readonly string[]) =>
    entries.length === 0
      ? []
      : [words`${verb} ${counted(entries.length, noun)}: ${listed(entries, mostEntries, show)}`];
  return joined([...some('gained', added), ...some('lost', removed)], '; ');
}

/** A value before and after a change. Either may be absent. */
interface Became {
  readonly before?: unknown;
  readonly after?: unknown;
}

function fieldWords(change: { readonly field: string } & Became): Words {
  const { field } = change;
  if (!('before' in change)) return words`the same ${quoted(field)} in another order or number`;
  return words`${quoted(field)} ${begotWords(change)}`;
}

/**
 * Describes a changed value without what is the same before and after: `"a" became "b"`, or `gained
 * "c"`.
 */
function begotWords({ before, after }: Became): Words {
  const [was, is] = [partsOf(before), partsOf(after)];
  const [old, now] = [new Set(was), new Set(is)];
  const [lost, gained] = [was.filter((entry) => !now.has(entry)), is.filter((entry) => !old.has(entry))];
  const isOfParts = was.length > 0 && is.length > 0;
  if (isOfParts && lost.length === 0 && gained.length > 0) return words`gained ${partWords(gained)}`;
  if (isOfParts && gained.length === 0 && lost.length > 0) return words`lost ${partWords(lost)}`;
  // The same entries may be in another order.
  const isMoved = lost.length + gained.length === 0;
  return words`${partWords(isMoved ? was : lost)} became ${partWords(isMoved ? is : gained)}`;
}

/** Describes a value by its entries. */
function valueWords(value: unknown): Words {
  return partWords(partsOf(value));
}

function partWords(entries: readonly string[]): Words {
  return entries.length === 0 ? 'none' : listed(entries, mostEntries, quoted);
}

/**
 * Returns the entries of a value: the value itself, or the contents of an object or array, each
 * with its path, such as `lists.names: word`.
 */
function partsOf(value: unknown, path = ''): string[] {
  if (value === undefined) return [];
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (fields.length === 0) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [path === '' ? text : `${path}: ${text}`];
  }
  return fields.flatMap(([name, item]) => {
    const inArray = typeof item === 'object' ? `${path}[${name}]` : path;
    return partsOf(item, Array.isArray(value) ? inArray : path === '' ? name : `${path}.${name}`);
  });
}

/** Describes the readings of both sides in one sentence. */
export function readingWords({ semantics }: Pick<DiffReceipt, 'semantics'>): Words {
  const [newer, older] = [sideReadings(semantics.rules), sideReadings(semantics.against)];
  const isEqual = JSON.stringify(newer) === JSON.stringify(older);
  return isEqual ? words`readings of both: ${newer}` : words`readings of the new rules: ${newer}; of the old: ${older}`;
}

export const assumedReadings =
  'the old rules are judged by the readings of --semantics too; --against-semantics FILE gives them their own';

function sideReadings(semantics: Readonly<Record<string, unknown>>): Words {
  const changed = Object.entries(semantics).map(([reading, value]) => words`${reading} ${valueWords(value)}`);
  return changed.length === 0 ? 'the defaults' : joined(changed);
}

export function receiptWords({ rules, against, messages, semantics, engine }: DiffReceipt): Words {
  const short = (digest: string) => digest.slice(0, 12);
  return joined([
    `receipt: rules ${short(rules)}`,
    `against ${short(against)}`,
    ...(messages === undefined ? [] : [`messages ${short(messages)}`]),
    readingWords({ semantics }),
    `sluice ${engine}`,
  ]);
}
