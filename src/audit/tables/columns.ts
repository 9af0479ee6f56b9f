/**
 * The flat tables of an audit, made from rows of `decisions.ndjson`: `decisions` has a row for
 * each, `matches` one for each match of a condition of a rule, `unevaluated` one for each condition
 * that could not be evaluated. `line` joins them: messages may lack ids, or share one.
 */

import type { ConditionHit, Match, RuleHit, Unevaluated } from '../../engine/evaluate/decision.js';
import type { DecisionRow } from '../keep/decision-row.js';

/** The value of a cell; a timestamp is milliseconds since the epoch. */
export type Cell = string | number | boolean | null;

/**
 * The types of columns. `int32` and `int64` hold whole numbers, `double` all; `timestamp` is a
 * moment in UTC.
 */
export type ColumnType = 'string' | 'int32' | 'int64' | 'double' | 'boolean' | 'timestamp';

/**
 * A column: what it is called, what its cells hold, and how a cell is read from a row of the table.
 */
interface Column<Row> {
  readonly name: string;
  readonly type: ColumnType;
  /** The cell; undefined is null. */
  readonly cell: (row: Row) => Cell | undefined;
}

/** A row of the table `decisions`; rows of the other tables share some of its fields. */
interface LinedRow {
  readonly row: DecisionRow;
  /** Its line in `decisions.ndjson`, from 1. */
  readonly line: number;
}

/**
 * A row of the table `matches`. The condition is absent for a rule that matched without conditions.
 */
interface MatchRow extends LinedRow {
  readonly rule: RuleHit;
  readonly condition?: ConditionHit;
  readonly match?: Match;
}

interface UnevaluatedRow extends LinedRow, Unevaluated {}

/**
 * A table: its columns, and a function that returns its rows of cells for one row of
 * `decisions.ndjson` and its line, from 1.
 */
export interface Table {
  readonly name: TableName;
  readonly columns: readonly Pick<Column<never>, 'name' | 'type'>[];
  readonly rowsOf: (row: DecisionRow, line: number) => readonly (readonly Cell[])[];
}

/** Names of the tables, in the order in which they are written. */
export const tableNames = ['decisions', 'matches', 'unevaluated'] as const;
export type TableName = (typeof tableNames)[number];

/** Receives the bytes of a file. */
export interface TableSink {
  /** Appends bytes, which are valid only until the promise resolves. */
  append(bytes: Uint8Array): Promise<void>;
  /** Ends the file, which is then complete. */
  finish(): Promise<void>;
}

/** Writes one file of a table, batch by batch. */
export interface TableWriter {
  write(rows: readonly (readonly Cell[])[]): Promise<void>;
  finish(): Promise<void>;
}

/**
 * Dates beyond this many milliseconds have no calendar in JavaScript, nor in many readers of
 * tables.
 */
const lastMoment = 8.64e15;

function moment({ row: { sentAt } }: LinedRow): number | undefined {
  const milliseconds = Math.round((sentAt ?? Number.NaN) * 1000);
  return Math.abs(milliseconds) <= lastMoment ? milliseconds : undefined;
}

/**
 * Returns a number if an integer column holds it exactly; a condition may have any number as its
 * id.
 */
function wholeNumber(value: number | undefined): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Columns that every table begins with. */
const rowColumns: readonly Column<LinedRow>[] = [
  { name: 'line', type: 'int64', cell: ({ line }) => line },
  { name: 'message_id', type: 'string', cell: ({ row }) => row.messageId },
];

const decisions: readonly Column<LinedRow>[] = [
  ...rowColumns,
  { name: 'conversation_id', type: 'string', cell: ({ row }) => row.conversationId },
  { name: 'sender', type: 'string', cell: ({ row }) => row.sender },
  { name: 'sent_at', type: 'timestamp', cell: moment },
  { name: 'verdict', type: 'string', cell: ({ row }) => row.decision.verdict },
  { name: 'actions', type: 'string', cell: ({ row }) => row.decision.actions.join(',') },
  { name: 'exempt', type: 'boolean', cell: ({ row }) => row.decision.exempt },
  { name: 'truncated', type: 'boolean', cell: ({ row }) => row.decision.truncated },
  { name: 'revision', type: 'string', cell: ({ row }) => row.decision.revision },
  { name: 'rules', type: 'string', cell: ({ row }) => row.decision.matched.map(({ ruleId }) => ruleId).join(',') },
  { name: 'message_text', type: 'string', cell: ({ row }) => row.text },
];

/** Returns the cell of a property that only some kinds of match have. */
function ofMatch<Key extends string>(key: Key) {
  return ({ match }: MatchRow): Cell | undefined =>
    match !== undefined && key in match ? ((match as unknown as Record<Key, Cell>)[key] ?? null) : null;
}

const matches: readonly Column<MatchRow>[] = [
  ...rowColumns,
  { name: 'rule_id', type: 'string', cell: ({ rule }) => rule.ruleId },
  { name: 'rule_name', type: 'string', cell: ({ rule }) => rule.ruleName },
  { name: 'rule_revision', type: 'string', cell: ({ rule }) => rule.revisionId },
  { name: 'determining', type: 'boolean', cell: ({ rule }) => rule.determining },
  { name: 'shadow', type: 'boolean', cell: ({ rule }) => rule.shadow },
  { name: 'condition_id', type: 'int64', cell: ({ condition }) => wholeNumber(condition?.conditionId) },
  { name: 'operand', type: 'string', cell: ({ condition }) => condition?.operand },
  { name: 'kind', type: 'string', cell: ofMatch('kind') },
  { name: 'path', type: 'string', cell: ofMatch('path') },
  { name: 'start', type: 'int32', cell: ({ match }) => (match && 'span' in match ? match.span.start : null) },
  { name: 'end', type: 'int32', cell: ({ match }) => (match && 'span' in match ? match.span.end : null) },
  { name: 'text', type: 'string', cell: ofMatch('text') },
  { name: 'term', type: 'string', cell: ofMatch('term') },
  { name: 'pattern', type: 'string', cell: ofMatch('pattern') },
  { name: 'label', type: 'string', cell: ofMatch('label') },
  { name: 'score', type: 'double', cell: ofMatch('score') },
  {
    name: 'threshold',
    type: 'double',
    cell: ({ match }) => (match?.kind === 'score' ? match.threshold.greaterThan : null),
  },
  { name: 'list_id', type: 'string', cell: ofMatch('listId') },
  { name: 'list_revision', type: 'string', cell: ofMatch('listRevisionId') },
  {
    name: 'transforms',
    type: 'string',
    cell: ({ match }) => (match?.kind === 'word' ? match.transforms?.join(',') : null),
  },
];

const unevaluated: readonly Column<UnevaluatedRow>[] = [
  ...rowColumns,
  { name: 'rule_id', type: 'string', cell: ({ ruleId }) => ruleId },
  { name: 'condition_id', type: 'int64', cell: ({ conditionId }) => wholeNumber(conditionId) },
  { name: 'why', type: 'string', cell: ({ why }) => why },
  { name: 'detail', type: 'string', cell: ({ detail }) => detail },
];

function matchRows(lined: LinedRow): MatchRow[] {
  return lined.row.decision.matched.flatMap((rule): MatchRow[] =>
    rule.conditions.length === 0
      ? [{ ...lined, rule }]
      : rule.conditions.flatMap((condition) =>
          condition.matches.map((match) => ({ ...lined, rule, condition, match })),
        ),
  );
}

function table<Row>(
  name: TableName,
  columns: readonly Column<Row>[],
  select: (lined: LinedRow) => readonly Row[],
): Table {
  // Parquet and CSV are UTF-8, which has no lone surrogates.
  const wellFormed = (cell: Cell | undefined) => (typeof cell === 'string' ? cell.toWellFormed() : (cell ?? null));
  const rowsOf = (row: DecisionRow, line: number) =>
    select({ row, line }).map((each) => columns.map(({ cell }) => wellFormed(cell(each))));
  return { name, columns, rowsOf };
}

/** The tables, in the order of `tableNames`. */
export const tables: readonly Table[] = [
  table('decisions', decisions, (lined) => [lined]),
  table('matches', matches, matchRows),
  table('unevaluated', unevaluated, (lined) => lined.row.decision.unevaluated.map((each) => ({ ...each, ...lined }))),
];
