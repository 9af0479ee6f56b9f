/** Writes the results of `sluice test` as JUnit XML. */
import type { CaseResult, TestCase } from '../../review/cases/test-case.js';
import type { TestReport } from '../../review/cases/test-rules.js';
import { groupBy } from '../check/result.js';
import { plainText } from '../document/runs.js';
import { screenLines } from '../document/terminal.js';
import { issuePlace } from '../rule-errors.js';
import { escapeText } from '../terminal/text.js';
import { reasonWords, unchecked } from '../unchecked.js';
import type { CasePlace } from './files.js';
import { differencesWords, explanationGroups, type TestView } from './screen.js';

/** A test case in JUnit's format: its suite, its attributes and its content. */
interface Entry {
  readonly suite: string;
  readonly attributes: string;
  readonly tag?: 'failure' | 'skipped' | 'system-out';
  readonly message?: string;
  readonly text?: string;
}

/**
 * Creates a JUnit report with a suite for each file of cases. It contains neither times nor
 * durations, so that equal runs have equal reports.
 */
export function createJunit(placeOf: (testCase: TestCase) => CasePlace, view: TestView) {
  const entries: Entry[] = [];
  return {
    /** Adds a result to the suite of its file. */
    add(result: CaseResult): void {
      const { file, line } = placeOf(result.case);
      const attributes = `classname="${attribute(file)}" name="${attribute(result.name)}" file="${attribute(file)}" line="${line}"`;
      entries.push({ suite: file, attributes, ...entryOf(result, view) });
    },
    /**
     * Returns the suites. Errors of the rules are one failure, and each coverage below the
     * threshold is one.
     */
    print({ errors, threshold, coverage }: TestReport): string {
      const wrong = errors.map((issue) => `${issuePlace(issue)}: ${issue.code}: ${issue.detail}`).join('\n');
      const below = (threshold?.below ?? []).map((kind) => `${kind}: ${coverage?.[kind].percent} % covered`);
      const all = [
        ...entries,
        ...(wrong === '' ? [] : [failure('rules', `errors of the rules: ${errors.length}`, wrong)]),
        ...(threshold === undefined ? [] : [failure('coverage', `under ${threshold.percent} %`, below.join('\n'))]),
      ];
      const suites = groupBy(all, ({ suite }) => suite).map(
        (cases) =>
          `  <testsuite name="${attribute(cases[0]!.suite)}"${counts(cases)} errors="0">\n${cases.map(xmlOf).join('')}  </testsuite>\n`,
      );
      const head = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sluice test"${counts(all)}>\n`;
      return `${head}${suites.join('')}</testsuites>\n`;
    },
  };
}

/** Returns a test case about the rules, which fails if there is a text. */
function failure(name: string, message: string, text: string): Entry {
  const attributes = `classname="rules" name="${name}"`;
  return { suite: 'rules', attributes, ...(text !== '' && { tag: 'failure', message, text }) };
}

/**
 * Returns the content of a test case. The message of a failure is its differences, its text the
 * explanation.
 */
function entryOf(result: CaseResult, view: TestView): Omit<Entry, 'suite' | 'attributes'> {
  if (result.status === 'passed') {
    const { unevaluated } = result;
    if (unevaluated.length === 0) return {};
    return { tag: 'system-out', text: `allowed, but ${unchecked}: ${reasonWords(unevaluated)}` };
  }
  const isPassing = result.differences.length === 0;
  const message = isPassing ? 'passes now: remove `todo`' : plainText(differencesWords(result));
  if (result.status === 'todo') return { tag: 'skipped', message: `todo: ${message}` };
  const lines = screenLines(explanationGroups(result, view), { width: 100, paint: (_tone, text) => text });
  return { tag: 'failure', message, text: lines.join('\n') };
}

function xmlOf({ attributes, tag, message, text = '' }: Entry): string {
  if (tag === undefined) return `    <testcase ${attributes}/>\n`;
  const start = `<${tag}${message === undefined ? '' : ` message="${attribute(message)}"`}`;
  const content = text === '' ? `${start}/>` : `${start}>${escapeXml(text)}</${tag}>`;
  return `    <testcase ${attributes}>\n      ${content}\n    </testcase>\n`;
}

function counts(entries: readonly Entry[]): string {
  const count = (tag: Entry['tag']) => entries.filter((entry) => entry.tag === tag).length;
  return ` tests="${entries.length}" failures="${count('failure')}" skipped="${count('skipped')}"`;
}

/**
 * Returns a text as the value of an attribute, in one line. Control characters, most of which XML
 * forbids, become visible escapes.
 */
function attribute(text: string): string {
  return escapeXml(escapeText(text));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Escapes a text whose lines are already escaped for terminals. U+FFFE and U+FFFF must be replaced
 * too: XML forbids them, while terminals just do not show them.
 */
function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign]!).replace(/[\ufffe\uffff]/g, '\ufffd');
}
