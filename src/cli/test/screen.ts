import { mediaFromScores } from '../../audit/source/scores.js';
import type { RuleCoverage, TermCoverage } from '../../cases/coverage.js';
import type { ExpectationReport, ExpectationResult } from '../../cases/expectations.js';
import type { CaseDifference, CaseResult } from '../../cases/test-case.js';
import type { TestReport } from '../../cases/test-rules.js';
import { columns, cut, redactDecision, wrapped } from '../check/result.js';
import { checkScreen } from '../check/screen.js';
import { reasonWords } from '../plain-words.js';
import { errorList, errorWords } from '../rule-errors.js';
import type { EngineInput } from '../sources.js';
import type { Output, Tone } from '../terminal/style.js';
import { tableLines } from '../terminal/table.js';
import { counted, escapeText, formatCount, wrapHanging } from '../terminal/text.js';

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
  const { failures, failed, todos, todo, duplicates, expectations, coverage } = report;
  const blocks = [
    ...failures.map((result) => failureLines(result, view, output)),
    moreLines(failed - failures.length, 'more case', ` failed: the first ${failures.length} are shown`, output),
    todoLines(todos, todo, view, output),
    duplicates.flatMap(({ name, place, first }) =>
      wrapped(
        `two cases are called "${cut(name, columns.name)}": ${escapeText(first)} and ${escapeText(place)}`,
        'doubt',
        output,
      ),
    ),
    expectations === undefined ? [] : expectationLines(expectations, report.messages, view, output),
    coverage === undefined ? [] : coverageLines(coverage, view, output),
    errorLines(report, view, output),
    summaryLines(report, output),
  ];
  return blocks.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
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
    media: media ?? mediaFromScores(message, view.scores),
    isTextAlone: false,
    showErrors: false,
  };
  return [
    ...result.differences.flatMap((difference) => wrapped(differenceWords(difference), undefined, inner)),
    ...unevaluatedLines(result, view, inner),
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
      return `rule \`${cut(difference.ruleId, columns.name)}\` matched and should not`;
  }
}

function unevaluatedLines({ unevaluated }: CaseResult, { verbose }: TestView, output: Output): string[] {
  const shown = verbose ? unevaluated : unevaluated.slice(0, mostEntries.unevaluated);
  return [
    ...shown.flatMap((entry) => {
      const where = `rule \`${cut(entry.ruleId, columns.name)}\`, condition ${entry.conditionId}`;
      return wrapped(`${where}, could not be checked: ${reasonWords([entry])}`, 'doubt', output);
    }),
    ...moreLines(unevaluated.length - shown.length, 'more condition', ' could not be checked', output),
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
    ...moreLines(todo - shown.length, 'more case', ' with `todo`', output),
  ];
}

function moreLines(left: number, noun: string, words: string, { paint }: Output): string[] {
  return left > 0 ? [paint('faint', `+${counted(left, noun)}${words}`)] : [];
}

/** What a row expects: `exactly 5`, `at least 5`, `5 to 9`. */
export function expectedWords({ exactly, atLeast, atMost }: ExpectationResult): string {
  if (typeof exactly === 'number') return `exactly ${formatCount(exactly)}`;
  if (typeof atLeast !== 'number') return `at most ${formatCount(atMost ?? 0)}`;
  return typeof atMost === 'number'
    ? `${formatCount(atLeast)} to ${formatCount(atMost)}`
    : `at least ${formatCount(atLeast)}`;
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
        text: (row) => formatCount(row.messages),
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
    ({ ruleId, messages: count }) => `${cut(ruleId, columns.name)} (${formatCount(count)})`,
    mostEntries.names,
    verbose,
  );
  const tone = unexpectedRules === 'fail' ? 'bad' : 'doubt';
  return [
    ...wrapped(heading, failed.length === 0 ? 'good' : 'bad', output),
    ...table,
    ...(unexpected.length === 0 ? [] : wrapped(`matched too, and no row is about them: ${others}`, tone, output)),
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
    return wrapHanging(`${indent}${what}: ${listed(items, nameOf, most, verbose)}`, output.width, hang);
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
    ...moreLines(open.length - sources.length, 'more list', ' and conditions with terms', output),
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

/** Items by their names as one clause, the first of them unless all are shown. */
function listed<Item>(items: readonly Item[], nameOf: (item: Item) => string, most: number, verbose: boolean): string {
  const shown = (verbose ? items : items.slice(0, most)).map(nameOf);
  const left = items.length - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` +${formatCount(left)} more` : ''}`;
}

/** The errors of the rules: cases that pass prove nothing about what is not evaluated. */
function errorLines({ errors }: TestReport, { verbose }: TestView, output: Output): string[] {
  const words = errorWords(errors, { option: '--verbose' });
  if (words === undefined) return [];
  if (!verbose) return wrapped(words, 'bad', output);
  const list = errorList(errors).flatMap((line) => wrapHanging(indent + line, output.width, hang));
  return [...wrapped(`${counted(errors.length, 'error')} in the rules`, 'bad', output), ...list];
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
