/** The screen of `sluice test`. */
import { scoresFromTable } from '../../audit/source/scores.js';
import type { CaseDifference, CaseResult } from '../../review/cases/test-case.js';
import type { TestReport } from '../../review/cases/test-rules.js';
import type { WhyNot } from '../../review/why-not/answer.js';
import { checkScreen } from '../check/screen.js';
import { answerWords, readingWords, worthTelling } from '../check/why-not.js';
import {
  type Block,
  type Group,
  heading,
  joined,
  list,
  listed,
  more,
  name,
  paragraph,
  plain,
  quoted,
  type Words,
  words,
} from '../document/document.js';
import { errorBlocks } from '../rule-errors.js';
import type { EngineInput } from '../sources.js';
import { formatCount } from '../terminal/text.js';
import { reasonWords, unchecked } from '../unchecked.js';
import { coverageBlocks } from './coverage.js';

/** The input with which the results of `sluice test` are shown. */
export interface TestView extends Pick<EngineInput, 'ruleSet' | 'engine' | 'scores'> {
  /** Whether lists are shown completely. */
  readonly verbose: boolean;
}

/** Numbers of entries that are shown unless all are. Further ones are counted. */
const mostEntries = { names: 12, todos: 20, unevaluated: 5 } as const;

/**
 * Returns the screen of a test run: the failed cases with their explanation, then the coverage, and
 * the numbers last.
 */
export function testScreen(report: TestReport, view: TestView): Group[] {
  const { failures, failed, todos, todo, unevaluatedCases, unevaluated, duplicates, coverage } = report;
  return [
    ...failures.flatMap((result) => failureGroups(result, view)),
    more(failed - failures.length, 'case', ` failed: the first ${failures.length} are shown`),
    todoBlocks(todos, todo, view),
    uncheckedBlocks(unevaluatedCases, unevaluated, view),
    duplicates.map(({ name: title, place, first }) =>
      paragraph(words`two cases are called ${quoted(title)}: ${plain(first)} and ${plain(place)}`, 'warning'),
    ),
    coverage === undefined ? [] : coverageBlocks(coverage, view),
    // Passing cases prove nothing about what is not evaluated.
    errorBlocks(report.errors, view),
    summaryBlocks(report),
  ];
}

/**
 * Returns a failed case: its name and place, the expected and the actual decision, and an
 * explanation of it.
 */
function failureGroups(result: CaseResult, view: TestView): Group[] {
  const [first = [], ...rest] = explanationGroups(result, view);
  const title = heading(words`failed: ${name(result.name)}`, 'bad');
  const inside = (blocks: Group) => list(blocks.length === 0 ? [] : [{ blocks }]);
  return [[title, ...inside([paragraph(plain(result.place), 'faint'), ...first])], ...rest.map(inside)];
}

/** Returns the differences of a case and their reasons, without its name and place. */
export function explanationGroups(result: CaseResult, view: TestView): Group[] {
  const { message: given, media } = result.case;
  const message = typeof given === 'string' ? { data: { text: given } } : given;
  const check = {
    ...view,
    decision: result.decision,
    message,
    media: media ?? scoresFromTable(message, view.scores),
    isTextAlone: false,
    showErrors: false,
  };
  const differences = result.differences.map((difference) => paragraph(differenceWords(difference)));
  return [
    [...differences, ...unevaluatedBlocks(result, view), ...reasonBlocks(result, view)],
    ...checkScreen(check, view),
  ];
}

/** Describes the differences of a case in one line. */
export function differencesWords({ differences }: CaseResult): Words {
  return joined(differences.map(differenceWords), '; ');
}

function differenceWords(difference: CaseDifference): Words {
  switch (difference.field) {
    case 'verdict':
      return `expected ${difference.expected}, got ${difference.actual}`;
    case 'rules':
      return words`rule \`${name(difference.ruleId)}\` should have matched`;
    case 'terms':
      return words`${quoted(difference.term)} should be among the matches`;
    case 'not': {
      const why = difference.unevaluated ? `should not match, and ${unchecked}` : 'matched and should not';
      return words`rule \`${name(difference.ruleId)}\` ${why}`;
    }
    case 'unevaluated':
      return `allowed, but conditions ${unchecked} (--strict)`;
  }
}

function unevaluatedBlocks({ unevaluated }: CaseResult, { verbose }: TestView): readonly Block[] {
  const shown = verbose ? unevaluated : unevaluated.slice(0, mostEntries.unevaluated);
  const lines = shown.map((entry) => {
    const where = words`rule \`${name(entry.ruleId)}\`, condition ${entry.conditionId}`;
    return paragraph(words`${where}, ${unchecked}: ${reasonWords([entry])}`, 'warning');
  });
  return [...lines, ...more(unevaluated.length - shown.length, 'condition', ` ${unchecked}`)];
}

/**
 * Returns why rules that should have matched did not, unless that was already shown, and which
 * readings would make the case pass.
 */
function reasonBlocks({ whyNot = [], passesWith = [], unevaluated }: CaseResult, { verbose }: TestView): Block[] {
  const wasSaid = ({ ruleId, conditionId }: WhyNot) =>
    unevaluated.some((entry) => entry.ruleId === ruleId && (conditionId ?? entry.conditionId) === entry.conditionId);
  const answers = worthTelling(whyNot).filter((answer) => !wasSaid(answer));
  const shown = verbose ? answers : answers.slice(0, mostEntries.unevaluated);
  const readings = passesWith.map(readingWords).join('; ');
  return [
    ...shown.map((answer) => {
      const near = answer.near === undefined ? '' : ` with ${answer.near.map(readingWords).join('; ')}`;
      return paragraph(words`${answerWords(answer)}${near}`);
    }),
    ...more(answers.length - shown.length, 'reason'),
    ...(readings === '' ? [] : [paragraph(`passes with ${readings}`, 'good')]),
  ];
}

/** Returns the cases with `todo`: those that now pass, and those that still fail. */
function todoBlocks(todos: readonly CaseResult[], todo: number, { verbose }: TestView): readonly Block[] {
  const shown = todos.slice(0, verbose ? todos.length : mostEntries.todos);
  const lines = shown.map((result) =>
    result.differences.length === 0
      ? paragraph(words`passes now: ${caseName(result)}: remove \`todo\``, 'good')
      : paragraph(words`todo: ${caseName(result)}: ${differencesWords(result)}`, 'warning'),
  );
  return [...lines, ...more(todo - shown.length, 'case', ' with `todo`')];
}

function caseName({ name: title, place }: CaseResult): Words {
  return words`${name(title)} (${plain(place)})`;
}

/**
 * Returns the cases that passed with `allow` although a rule could not be checked, each with the
 * first condition that could not be checked.
 */
function uncheckedBlocks(cases: readonly CaseResult[], count: number, { verbose }: TestView): readonly Block[] {
  const shown = cases.slice(0, verbose ? cases.length : mostEntries.todos);
  const lines = shown.map((result) => {
    const ids = [...new Set(result.unevaluated.map(({ ruleId }) => ruleId))];
    const why = words`${listed(ids, mostEntries.names, name)}: ${reasonWords(result.unevaluated)}`;
    return paragraph(words`allowed, but ${unchecked}: ${caseName(result)}: ${why}`, 'warning');
  });
  return [...lines, ...more(count - shown.length, 'case', ` allowed, but ${unchecked}`)];
}

function summaryBlocks(report: TestReport): readonly Block[] {
  const { ok, threshold, coverage } = report;
  const below = (threshold?.below ?? []).map(
    (kind) => `${kind} covered ${coverage?.[kind].percent} %, under the threshold of ${threshold?.percent} %`,
  );
  return [...below, countsWords(report)].map((line) => heading(line, ok ? 'good' : 'bad'));
}

/**
 * Describes the numbers of cases: `42 passed, 1 failed, 2 todo`. Zeros are left out, except for
 * passed cases.
 */
function countsWords({ passed, failed, todo }: TestReport): string {
  return [
    `${formatCount(passed)} passed`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(todo > 0 ? [`${formatCount(todo)} todo`] : []),
  ].join(', ');
}
