import type { BenchRecord, MeasurementResult } from '../src/bench/record.js';
import { ratioWords, timeWords } from '../src/cli/bench-screen.js';

/** What the README shows: definitions by name, with the heading of their column. */
const columns: readonly (readonly [definition: string, title: string])[] = [
  ['decide-403-words', 'decide, 403 words'],
  ['decide-2610-words-24-patterns', 'decide, 2,610 words and 24 patterns'],
  ['clean-2610-words-24-patterns', 'the same, clean messages'],
  ['patterns-24-which', 'which of 24 patterns'],
  ['compile-2610-words-24-patterns', 'compile'],
];

/** The README's table: how many times as long as ours everybody takes, with the middle half of the rounds. Ours shows its time. */
export function readmeTable({ results, machine, date, commit }: BenchRecord): string {
  const shown = columns.flatMap(([name, title]) => {
    const result = results.find((candidate) => candidate.name === name);
    return result === undefined ? [] : [{ title, result }];
  });
  const names = [...new Set(shown.flatMap(({ result }) => result.contenders.map(({ name }) => name)))]
    .filter((name) => !name.startsWith('sluice: '))
    .sort((a, b) => Number(a.startsWith('floor')) - Number(b.startsWith('floor')));
  return [
    `| times ours | ${shown.map(({ title }) => title).join(' | ')} |`,
    `|---|${shown.map(() => '--:').join('|')}|`,
    ...names.map((name) => `| ${name} | ${shown.map(({ result }) => cell(result, name)).join(' | ')} |`),
    '',
    `${machine.cpu}, Node ${machine.node.slice(1)}, ${date.slice(0, 10)}${commit === undefined ? '' : `, commit ${commit}`}`,
  ].join('\n');
}

function cell({ contenders }: MeasurementResult, name: string): string {
  const found = contenders.find((contender) => contender.name === name);
  if (found === undefined) return '';
  if (found.status !== 'measured') return found.status === 'missing' ? 'not installed' : 'wrong count';
  return name === 'sluice' ? `1 = ${timeWords(found.ns?.median ?? 0)}` : ratioWords(found.ratio);
}
