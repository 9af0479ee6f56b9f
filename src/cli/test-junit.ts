import type { ExpectationResult } from '../analyse/expectations.js';
import type { CaseResult } from '../analyse/test-case.js';
import type { TestReport } from '../analyse/test-rules.js';
import type { Output } from './terminal/style.js';
import { escapeText, formatCount } from './terminal/text.js';
import { differencesWords, expectedWords, explanationLines, type TestView } from './test-screen.js';

/** How many test cases of a suite there are, and how many failed or were skipped. */
export interface SuiteCounts {
  tests: number;
  failures: number;
  skipped: number;
}

/** Explanations in a report are as wide as this. */
const output: Output = { width: 100, paint: (_tone, text) => text };

/** The first lines of a report. No part of it names a time or a duration, so that equal runs have equal reports. */
export function junitStart(counts: SuiteCounts): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sluice test"${countAttributes(counts)}>\n`;
}

export const junitEnd = '</testsuites>\n';

/** The first line of a suite. */
export function suiteStart(name: string, counts: SuiteCounts): string {
  return `  <testsuite name="${attribute(name)}"${countAttributes(counts)} errors="0">\n`;
}

export const suiteEnd = '  </testsuite>\n';

/** A case as a test case: a failure has the differences as its message, and the explanation as its text. */
export function junitCase(result: CaseResult, file: string, line: number, view: TestView): string {
  const attributes = `classname="${attribute(file)}" name="${attribute(result.name)}" file="${attribute(file)}" line="${line}"`;
  if (result.status === 'passed') return `    <testcase ${attributes}/>\n`;
  const isPassing = result.differences.length === 0;
  const message = isPassing ? 'passes now: remove `todo`' : differencesWords(result);
  if (result.status === 'todo') return testCase(attributes, `<skipped message="${attribute(`todo: ${message}`)}"/>`);
  const text = explanationLines(result, view, output).join('\n');
  return testCase(attributes, `<failure message="${attribute(message)}">${escapeXml(text)}</failure>`);
}

/** The suites of what is no case: expectations, and coverage under the threshold. */
export function furtherSuites({ expectations, threshold, coverage }: TestReport): string {
  const rows = (expectations?.rows ?? []).map((row) => ({
    name: row.rule,
    failure: row.met ? undefined : missed(row),
  }));
  const unexpected = expectations?.unexpectedRules === 'fail' ? expectations.unexpected : [];
  const others = unexpected.map(({ ruleId, messages }) => ({
    name: ruleId,
    failure: `no row is about this rule, and it matched ${formatCount(messages)}`,
  }));
  const figures = (['rules', 'conditions'] as const).map((part) => ({
    name: `coverage of ${part}`,
    failure: threshold?.below.includes(part)
      ? `${coverage?.[part].percent} % covered, under the threshold of ${threshold.percent} %`
      : undefined,
  }));
  return suite('expectations', [...rows, ...others]) + suite('coverage', threshold === undefined ? [] : figures);
}

/** How many test cases `furtherSuites` has. */
export function furtherCounts({ expectations, threshold }: TestReport): SuiteCounts {
  const rows = expectations?.rows ?? [];
  const others = expectations?.unexpectedRules === 'fail' ? expectations.unexpected.length : 0;
  return {
    tests: rows.length + others + (threshold === undefined ? 0 : 2),
    failures: rows.filter(({ met }) => !met).length + others + (threshold?.below.length ?? 0),
    skipped: 0,
  };
}

function missed(row: ExpectationResult): string {
  return `expected ${expectedWords(row)}, came ${formatCount(row.messages)}`;
}

function suite(
  name: string,
  tests: readonly { readonly name: string; readonly failure: string | undefined }[],
): string {
  if (tests.length === 0) return '';
  const failures = tests.filter(({ failure }) => failure !== undefined).length;
  const lines = tests.map(({ name: test, failure }) => {
    const attributes = `classname="${name}" name="${attribute(test)}"`;
    if (failure === undefined) return `    <testcase ${attributes}/>\n`;
    return testCase(attributes, `<failure message="${attribute(failure)}"/>`);
  });
  return suiteStart(name, { tests: tests.length, failures, skipped: 0 }) + lines.join('') + suiteEnd;
}

function testCase(attributes: string, content: string): string {
  return `    <testcase ${attributes}>\n      ${content}\n    </testcase>\n`;
}

function countAttributes({ tests, failures, skipped }: SuiteCounts): string {
  return ` tests="${tests}" failures="${failures}" skipped="${skipped}"`;
}

/** A text as the value of an attribute, in one line. Control characters, most of which XML forbids, become visible escapes. */
function attribute(text: string): string {
  return escapeXml(escapeText(text));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text whose lines are escaped already. U+FFFE and U+FFFF are characters that XML forbids and that terminals just leave out. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign]!).replace(/[\ufffe\uffff]/g, '\ufffd');
}
