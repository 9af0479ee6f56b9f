import type { CaseResult, TestCase } from '../../review/cases/test-case.js';
import type { TestReport } from '../../review/cases/test-rules.js';
import { plainText } from '../document/runs.js';
import { screenLines } from '../document/terminal.js';
import { type Io, print } from '../io.js';
import { issuePlace } from '../rule-errors.js';
import type { Output } from '../terminal/style.js';
import { escapeText } from '../terminal/text.js';
import { reasonWords, unchecked } from '../unchecked.js';
import type { CasePlace } from './files.js';
import { differencesWords, explanationGroups, type TestView } from './screen.js';

/** Explanations in a report are as wide as this. */
const output: Output = { width: 100, paint: (_tone, text) => text };

/** How many test cases of a suite there are, and how many failed or were skipped. */
interface SuiteCounts {
  tests: number;
  failures: number;
  skipped: number;
}

/** The test cases of one file. */
interface Suite extends SuiteCounts {
  readonly lines: string[];
}

/** A report as JUnit, with a suite for each file of cases. It has no times and no durations, so that equal runs have equal reports. */
export class JunitReport {
  readonly #suites = new Map<string, Suite>();
  readonly #placeOf: (testCase: TestCase) => CasePlace;
  readonly #view: TestView;

  constructor(placeOf: (testCase: TestCase) => CasePlace, view: TestView) {
    this.#placeOf = placeOf;
    this.#view = view;
  }

  /** Adds a result to the suite of its file. */
  add(result: CaseResult): void {
    const { file, line } = this.#placeOf(result.case);
    const suite = this.#suites.get(file) ?? { tests: 0, failures: 0, skipped: 0, lines: [] };
    this.#suites.set(file, suite);
    suite.tests += 1;
    if (result.status === 'failed') suite.failures += 1;
    if (result.status === 'todo') suite.skipped += 1;
    suite.lines.push(junitCase(result, file, line, this.#view));
  }

  async print(report: TestReport, io: Pick<Io, 'stdout'>): Promise<void> {
    const suites = [...this.#suites];
    const all = [...suites.map(([, suite]) => suite), furtherCounts(report)];
    const total = (part: keyof SuiteCounts) => all.reduce((sum, counts) => sum + counts[part], 0);
    const totals = { tests: total('tests'), failures: total('failures'), skipped: total('skipped') };
    await print(
      io,
      `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sluice test"${countAttributes(totals)}>\n`,
    );
    for (const [file, suite] of suites) await print(io, suiteStart(file, suite) + suite.lines.join('') + suiteEnd);
    await print(io, `${furtherSuites(report)}</testsuites>\n`);
  }
}

/** Returns the first line of a suite. */
function suiteStart(name: string, counts: SuiteCounts): string {
  return `  <testsuite name="${attribute(name)}"${countAttributes(counts)} errors="0">\n`;
}

const suiteEnd = '  </testsuite>\n';

/** Returns a case as a test case: a failure has the differences as its message, and the explanation as its text. */
function junitCase(result: CaseResult, file: string, line: number, view: TestView): string {
  const attributes = `classname="${attribute(file)}" name="${attribute(result.name)}" file="${attribute(file)}" line="${line}"`;
  if (result.status === 'passed') {
    const { unevaluated } = result;
    if (unevaluated.length === 0) return `    <testcase ${attributes}/>\n`;
    const words = `allowed, but ${unchecked}: ${reasonWords(unevaluated)}`;
    return testCase(attributes, `<system-out>${escapeXml(words)}</system-out>`);
  }
  const isPassing = result.differences.length === 0;
  const message = isPassing ? 'passes now: remove `todo`' : plainText(differencesWords(result));
  if (result.status === 'todo') return testCase(attributes, `<skipped message="${attribute(`todo: ${message}`)}"/>`);
  const text = screenLines(explanationGroups(result, view), output).join('\n');
  return testCase(attributes, `<failure message="${attribute(message)}">${escapeXml(text)}</failure>`);
}

/** Returns the suites beside those of cases: errors of the rules, and coverage under the threshold. */
function furtherSuites({ errors, threshold, coverage }: TestReport): string {
  const wrong = errors.map((issue) => ({ name: issuePlace(issue), failure: `${issue.code}: ${issue.detail}` }));
  const figures = (['rules', 'conditions'] as const).map((part) => ({
    name: `coverage of ${part}`,
    failure: threshold?.below.includes(part)
      ? `${coverage?.[part].percent} % covered, under the threshold of ${threshold.percent} %`
      : undefined,
  }));
  return suite('rules', wrong) + suite('coverage', threshold === undefined ? [] : figures);
}

/** Returns how many test cases `furtherSuites` has. */
function furtherCounts({ errors, threshold }: TestReport): SuiteCounts {
  const failures = errors.length + (threshold?.below.length ?? 0);
  return { tests: errors.length + (threshold === undefined ? 0 : 2), failures, skipped: 0 };
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

/** Returns a text as the value of an attribute, in one line. Control characters, most of which XML forbids, become visible escapes. */
function attribute(text: string): string {
  return escapeXml(escapeText(text));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns a text whose lines are escaped already. U+FFFE and U+FFFF are characters that XML forbids and that terminals just leave out. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign]!).replace(/[\ufffe\uffff]/g, '\ufffd');
}
