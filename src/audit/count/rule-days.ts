/** Stopped messages of each rule by day, and what follows from them: the change of the last days against those before. */
import type { AuditSummary, DayCount, RuleDayCounts } from './audit-summary.js';
import { createTally } from './tally.js';

/** Most rows that are kept. More of them are none: which would be left out depends on the order of messages. */
export const mostRuleDays = 100_000;

/** Running counts of stopped messages by rule and day. */
export interface RuleDays {
  /** Adds a message that was stopped by some rules on a day, as `2026-03-01`. */
  add(ruleIds: Iterable<string>, day: string): void;
  merge(part: RuleDayCounts | undefined): void;
  toJSON(): RuleDayCounts;
}

/** Starts without counts; keeps `most` rows at most. */
export function createRuleDays(most = mostRuleDays): RuleDays {
  type Row = RuleDayCounts['rows'][number];
  const tally = createTally<Row>({
    ids: ({ ruleId, day }) => [ruleId, day],
    plus: (sum, { stopped }) => {
      sum.stopped += stopped;
      count -= 1;
    },
    size: ({ stopped }) => stopped,
  });
  let count = 0;
  let isTooMany = false;
  const add = (row: Row) => {
    if (isTooMany) return;
    count += 1;
    tally.add(row);
    isTooMany = count > most;
  };
  return {
    add: (ruleIds, day) => {
      for (const ruleId of ruleIds) add({ ruleId, day, stopped: 1 });
    },
    merge: (part) => {
      isTooMany ||= part?.isTooMany === true;
      for (const row of part?.rows ?? []) add(row);
    },
    toJSON: () => ({ rows: isTooMany ? [] : tally.rows(), isTooMany }),
  };
}

/** Days that are compared with others of the same number. */
export interface Period {
  /** As `2026-03-01`, both inclusive. */
  readonly first: string;
  readonly last: string;
  readonly messages: number;
  readonly stopped: number;
}

/** The last days of an audit against as many before. */
export interface PeriodChange {
  /** How many days each has. */
  readonly length: number;
  readonly before: Period;
  readonly after: Period;
  /** Stopped messages of the rules that stopped more or fewer, the largest change first; absent where they are not known. */
  readonly rules: readonly { readonly ruleId: string; readonly before: number; readonly after: number }[] | undefined;
}

const msOfDay = 86_400_000;
const week = 7;

/**
 * The last seven days of an audit against the seven before; of fewer than fourteen days their second half against their first, without
 * the first day where the number is odd. By the days of the messages alone, never by a clock. Undefined for one day and for none.
 */
export function periodChange({ days, ruleDays }: Pick<AuditSummary, 'days' | 'ruleDays'>): PeriodChange | undefined {
  const [first, last] = [days[0], days.at(-1)].map((row) => Date.parse(row?.day ?? '') / msOfDay) as [number, number];
  const length = Math.min(week, Math.floor((last - first + 1) / 2));
  if (!(length >= 1)) return undefined;
  const dayOf = (number: number) => new Date(number * msOfDay).toISOString().slice(0, 10);
  const [begin, middle, end] = [last - 2 * length + 1, last - length + 1, last].map(dayOf) as [string, string, string];
  const periodOf = (from: string, to: string, own: readonly DayCount[]): Period => ({
    ...{ first: from, last: to },
    messages: own.reduce((sum, { messages }) => sum + messages, 0),
    stopped: own.reduce((sum, { stopped }) => sum + stopped, 0),
  });
  const isAfter = ({ day }: { readonly day: string }) => day >= middle;
  const both = days.filter(({ day }) => day >= begin);
  const sums = new Map<string, { before: number; after: number }>();
  for (const row of ruleDays?.rows ?? []) {
    if (row.day < begin) continue;
    const sum = sums.get(row.ruleId) ?? { before: 0, after: 0 };
    sum[isAfter(row) ? 'after' : 'before'] += row.stopped;
    sums.set(row.ruleId, sum);
  }
  const changeOf = ({ before, after }: { before: number; after: number }) => Math.abs(after - before);
  const rules = [...sums]
    .map(([ruleId, sum]) => ({ ruleId, ...sum }))
    .filter((row) => changeOf(row) > 0)
    .sort((left, right) => changeOf(right) - changeOf(left) || (left.ruleId < right.ruleId ? -1 : 1));
  const beforeMiddle = dayOf(last - length);
  return {
    length,
    before: periodOf(
      begin,
      beforeMiddle,
      both.filter((row) => !isAfter(row)),
    ),
    after: periodOf(middle, end, both.filter(isAfter)),
    rules: ruleDays === undefined || ruleDays.isTooMany ? undefined : rules,
  };
}
