import { isFloor, ours } from '../src/bench/model.js';
import type { MeasurementResult } from '../src/bench/record.js';
import { ratioWords, timeWords } from '../src/cli/bench-screen.js';
import type { BenchRecord } from './record.js';

type Column = readonly [definition: string, title: string];

/** What the README shows, table by table: definitions by name, with the heading of their column. */
const tables: readonly (readonly Column[])[] = [
  [
    ['decide-403-words', 'words alone: decide, 403 words'],
    ['words-2610-natural', 'which of 2,610 words in short messages'],
  ],
  [
    ['decide-2610-words-24-patterns', 'decide, 2,610 words and 24 patterns'],
    ['clean-2610-words-24-patterns', 'the same, clean messages'],
    ['patterns-24-which', 'which of 24 patterns'],
    ['compile-2610-words-24-patterns', 'compile'],
  ],
];

/**
 * The tables of the README: times of contenders relative to ours, with the middle half of the rounds; of ours, the time itself.
 * The fastest of the first column comes first, the floor last.
 */
export function readmeTables(record: BenchRecord): string {
  const { machine, date, commit } = record;
  const measured = `${machine.cpu}, Node ${machine.node.slice(1)}, ${date.slice(0, 10)}`;
  const caption = commit === undefined ? measured : `${measured}, commit ${commit}`;
  return [...tables.flatMap((columns) => table(record, columns)), caption].join('\n\n');
}

function table({ results }: BenchRecord, columns: readonly Column[]): readonly string[] {
  const shown = columns.flatMap(([name, title]) => {
    const result = results.find((candidate) => candidate.name === name);
    return result === undefined ? [] : [{ title, result }];
  });
  const [first] = shown;
  if (first === undefined) return [];
  const names = [...new Set(shown.flatMap(({ result }) => result.contenders.map(({ name }) => name)))]
    .filter((name) => !name.startsWith(`${ours}: `))
    .sort((a, b) => place(first.result, a) - place(first.result, b));
  const rows = [
    `| times ours | ${shown.map(({ title }) => title).join(' | ')} |`,
    `|---|${shown.map(() => '--:').join('|')}|`,
    ...names.map((name) => `| ${name} | ${shown.map(({ result }) => cell(result, name)).join(' | ')} |`),
  ];
  return [rows.join('\n')];
}

/** By time; then who was not measured, then the floor, which answers nothing. */
function place({ contenders }: MeasurementResult, name: string): number {
  if (isFloor(name)) return Number.MAX_VALUE;
  const found = contenders.find((contender) => contender.name === name);
  return found?.status === 'measured' ? (found.ratio?.median ?? 1) : Number.MAX_SAFE_INTEGER;
}

function cell({ contenders }: MeasurementResult, name: string): string {
  const found = contenders.find((contender) => contender.name === name);
  if (found === undefined) return '';
  if (found.status !== 'measured') return found.status === 'missing' ? 'not installed' : 'wrong count';
  return name === ours ? `1 = ${timeWords(found.ns?.median ?? 0)}` : ratioWords(found.ratio);
}
