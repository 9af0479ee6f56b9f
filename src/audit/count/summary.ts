/** Sums up the decisions of an audit. */
import { byStopped, byVerdict, stoppedAs, stops } from '../../engine/compile/verdicts.js';
import type { Decision, RuleHit, Verdict } from '../../engine/evaluate/decision.js';
import { defaultSemantics } from '../../engine/semantics.js';
import type { Auditable, AuditEntry } from '../audit-entry.js';
import {
  type ActionCount,
  type AuditSummary,
  type ConditionCount,
  type DayCount,
  mostExamples,
  type OriginCounts,
  type ReasonCount,
  type RuleCount,
  type UnevaluatedCount,
} from './audit-summary.js';
import { createCauses } from './causes.js';
import { isoDay } from './day-names.js';
import { leastIds } from './least-examples.js';
import { createRuleEffects, type RuleEffects } from './rule-effects.js';
import { addNumbers, createTally, type Mutable } from './tally.js';
import { countTexts } from './texts.js';

/** Options of `createSummary`. */
export interface SummaryOptions {
  /** The reading `precedence` of the deciding engine; if absent, its default. */
  readonly precedence?: readonly string[];
  /** The origins by which stopped messages are counted too: sender, conversation, or both. */
  readonly by?: Origin | readonly Origin[] | undefined;
}

/** The origins by which a summary counts. */
type Origin = 'sender' | 'conversation';

/** A message with its decision, and its position in its source if that is known. */
type CountedEntry = Pick<AuditEntry, 'message' | 'decision'> & { readonly place?: number | undefined };

/** Returns the id of a message; for one without an id its position, such as `#12`. */
function nameOf(message: Auditable, place: number | undefined): string | undefined {
  const id: unknown = typeof message === 'string' ? undefined : message.id;
  return typeof id === 'string' ? id : place === undefined ? undefined : `#${place}`;
}

/**
 * Starts an empty summary of the entries of an audit. Memory grows with the rule set and the days,
 * not with the messages.
 */
export function createSummary(options: SummaryOptions = {}) {
  const { precedence = defaultSemantics.precedence, by = [] } = options;
  const effectsOf = createRuleEffects(precedence);
  const totals = createTotals();
  const tables = createTables();
  const causes = createCauses();
  const origins = (['sender', 'conversation'] as const)
    .filter((origin) => by === origin || by.includes(origin))
    .map((origin) => ({ by: origin, name: `${origin}s` as const, counts: createOrigins() }));
  return {
    add({ message, decision, place }: CountedEntry): void {
      const { verdict, actions, matched, excepted, unevaluated } = decision;
      countVerdict(totals, decision);
      countMessage(totals, message, verdict);
      if (stops(verdict)) for (const origin of origins) origin.counts.add(originOf(message, origin.by));
      for (const action of actions) countUp(tables.actions.sumOf([action], () => ({ action, messages: 0 })));
      if (matched.length > 0) countMatched(tables, decision, effectsOf(decision), nameOf(message, place));
      if (matched.length + excepted.length > 0) causes.add({ decision });
      if (unevaluated.length > 0) countUnevaluated(tables, unevaluated);
    },
    /** Counts a text message that is allowed with nothing to report. */
    addAllowed(sentAt: number | undefined): void {
      totals.messages += 1;
      totals.verdicts.allow += 1;
      totals.texts += 1;
      countTime(totals, sentAt, 'allow');
    },
    /** Counts a message that was left out because it has no time. */
    addUndated(): void {
      totals.undated.leftOut += 1;
    },
    /** Adds the summary of other messages of the same audit, counted with the same options. */
    merge(added: AuditSummary): void {
      addTotals(totals, added);
      tables.actions.merge(added.actions);
      tables.rules.merge(added.rules);
      tables.conditions.merge(added.conditions);
      causes.merge(added);
      tables.unevaluated.merge(added.unevaluated.conditions);
      tables.reasons.merge(added.unevaluated.reasons);
      for (const { name, counts } of origins) counts.merge(added[name]);
    },
    toJSON(): AuditSummary {
      const { days, unevaluated, verdicts, undated, ...counts } = totals;
      return {
        ...counts,
        verdicts: { ...verdicts },
        actions: tables.actions.rows(),
        rules: tables.rules.rows(),
        conditions: tables.conditions.rows(),
        ...causes.toJSON(),
        unevaluated: { ...unevaluated, conditions: tables.unevaluated.rows(), reasons: tables.reasons.rows() },
        days: [...days.values()].map((row) => ({ ...row })).sort((left, right) => (left.day < right.day ? -1 : 1)),
        undated: withoutZero(undated),
        ...Object.fromEntries(origins.map(({ name, counts }) => [name, counts.toJSON()])),
      };
    },
  };
}

/** The counts that are not tables. */
interface Totals
  extends Mutable<
    Pick<AuditSummary, 'messages' | 'exempt' | 'truncated' | 'texts' | 'unreadable' | 'firstSentAt' | 'lastSentAt'>
  > {
  readonly verdicts: Record<Verdict, number>;
  readonly undated: { absent: number; outside: number; leftOut: number };
  readonly unevaluated: { messages: number; total: number };
  /** Rows by the number of the day since the epoch. */
  readonly days: Map<number, Mutable<DayCount>>;
}

function createTotals(): Totals {
  return {
    messages: 0,
    verdicts: byVerdict(() => 0),
    undated: { absent: 0, outside: 0, leftOut: 0 },
    exempt: 0,
    truncated: 0,
    texts: 0,
    unreadable: 0,
    unevaluated: { messages: 0, total: 0 },
    days: new Map(),
  };
}

function withoutZero({ leftOut, ...undated }: Totals['undated']): AuditSummary['undated'] {
  return { ...undated, ...(leftOut > 0 && { leftOut }) };
}

const secondsOfDay = 86_400;
/**
 * The first day that is not counted, 1 January 2200: a `sentAt` in a wrong unit would make rows for
 * any number of days.
 */
const endOfDays = Date.UTC(2200, 0) / 1000 / secondsOfDay;

/**
 * Returns the number of the day of a `sentAt` since the epoch; undefined for a time outside of the
 * counted days.
 */
function dayOf(sentAt: unknown): number | undefined {
  const day = typeof sentAt === 'number' ? Math.floor(sentAt / secondsOfDay) : Number.NaN;
  return day >= 0 && day < endOfDays ? day : undefined;
}

function countVerdict(totals: Totals, { verdict, exempt, truncated, unevaluated }: Decision): void {
  totals.messages += 1;
  totals.verdicts[verdict] += 1;
  totals.exempt += Number(exempt);
  totals.truncated += Number(truncated);
  totals.unevaluated.messages += Number(unevaluated.length > 0);
  totals.unevaluated.total += unevaluated.length;
}

/**
 * Counts what every message has. For nearly every message nothing else is counted, since it is
 * allowed and has no matches; no objects are made.
 */
function countMessage(totals: Totals, message: Auditable, verdict: Verdict): void {
  countTexts(totals, message);
  countTime(totals, typeof message === 'string' ? undefined : message.sentAt, verdict);
}

function countTime(totals: Totals, sentAt: unknown, verdict: Verdict): void {
  if (typeof sentAt !== 'number') {
    totals.undated.absent += 1;
    return;
  }
  spanTimes(totals, sentAt, sentAt);
  const day = dayOf(sentAt);
  if (day === undefined) {
    totals.undated.outside += 1;
    return;
  }
  const row = dayRow(totals, day);
  const name = stoppedAs(verdict);
  row.messages += 1;
  if (name === undefined) return;
  row.stopped += 1;
  row[name] += 1;
}

function spanTimes(totals: Totals, first: number | undefined, last: number | undefined): void {
  if (first !== undefined && !(totals.firstSentAt! <= first)) totals.firstSentAt = first;
  if (last !== undefined && !(totals.lastSentAt! >= last)) totals.lastSentAt = last;
}

/** Returns the row of a day, and adds it if it is missing. */
function dayRow({ days }: Totals, number: number): Mutable<DayCount> {
  const known = days.get(number);
  if (known !== undefined) return known;
  const row = { day: isoDay(number), messages: 0, stopped: 0, ...byStopped(() => 0) };
  days.set(number, row);
  return row;
}

function addTotals(totals: Totals, { firstSentAt, lastSentAt, days, ...numbers }: AuditSummary): void {
  addNumbers(totals, numbers);
  spanTimes(totals, firstSentAt, lastSentAt);
  for (const { day, ...counts } of days) addNumbers(dayRow(totals, Date.parse(day) / 1000 / secondsOfDay), counts);
}

function countUp(sum: Mutable<{ readonly messages: number }>): void {
  sum.messages += 1;
}

function countMatched(
  tables: Tables,
  { verdict, matched }: Decision,
  { alone, wouldStop }: RuleEffects,
  name: string | undefined,
): void {
  for (const [index, hit] of matched.entries()) {
    const { ruleId } = hit;
    const sum: Mutable<RuleCount> = tables.rules.sumOf([ruleId], () => uncounted(hit));
    sum.matched += 1;
    sum.determining += Number(hit.determining);
    (sum.verdicts as Record<Verdict, number>)[verdict] += 1;
    if (name !== undefined) sum.examples = leastIds(sum.examples, [name], mostExamples);
    nameRule(sum, hit);
    // Rules with the same id count as one rule, whose messages are counted once.
    if (ruleId === alone || wouldStop.length > 0) {
      const isFirst = matched.findIndex((candidate) => candidate.ruleId === ruleId) === index;
      sum.alone += Number(isFirst && ruleId === alone);
      sum.wouldStop += Number(isFirst && wouldStop.includes(ruleId));
    }
    for (const { conditionId } of hit.conditions)
      countUp(tables.conditions.sumOf([ruleId, conditionId], () => ({ ruleId, conditionId, messages: 0 })));
  }
}

function uncounted({ ruleId, ruleName, actions, shadow }: RuleHit): RuleCount {
  const counts = { matched: 0, determining: 0, alone: 0, wouldStop: 0, verdicts: byVerdict(() => 0) };
  return { ruleId, ruleName, actions, shadow, ...counts, examples: [] };
}

/**
 * Names the row of a rule. Two rules with the same id share a row, whose name must not depend on
 * the order in which they come.
 */
function nameRule(sum: Mutable<RuleCount>, named: Pick<RuleCount, 'ruleName' | 'actions' | 'shadow'>): void {
  const { ruleName, actions, shadow } = named;
  // Nearly always the rule is the same, and its rows share one array, unless they come from merged
  // parts.
  if (ruleName === sum.ruleName && actions === sum.actions && shadow === sum.shadow) return;
  const shown = (rule: typeof named) => JSON.stringify([rule.ruleName, rule.actions, rule.shadow]);
  if (shown(named) < shown(sum)) Object.assign(sum, { ruleName, actions, shadow });
}

/**
 * Counts unevaluated conditions. A reason counts once for a message, however many conditions have
 * it.
 */
function countUnevaluated(tables: Tables, unevaluated: Decision['unevaluated']): void {
  let isFaulty = false;
  let seen: Set<string> | undefined;
  for (const { ruleId, conditionId, why, detail, lacks } of unevaluated) {
    const ids = [ruleId, conditionId, why];
    countUp(tables.unevaluated.sumOf(ids, () => ({ ruleId, conditionId, why, messages: 0 })));
    if (why === 'not-compiled') {
      isFaulty = true;
    } else if (seen?.has(detail) !== true) {
      seen = (seen ?? new Set<string>()).add(detail);
      const lacking = lacks === undefined ? {} : { lacks };
      countUp(tables.reasons.sumOf([why, detail], () => ({ why, detail, ...lacking, messages: 0 })));
    }
  }
  const why = 'not-compiled';
  if (isFaulty) countUp(tables.reasons.sumOf([why, undefined], () => ({ why, messages: 0 })));
}

type Tables = ReturnType<typeof createTables>;

function createTables() {
  const size = 'messages';
  return {
    actions: createTally<ActionCount>({ ids: ['action'], size }),
    rules: createTally<RuleCount>({
      ids: ['ruleId'],
      size: 'matched',
      join(sum, row) {
        sum.examples = leastIds(sum.examples, row.examples, mostExamples);
        nameRule(sum, row);
      },
    }),
    conditions: createTally<ConditionCount>({ ids: ['ruleId', 'conditionId'], size }),
    unevaluated: createTally<UnevaluatedCount>({ ids: ['ruleId', 'conditionId', 'why'], size }),
    reasons: createTally<ReasonCount>({ ids: ['why', 'detail'], size }),
  };
}

function originOf(message: Auditable, by: Origin): unknown {
  if (typeof message === 'string') return undefined;
  return by === 'sender' ? message.sender : message.conversationId;
}

function createOrigins() {
  const counts = createTally<OriginCounts['rows'][number]>({ ids: ['id'], size: 'stopped' });
  let unknown = 0;
  return {
    add(id: unknown): void {
      if (typeof id === 'string') counts.sumOf([id], () => ({ id, stopped: 0 })).stopped += 1;
      else unknown += 1;
    },
    merge(added: OriginCounts | undefined): void {
      counts.merge(added?.rows ?? []);
      unknown += added?.unknown ?? 0;
    },
    toJSON: (): OriginCounts => ({ rows: counts.rows(), unknown }),
  };
}
