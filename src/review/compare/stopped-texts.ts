/**
 * Finds the terms that one rule set stops and another one no longer stops. It tests both engines:
 * it makes texts from each term, and a term is lost if the old engine stops one of its texts and
 * the new engine allows it. The cause does not matter: a list that was removed, another reading or
 * folding, or an exception.
 *
 * Each condition is tested alone, with a text for its operand. What narrows a rule is compared as
 * data: its filters, the exemptions and, under `conditions: 'all'`, its other conditions.
 */
import { runs } from '../../engine/compile/compile-rule-set.js';
import type { CompiledRuleSet, TextOperand } from '../../engine/compile/compiled-rule-set.js';
import { textOperands } from '../../engine/compile/operands.js';
import type { Reference } from '../../engine/compile/references.js';
import { asList } from '../../engine/compile/untrusted.js';
import { stops } from '../../engine/compile/verdicts.js';
import { createTermReader } from '../../engine/compile/word-readings.js';
import { Hits } from '../../engine/evaluate/hits.js';
import { observe } from '../../engine/evaluate/observation.js';
import type { Semantics } from '../../engine/semantics.js';
import { canonicalJson } from '../../foundation/digest.js';
import { PORTION, type Portions } from '../../foundation/portions.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';

/** A compiled rule set with its readings. */
export interface CompiledRules {
  readonly ruleSet: RuleSet;
  readonly compiled: CompiledRuleSet;
  readonly semantics: Semantics;
}

/**
 * Entries of one keyword list, or of the conditions of one rule, that stop messages in the same
 * way. For a rule that can stop a message, the rule itself is the only entry.
 */
export interface StoppingGroup {
  readonly kind: 'rule' | 'term' | 'link' | 'pattern' | 'score';
  /** The id of the keyword list. Absent for rules, and for entries in conditions. */
  readonly listId?: string;
  /** The id of the rule. Absent for entries of lists, which many rules may use. */
  readonly ruleId?: string;
  readonly operand: string;
  /** The operator of the conditions, or the label of scores. Empty for rules. */
  readonly detail: string;
  /** The filters and other conditions that the rules require besides an entry, sorted. */
  readonly narrowedBy: readonly string[];
  /** The score that must be exceeded. 0 for everything except scores. */
  readonly above: number;
  /**
   * Each entry as written, with the forms of its text that are stopped: a bit for each index in
   * `formsOf`.
   */
  readonly entries: ReadonlyMap<string, number>;
}

const ALL_FORMS = 63;
/** Longer terms, in UTF-16 units, are tested only as they are. */
const longestFormed = 1000;
/** Number of references that are visited between two pauses. */
const ENTRIES = 1024;

/**
 * The text of an entry, and whether it also matches within words. Patterns that are not a plain
 * word have no text.
 */
interface AskedEntry {
  readonly kind: StoppingGroup['kind'];
  readonly text?: string | undefined;
  readonly isOpen: { readonly start: boolean; readonly end: boolean };
}

/**
 * Returns the texts with which an entry is tested: in a sentence, as it is, in lower and upper
 * case, and within a word if it matches there. Texts that repeat another or would be too long are
 * undefined.
 */
function formsOf({ kind, isOpen }: AskedEntry, text: string): readonly (string | undefined)[] {
  if (kind === 'link') return [`see ${text}, 2`, text === '*' ? 'https://a.example/b' : `https://${text}`];
  if (text.length > longestFormed) return [undefined, text];
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  return [
    `1 ${text}, 2`,
    text,
    lower === text ? undefined : lower,
    upper === text ? undefined : upper,
    isOpen.end ? `${text}q` : undefined,
    isOpen.start ? `q${text}` : undefined,
  ];
}

/** The index, among the forms, of the entry as it is. */
const AS_IT_IS = 1;

/** An engine that tells which of its conditions a text meets. */
class AskedEngine {
  readonly #hits: Hits;

  constructor({ compiled }: CompiledRules) {
    this.#hits = new Hits(compiled);
  }

  /** Reports whether a text of an operand meets one of the marked conditions. */
  meets(text: string, operand: string, isMarked: Uint8Array): boolean {
    const hits = this.#hits;
    const message = operand === 'custom' ? { category: 'custom', data: { text } } : text;
    try {
      hits.scan(observe(message, undefined, textOfCustom), asked, 1);
      for (let at = 0; at < hits.heldCount; at++) if (isMarked[hits.held[at]!] === 1) return true;
      return false;
    } finally {
      hits.clear();
    }
  }
}

const asked = { missingScores: 'allow', unreadable: 'allow' } as const;
const textOfCustom = [{ key: 'text', parent: { key: 'data' } }];

/** A condition that can stop a message: its operator, and what narrows its rule. */
interface StoppingCondition {
  readonly operator: string;
  readonly narrowedBy: readonly string[];
}

/** Returns for each condition how it can stop a message, or `undefined` if it never can. */
function stoppingConditions({ ruleSet, compiled, semantics }: CompiledRules): (StoppingCondition | undefined)[] {
  const running = ruleSet.rules
    .filter(({ id }) => typeof id === 'string' && id !== '')
    .filter((rule) => runs(rule, semantics));
  return compiled.conditions.map(({ rule: index }, position): StoppingCondition | undefined => {
    const { firstCondition, rank, shadow, filterError } = compiled.rules[index]!;
    if (!stops(compiled.verdicts[rank]) || shadow || filterError !== undefined) return undefined;
    const { operator = 'contains' } = (running[index]!.conditions[position - firstCondition] ?? {}) as {
      readonly operator?: string;
    };
    return { operator, narrowedBy: narrowingOf(running[index]!, semantics) };
  });
}

function narrowingOf({ filters, conditions }: Rule, { conditions: combined, exempt }: Semantics): readonly string[] {
  const all = asList(filters).map(canonicalJson);
  if (typeof exempt === 'function') all.push('exempt by a function');
  else for (const filter of exempt) all.push(`exempt ${canonicalJson(filter)}`);
  if (combined === 'all') {
    const seen = new Map<string, number>();
    for (const { operand, category, operator } of conditions) {
      const way = [category ?? 'word', operand, operator ?? 'contains'].join(' ');
      seen.set(way, (seen.get(way) ?? 0) + 1);
      all.push(`condition ${seen.get(way)}: ${way}`);
    }
  }
  return [...new Set(all)].sort();
}

/** Creates the function that reads an entry of a condition. */
function createEntryReader(semantics: Semantics) {
  const reader = createTermReader(semantics);
  return (written: string, listId: string | undefined, isPattern: boolean, operator: string): AskedEntry => {
    if (isPattern) return { kind: 'pattern', text: wordOf(written), isOpen: everywhere };
    const { text, reading } = operator === 'equals' ? reader.readWhole(written, listId) : reader.read(written, listId);
    return { kind: reading === 'links' ? 'link' : 'term', text, isOpen: openEnds[reading] };
  };
}

const everywhere = { start: true, end: true };
const nowhere = { start: false, end: false };
const openEnds = {
  substring: everywhere,
  prefix: { start: false, end: true },
  suffix: { start: true, end: false },
  word: nowhere,
  whole: nowhere,
  links: nowhere,
} as const;

function* eachReference(
  { words, patterns }: CompiledRuleSet,
  visit: (reference: Reference, isPattern: boolean, operand: TextOperand) => void,
): Portions<void> {
  for (const operand of textOperands) {
    for (const isPattern of [false, true]) {
      const { references } = (isPattern ? patterns : words).references[operand];
      for (const [index, reference] of references.entries()) {
        if (index % ENTRIES === 0) yield;
        visit(reference, isPattern, operand);
      }
    }
  }
}

/** A rule set with the entries that can stop a message, and a test of texts. */
interface AskedRules {
  readonly groups: readonly StoppingGroup[];
  /**
   * Reports whether a text is stopped by a condition that nothing narrows except what `narrowedBy`
   * contains.
   */
  stops(text: string, operand: string, narrowedBy: readonly string[]): boolean;
}

/**
 * Lists the entries of a rule set that can stop a message, and prepares its engine for tests. Rules
 * that do not run, are in shadow or have no stopping action have no such entries. Terms to which an
 * exception always applies are left out.
 */
export function* askRules(rules: CompiledRules): Portions<AskedRules> {
  const { compiled, semantics } = rules;
  const conditions = stoppingConditions(rules);
  const engine = new AskedEngine(rules);
  const marks = new Map<readonly string[], Uint8Array>();
  const stops = (text: string, operand: string, narrowedBy: readonly string[]) => {
    let marked = marks.get(narrowedBy);
    if (marked === undefined) {
      const isMet = (need: string) => narrowedBy.includes(need);
      marked = Uint8Array.from(conditions, (condition) => Number(condition?.narrowedBy.every(isMet) === true));
      marks.set(narrowedBy, marked);
    }
    return engine.meets(text, operand, marked);
  };
  const drafts = new Map<string, Draft>();
  const draftOf = (index: number, listId: string | undefined, kind: StoppingGroup['kind'], detail = '', above = 0) => {
    const condition = conditions[index];
    if (condition === undefined) return undefined;
    const { rule, operand } = compiled.conditions[index]!;
    const owner = listId === undefined ? { ruleId: compiled.rules[rule]!.id } : { listId };
    const { narrowedBy, operator } = condition;
    return addGroup(drafts, { ...owner, kind, operand, detail: detail || operator, narrowedBy, above });
  };
  for (const [index, { thresholds }] of compiled.conditions.entries())
    for (const { key, greaterThan } of thresholds)
      draftOf(index, undefined, 'score', key, greaterThan)?.entries.set(key, ALL_FORMS);
  /** Marks the conditions that have an entry. */
  const remaining = Uint8Array.from(compiled.conditions, ({ thresholds }) => Number(thresholds.length > 0));
  const read = createEntryReader(semantics);
  const draftsByKey = new Map<string, Draft | undefined>();
  yield* eachReference(compiled, ({ condition, listId, written, scopes }, isPattern, operand) => {
    const entry = read(written, listId, isPattern, conditions[condition]?.operator ?? '');
    const draftKey = `${condition} ${entry.kind} ${listId ?? ''}`;
    if (!draftsByKey.has(draftKey)) draftsByKey.set(draftKey, draftOf(condition, listId, entry.kind));
    const draft = draftsByKey.get(draftKey);
    if (draft === undefined) return;
    const isExcepted = scopes !== undefined && entry.text !== undefined;
    if (isExcepted && !stops(formsOf(entry, entry.text)[AS_IT_IS]!, operand, draft.narrowedBy)) return;
    draft.entries.set(written, ALL_FORMS);
    remaining[condition] = 1;
  });
  for (const [index, { rule }] of compiled.conditions.entries()) {
    if (conditions[index] === undefined || remaining[index] === 0) continue;
    const { narrowedBy } = conditions[index];
    const { id: ruleId } = compiled.rules[rule]!;
    const group = { kind: 'rule', ruleId, operand: '', detail: '', narrowedBy, above: 0 } as const;
    addGroup(drafts, group).entries.set(ruleId, ALL_FORMS);
  }
  return { groups: [...drafts.values()].filter(({ entries }) => entries.size > 0), stops };
}

type Draft = Omit<StoppingGroup, 'entries'> & { readonly entries: Map<string, number> };

/**
 * Returns the group that has the same fields as the given one except for its entries, and adds it
 * if it is new.
 */
function addGroup(groups: Map<string, Draft>, group: Omit<StoppingGroup, 'entries'>): Draft {
  const { listId, ruleId, kind, operand, detail, narrowedBy, above } = group;
  const key = JSON.stringify([listId, ruleId, kind, operand, detail, narrowedBy, above]);
  const draft = groups.get(key) ?? { ...group, entries: new Map() };
  groups.set(key, draft);
  return draft;
}

/** Merges groups that are equal except for their entries. */
export function mergeGroups(groups: readonly StoppingGroup[]): readonly StoppingGroup[] {
  const joined = new Map<string, Draft>();
  for (const { entries, ...group } of groups) {
    const merged = addGroup(joined, group).entries;
    for (const [written, forms] of entries) merged.set(written, (merged.get(written) ?? 0) | forms);
  }
  return [...joined.values()];
}

/**
 * Lists the entries that another rule set, `after`, no longer stops. `before` is the rule set of
 * the entries, which is tested only if `after` allows a text. Without it, the noted forms count as
 * stopped.
 */
export function* lostGroups(
  groups: readonly StoppingGroup[],
  semantics: Semantics,
  { before, after }: { readonly before?: AskedRules; readonly after: AskedRules },
): Portions<StoppingGroup[]> {
  const read = createEntryReader(semantics);
  const lost = new Map<string, Draft>();
  let left = PORTION;
  for (const { entries, ...group } of groups) {
    const { kind, operand, narrowedBy, listId, detail } = group;
    const isAsked = kind !== 'score' && kind !== 'rule';
    const stands = (text: string) => after.stops(text, operand, narrowedBy);
    const stood = (text: string) => before?.stops(text, operand, narrowedBy) !== false;
    for (const [written, stopped] of entries) {
      const entry = isAsked ? read(written, listId, kind === 'pattern', detail) : undefined;
      const gone =
        entry?.text === undefined
          ? stopped * Number(!hasEntry(after.groups, group, written))
          : lostForms(formsOf(entry, entry.text), stopped, entry.kind !== 'link', stands, stood);
      if (gone !== 0) addGroup(lost, group).entries.set(written, gone);
      left -= 32 * (written.length + 16);
      if (left > 0) continue;
      left = PORTION;
      yield;
    }
  }
  return [...lost.values()];
}

type Asks = (text: string) => boolean;

/** Returns the forms, as bits, that were stopped before and no longer are. */
function lostForms(
  forms: readonly (string | undefined)[],
  stopped: number,
  isAloneImplied: boolean,
  stands: Asks,
  stood: Asks,
): number {
  let gone = 0;
  let isImplied = false;
  for (const [form, text] of forms.entries()) {
    if (text === undefined || (stopped & (1 << form)) === 0 || (form === AS_IT_IS && isImplied)) continue;
    const isLeft = stands(text);
    // If a term is stopped in a sentence, it is also stopped alone.
    isImplied = form < AS_IT_IS && isLeft && isAloneImplied;
    if (!isLeft && stood(text)) gone |= 1 << form;
  }
  return gone;
}

/**
 * Reports whether a rule set still has an entry: the same rule or pattern, or the same label with a
 * threshold that is not higher.
 */
function hasEntry(groups: readonly StoppingGroup[], group: Omit<StoppingGroup, 'entries'>, written: string): boolean {
  return groups.some(
    ({ kind, operand, detail, above, narrowedBy, entries }) =>
      kind === group.kind &&
      operand === group.operand &&
      detail === group.detail &&
      above <= group.above &&
      narrowedBy.every((need) => group.narrowedBy.includes(need)) &&
      entries.has(written),
  );
}

const word = /^(?:\(\?i\))?(?:\\b)?([\p{L}\p{N}][\p{L}\p{M}\p{N}' -]*)(?:\\b)?$/u;

/**
 * Returns the word that a pattern consists of, perhaps with word edges or `(?i)`, or `undefined`
 * for any other pattern.
 */
function wordOf(pattern: string): string | undefined {
  const found = word.exec(pattern)?.[1];
  return found !== undefined && /\p{L}/u.test(found) ? found : undefined;
}
