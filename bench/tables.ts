import { formatCount } from '../src/cli/terminal/text.js';
import type { ContenderResult, MeasurementResult } from './measure.js';
import { type BenchRecord, type Curve, contenderOf, namesOf, originOf } from './record.js';
import { isFloor, ours } from './rules/contenders.js';
import { bytesWords, ratioWords, timeWords } from './rules/screen.js';

/**
 * The small table of the README: definitions by name, with the heading of their column, and its
 * rows.
 */
const readmeColumns: Readonly<Record<string, string>> = {
  'decide-403-words': '403 words',
  'decide-2610-words-24-patterns': '2,610 words and 24 patterns',
  'compile-2610-words-24-patterns': 'compile the latter',
};
const readmeRows: readonly string[] = [
  ours,
  'Hyperscan in C',
  'one RegExp',
  're2js per pattern',
  '@2toad/profanity',
  'obscenity',
  'includes loop',
  'floor: charCodeAt',
];

/** The tables of `bench/README.md`, with all contenders. */
const allColumns: readonly Readonly<Record<string, string>>[] = [
  {
    'decide-403-words': 'words alone: decide, 403 words',
    'words-2610-natural': 'which of 2,610 words in short messages',
  },
  {
    'decide-2610-words-24-patterns': 'decide, 2,610 words and 24 patterns',
    'clean-2610-words-24-patterns': 'the same, clean messages',
    'patterns-24-which': 'which of 24 patterns',
    'compile-2610-words-24-patterns': 'compile',
  },
];

/**
 * The table of the README: times of contenders relative to ours, with the middle half of the
 * rounds; of ours, the time itself. The fastest of the first column comes first, the floor last.
 */
export function readmeTable(record: BenchRecord): string {
  return [...timesTable(record.results, readmeColumns, readmeRows), captionOf(record)].join('\n\n');
}

/** The tables of `bench/README.md`, like that of the README. */
export function allTables(record: BenchRecord): string {
  return [...allColumns.flatMap((titles) => timesTable(record.results, titles)), captionOf(record)].join('\n\n');
}

function captionOf(record: BenchRecord): string {
  const { commit } = record;
  return originOf(record) + (commit === undefined ? '' : `, commit ${commit}`);
}

function timesTable(
  results: readonly MeasurementResult[],
  titles: Readonly<Record<string, string>>,
  only?: readonly string[],
): string[] {
  const shown = Object.keys(titles).flatMap((name) => results.find((result) => result.name === name) ?? []);
  const [first] = shown;
  if (first === undefined) return [];
  const names = namesOf(shown)
    .filter((name) => !name.startsWith(`${ours}: `) && (only?.includes(name) ?? true))
    .sort((a, b) => place(contenderOf(first, a), a) - place(contenderOf(first, b), b));
  const cell = (found: ContenderResult | undefined) => {
    if (found === undefined) return '';
    if (found.status !== 'measured') return found.status === 'missing' ? 'not installed' : 'wrong count';
    return found.name === ours ? `1 = ${timeWords(found.ns?.median ?? 0)}` : ratioWords(found.ratio);
  };
  const rows = names.map((name) => [name, ...shown.map((result) => cell(contenderOf(result, name)))]);
  return [markdownTable(['times ours', ...shown.map(({ name }) => titles[name]!)], '---', rows)];
}

/** By time; then those that were not measured, then the floor. */
function place(found: ContenderResult | undefined, name: string): number {
  if (isFloor(name)) return Number.MAX_VALUE;
  return found?.status === 'measured' ? (found.ratio?.median ?? 1) : Number.MAX_SAFE_INTEGER;
}

/** A curve as a Markdown table: time per message, and in brackets how many times ours. */
export function curveTable({ axis, why, points }: Curve): string {
  const names = namesOf(points.map(({ result }) => result));
  const cell = ({ name, ns, ratio, peakBytes, status }: ContenderResult) => {
    if (ns === undefined) return status === 'missing' ? 'not installed' : '';
    const times = name === ours ? '' : ` (${ratioWords(ratio).replace(/ \((.*)\)/, '; $1')})`;
    const peak = peakBytes === undefined || axis !== 'messages' ? '' : `, ${bytesWords(peakBytes)}`;
    return timeWords(ns.median) + times + peak;
  };
  const rows = points.map(({ at, result }) => {
    const found = names.map((name) => contenderOf(result, name));
    return [formatCount(at), ...found.map((contender) => (contender === undefined ? '' : cell(contender)))];
  });
  return `${why}\n\n${markdownTable([axis, ...names], '--:', rows)}`;
}

/** A Markdown table; all columns but the first are aligned to the right. */
function markdownTable(head: readonly string[], first: '---' | '--:', rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${[first, ...head.slice(1).map(() => '--:')].join('|')}|`, ...rows.map(line)].join('\n');
}
