import { byStopped, byVerdict, stoppedAs, stoppedNames, stops, verdicts } from '../../engine/compile/verdicts.js';
import type { Decision, RuleHit, Verdict } from '../../engine/evaluate/decision.js';
import { defaultSemantics } from '../../engine/semantics.js';
import type { Auditable, AuditEntry } from '../audit-entry.js';
import {
  type ActionCount,
  type AuditSummary,
  type ConditionCount,
  type DayCount,
  mostExamples,
  mostOrigins,
  type OriginCounts,
  type ReasonCount,
  type RuleCount,
  type UnevaluatedCount,
} from './audit-summary.js';
import { createCauses } from './causes.js';
import { leastIds } from './least-examples.js';
import { createRuleEffects, type RuleEffects } from './rule-effects.js';
import { createBoundedCounts, createTally, type Mutable } from './tally.js';
import { countTexts } from './texts.js';

/** Options of `createSummary`. */
export interface SummaryOptions {
  /** The reading `precedence` of the engine that decides; its default without. */
  readonly precedence?: readonly string[];
  /** Counts by sender or conversation too, or by each of them. */
  readonly by?: Origin | readonly Origin[] | undefined;
}

/** The origins by which a summary counts. */
export type Origin = 'sender' | 'conversation';

/** Starts an empty summary of the entries of an audit. Memory grows with the rule set and the days, not with the messages. */
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
    add({ message, decision }: Pick<AuditEntry, 'message' | 'decision'>): void {
      const { verdict, actions, matched, excepted, unevaluated } = decision;
      countVerdict(totals, decision);
      countMessage(totals, message, verdict);
      if (stops(verdict)) for (const origin of origins) origin.counts.add(originOf(message, origin.by));
      for (const action of actions) tables.actions.add({ action, messages: 1 });
      if (matched.length > 0) countMatched(tables, decision, effectsOf(decision), message);
      if (matched.length + excepted.length > 0) causes.add({ decision });
      if (unevaluated.length > 0) countUnevaluated(tables, unevaluated);
    },
    /** Counts a message that was left out because it has no time. */
    addUndated(): void {
      totals.undated.leftOut += 1;
    },
    /** Adds the summary of another part of the same audit, of the same options; no message may be in both. */
    merge(part: AuditSummary): void {
      addTotals(totals, part);
      for (const row of part.actions) tables.actions.add(row);
      for (const row of part.rules) tables.rules.add(row);
      for (const row of part.conditions) tables.conditions.add(row);
      causes.merge(part);
      for (const row of part.unevaluated.conditions) tables.unevaluated.add(row);
      for (const row of part.unevaluated.reasons) tables.reasons.add(row);
      for (const { name, counts } of origins) counts.merge(part[name]);
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
/** The first day that is not counted, 1 January 2200: a wrong unit of `sentAt` gives days without number. */
const endOfDays = Date.UTC(2200, 0) / 1000 / secondsOfDay;

/** Returns the number of the day of a `sentAt` since the epoch; undefined for a time that is not in a day that is counted. */
function dayOf(sentAt: unknown): number | undefined {
  const day = typeof sentAt === 'number' ? Math.floor(sentAt / secondsOfDay) : Number.NaN;
  return day >= 0 && day < endOfDays ? day : undefined;
}

function dayName(number: number): string {
  return new Date(number * secondsOfDay * 1000).toISOString().slice(0, 10);
}

function countVerdict(totals: Totals, { verdict, exempt, truncated, unevaluated }: Decision): void {
  totals.messages += 1;
  totals.verdicts[verdict] += 1;
  totals.exempt += Number(exempt);
  totals.truncated += Number(truncated);
  totals.unevaluated.messages += Number(unevaluated.length > 0);
  totals.unevaluated.total += unevaluated.length;
}

/** Nearly every message is allowed and without matches, so that this is all that is counted of it; it makes no objects. */
function countMessage(totals: Totals, message: Auditable, verdict: Verdict): void {
  countTexts(totals, message);
  if (typeof message === 'string') {
    totals.undated.absent += 1;
    return;
  }
  const { sentAt } = message;
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

/** Returns the row of a day, which is added where it is the first of its day. */
function dayRow({ days }: Totals, number: number): Mutable<DayCount> {
  const known = days.get(number);
  if (known !== undefined) return known;
  const row = { day: dayName(number), messages: 0, stopped: 0, ...byStopped(() => 0) };
  days.set(number, row);
  return row;
}

function addTotals(totals: Totals, part: AuditSummary): void {
  for (const name of ['messages', 'exempt', 'truncated', 'texts', 'unreadable'] as const) totals[name] += part[name];
  addVerdicts(totals.verdicts, part.verdicts);
  totals.undated.absent += part.undated.absent;
  totals.undated.outside += part.undated.outside;
  totals.undated.leftOut += part.undated.leftOut ?? 0;
  totals.unevaluated.messages += part.unevaluated.messages;
  totals.unevaluated.total += part.unevaluated.total;
  spanTimes(totals, part.firstSentAt, part.lastSentAt);
  for (const { day, ...counts } of part.days) {
    const row = dayRow(totals, Date.parse(day) / 1000 / secondsOfDay);
    for (const name of ['messages', 'stopped', ...stoppedNames] as const) row[name] += counts[name];
  }
}

function addVerdicts(sum: Record<Verdict, number>, part: Readonly<Record<Verdict, number>>): void {
  for (const verdict of verdicts) sum[verdict] += part[verdict];
}

function countMatched(
  tables: Tables,
  { verdict, matched }: Decision,
  { alone, wouldStop }: RuleEffects,
  message: Auditable,
): void {
  // Rules of one id are one rule, whose messages are counted once.
  const seen = new Set<string>();
  for (const hit of matched) {
    const { ruleId } = hit;
    const isFirst = !seen.has(ruleId);
    seen.add(ruleId);
    tables.rules.add({
      ...countRule(hit, verdict, message),
      alone: Number(isFirst && ruleId === alone),
      wouldStop: Number(isFirst && wouldStop.includes(ruleId)),
    });
    for (const { conditionId } of hit.conditions) tables.conditions.add({ ruleId, conditionId, messages: 1 });
  }
}

function countRule(hit: RuleHit, verdict: Verdict, message: Auditable): Omit<RuleCount, 'alone' | 'wouldStop'> {
  const { ruleId, ruleName, actions, shadow, determining } = hit;
  const id = typeof message === 'string' ? undefined : message.id;
  return {
    ruleId,
    ruleName,
    actions,
    shadow,
    matched: 1,
    determining: Number(determining),
    verdicts: byVerdict((own) => Number(own === verdict)),
    examples: typeof id === 'string' ? [id] : [],
  };
}

/** A reason is counted once for a message, however many of its conditions have it. */
function countUnevaluated(tables: Tables, unevaluated: Decision['unevaluated']): void {
  let isFaulty = false;
  let seen: Set<string> | undefined;
  for (const { ruleId, conditionId, why, detail, lacks } of unevaluated) {
    tables.unevaluated.add({ ruleId, conditionId, why, messages: 1 });
    if (why === 'not-compiled') {
      isFaulty = true;
    } else if (seen?.has(detail) !== true) {
      seen = (seen ?? new Set<string>()).add(detail);
      tables.reasons.add({ why, detail, ...(lacks !== undefined && { lacks }), messages: 1 });
    }
  }
  if (isFaulty) tables.reasons.add({ why: 'not-compiled', messages: 1 });
}

type Tables = ReturnType<typeof createTables>;

function createTables() {
  type Messages = { readonly messages: number };
  const size = ({ messages }: Messages) => messages;
  const plus = (sum: Mutable<Messages>, row: Messages) => {
    sum.messages += row.messages;
  };
  return {
    actions: createTally<ActionCount>({ ids: ({ action }) => [action], plus, size }),
    rules: createTally<RuleCount>({ ids: ({ ruleId }) => [ruleId], plus: addRule, size: ({ matched }) => matched }),
    conditions: createTally<ConditionCount>({ ids: ({ ruleId, conditionId }) => [ruleId, conditionId], plus, size }),
    unevaluated: createTally<UnevaluatedCount>({
      ids: ({ ruleId, conditionId, why }) => [ruleId, conditionId, why],
      plus,
      size,
    }),
    reasons: createTally<ReasonCount>({ ids: ({ why, detail }) => [why, detail], plus, size }),
  };
}

function addRule(sum: Mutable<RuleCount>, row: RuleCount): void {
  sum.matched += row.matched;
  sum.determining += row.determining;
  sum.alone += row.alone;
  sum.wouldStop += row.wouldStop;
  const verdicts = { ...sum.verdicts };
  addVerdicts(verdicts, row.verdicts);
  sum.verdicts = verdicts;
  sum.examples = leastIds(sum.examples, row.examples, mostExamples);
  // Two rules of one id are one row; which of them comes first depends on the messages.
  if (isBefore(row, sum)) {
    sum.ruleName = row.ruleName;
    sum.actions = row.actions;
    sum.shadow = row.shadow;
  }
}

/** Orders rules of one id by what else is shown of them. */
function isBefore(left: RuleCount, right: RuleCount): boolean {
  const { ruleName, actions, shadow } = left;
  // Nearly always one rule: all of its rows have one array, except for those that come from parts.
  if (ruleName === right.ruleName && actions === right.actions && shadow === right.shadow) return false;
  const shown = ({ ruleName, actions, shadow }: RuleCount) => JSON.stringify([ruleName, actions, shadow]);
  return shown(left) < shown(right);
}

function originOf(message: Auditable, by: Origin): unknown {
  if (typeof message === 'string') return undefined;
  return by === 'sender' ? message.sender : message.conversationId;
}

function createOrigins() {
  const counts = createBoundedCounts(mostOrigins);
  let [unknown, othersOfParts] = [0, 0];
  return {
    add(id: unknown): void {
      if (typeof id === 'string') counts.add(id, 1);
      else unknown += 1;
    },
    merge(part: OriginCounts | undefined): void {
      for (const { id, stopped } of part?.rows ?? []) counts.add(id, stopped);
      unknown += part?.unknown ?? 0;
      othersOfParts += part?.others ?? 0;
    },
    toJSON: (): OriginCounts => ({
      rows: counts.rows().map(([id, stopped]) => ({ id, stopped })),
      others: counts.others + othersOfParts,
      unknown,
    }),
  };
}
