/** The type of a golden case, and the checks of its JSON. */
import * as z from 'zod';
import { operands } from '../../engine/compile/operands.js';
import { asFields, asList } from '../../engine/compile/untrusted.js';
import { stops, verdicts } from '../../engine/compile/verdicts.js';
import type { Decision, Unevaluated, Verdict } from '../../engine/evaluate/decision.js';
import { faultOfMessage } from '../../engine/evaluate/message-text.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { ShapeError } from '../../foundation/errors.js';
import { nearestNames } from '../../foundation/nearest-names.js';
import { byId, identifier, maybe } from '../../platform/contract/fields.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { parse } from '../../platform/contract/parse.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { NearReading, WhyNot } from '../why-not/answer.js';

/**
 * A golden case: a message, and what the rules are expected to decide on it.
 *
 * @example
 * ```ts
 * const testCase: TestCase = {
 *   name: 'an offer',
 *   message: 'BUY now!',
 *   verdict: 'blockMessage',
 *   rules: ['scams'],
 *   terms: ['buy now'],
 * };
 * ```
 */
export interface TestCase {
  /** A name for people. Should be unique. */
  readonly name: string;
  /** A text, a draft or a full message, as `engine.explain` takes them. */
  readonly message: string | MessageDraft;
  /**
   * Scores of the text and the files, 0..100 by label. If absent, the option `scores` gives them.
   */
  readonly media?: readonly Scores[] | undefined;
  /** The expected verdict. */
  readonly verdict: Verdict;
  /** Ids of rules that must match. Other rules may match too. */
  readonly rules?: readonly string[] | undefined;
  /**
   * Terms, patterns or labels as the rule set writes them, or matched texts as the message writes
   * them, that must be among the matches.
   */
  readonly terms?: readonly string[] | undefined;
  /** Ids of rules that must not match. */
  readonly not?: readonly string[] | undefined;
  /** Whether the case is known to fail for now. It is reported, but does not count as a failure. */
  readonly todo?: boolean | undefined;
}

/**
 * A difference between a decision and its case. `field` is the field of the case or of the
 * decision.
 */
export type CaseDifference =
  /** The verdict is another one. */
  | { readonly field: 'verdict'; readonly expected: Verdict; readonly actual: Verdict }
  /** A rule that should have matched and did not. */
  | { readonly field: 'rules'; readonly ruleId: string }
  /** A term, pattern, label or text that should be among the matches and is not. */
  | { readonly field: 'terms'; readonly term: string }
  /** A rule that must not match, but did. With `unevaluated`, it could not be evaluated. */
  | { readonly field: 'not'; readonly ruleId: string; readonly unevaluated?: true }
  /**
   * The verdict is `allow`, as expected, but some conditions could not be evaluated. Only with the
   * option `strict`.
   */
  | { readonly field: 'unevaluated' };

/** The result of a case. Plain JSON. */
export interface CaseResult {
  /**
   * `failed`: a case without `todo` that has differences. `todo`: a case with `todo`, with or
   * without differences.
   */
  readonly status: 'passed' | 'failed' | 'todo';
  readonly name: string;
  /** Position of the case: `cases[3]`, counted from 0, or what the option `placeOf` returns. */
  readonly place: string;
  readonly case: TestCase;
  /** Empty if the decision is what the case expects. */
  readonly differences: readonly CaseDifference[];
  /**
   * The unevaluated conditions that matter to the case. If the verdict is `allow`, as expected,
   * these are all of them; otherwise those of rules that should have matched or must not match.
   */
  readonly unevaluated: readonly Unevaluated[];
  /**
   * For the first failed cases: why rules that should have matched did not. Absent if there are no
   * such rules.
   */
  readonly whyNot?: readonly WhyNot[];
  /**
   * For the first failed cases: other readings, each of which would make the case pass. Absent if
   * there are none.
   */
  readonly passesWith?: readonly NearReading[];
  readonly decision: Decision;
}

const verdictNames = verdicts.map((verdict) => `\`${verdict}\``);
const names = maybe(z.array(identifier));

const fields = {
  name: identifier,
  message: z.unknown().optional(),
  media: maybe(
    z.array(
      z.looseObject({
        operand: z.enum(operands, `must be one of ${operands.join(', ')}`),
        labels: byId(z.number()),
        url: maybe(z.string()),
      }),
    ),
  ),
  verdict: z.enum(verdicts, `must be ${verdictNames.slice(0, -1).join(', ')} or ${verdictNames.at(-1)}`),
  rules: names,
  terms: names,
  not: names,
  todo: maybe(z.boolean()),
};
const schema = z.looseObject(fields);

/**
 * Checks the shape of a golden case and the ids of its rules. Throws `ShapeError`, which names
 * `source`, the field and how to fix it. Unknown fields and unknown rules are errors too: a case
 * with a misspelt id in `not` would always pass.
 */
export function checkCase(value: unknown, source: string, ruleIds: ReadonlySet<string>): TestCase {
  const given = asFields(value);
  if (given === undefined) {
    throw new ShapeError(source, 'the whole value', 'must be a case: { "name": …, "message": …, "verdict": … }');
  }
  refuseUnknownFields(given, Object.keys(fields), source, 'a case');
  parse(schema, given, source);
  const checked = given as unknown as TestCase;
  const fault = faultOfMessage(checked.message);
  if (fault !== undefined) throw new ShapeError(source, 'message', fault);
  for (const field of ['rules', 'not'] as const) {
    for (const [index, ruleId] of (checked[field] ?? []).entries()) {
      refuseUnknownRule(ruleId, `${field}[${index}]`, source, ruleIds);
    }
  }
  return checked;
}

/** Throws `ShapeError` for the first unknown field. */
function refuseUnknownFields(given: object, known: readonly string[], source: string, what: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [near] = nearestNames(unknown, known);
  const hint = near === undefined ? `known are ${known.map(quoted).join(', ')}` : `did you mean ${quoted(near)}?`;
  throw new ShapeError(source, unknown.slice(0, 40), `is not a field of ${what}; ${hint}`);
}

/** Throws `ShapeError` if no rule has the id. */
function refuseUnknownRule(ruleId: string, path: string, source: string, ruleIds: ReadonlySet<string>): void {
  if (ruleIds.has(ruleId)) return;
  const [near] = nearestNames(ruleId, [...ruleIds]);
  const hint = near === undefined ? 'write the id of a rule, not its name' : `did you mean ${quoted(near)}?`;
  throw new ShapeError(source, path, `is ${quoted(ruleId.slice(0, 80))}, and no rule has this id; ${hint}`);
}

const quoted = (name: string) => `\`${name}\``;

/** Returns the differences between a decision and its case, in the order of the fields. */
export function differencesOf(
  testCase: TestCase,
  { verdict, matched, unevaluated }: Decision,
  { strict = false }: { readonly strict?: boolean | undefined } = {},
): CaseDifference[] {
  const ruleIds = new Set(matched.map(({ ruleId }) => ruleId));
  const openIds = new Set(unevaluated.map(({ ruleId }) => ruleId));
  const found = new Set<string>();
  for (const { conditions } of matched) {
    for (const match of conditions.flatMap(({ matches }) => matches)) {
      if (match.kind === 'score') found.add(match.label).add(match.threshold.label);
      else found.add(match.text).add(match.kind === 'word' ? match.term : match.pattern);
    }
  }
  const { verdict: expected, rules, terms, not } = testCase;
  return [
    ...(verdict === expected ? [] : [{ field: 'verdict', expected, actual: verdict } as const]),
    ...(rules ?? []).filter((id) => !ruleIds.has(id)).map((ruleId) => ({ field: 'rules', ruleId }) as const),
    ...(terms ?? []).filter((term) => !found.has(term)).map((term) => ({ field: 'terms', term }) as const),
    ...(not ?? []).flatMap((ruleId): CaseDifference[] => {
      if (ruleIds.has(ruleId)) return [{ field: 'not', ruleId }];
      return openIds.has(ruleId) ? [{ field: 'not', ruleId, unevaluated: true }] : [];
    }),
    ...(strict && !stops(verdict) && !stops(expected) && openIds.size > 0 ? [{ field: 'unevaluated' } as const] : []),
  ];
}

/**
 * Returns the unevaluated conditions that matter to a case. If the verdict is `allow`, as expected,
 * these are all of them. Otherwise they are those of the rules in its differences, or, if the
 * differences name no rule, those of the rules whose action is the expected verdict.
 */
export function unevaluatedOf(
  testCase: TestCase,
  differences: readonly CaseDifference[],
  { verdict: actual, unevaluated }: Decision,
  rules: readonly Rule[],
): readonly Unevaluated[] {
  if (!stops(actual) && !stops(testCase.verdict)) return unevaluated;
  if (differences.length === 0 || unevaluated.length === 0) return [];
  const named = differences.flatMap((difference) => ('ruleId' in difference ? [difference.ruleId] : []));
  const verdict = differences.find((difference) => difference.field === 'verdict')?.expected;
  const expected =
    named.length > 0
      ? named
      : rules.filter((rule) => asList(asFields(rule)?.action).includes(verdict)).map(({ id }) => id);
  return unevaluated.filter(({ ruleId }) => expected.includes(ruleId));
}
