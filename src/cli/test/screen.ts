import { scoresFromTable } from '../../audit/source/scores.js';
import { redactDecision } from '../../engine/evaluate/redact-decision.js';
import type { ExpectationReport, ExpectationResult } from '../../review/cases/corpus-expectations.js';
import type { OutcomeFailure, OutcomeReport } from '../../review/cases/corpus-outcomes.js';
import type { RuleCoverage, TermCoverage } from '../../review/cases/coverage.js';
import type { CaseDifference, CaseResult } from '../../review/cases/test-case.js';
import type { TestReport } from '../../review/cases/test-rules.js';
import type { WhyNot } from '../../review/why-not/answer.js';
import { checkScreen } from '../check/screen.js';
import { answerWords, readingWords, worthTelling } from '../check/why-not.js';
import { reasonWords, unchecked } from '../doubts.js';
import { errorLines } from '../rule-errors.js';
import type { EngineInput } from '../sources.js';
import { columns, cut, joinBlocks, listed, moreLines, wrapped } from '../terminal/lines.js';
import type { Output, Tone } from '../terminal/style.js';
import { type Column, tableLines } from '../terminal/table.js';
import { counted, escapeText, formatCount } from '../terminal/text.js';

/** How the results of `sluice test` are shown. */
export interface TestView extends Pick<EngineInput, 'ruleSet' | 'engine' | 'scores'> {
  /** Whether nothing of a message may be shown. */
  readonly redact: boolean;
  /** Whether lists are shown whole. */
  readonly verbose: boolean;
}

/** Entries shown of a list unless all are; the rest becomes a number. */
const mostEntries = { names: 12, terms: 5, sources: 12, rows: 20, todos: 20, unevaluated: 5 } as const;
const indent = '  ';
const hang = '    ';

/** The screen of a test run, one string per line: what failed with its explanation, what is covered, and the numbers last. */
export function testScreen(report: TestReport, view: TestView, output: Output): string[] {
  const { failures, failed, todos, todo, unevaluatedCases, unevaluated, duplicates, expectations, outcomes, coverage } =
    report;
  return joinBlocks([
    ...failures.map((result) => failureLines(result, view, output)),
    moreLines(failed - failures.length, output, 'case', ` failed: the first ${failures.length} are shown`),
    todoLines(todos, todo, view, output),
    uncheckedLines(unevaluatedCases, unevaluated, view, output),
    duplicates.flatMap(({ name, place, first }) =>
      wrapped(
        `two cases are called "${cut(name, columns.name)}": ${escapeText(first)} and ${escapeText(place)}`,
        'doubt',
        output,
      ),
    ),
    expectations === undefined ? [] : expectationLines(expectations, report.messages, view, output),
    outcomes === undefined ? [] : outcomeLines(outcomes, view, output),
    coverage === undefined ? [] : coverageLines(coverage, view, output),
    // Cases that pass prove nothing about what is not evaluated.
    errorLines(report.errors, output, view),
    summaryLines(report, output),
  ]);
}

/** A case that failed: its name and place, what was expected and what came, and the explanation of the decision. */
function failureLines(result: CaseResult, view: TestView, output: Output): string[] {
  return [
    ...wrapped(`failed: ${cut(result.name, columns.name)}`, 'bad', output).map((line) => output.paint('head', line)),
    ...wrapped(indent + escapeText(result.place), 'faint', output),
    ...explanationLines(result, view, output),
  ];
}

/** What was expected, what came and why, without name and place of the case. */
export function explanationLines(result: CaseResult, view: TestView, output: Output): string[] {
  const inner = { ...output, width: output.width - indent.length };
  const { message: given, media } = result.case;
  const message = typeof given === 'string' ? { data: { text: given } } : given;
  const check = {
    ...view,
    decision: view.redact ? redactDecision(result.decision) : result.decision,
    message,
    media: media ?? scoresFromTable(message, view.scores),
    isTextAlone: false,
    showErrors: false,
  };
  return [
    ...result.differences.flatMap((difference) => wrapped(differenceWords(difference), undefined, inner)),
    ...unevaluatedLines(result, view, inner),
    ...reasonLines(result, view, inner),
    '',
    ...checkScreen(check, inner, view),
  ].map((line) => (line === '' ? '' : indent + line));
}

/** The differences of a case in one line. */
export function differencesWords({ differences }: CaseResult): string {
  return differences.map(differenceWords).join('; ');
}

function differenceWords(difference: CaseDifference): string {
  switch (difference.field) {
    case 'verdict':
      return `expected ${difference.expected}, came ${difference.actual}`;
    case 'rules':
      return `rule \`${cut(difference.ruleId, columns.name)}\` should have matched`;
    case 'terms':
      return `"${cut(difference.term, columns.text)}" should be among the matches`;
    case 'not':
      return `rule \`${cut(difference.ruleId, columns.name)}\` ${difference.unevaluated ? `should not match, and ${unchecked}` : 'matched and should not'}`;
    case 'unevaluated':
      return `allowed, but conditions ${unchecked} (--strict)`;
  }
}

function unevaluatedLines({ unevaluated }: CaseResult, { verbose }: TestView, output: Output): string[] {
  const shown = verbose ? unevaluated : unevaluated.slice(0, mostEntries.unevaluated);
  return [
    ...shown.flatMap((entry) => {
      const where = `rule \`${cut(entry.ruleId, columns.name)}\`, condition ${entry.conditionId}`;
      return wrapped(`${where}, ${unchecked}: ${reasonWords([entry])}`, 'doubt', output);
    }),
    ...moreLines(unevaluated.length - shown.length, output, 'condition', ` ${unchecked}`),
  ];
}

/** Why rules did not match that should have, unless that was said, and which readings would make the case pass. */
function reasonLines({ whyNot = [], passesWith = [], unevaluated }: CaseResult, { verbose }: TestView, output: Output) {
  const wasSaid = ({ ruleId, conditionId }: WhyNot) =>
    unevaluated.some((one) => one.ruleId === ruleId && (conditionId ?? one.conditionId) === one.conditionId);
  const answers = worthTelling(whyNot).filter((answer) => !wasSaid(answer));
  const shown = verbose ? answers : answers.slice(0, mostEntries.unevaluated);
  const readings = passesWith.map(readingWords).join('; ');
  return [
    ...shown.flatMap((answer) => {
      const near = answer.near === undefined ? '' : ` with ${answer.near.map(readingWords).join('; ')}`;
      return wrapped(answerWords(answer) + near, undefined, output);
    }),
    ...moreLines(answers.length - shown.length, output, 'reason'),
    ...(readings === '' ? [] : wrapped(`passes with ${readings}`, 'good', output)),
  ];
}

/** Cases with `todo`: those that pass by now, and those that fail as they are expected to. */
function todoLines(todos: readonly CaseResult[], todo: number, { verbose }: TestView, output: Output): string[] {
  const shown = todos.slice(0, verbose ? todos.length : mostEntries.todos);
  return [
    ...shown.flatMap((result) => {
      const words = `${cut(result.name, columns.name)} (${escapeText(result.place)})`;
      return result.differences.length === 0
        ? wrapped(`passes now: ${words}: remove \`todo\``, 'good', output)
        : wrapped(`todo: ${words}: ${differencesWords(result)}`, 'doubt', output);
    }),
    ...moreLines(todo - shown.length, output, 'case', ' with `todo`'),
  ];
}

/** Cases that passed with an `allow` which not every rule stands behind: each with the first condition that could not be checked. */
function uncheckedLines(cases: readonly CaseResult[], count: number, { verbose }: TestView, output: Output): string[] {
  const shown = cases.slice(0, verbose ? cases.length : mostEntries.todos);
  return [
    ...shown.flatMap(({ name, place, unevaluated }) => {
      const rules = listed([...new Set(unevaluated.map(({ ruleId }) => ruleId))], mostEntries.names, (ruleId) =>
        cut(ruleId, columns.name),
      );
      const words = `${cut(name, columns.name)} (${escapeText(place)})`;
      return wrapped(`allowed, but ${unchecked}: ${words}: ${rules}: ${reasonWords(unevaluated)}`, 'doubt', output);
    }),
    ...moreLines(count - shown.length, output, 'case', ` allowed, but ${unchecked}`),
  ];
}

/** What a row expects: `exactly 5`, `at least 5`, `5 to 9`. */
export function expectedWords({ exactly, atLeast, atMost }: ExpectationResult): string {
  if (typeof exactly === 'number') return `exactly ${formatCount(exactly)}`;
  if (typeof atLeast !== 'number') return `at most ${formatCount(atMost ?? 0)}`;
  return typeof atMost === 'number'
    ? `${formatCount(atLeast)} to ${formatCount(atMost)}`
    : `at least ${formatCount(atLeast)}`;
}

/** The messages that a rule matched, and those of which nobody knows: `5, 2 could not be checked`. */
export function cameWords({ messages, unevaluated }: ExpectationResult): string {
  return formatCount(messages) + (unevaluated === undefined ? '' : `, ${formatCount(unevaluated)} ${unchecked}`);
}

function expectationLines(
  { rows, unexpected, unexpectedRules }: ExpectationReport,
  messages: number,
  { verbose }: TestView,
  output: Output,
): string[] {
  const failed = rows.filter(({ met }) => !met);
  const heading = `${counted(rows.length, 'expectation')} over ${counted(messages, 'message')}: ${
    failed.length === 0 ? 'all met' : `${formatCount(failed.length)} not met`
  }`;
  const table = tableLines<ExpectationResult>(
    [
      { title: 'rule', text: ({ rule }) => rule, flexible: 'first' },
      { title: 'expected', text: expectedWords },
      {
        title: 'came',
        text: cameWords,
        align: 'right',
        tone: ({ met }) => (met ? undefined : 'bad'),
      },
    ],
    verbose ? rows : failed,
    output,
    verbose ? rows.length : mostEntries.rows,
  );
  const others = listed(
    unexpected,
    verbose ? unexpected.length : mostEntries.names,
    ({ ruleId, messages: count }) => `${cut(ruleId, columns.name)} (${formatCount(count)})`,
  );
  const tone = unexpectedRules === 'fail' ? 'bad' : 'doubt';
  return [
    ...wrapped(heading, failed.length === 0 ? 'good' : 'bad', output),
    ...table,
    ...(unexpected.length === 0 ? [] : wrapped(`matched too, and no row is about them: ${others}`, tone, output)),
  ];
}

/** What came of the labels: `40 labels: all met`. */
export function outcomesWords({ judged, failed }: OutcomeReport): string {
  if (judged === 0) return 'no label is about a rule and a message that was judged, so they test nothing';
  return `${counted(judged, 'label')}: ${failed === 0 ? 'all met' : `${formatCount(failed)} not met`}`;
}

function outcomeLines(report: OutcomeReport, { verbose }: TestView, output: Output): string[] {
  const { judged, failed, failures, unsure, withoutRule, notFound, unknownRules } = report;
  const shown = failures.slice(0, verbose ? failures.length : mostEntries.rows);
  const columnsOf = [
    { title: 'message', text: ({ messageId }) => cut(messageId, columns.name) },
    { title: 'rule', text: ({ ruleId }) => ruleId, flexible: 'first' },
    { title: 'label', text: ({ outcome }) => outcome },
    {
      title: 'stopped by',
      text: ({ stoppedBy, unevaluated }) => stoppedBy.join(', ') || (unevaluated ? unchecked : 'nothing'),
      flexible: 'first',
      separator: ', ',
    },
  ] as const satisfies Column<OutcomeFailure>[];
  const leftOut = [
    ...(unsure > 0 ? [`${formatCount(unsure)} unsure`] : []),
    ...(withoutRule > 0 ? [`${formatCount(withoutRule)} without a rule`] : []),
    ...(notFound > 0 ? [`${formatCount(notFound)} of messages that are not here`] : []),
  ];
  const unknown = listed(unknownRules, verbose ? unknownRules.length : mostEntries.names, (id) =>
    cut(id, columns.name),
  );
  return [
    ...wrapped(outcomesWords(report), judged > 0 && failed === 0 ? 'good' : 'bad', output),
    ...tableLines<OutcomeFailure>(columnsOf, shown, output),
    ...moreLines(failed - shown.length, output, 'label', ' not met'),
    ...(leftOut.length === 0 ? [] : wrapped(`labels left out: ${leftOut.join(', ')}`, 'doubt', output)),
    ...(unknownRules.length === 0 ? [] : wrapped(`labels of rules that are not here: ${unknown}`, 'doubt', output)),
  ];
}

function coverageLines({ rules, conditions, terms }: RuleCoverage, { verbose }: TestView, output: Output): string[] {
  const figures = [
    { name: 'rules', ...rules },
    { name: 'conditions', ...conditions },
    { name: 'terms', ...terms },
  ];
  const open = terms.sources.filter(({ covered, total }) => covered < total);
  const sources = open.slice(0, verbose ? open.length : mostEntries.sources);
  const covered = open.length === 0 && conditions.uncovered.length === 0;
  const notCovered = <Item>(
    what: string,
    items: readonly Item[],
    nameOf: (item: Item) => string,
    most: number = mostEntries.names,
  ) => {
    if (items.length === 0) return [];
    const names = listed(items, verbose ? items.length : most, nameOf);
    return wrapped(`${indent}${what}: ${names}`, undefined, output, hang);
  };
  return [
    ...tableLines(
      [
        { title: 'coverage', text: ({ name }) => name },
        {
          title: 'covered',
          text: ({ covered, total }) => `${formatCount(covered)} of ${formatCount(total)}`,
          align: 'right',
        },
        { title: 'share', text: ({ percent }) => `${percent} %`, align: 'right', tone: toneOf },
      ],
      figures,
      output,
    ),
    ...(covered ? [] : wrapped('not covered', 'head', output)),
    ...notCovered('rules', rules.uncovered, (ruleId) => cut(ruleId, columns.name)),
    ...notCovered('conditions', conditions.uncovered, conditionName),
    ...sources.flatMap((source) => {
      const share = `${formatCount(source.covered)} of ${formatCount(source.total)}`;
      const nameOf = (term: string) => `"${cut(term, columns.text)}"`;
      return notCovered(`${sourceName(source)}, ${share}`, source.uncovered, nameOf, mostEntries.terms);
    }),
    ...moreLines(open.length - sources.length, output, 'list', ' and conditions with terms'),
    ...(covered || verbose ? [] : wrapped('all of them: --verbose, or --json', 'faint', output)),
  ];
}

function toneOf({ percent }: { readonly percent: number }): Tone | undefined {
  return percent === 100 ? 'good' : undefined;
}

/** The name of a list, or the condition that holds terms itself. */
function sourceName({ listId, ruleId = '', conditionId = 0 }: TermCoverage): string {
  return listId === undefined ? conditionName({ ruleId, conditionId }) : cut(listId, columns.name);
}

function conditionName({ ruleId, conditionId }: { readonly ruleId: string; readonly conditionId: number }): string {
  return `${cut(ruleId, columns.name)}#${conditionId}`;
}

function summaryLines(report: TestReport, output: Output): string[] {
  const { cases, ok, threshold, coverage } = report;
  const parts = cases === 0 ? [] : [countsWords(report)];
  const below = (threshold?.below ?? []).map(
    (part) => `${part} covered ${coverage?.[part].percent} %, under the threshold of ${threshold?.percent} %`,
  );
  return [...below, ...parts].flatMap((line) =>
    wrapped(line, ok ? 'good' : 'bad', output).map((own) => output.paint('head', own)),
  );
}

/** `42 passed, 1 failed, 2 todo`; parts that are none are left out, but for those that passed. */
export function countsWords({ passed, failed, todo }: TestReport): string {
  return [
    `${formatCount(passed)} passed`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(todo > 0 ? [`${formatCount(todo)} todo`] : []),
  ].join(', ');
}
