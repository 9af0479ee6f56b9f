/**
 * Every query of docs/queries.sql, run by DuckDB over the tables of an audit; its answer is
 * compared with what the decisions say.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DecisionRow } from '../../src/audit/keep/decision-row.js';
import { writeTableFiles } from '../../src/audit/keep/table-files.js';
import type { Match, RuleHit } from '../../src/engine/evaluate/decision.js';
import { sluice } from '../cli/terminal.js';
import { temporaryFolder } from '../support/folder.js';

const page = await readFile(new URL('../../docs/queries.sql', import.meta.url), 'utf8');
const [views = '', ...named] = page.split(/^-- name: /m);
const queries = new Map(named.map((each) => [each.slice(0, each.indexOf('\n')), each.slice(each.indexOf('\n'))]));

type Value = string | number | null;
type Answer = Value[][];

/** An audit: the directory with its tables, and what they were made from. */
interface Audit {
  readonly directory: string;
  readonly rows: readonly DecisionRow[];
}

const audits: Record<string, Audit> = {};
const folder = temporaryFolder();
let connection: DuckDBConnection;

beforeAll(async () => {
  const demo = join(folder, 'demo');
  const options = ['--shadow', 'spam-detection', '--format', 'parquet'];
  expect((await sluice(['audit', '--demo', '--quiet', '--out', demo, ...options])).code).toBe(0);
  const text = await readFile(join(demo, 'decisions.ndjson'), 'utf8');
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DecisionRow);
  audits['the demo'] = { directory: demo, rows };
  audits['several files of messages that lack ids, senders and times, or share them'] = await sparse(rows);
  const instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
}, 120_000);

afterAll(async () => {
  connection?.closeSync();
});

/**
 * An audit of these rows with fewer ids and few senders, and with what rule sets seldom do: two
 * rules look for the same, two have one id, one matches without a condition, and a rule allows.
 */
async function sparse(rows: readonly DecisionRow[]): Promise<Audit> {
  const directory = join(folder, 'sparse');
  await mkdir(directory);
  const changed = rows.map((row, index) => ({
    ...row,
    messageId: index % 3 === 0 ? null : 'same',
    sender: index % 5 === 0 ? null : `sender-${index % 7}`,
    conversationId: index % 4 === 0 ? null : row.conversationId,
    sentAt: index % 11 === 0 ? null : row.sentAt,
    decision: {
      ...row.decision,
      verdict: index % 13 === 0 ? ('allow' as const) : row.decision.verdict,
      matched: row.decision.matched.flatMap((rule) => [
        rule,
        ...(index % 3 === 0 ? [{ ...rule, ruleId: `${rule.ruleId}-again` }] : []),
        ...(index % 4 === 0 ? [{ ...rule, ruleName: 'A copy' }] : []),
        ...(index % 5 === 0 ? [{ ...rule, ruleId: 'no-condition', determining: false, conditions: [] }] : []),
      ]),
    },
  }));
  const decisions = join(directory, 'decisions.ndjson');
  await writeFile(decisions, changed.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const files = await writeTableFiles(directory, decisions, 'parquet', {}, 100);
  expect(Object.keys(files).length).toBeGreaterThan(30);
  return { directory, rows: changed };
}

/** What DuckDB answers; moments and days as ISO 8601. */
async function answerOf(name: string, { directory }: Audit): Promise<Answer> {
  await connection.run(`SET file_search_path = '${directory}'`);
  await connection.run(views);
  const reader = await connection.runAndReadAll(queries.get(name) ?? '');
  const isDay = reader.columnNames().map((column) => column === 'day');
  const plain = (value: unknown, index: number): Value => {
    if (value instanceof Date) return value.toISOString().slice(0, isDay[index] ? 10 : undefined);
    return typeof value === 'bigint' ? Number(value) : (value as Value);
  };
  return reader.getRowsJS().map((row) => row.map(plain));
}

const isStopped = ({ decision }: DecisionRow) => decision.verdict !== 'allow';
const distinct = <Item>(items: readonly Item[]) => new Set(items).size;
const timesOf = (rows: readonly DecisionRow[]) =>
  rows.flatMap(({ sentAt }) => (sentAt === null ? [] : [new Date(sentAt * 1000).toISOString()])).sort();

/** Groups by a key of plain values; items without a key are left out. */
function groups<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => readonly Value[] | undefined,
): [Value[], Item[]][] {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) found.set(JSON.stringify(key), [...(found.get(JSON.stringify(key)) ?? []), item]);
  }
  return [...found].map(([key, group]) => [JSON.parse(key) as Value[], group]);
}

/**
 * As `ORDER BY`: columns by position, from the greatest where it is negative, from 1; null comes
 * last.
 */
function ordered(answer: Answer, ...columns: readonly number[]): Answer {
  const compare = (left: Value, right: Value) => {
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
  };
  return answer.toSorted((left, right) => {
    for (const column of columns) {
      const [one = null, other = null] = [left[Math.abs(column) - 1], right[Math.abs(column) - 1]];
      if (one === other) continue;
      if (one === null || other === null) return one === null ? 1 : -1;
      return compare(one, other) * Math.sign(column);
    }
    return 0;
  });
}

interface RuleMatch {
  readonly row: DecisionRow;
  readonly rule: RuleHit;
}

const ruleMatches = (rows: readonly DecisionRow[]): RuleMatch[] =>
  rows.flatMap((row) => row.decision.matched.map((rule) => ({ row, rule })));

/** Each rule: its id, its first name, and the messages that it matched. */
function byRule(matches: readonly RuleMatch[]): [string, string, DecisionRow[]][] {
  return groups(matches, ({ rule }) => [rule.ruleId]).map(([[id], group]) => {
    const [name = ''] = group.map(({ rule }) => rule.ruleName).sort();
    return [String(id), name, [...new Set(group.map(({ row }) => row))]];
  });
}

/** Matches of one kind, with their rule. */
function matchesOf<Kind extends Match['kind']>(rows: readonly DecisionRow[], kind: Kind) {
  type Kept = Extract<Match, { kind: Kind }>;
  return ruleMatches(rows).flatMap(({ row, rule }) =>
    rule.conditions.flatMap(({ matches }) =>
      matches.filter((match): match is Kept => match.kind === kind).map((match) => ({ row, rule, match })),
    ),
  );
}

/** What each query should answer, counted from the decisions. */
const expected: Record<string, (rows: readonly DecisionRow[]) => Answer> = {
  'stopped-by-day': (rows) =>
    ordered(
      groups(rows.filter(isStopped), (row) => [timesOf([row])[0]?.slice(0, 10) ?? null]).map(
        ([[day = null], group]) => [
          day,
          group.length,
          group.filter(({ decision }) => decision.verdict === 'blockMessage').length,
          group.filter(({ decision }) => decision.verdict === 'dropMessage').length,
        ],
      ),
      1,
    ),
  'stopped-by-rule': (rows) => {
    const resting = ruleMatches(rows.filter(isStopped)).filter(({ rule }) => rule.determining);
    const isAlone = ({ decision }: DecisionRow) =>
      distinct(decision.matched.flatMap(({ determining, ruleId }) => (determining ? ruleId : []))) === 1;
    return ordered(
      byRule(resting).map(([id, name, messages]) => [id, name, messages.length, messages.filter(isAlone).length]),
      ...[-3, 1],
    );
  },
  'shadow-rules': (rows) => {
    const shadow = ruleMatches(rows).filter(({ rule }) => rule.shadow);
    const isAllowed = (row: DecisionRow) => !isStopped(row);
    return ordered(
      byRule(shadow).map(([id, name, messages]) => [id, name, messages.length, messages.filter(isAllowed).length]),
      ...[-4, 1],
    );
  },
  'terms-that-hit-most': (rows) => {
    const lines = new Map(rows.map((row, index) => [row, index]));
    const answer = groups(matchesOf(rows, 'word'), ({ match }) => [match.term, match.listId ?? null]).map(
      ([key, group]) => {
        const places = group.map(({ row, match }) => JSON.stringify([lines.get(row), match.path, match.span]));
        return [...key, distinct(group.map(({ row }) => row)), distinct(places)];
      },
    );
    return ordered(answer, -3, -4, 1, 2).slice(0, 50);
  },
  'texts-from-many-senders': (rows) => {
    const answer = groups(matchesOf(rows, 'pattern'), ({ match }) => [match.text]).map(([key, group]): Value[] => {
      const from = [...new Set(group.map(({ row }) => row))];
      const times = timesOf(from);
      const senders = distinct(from.flatMap(({ sender }) => sender ?? []));
      return [...key, senders, from.length, times[0] ?? null, times.at(-1) ?? null];
    });
    return ordered(
      answer.filter(([, senders]) => Number(senders) > 1),
      -2,
      -3,
      1,
    ).slice(0, 50);
  },
  'senders-stopped-most': (rows) => {
    const answer = groups(rows.filter(isStopped), ({ sender }) => (sender === null ? undefined : [sender])).map(
      ([key, group]): Value[] => [
        ...key,
        group.length,
        group.filter(({ decision }) => decision.verdict === 'dropMessage').length,
        distinct(group.flatMap(({ conversationId }) => conversationId ?? [])),
        distinct(ruleMatches(group).flatMap(({ rule }) => (rule.determining ? rule.ruleId : []))),
        timesOf(group).at(-1) ?? null,
      ],
    );
    return ordered(answer, -2, 1).slice(0, 50);
  },
  'conversations-stopped-most': (rows) => {
    const keyOf = ({ conversationId }: DecisionRow) => (conversationId === null ? undefined : [conversationId]);
    const answer = groups(rows.filter(isStopped), keyOf).map(([key, group]): Value[] => [
      ...key,
      group.length,
      distinct(group.flatMap(({ sender }) => sender ?? [])),
      timesOf(group)[0] ?? null,
      timesOf(group).at(-1) ?? null,
    ]);
    return ordered(answer, -2, 1).slice(0, 50);
  },
  'rules-that-overlap': (rows) => {
    const matched = new Map<Value, number>(byRule(ruleMatches(rows)).map(([id, , { length }]) => [id, length]));
    const pairs = rows.flatMap(({ decision }) => {
      const ids = [...new Set(decision.matched.map(({ ruleId }) => ruleId))];
      return ids.flatMap((one) => ids.filter((other) => one < other).map((other) => [one, other]));
    });
    const answer = groups(pairs, (pair) => pair).map(([key, group]): Value[] => [
      ...key,
      group.length,
      ...key.map((id) => matched.get(id) ?? 0),
    ]);
    return ordered(answer, -3, 1, 2).slice(0, 50);
  },
  'scores-near-thresholds': (rows) => {
    const answer = groups(matchesOf(rows, 'score'), ({ rule, match }) => [
      rule.ruleId,
      match.label,
      match.threshold.greaterThan,
    ]).map(([key, group]): Value[] => [
      ...key,
      group.length,
      group.filter(({ match }) => match.score - match.threshold.greaterThan <= 5).length,
      Math.min(...group.map(({ match }) => match.score)),
    ]);
    return ordered(answer, -5, -4, 1, 2, 3);
  },
  'unevaluated-by-reason': (rows) => {
    const each = rows.flatMap((row) => row.decision.unevaluated.map((condition) => ({ row, condition })));
    const answer = groups(each, ({ condition }) => [condition.why, condition.ruleId, condition.conditionId]).map(
      ([key, group]): Value[] => {
        const messages = [...new Set(group.map(({ row }) => row))];
        return [...key, messages.length, messages.filter((row) => !isStopped(row)).length];
      },
    );
    return ordered(answer, -4, 1, 2, 3);
  },
};

describe('docs/queries.sql', () => {
  it('has ten queries, each with a question, and docs/audit.md names them in order', async () => {
    expect([...queries.keys()]).toEqual(Object.keys(expected));
    expect(queries.size).toBe(10);
    expect([...queries].filter(([, text]) => !/^\n-- [A-Z][^\n]*\?/.test(text)).map(([name]) => name)).toEqual([]);
    const audit = await readFile(new URL('../../docs/audit.md', import.meta.url), 'utf8');
    const listed = [...audit.matchAll(/^- `([a-z]+(?:-[a-z]+)+)`: /gm)].map(([, name]) => name);
    expect(listed).toEqual([...queries.keys()]);
  });

  it.each(Object.keys(expected))('%s: answers over the demo as the decisions do', async (name) => {
    const audit = audits['the demo']!;
    const answer = await answerOf(name, audit);
    expect(answer).toEqual(expected[name]!(audit.rows));
    expect(answer.length).toBeGreaterThan(0);
  });

  it.each(Object.keys(expected))(
    '%s: answers over several files, with ids that are missing or shared',
    async (name) => {
      const [, audit] = Object.values(audits);
      const answer = await answerOf(name, audit!);
      expect(answer).toEqual(expected[name]!(audit!.rows));
      expect(answer.length).toBeGreaterThan(0);
    },
  );

  it('stopped-by-rule: counts as `summary.json` does', async () => {
    const audit = audits['the demo']!;
    const summary = JSON.parse(await readFile(join(audit.directory, 'summary.json'), 'utf8')) as {
      rules: readonly { ruleId: string; determining: number; alone: number }[];
    };
    const counted = summary.rules
      .filter(({ determining }) => determining > 0)
      .map(({ ruleId, determining, alone }): Value[] => [ruleId, determining, alone]);
    const answer = (await answerOf('stopped-by-rule', audit)).map(([id = null, , ...counts]) => [id, ...counts]);
    expect(answer).toEqual(ordered(counted, -2, 1));
  });
});
