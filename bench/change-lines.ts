import type { Change } from '../src/bench/compare-records.js';
import { ratioWords } from '../src/cli/bench-screen.js';
import type { Output, Tone } from '../src/cli/terminal/style.js';
import { tableLines } from '../src/cli/terminal/table.js';
import { counted } from '../src/cli/terminal/text.js';

const tones: Readonly<Partial<Record<Change['kind'], Tone>>> = {
  faster: 'good',
  slower: 'bad',
  count: 'bad',
  removed: 'doubt',
};

/** What changed between two records, one string per line. */
export function changeLines(changes: readonly Change[], { width, paint }: Output): string[] {
  const told = changes.filter(({ kind }) => kind !== 'same');
  const same = counted(changes.length - told.length, 'figure');
  if (told.length === 0) return [`nothing changed beyond noise; ${same} compared`];
  const right = { align: 'right' } as const;
  return [
    ...tableLines<Change>(
      [
        { title: 'measurement', text: ({ measurement }) => measurement, flexible: true },
        { title: 'contender', text: ({ contender }) => contender, flexible: true },
        { title: 'change', text: ({ kind }) => kind, tone: ({ kind }) => tones[kind] },
        { title: 'factor', ...right, text: ({ factor }) => factor?.toFixed(2) ?? '' },
        { title: 'before', ...right, text: ({ before }) => ratioWords(before) },
        { title: 'after', ...right, text: ({ after }) => ratioWords(after) },
        { title: 'times', text: ({ against, detail }) => detail ?? against ?? '', flexible: true },
      ],
      told,
      width,
      paint,
    ),
    '',
    `${same} did not change beyond noise`,
  ];
}
