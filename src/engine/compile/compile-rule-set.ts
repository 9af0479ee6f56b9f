/**
 * Compiles a rule set in named steps: lists, rules and their conditions, then one set over all
 * patterns and one automaton over all terms.
 *
 * INVARIANT: a broken part is an issue, never an exception, and the rest of the rule set works as
 * it would without that part.
 */

import { PORTION, type Portions } from '../../foundation/portions.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { ListNotice } from '../../platform/contract/rule-set.js';
import { Advice } from '../match/keyword-scan.js';
import type { Semantics } from '../semantics.js';
import { actionsOf } from './actions.js';
import type { CompiledCondition, CompiledRule, CompiledRuleSet, PatternIndex, WordIndex } from './compiled-rule-set.js';
import {
  type LinkedExceptionPatterns,
  linkExceptionPatterns,
  type ReadExceptions,
  readExceptions,
} from './exceptions.js';
import { compileFilter, type FilterCheck } from './filter.js';
import { IssueLog, type IssuePlace } from './issue.js';
import { joinPatterns, type PatternRequest } from './join-patterns.js';
import { joinTerms, type WordRequest } from './join-terms.js';
import { checkFields } from './known-fields.js';
import { type Lowered, lowerCondition, type TermSource } from './lower-condition.js';
import { isIdleTerm, type SlipCode, slipDetail, slipOf } from './slips.js';
import { termLimits } from './term-limits.js';
import { readTermLists, type TermList } from './terms.js';
import { asFields, asList, asString, type Fields } from './untrusted.js';
import { tabulateVerdicts } from './verdict-tables.js';
import type { Verdict } from './verdicts.js';
import { createTermReader } from './word-readings.js';

/**
 * The parts of a rule set that are compiled. They are unchecked, because rule sets come from files
 * and other programs.
 */
interface RuleSetParts {
  readonly rules: readonly unknown[];
  readonly lists: readonly unknown[];
  readonly missing: ReadonlyMap<string, string>;
  readonly notices?: readonly ListNotice[];
}

interface Draft {
  readonly rules: CompiledRule[];
  readonly conditions: CompiledCondition[];
  readonly words: WordRequest[];
  readonly patterns: PatternRequest[];
  /** Slips in lists that were reported, by code and id: many conditions may name one list. */
  readonly reported: Set<string>;
}

/**
 * Compiles a rule set, in portions. Never throws because of its content: everything wrong with it
 * is in `issues`. Pattern sets are closed when the compilation is abandoned.
 */
export function* compileRuleSet(input: RuleSetParts, semantics: Semantics): Portions<CompiledRuleSet> {
  const log = new IssueLog();
  for (const { code, listId, detail } of input.notices ?? []) log.add(code, { listId }, detail);
  const lists = yield* readTermLists(input.lists, log);
  const verdicts = semantics.precedence as readonly Verdict[];
  const draft: Draft = { rules: [], conditions: [], words: [], patterns: [], reported: new Set() };
  const ruleIds = new Set(input.rules.map((rule) => asFields(rule)?.id));
  const exceptions = yield* readExceptions(semantics, { ruleIds, lists, missing: input.missing }, log);
  yield* compileRules(input.rules, { draft, lists, exceptions, missing: input.missing, semantics, verdicts, log });
  reportUnknownIds(semantics, ruleIds, new Set(input.lists.map((list) => asFields(list)?.id)), log);
  const patterns = yield* joinPatterns(draft.patterns, semantics, log);
  let ofExceptions: LinkedExceptionPatterns = {};
  let isComplete = false;
  try {
    if (exceptions !== undefined) ofExceptions = yield* linkExceptionPatterns(exceptions.entries, semantics, log);
    const words = yield* joinTerms(draft.words, exceptions?.entries ?? [], semantics, log);
    scanEmptyText(words.index, patterns.index);
    yield;
    const conditions: CompiledCondition[] = [];
    for (const [index, condition] of draft.conditions.entries()) {
      const compileError = condition.compileError ?? patterns.errors.get(index) ?? words.errors.get(index);
      const ofCondition = [...(patterns.ofCondition.get(index) ?? [])];
      conditions.push({ ...condition, patterns: ofCondition, ...(compileError !== undefined && { compileError }) });
      if (index % PORTION === 0) yield;
    }
    const ranked = { rules: draft.rules, conditions, all: semantics.conditions === 'all', none: verdicts.length };
    const tables = yield* tabulateVerdicts(ranked, words.index.references, patterns.index.references);
    const unreadableConditions =
      semantics.unreadable === 'block' ? yield* conditionsOnText(conditions, words.index, patterns.index) : [];
    isComplete = true;
    return {
      rules: draft.rules,
      conditions,
      scoredConditions: conditions.flatMap(({ thresholds }, index) => (thresholds.length > 0 ? [index] : [])),
      unreadableConditions,
      words: words.index,
      patterns: patterns.index,
      exceptions: exceptions && { ...exceptions, words: words.exceptions, ...ofExceptions },
      tables,
      verdicts,
      issues: log.issues,
      idle: log.idle,
    };
  } finally {
    if (!isComplete) {
      patterns.index.set?.close();
      ofExceptions.patterns?.set.close();
    }
  }
}

/** Reports ids of the semantics that nothing in the rule set has. */
function reportUnknownIds(
  { shadow, words }: Semantics,
  ruleIds: ReadonlySet<unknown>,
  listIds: ReadonlySet<unknown>,
  log: IssueLog,
): void {
  for (const [index, ruleId] of shadow.entries()) {
    if (!ruleIds.has(ruleId))
      log.add('unknown-shadow-rule', { ruleId, index }, 'is a shadow rule of the semantics, and no rule has this id');
  }
  for (const listId of typeof words === 'string' ? [] : Object.keys(words.lists)) {
    if (!listIds.has(listId))
      log.add('unknown-word-list', { listId }, 'has a reading of `words` in the semantics, and no list has this id');
  }
}

/**
 * Returns the conditions on `text` that have a threshold, or a term or a pattern that runs, in
 * their order.
 */
function* conditionsOnText(
  conditions: readonly CompiledCondition[],
  words: WordIndex,
  { set, references }: PatternIndex,
): Portions<readonly number[]> {
  const found = new Set<number>();
  for (const [index, { operand, thresholds }] of conditions.entries())
    if (operand === 'text' && thresholds.length > 0) found.add(index);
  const groups = [words.references.text.references, set === undefined ? [] : references.text.references];
  for (const group of groups) {
    for (const [index, { condition }] of group.entries()) {
      found.add(condition);
      if (index % PORTION === 0) yield;
    }
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * Scans an empty text, so that the alphabets of terms and patterns are joined now and not by the
 * first message: 2 ms.
 */
function scanEmptyText({ count, matcher }: WordIndex, { set }: PatternIndex): void {
  if (count > 0 && set?.dfa !== undefined) matcher.scanWith('', () => Advice.STOP, set.dfa);
}

/**
 * Reports whether a rule runs, by the reading `runs`. Only `false` switches a flag off; an absent
 * one counts as true.
 */
export function runs(
  rule: { readonly enabled?: unknown; readonly active?: unknown },
  { runs }: Pick<Semantics, 'runs'>,
): boolean {
  if (typeof runs === 'function') return runs(rule as Rule);
  return runs === 'all' || (rule.enabled !== false && (runs === 'enabled' || rule.active !== false));
}

interface RuleContext {
  readonly draft: Draft;
  readonly lists: ReadonlyMap<string, TermList>;
  readonly missing: ReadonlyMap<string, string>;
  readonly exceptions: ReadExceptions | undefined;
  readonly semantics: Semantics;
  readonly verdicts: readonly string[];
  readonly log: IssueLog;
}

/** Compiles the rules that run, in their order. */
function* compileRules(rules: readonly unknown[], context: RuleContext): Portions<void> {
  const { log, semantics } = context;
  const seen = new Set<string>();
  for (const [position, value] of rules.entries()) {
    if (!(position in rules)) continue;
    const fields = asFields(value);
    const id = asString(fields?.id);
    if (fields === undefined || id === undefined || id === '') {
      const why = (fields?.id ?? '') === '' ? 'has no `id`' : 'has an `id` that is not a string';
      log.add('malformed-rule', { index: position }, `rule ${position + 1} ${why}`);
    } else if (runs(fields, semantics)) {
      if (seen.has(id)) log.add('duplicate-rule', { ruleId: id }, 'occurs again; both run');
      seen.add(id);
      yield* compileRule(id, fields, context);
    }
  }
}

function* compileRule(id: string, fields: Fields, context: RuleContext): Portions<void> {
  const { draft, log, semantics, verdicts } = context;
  checkFields('rule', fields, { ruleId: id }, log);
  const conditions: readonly unknown[] = Array.isArray(fields.conditions) ? fields.conditions : [];
  const isOther = (fields.conditions ?? undefined) !== undefined && !Array.isArray(fields.conditions);
  const what = isOther ? 'has `conditions` that are not an array' : 'has no conditions';
  if (conditions.length === 0) log.add('malformed-rule', { ruleId: id }, `${what}, so it never matches`);
  const filters: (FilterCheck | undefined)[] = [];
  for (const [index, filter] of asList(fields.filters).entries())
    filters.push(compileFilter(filter, { ruleId: id, index }, log));
  const actions = actionsOf(id, fields, log);
  const strongest = verdicts.findIndex((verdict) => actions.includes(verdict));
  const rule = draft.rules.length;
  const firstCondition = draft.conditions.length;
  for (const [position, condition] of conditions.entries())
    if (position in conditions) yield* compileCondition(context, { id, rule }, condition, position);
  // A value in place of the conditions was meant as one, which is unevaluated for every message.
  if (isOther) draft.conditions.push({ rule, id: 1, operand: '', thresholds: [], patterns: [], compileError: what });
  const revisionId = asString(fields.revisionId);
  draft.rules.push({
    id,
    name: asString(fields.name) ?? id,
    ...(revisionId !== undefined && { revisionId }),
    actions,
    shadow: semantics.shadow.includes(id),
    rank: strongest < 0 ? verdicts.length : strongest,
    filters: filters.filter((filter): filter is FilterCheck => filter !== undefined),
    ...(filters.includes(undefined) && { filterError: 'a filter of the rule could not be compiled' }),
    firstCondition,
    endCondition: draft.conditions.length,
  });
}

/**
 * Compiles a condition. Whatever its compilation throws is the issue of this condition, whose
 * half-made parts are taken back: one condition never costs the rule set the others.
 */
function* compileCondition(
  context: RuleContext,
  owner: { readonly id: string; readonly rule: number },
  value: unknown,
  position: number,
): Portions<void> {
  const { draft, log } = context;
  const fields = asFields(value);
  const id = typeof fields?.id === 'number' ? fields.id : position + 1;
  const location = { ruleId: owner.id, conditionId: id };
  const before = [draft.conditions, draft.words, draft.patterns].map(
    (draftList) => [draftList, draftList.length] as const,
  );
  try {
    yield* addCondition(context, owner.rule, fields, location);
  } catch (error) {
    for (const [draftList, length] of before) draftList.length = length;
    const compileError = `could not be compiled: ${error instanceof Error ? error.message : String(error)}`;
    log.add('engine-fault', location, compileError);
    const operand = asString(fields?.operand) ?? '';
    draft.conditions.push({ rule: owner.rule, id, operand, thresholds: [], patterns: [], compileError });
  }
}

function* addCondition(
  { draft, lists, missing, exceptions, semantics, log }: RuleContext,
  rule: number,
  fields: Fields | undefined,
  location: IssuePlace & { readonly ruleId: string; readonly conditionId: number },
): Portions<void> {
  log.leftOut = undefined;
  if (fields === undefined) log.add('malformed-condition', location, 'is not an object');
  const room = termLimits.references - draft.words.length - draft.patterns.length;
  if (fields !== undefined) checkFields('condition', fields, location, log);
  const lowered =
    fields && (yield* lowerCondition(fields, { place: location, lists, missing, room, reported: draft.reported, log }));
  const fault = lowered?.kind === 'scores' ? undefined : lowered?.fault;
  const compileError = (log.leftOut as string | undefined) ?? fault;
  const message = asList(fields?.message).filter((line) => typeof line === 'string');
  const condition = draft.conditions.length;
  draft.conditions.push({
    rule,
    id: location.conditionId,
    operand: asString(fields?.operand) ?? '',
    ...(message.length > 0 && { message: Object.freeze(message) }),
    thresholds: lowered?.kind === 'scores' ? lowered.thresholds : [],
    patterns: [],
    ...(compileError !== undefined && { compileError }),
  });
  if (lowered === undefined || lowered.kind === 'scores') return;
  const scopesOf = (listId: string | undefined) => exceptions?.scopesOf(location.ruleId, listId);
  const slips = yield* request(draft, lowered, condition, location, scopesOf);
  reportSlips(slips, semantics, draft.reported, location, log);
}

/**
 * A slip in terms or patterns of one list, or of a condition: the first of them, and their number.
 */
interface Slip extends TermSource {
  readonly code: SlipCode;
  readonly isWords: boolean;
  count: number;
}

/**
 * Adds the terms or patterns of a condition to the draft. Returns the first of each slip, by code
 * and id of their list.
 */
function* request(
  draft: Draft,
  lowered: Exclude<Lowered, { readonly kind: 'scores' }>,
  condition: number,
  location: IssuePlace,
  scopesOf: (listId: string | undefined) => readonly number[] | undefined,
): Portions<ReadonlyMap<string, Slip>> {
  const { operand, whole } = lowered;
  const isWords = lowered.kind === 'words';
  const slips = new Map<string, Slip>();
  const note = (code: SlipCode, source: TermSource) => {
    const name = `${code} ${source.list?.id ?? ''}`;
    const slip = slips.get(name);
    if (slip === undefined) slips.set(name, { ...source, code, isWords, count: 1 });
    else slip.count++;
  };
  let count = 0;
  let last: TermList | undefined;
  let scopes = scopesOf(undefined);
  for (const source of lowered.sources) {
    const { written, list, index } = source;
    if (count++ % PORTION === 0) yield;
    if (list !== last) scopes = scopesOf(list?.id);
    last = list;
    const code = slipOf(written, isWords);
    if (code !== undefined) note(code, source);
    const reference = {
      condition,
      written,
      ...(list !== undefined && { listId: list.id }),
      ...(list?.revisionId !== undefined && { listRevisionId: list.revisionId }),
      ...(scopes !== undefined && { scopes }),
    };
    if (lowered.kind === 'words') draft.words.push({ reference, operand, whole, place: location, index });
    else
      draft.patterns.push({
        reference,
        operand,
        whole,
        place: { ...location, ...(list && { listId: list.id }), index },
      });
  }
  return slips;
}

/**
 * Reports slips in how terms and patterns are written, once for a list, however many conditions
 * name it.
 */
function reportSlips(
  slips: ReadonlyMap<string, Slip>,
  semantics: Semantics,
  reported: Set<string>,
  location: IssuePlace,
  log: IssueLog,
): void {
  const reader = createTermReader(semantics);
  for (const [name, { code, isWords, written, list, index, count }] of slips) {
    // A link is not found by how it is written.
    if (isWords && reader.isOfLinks(list?.id)) continue;
    if (reported.has(name)) continue;
    if (list !== undefined) reported.add(name);
    const repeats = count === 1 ? '' : `, and ${count - 1} more like it`;
    const at = { ...location, ...(list !== undefined && { listId: list.id }), index };
    log.add(code, at, slipDetail(code, written, isWords, repeats), isIdleTerm(written, isWords));
  }
}
