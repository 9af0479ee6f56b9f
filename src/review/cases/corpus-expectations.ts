import * as z from 'zod';
import { asFields } from '../../engine/compile/untrusted.js';
import type { Decision } from '../../engine/evaluate/decision.js';
import { ShapeError } from '../../foundation/errors.js';
import { identifier, maybe } from '../../platform/contract/fields.js';
import { parse } from '../../platform/contract/parse.js';
import { refuseUnknownFields, refuseUnknownRule } from './test-case.js';

/**
 * How many messages of a corpus a rule should match: `exactly` so many, or `atLeast`, `atMost`, or between both.
 *
 * @example
 * ```ts
 * const expectations: RuleExpectation[] = [{ rule: 'scams', atLeast: 100 }, { rule: 'canary', exactly: 10 }];
 * ```
 */
export interface RuleExpectation {
  /** Id of the rule. */
  readonly rule: string;
  readonly exactly?: number | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** An expectation with the number of messages that its rule matched. */
export interface ExpectationResult extends RuleExpectation {
  /** Number of messages that the rule matched, whatever the verdict. */
  readonly messages: number;
  /** Number of messages for which the rule could not be evaluated: each may be one more. Absent if there are none. */
  readonly unevaluated?: number;
  readonly met: boolean;
}

/** How to treat a rule that matched messages and has no row: ignore it, report it, or fail. */
export type UnexpectedRules = 'ignore' | 'warn' | 'fail';

/** Every mode of `UnexpectedRules`. */
export const unexpectedModes = ['ignore', 'warn', 'fail'] as const satisfies UnexpectedRules[];

/** The result of expectations. */
export interface ExpectationReport {
  /** One for each row, in their order. */
  readonly rows: readonly ExpectationResult[];
  /** Rules that matched messages and have no row, most messages first; empty with `ignore`. */
  readonly unexpected: readonly { readonly ruleId: string; readonly messages: number }[];
  /** How rules without a row were treated. */
  readonly unexpectedRules: UnexpectedRules;
}

const wholeNumber = maybe(z.int('must be a whole number').min(0, 'must be a whole number, 0 or more'));
const fields = { rule: identifier, exactly: wholeNumber, atLeast: wholeNumber, atMost: wholeNumber };
const schema = z.looseObject(fields);

/** Checks an expectation. Throws `ShapeError` that names `source`, the field and the remedy. */
function checkExpectation(value: unknown, source: string, ruleIds: ReadonlySet<string>): RuleExpectation {
  const given = asFields(value);
  if (given === undefined) {
    throw new ShapeError(source, 'the whole value', 'must be an expectation: { "rule": …, "atLeast": … }');
  }
  refuseUnknownFields(given, Object.keys(fields), source, 'an expectation');
  const row = parse(schema, given, source);
  refuseUnknownRule(row.rule, 'rule', source, ruleIds);
  const { exactly, atLeast, atMost } = row;
  if (exactly === undefined && atLeast === undefined && atMost === undefined) {
    throw new ShapeError(source, 'the whole value', 'must have a number as `exactly`, `atLeast` or `atMost`');
  }
  if (exactly !== undefined && (atLeast !== undefined || atMost !== undefined)) {
    throw new ShapeError(source, 'exactly', 'must stand alone; take out `atLeast` and `atMost`');
  }
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
    throw new ShapeError(source, 'atLeast', 'must not be more than `atMost`');
  }
  return given as unknown as RuleExpectation;
}

/** Checks all rows. Throws `ShapeError` for the first wrong one, and for a second one about the same rule. */
export function checkExpectations(
  values: readonly unknown[],
  sourceOf: (index: number) => string,
  ruleIds: ReadonlySet<string>,
): RuleExpectation[] {
  const seen = new Map<string, number>();
  return values.map((value, index) => {
    const row = checkExpectation(value, sourceOf(index), ruleIds);
    const first = seen.get(row.rule);
    if (first !== undefined) {
      throw new ShapeError(sourceOf(index), 'rule', `has a row already, ${sourceOf(first)}; keep one of them`);
    }
    seen.set(row.rule, index);
    return row;
  });
}

/** Number of messages that each rule matched, and for which it could not be evaluated, by rule id. Plain data. */
export interface ExpectationCounts {
  readonly matched: ReadonlyMap<string, number>;
  readonly unevaluated: ReadonlyMap<string, number>;
}

/** Creates a counter of the messages that each rule matches. Memory is in proportion to the rules. */
export function createExpectationCounter() {
  const matched = new Map<string, number>();
  const unevaluated = new Map<string, number>();
  const plus = (numbers: Map<string, number>, ruleId: string, count: number) =>
    numbers.set(ruleId, (numbers.get(ruleId) ?? 0) + count);
  const countEach = (numbers: Map<string, number>, hits: readonly { readonly ruleId: string }[]) => {
    for (const ruleId of new Set(hits.map((hit) => hit.ruleId))) plus(numbers, ruleId, 1);
  };
  return {
    add(decision: Decision): void {
      countEach(matched, decision.matched);
      countEach(unevaluated, decision.unevaluated);
    },
    merge(part: ExpectationCounts): void {
      for (const [ruleId, count] of part.matched) plus(matched, ruleId, count);
      for (const [ruleId, count] of part.unevaluated) plus(unevaluated, ruleId, count);
    },
    toJSON: (): ExpectationCounts => ({ matched, unevaluated }),
  };
}

/** Compares expectations with the counts of a corpus. */
export function expectationReport(
  rows: readonly RuleExpectation[],
  unexpectedRules: UnexpectedRules,
  { matched, unevaluated }: ExpectationCounts,
): ExpectationReport {
  const expected = new Set(rows.map(({ rule }) => rule));
  const others = [...matched].filter(([ruleId]) => unexpectedRules !== 'ignore' && !expected.has(ruleId));
  return {
    rows: rows.map((row) => resultOf(row, matched.get(row.rule) ?? 0, unevaluated.get(row.rule) ?? 0)),
    unexpected: others
      .map(([ruleId, messages]) => ({ ruleId, messages }))
      .sort((a, b) => b.messages - a.messages || (a.ruleId < b.ruleId ? -1 : 1)),
    unexpectedRules,
  };
}

function resultOf(row: RuleExpectation, messages: number, unevaluated: number): ExpectationResult {
  const least = row.exactly ?? row.atLeast ?? 0;
  const most = row.exactly ?? row.atMost ?? Number.POSITIVE_INFINITY;
  const met = messages >= least && messages + unevaluated <= most;
  return { ...row, messages, ...(unevaluated > 0 && { unevaluated }), met };
}
