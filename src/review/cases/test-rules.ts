/** Runs golden cases against rules. */
import type { Auditable } from '../../audit/audit-entry.js';
import { createUnmatched, type Running } from '../../audit/count/unmatched.js';
import { judgeEach } from '../../audit/stream.js';
import type { Issue } from '../../engine/compile/issue.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { asFields, asString } from '../../engine/compile/untrusted.js';
import { createEngine, type Engine, type RuleSetInput } from '../../engine/engine.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { resolveSemantics, type Semantics, semanticsOf } from '../../engine/semantics.js';
import { ShapeError } from '../../foundation/errors.js';
import { checkOptions, type OptionChecks } from '../../foundation/options.js';
import { coverageOf, type RuleCoverage } from './coverage.js';
import { createFailureExplainer, type FailureExplainer } from './explain-failure.js';
import { type CaseResult, checkCase, differencesOf, type TestCase, unevaluatedOf } from './test-case.js';

/** The members of an engine that tests use. */
type TestEngine = Pick<Engine, 'explain' | 'revision' | 'issues'> & Running;

/** Options of `testRules`. */
export interface TestOptions {
  /** The rules to test, with their keyword lists. */
  readonly rules: RuleSetInput;
  /** Readings other than the defaults. */
  readonly semantics?: Partial<Semantics> | undefined;
  /**
   * An engine with the same rules and semantics. If absent, one is created, and closed at the end.
   */
  readonly engine?: TestEngine | undefined;
  /**
   * Returns the scores of the text and the files of a message, 0..100 by label. Called for cases
   * without `media`.
   */
  readonly scores?: ((message: Auditable) => readonly Scores[] | Promise<readonly Scores[]>) | undefined;
  /**
   * Whether a case fails if conditions could not be evaluated and its verdict is `allow`, as
   * expected. Default `false`: such cases are only listed.
   */
  readonly strict?: boolean | undefined;
  /** Whether to report how much of the rules is matched by passing cases. Default `false`. */
  readonly coverage?: boolean | undefined;
  /** Percentage of the rules, and of the conditions, that must be matched. Implies `coverage`. */
  readonly threshold?: number | undefined;
  /**
   * How many failures, and how many cases with `todo`, the report lists. Further ones are counted.
   * Default 100.
   */
  readonly maxListed?: number | undefined;
  /**
   * Called with every result in the order of the cases, passing ones included. The next case waits
   * until it resolves.
   */
  readonly onResult?: ((result: CaseResult) => void | Promise<void>) | undefined;
  /** Returns the position of a case, for results and errors. Default: `cases[0]` and so on. */
  readonly placeOf?: ((testCase: TestCase, index: number) => string) | undefined;
  /** Stops the tests: the promise rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of all tests. Plain JSON that depends on the input alone. */
export interface TestReport {
  /**
   * Whether no case failed, no figure is below the threshold, and the rules have no errors. Rules
   * with errors are not evaluated as they are written, so cases prove nothing about them.
   */
  readonly ok: boolean;
  /** Number of cases that were run: the sum of the next three numbers. */
  readonly cases: number;
  readonly passed: number;
  readonly failed: number;
  /** Cases with `todo`. */
  readonly todo: number;
  /** Cases with `todo` that pass, so that `todo` can be removed. */
  readonly todoPassing: number;
  /** Cases that passed with the verdict `allow` although conditions could not be evaluated. */
  readonly unevaluated: number;
  /** The first `maxListed` failed cases, in their order. */
  readonly failures: readonly CaseResult[];
  /** The first `maxListed` cases with `todo`, in their order. */
  readonly todos: readonly CaseResult[];
  /** The first `maxListed` of the cases counted in `unevaluated`, in their order. */
  readonly unevaluatedCases: readonly CaseResult[];
  /**
   * The first `maxListed` cases that have the name of an earlier case. Only the first 100,000 names
   * are compared.
   */
  readonly duplicates: readonly DuplicateName[];
  /** Present if one of the options `coverage` and `threshold` was given. */
  readonly coverage?: RuleCoverage;
  /** The option `threshold`, and what lies below it. */
  readonly threshold?: { readonly percent: number; readonly below: readonly ('rules' | 'conditions')[] };
  /** Issues of severity `error` in the rules: what is not evaluated as it is written. */
  readonly errors: readonly Issue[];
  /** Revision of the engine: a digest of rules and semantics. */
  readonly revision: string;
}

/** A case that has the name of an earlier case. */
export interface DuplicateName {
  readonly name: string;
  readonly place: string;
  /** Position of the first case with this name. */
  readonly first: string;
}

const checks: OptionChecks<TestOptions> = {
  rules: undefined,
  semantics: undefined,
  engine: undefined,
  scores: undefined,
  strict: undefined,
  coverage: undefined,
  threshold: [
    (percent: number) => Number.isInteger(percent) && percent >= 0 && percent <= 100,
    'a whole number from 0 to 100',
  ],
  maxListed: [(count: number) => Number.isSafeInteger(count) && count >= 0, 'a whole number, 0 or more'],
  onResult: undefined,
  placeOf: undefined,
  signal: undefined,
};

/** Default number of failures that are listed and explained. */
const mostListed = 100;

/** Number of names that are remembered to find repeated ones, which bounds the memory. */
const maxNames = 100_000;

/**
 * Judges golden cases with a rule set, and reports where the decisions differ from what is
 * expected. Cases are read one at a time, so that they may be a stream of any length. The report
 * lists the first failures.
 *
 * Rejects with `ShapeError` for a malformed case, naming its position and field, for an unknown
 * rule in a case, and if there are no cases; with `RuleSetError` and `UsageError` for invalid
 * rules, semantics and options; with errors of the source and of `scores`; and with
 * `signal.reason`.
 *
 * @example
 * ```ts
 * async function check(rules: RuleSet): Promise<void> {
 *   const cases: TestCase[] = [
 *     { name: 'an offer', message: 'BUY now!', verdict: 'blockMessage', rules: ['scams'] },
 *     { name: 'a place', message: 'a day in Scunthorpe', verdict: 'allow' },
 *   ];
 *   const report = await testRules(cases, { rules });
 *   for (const { name, differences } of report.failures) console.error(name, differences);
 * }
 * ```
 */
export async function testRules(
  cases: Iterable<TestCase> | AsyncIterable<TestCase>,
  options: TestOptions,
): Promise<TestReport> {
  checkOptions('`testRules`', options, checks);
  const { rules, threshold } = options;
  const semantics = resolveSemantics(semanticsOf(rules, options.semantics));
  const wantsCoverage = options.coverage === true || threshold !== undefined;
  const made = options.engine === undefined ? createEngine(rules, semantics) : undefined;
  const engine = options.engine ?? made!;
  const explainer = createFailureExplainer(rules, semantics, options);
  try {
    const coverage = wantsCoverage ? createUnmatched(engine, { by: 'condition' }) : undefined;
    const ruleIds = ruleIdsOf(rules);
    const maxListed = options.maxListed ?? mostListed;
    const tally = createCaseTally(maxListed);
    for await (const result of judgeCases(cases, { engine, explainer }, options, ruleIds)) {
      if (result.differences.length === 0) coverage?.add(result);
      tally.add(result);
      await options.onResult?.(result);
    }
    if (tally.counts.cases === 0) {
      throw new ShapeError('cases', 'the whole value', 'holds no case, so nothing was tested');
    }
    return reportOf(
      { ...tally.counts, errors: errorsOf(engine), revision: engine.revision },
      coverage && coverageOf(coverage.unmatched()),
      threshold,
    );
  } finally {
    made?.close();
    explainer.close();
  }
}

/** Returns the ids of the rules that cases may name. */
export function ruleIdsOf({ rules }: Pick<RuleSetInput, 'rules'>): ReadonlySet<string> {
  return new Set(rules.flatMap((rule) => asString(asFields(rule)?.id) ?? []));
}

/** A case with its position, and with its scores once it is judged. */
interface CheckedCase {
  readonly case: TestCase;
  readonly place: string;
  scores: readonly Scores[] | Promise<readonly Scores[]>;
}

/** Judges cases and yields each with its position. */
async function* judgeCases(
  cases: Iterable<TestCase> | AsyncIterable<TestCase>,
  { engine, explainer }: { readonly engine: Pick<Engine, 'explain'>; readonly explainer: FailureExplainer },
  { rules: { rules }, scores, placeOf, maxListed = mostListed, strict, signal }: TestOptions,
  ruleIds: ReadonlySet<string>,
): AsyncGenerator<CaseResult, void, undefined> {
  async function* checked(): AsyncGenerator<CheckedCase, void, undefined> {
    let index = 0;
    for await (const given of cases) {
      const place = placeOf?.(given, index) ?? `cases[${index}]`;
      index += 1;
      yield { case: checkCase(given, place, ruleIds), place, scores: [] };
    }
  }
  const scoresOf = (given: CheckedCase) => {
    given.scores = given.case.media ?? scores?.(given.case.message) ?? [];
    return given.scores;
  };
  const judged = judgeEach(checked(), { engine }, { messageOf: (given) => given.case.message, scoresOf, signal });
  let explained = 0;
  for await (const { given, decision } of judged) {
    const { case: testCase, place } = given;
    const differences = differencesOf(testCase, decision, { strict });
    const isFailed = testCase.todo !== true && differences.length > 0;
    if (isFailed) explained += 1;
    const isExplained = isFailed && explained <= maxListed;
    yield {
      status: testCase.todo === true ? 'todo' : isFailed ? 'failed' : 'passed',
      name: testCase.name,
      place,
      case: testCase,
      differences,
      unevaluated: unevaluatedOf(testCase, differences, decision, rules),
      ...(isExplained && explainer.explain(testCase, differences, await given.scores)),
      decision,
    };
  }
}

/**
 * Creates the tally of results. It counts all of them, and keeps the first failed ones, the first
 * with `todo` and the first that passed with unevaluated conditions.
 */
function createCaseTally(maxListed: number) {
  const failures: CaseResult[] = [];
  const todos: CaseResult[] = [];
  const unevaluatedCases: CaseResult[] = [];
  const duplicates: DuplicateName[] = [];
  const placeByName = new Map<string, string>();
  const numbers = { cases: 0, passed: 0, failed: 0, todo: 0, todoPassing: 0, unevaluated: 0 };
  const counts = { ...numbers, failures, todos, unevaluatedCases, duplicates };
  return {
    counts,
    add(result: CaseResult): void {
      const { status, name, place, differences } = result;
      counts.cases += 1;
      counts[status] += 1;
      if (status === 'todo' && differences.length === 0) counts.todoPassing += 1;
      if (status === 'passed' && result.unevaluated.length > 0) {
        counts.unevaluated += 1;
        if (unevaluatedCases.length < maxListed) unevaluatedCases.push(result);
      }
      if (status === 'failed' && failures.length < maxListed) failures.push(result);
      if (status === 'todo' && todos.length < maxListed) todos.push(result);
      const first = placeByName.get(name);
      if (first !== undefined && duplicates.length < maxListed) duplicates.push({ name, place, first });
      if (first === undefined && placeByName.size < maxNames) placeByName.set(name, place);
    },
  };
}

function reportOf(
  counts: Omit<TestReport, 'ok' | 'coverage' | 'threshold'>,
  coverage: RuleCoverage | undefined,
  percent: number | undefined,
): TestReport {
  const below = (['rules', 'conditions'] as const).filter((kind) => (coverage?.[kind].percent ?? 100) < (percent ?? 0));
  return {
    ok: counts.failed === 0 && counts.errors.length === 0 && below.length === 0,
    ...counts,
    ...(coverage && { coverage }),
    ...(percent !== undefined && { threshold: { percent, below } }),
  };
}
