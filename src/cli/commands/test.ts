import { fileURLToPath } from 'node:url';
import type { Auditable } from '../../audit/audit-entry.js';
import type { Label } from '../../audit/sample/label.js';
import { scoresFromTable } from '../../audit/source/scores.js';
import { redactDecision } from '../../engine/evaluate/redact-decision.js';
import { UsageError } from '../../foundation/errors.js';
import { type CorpusOptions, corpusCounting } from '../../review/cases/corpus-counts.js';
import type { CaseResult, TestCase } from '../../review/cases/test-case.js';
import { ruleIdsOf, type TestReport, testBy } from '../../review/cases/test-rules.js';
import { redactAnswers } from '../check/why-not.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { printScreen } from '../document/print.js';
import { commonExits, exitCode } from '../exit-code.js';
import { readLabels } from '../input-files.js';
import { printJson } from '../io.js';
import { messagesFileOption } from '../message-columns.js';
import {
  filterOptions,
  type MessageInput,
  type MessagePlan,
  messageOptions,
  planMessages,
  withMessages,
} from '../message-source.js';
import { printErrors } from '../rule-errors.js';
import { countMessages, type RowOptions, readRowOptions, runOptions } from '../run-messages.js';
import { type EngineInput, noteScale, planRules, type RulesPlan, withEngine } from '../sources.js';
import { createCaseReader, readExpectations } from '../test/files.js';
import { JunitReport } from '../test/junit.js';
import { openRows, type RowFile } from '../test/row-files.js';
import { type TestView, testScreen } from '../test/screen.js';

const formats = ['text', 'json', 'junit'] as const;

const options = {
  ...messageOptions,
  ...runOptions,
  ...optionGroup('what to expect of many messages', {
    expect: {
      type: 'string',
      value: 'FILE',
      help: 'how many messages each rule should match, rows of { "rule", "exactly" | "atLeast" | "atMost" }',
    },
    labels: {
      type: 'string',
      value: 'FILE',
      help: 'labels of sluice label: what a rule rightly stopped it should still stop, what it wrongly stopped no longer',
    },
  }),
  ...optionGroup('what to report', {
    strict: { type: 'boolean', help: 'fail a case that is allowed while some condition could not be evaluated' },
    coverage: {
      type: 'string',
      value: 'PERCENT',
      optional: true,
      integer: { min: 0, max: 100 },
      help:
        'show which rules, conditions and terms were matched by a case that passes, or by a message; with PERCENT fail when fewer of the rules, or ' +
        'of the conditions, are',
    },
    format: { type: 'string', choices: formats, help: 'how the report is printed (text)' },
    json: { type: 'boolean', excludes: ['format'], help: 'the same as --format json' },
    verbose: { type: 'boolean', help: 'show lists whole: expectations, what is not covered' },
    redact: { type: 'boolean', help: 'print nothing of the messages, only where and how long' },
    quiet: { type: 'boolean', help: 'print errors only, and the output of --json or --format' },
  }),
};

type Values = OptionValues<typeof options>;

/** `sluice test`: runs golden cases and expectations against rules. */
export const testCommand: Command<typeof options> = {
  name: 'test',
  summary: 'test the rules with cases of your own',
  description:
    'Judges golden cases by the rules, and says of each that fails what was expected, what it got and why. A case is a line of ' +
    'JSON, { "name", "message", "verdict" }, with "media", "rules", "terms", "not" and "todo" where they help; a file may ' +
    'also be an array of cases. With --expect, counts how many messages each rule matches; with --labels, compares what stops ' +
    'messages with labels of people. Without CASES, --demo runs its own. The first 100 cases that fail are shown.',
  examples: [
    'sluice test --demo',
    'sluice test cases.ndjson --rules rules.json --coverage 80',
    'sluice test --rules rules.json --messages may.ndjson --expect may.json',
    'sluice test --rules rules.json --messages may.ndjson --labels labels.ndjson',
    'sluice test cases.ndjson --rules rules.json --format junit > report.xml',
    'sluice check --rules rules.json "you idiot" --add cases.ndjson',
  ],
  operand: { title: 'CASES…', noun: 'file of cases', many: true },
  options,
  exits: {
    done: 'all cases passed and all expectations and labels are met; cases with `todo` may fail',
    findings: 'a case failed, an expectation or a label was not met, or too little is covered',
    ...commonExits,
    data: 'the rules have errors, whatever the cases say; or rules or data cannot be used, or results cannot be written',
  },
  run,
};

/** The cases of the bundled demo; the same place from `src/cli/commands` and from `dist/cli/commands`. */
const demoCases = {
  path: fileURLToPath(new URL('../../../fixtures/data/cases.ndjson', import.meta.url)),
  label: 'fixtures/data/cases.ndjson',
};

/** The parts of a test run: cases, sources, and the form of the report. */
interface TestPlan {
  readonly cases: readonly { readonly path: string; readonly label?: string }[];
  readonly expectFile: string | undefined;
  readonly threshold: number | undefined;
  readonly rows: RowOptions;
  readonly format: (typeof formats)[number];
  /** Rules alone, or rules and messages. */
  readonly sources: { readonly rules: RulesPlan } | { readonly messages: MessagePlan };
}

async function run(values: Values, context: RunContext, ...paths: readonly string[]): Promise<number> {
  const plan = planTest(values, paths, context.env);
  return testOnce(plan, values, context);
}

function planTest(values: Values, paths: readonly string[], env: RunContext['env']): TestPlan {
  const { expect: expectFile, labels, messages } = values;
  const { format = values.json ? 'json' : 'text' } = values;
  const { coverage } = values;
  const wantsCoverage = coverage !== undefined;
  const wantsMessages = expectFile !== undefined || labels !== undefined || (messages !== undefined && wantsCoverage);
  if (!wantsMessages) {
    const given = Object.keys({ ...messagesFileOption, ...filterOptions, ...runOptions }).find(
      (name) => name in values,
    );
    if (given !== undefined)
      throw new UsageError(
        `\`--${given}\` goes with \`--expect FILE\` or \`--labels FILE\`, or with \`--messages FILE --coverage\``,
      );
  }
  if (paths.length === 0 && !wantsMessages && !values.demo) {
    throw new UsageError(
      'no cases; give files of cases, or `--messages FILE` with `--expect FILE` or `--labels FILE`, or `--demo`',
    );
  }
  if ([...paths, ...(messages ?? []), expectFile, labels].filter((path) => path === '-').length > 1) {
    throw new UsageError('standard input can be read once only; give `-` once');
  }
  return {
    cases: paths.length === 0 && !wantsMessages ? [demoCases] : [...new Set(paths)].map((path) => ({ path })),
    expectFile,
    threshold: coverage === '' ? undefined : coverage,
    rows: readRowOptions(values, messages !== undefined),
    format,
    sources: wantsMessages ? { messages: planMessages(values, env) } : { rules: planRules(values, env) },
  };
}

/** Reads, checks and runs everything once. */
async function testOnce(plan: TestPlan, values: Values, context: RunContext): Promise<number> {
  const caseFiles: RowFile[] = [];
  for (const { path, label } of plan.cases) caseFiles.push(await openRows(path, context, label));
  const expectFile = plan.expectFile === undefined ? undefined : await openRows(plan.expectFile, context);
  const labels = values.labels === undefined ? undefined : await readLabels(values.labels, context);
  const test = (input: EngineInput, corpus?: MessageInput) =>
    testInput(plan, { caseFiles, expectFile, labels: labels?.all(), input, corpus }, values, context);
  const { sources } = plan;
  return 'messages' in sources
    ? withMessages(sources.messages, values, context, (input) => test(input, input))
    : withEngine(sources.rules, values, context, (input) => test(input));
}

/** The opened sources of a run. */
interface TestInput {
  readonly caseFiles: readonly RowFile[];
  readonly expectFile: RowFile | undefined;
  readonly labels: Iterable<Label> | undefined;
  readonly input: EngineInput;
  readonly corpus: MessageInput | undefined;
}

async function testInput(plan: TestPlan, opened: TestInput, values: Values, context: RunContext): Promise<number> {
  const { input, corpus, expectFile, labels } = opened;
  await noteScale(input.scores, context);
  const ruleIds = ruleIdsOf(input.ruleSet);
  const reader = createCaseReader(opened.caseFiles, ruleIds);
  // Everything is checked before anything runs, so that nothing is half run.
  await reader.check();
  const expectations = expectFile && (await readExpectations(expectFile, ruleIds));
  const common = {
    rules: input.ruleSet,
    semantics: input.semantics,
    engine: input.engine,
    scores: (message: Auditable) => scoresFromTable(message, input.scores),
    placeOf(testCase: TestCase) {
      const { file, line } = reader.placeOf(testCase);
      return `${file}:${line}`;
    },
    strict: values.strict === true,
    signal: context.interrupted,
  };
  const view: TestView = { ...input, redact: values.redact === true, verbose: values.verbose === true };
  const junit = plan.format === 'junit' ? new JunitReport(reader.placeOf, view) : undefined;
  let judged = 0;
  const count =
    corpus &&
    ((what: CorpusOptions) => countMessages(corpus, { counting: corpusCounting(what), ...plan.rows }, context));
  const tested: Parameters<typeof testBy>[1] = {
    ...common,
    ...(expectations && { expectations }),
    ...(labels && { labels }),
    coverage: values.coverage !== undefined,
    threshold: plan.threshold,
    onResult(result) {
      junit?.add(result);
      judged += 1;
      context.reporter.progress(judged, undefined);
    },
  };
  const report = await testBy(reader.cases(), tested, count);
  context.reporter.end();
  if (junit !== undefined) await junit.print(report, context);
  else if (plan.format === 'json') await printJson(context, view.redact ? redactReport(report) : report);
  else if (!values.quiet) await printScreen(context, testScreen(report, view));
  if (report.errors.length > 0) {
    if (plan.format !== 'text' || values.quiet) await printErrors(context, report.errors);
    return exitCode.data;
  }
  return report.ok ? exitCode.done : exitCode.findings;
}

/** Returns a report without content of messages: decisions are redacted, and the messages of cases are left out. */
function redactReport(report: TestReport): unknown {
  const redacted = (result: CaseResult) => {
    const { message: _message, media: _media, ...expected } = result.case;
    const whyNot = result.whyNot && { whyNot: redactAnswers(result.whyNot) };
    return { ...result, case: expected, ...whyNot, decision: redactDecision(result.decision) };
  };
  const { failures, todos, unevaluatedCases } = report;
  return {
    ...report,
    failures: failures.map(redacted),
    todos: todos.map(redacted),
    unevaluatedCases: unevaluatedCases.map(redacted),
  };
}
