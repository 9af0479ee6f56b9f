import { paragraph, table } from '../src/cli/document/document.js';
import { screenLines } from '../src/cli/document/terminal.js';
import type { Output, Tone } from '../src/cli/terminal/style.js';
import { counted } from '../src/cli/terminal/text.js';
import type { ContenderResult, MeasurementResult } from './measure.js';
import { type BenchRecord, measurementsOf } from './record.js';
import { isFloor, ours } from './rules/contenders.js';
import { ratioOf, type Spread } from './rules/measure.js';
import { ratioWords } from './rules/screen.js';

/** The change of one contender between two records. */
export interface Change {
  readonly measurement: string;
  readonly contender: string;
  readonly kind: 'faster' | 'slower' | 'same' | 'added' | 'removed' | 'count';
  /**
   * The anchor that its times are relative to within each record, since times of two runs are not
   * comparable.
   */
  readonly against?: string;
  readonly before?: Spread;
  readonly after?: Spread;
  /** Median after by median before: 0.5 is twice as fast. */
  readonly factor?: number;
  readonly detail?: string;
}

/** Smaller changes are not reported, however steady the figures. */
const leastChange = 0.03;

/**
 * The changes from one record to another beyond noise: the time of a contender relative to an
 * anchor of the same rounds changed when its middle half before and its middle half after do not
 * overlap, and the medians differ by more than 3 %. Records of `--quick` have too few rounds to
 * estimate noise: with them only counts and contenders can change.
 */
export function compareRecords(before: BenchRecord, after: BenchRecord): Change[] {
  const byName = (record: BenchRecord) => new Map(measurementsOf(record).map((result) => [result.name, result]));
  const [earlier, later] = [byName(before), byName(after)];
  const names = [...new Set([...earlier.keys(), ...later.keys()])];
  const changes = names.flatMap((name) => compareMeasurements(name, earlier.get(name), later.get(name)));
  if (before.mode === 'full' && after.mode === 'full') return changes;
  return changes.map((change) =>
    change.kind === 'faster' || change.kind === 'slower'
      ? { ...change, kind: 'same', detail: 'a quick record' }
      : change,
  );
}

function compareMeasurements(
  measurement: string,
  before: MeasurementResult | undefined,
  after: MeasurementResult | undefined,
): Change[] {
  const [earlier, later] = [measuredOf(before), measuredOf(after)];
  const names = [...new Set([...earlier.keys(), ...later.keys()])];
  const anchor = anchorOf(names.filter((name) => earlier.has(name) && later.has(name)));
  return names
    .filter((name) => name !== anchor)
    .map((contender) => {
      const [was, is] = [earlier.get(contender), later.get(contender)];
      const about = { measurement, contender };
      if (was === undefined) return { ...about, kind: 'added' };
      if (is === undefined) return { ...about, kind: 'removed' };
      if (was.count !== is.count) return { ...about, kind: 'count', detail: `counted ${was.count}, now ${is.count}` };
      if (anchor === undefined) return { ...about, kind: 'same', detail: 'no anchor' };
      const old = ratioOf(was.rounds ?? [], earlier.get(anchor)!.rounds ?? []);
      const now = ratioOf(is.rounds ?? [], later.get(anchor)!.rounds ?? []);
      const factor = now.median / old.median;
      const apart = now.low > old.high || now.high < old.low;
      const kind = !apart || Math.abs(factor - 1) < leastChange ? 'same' : factor < 1 ? 'faster' : 'slower';
      return { ...about, kind, against: anchor, before: old, after: now, factor };
    });
}

function measuredOf(result: MeasurementResult | undefined): Map<string, ContenderResult> {
  const measured = result?.contenders.filter(({ status }) => status === 'measured') ?? [];
  return new Map(measured.map((contender) => [contender.name, contender]));
}

/**
 * The floor where there is one, otherwise the first contender that is not ours: code that does not
 * change here.
 */
function anchorOf(names: readonly string[]): string | undefined {
  return names.find(isFloor) ?? names.find((name) => !name.startsWith(ours));
}

const tones: Partial<Record<Change['kind'], Tone>> = {
  faster: 'good',
  slower: 'bad',
  count: 'bad',
  removed: 'warning',
};

/** The screen of changes, one string per line. */
export function changeLines(changes: readonly Change[], output: Output): string[] {
  const shown = changes.filter(({ kind }) => kind !== 'same');
  const same = counted(changes.length - shown.length, 'figure');
  if (shown.length === 0) return [`nothing changed beyond noise; ${same} compared`];
  const right = { align: 'right' } as const;
  const rows = table<Change>(
    [
      { title: 'measurement', cell: ({ measurement }) => measurement, flexible: 'last' },
      { title: 'contender', cell: ({ contender }) => contender, flexible: 'last' },
      { title: 'change', cell: ({ kind }) => kind, tone: ({ kind }) => tones[kind] },
      { title: 'factor', ...right, cell: ({ factor }) => factor?.toFixed(2) ?? '' },
      { title: 'before', ...right, cell: ({ before }) => ratioWords(before) },
      { title: 'after', ...right, cell: ({ after }) => ratioWords(after) },
      { title: 'times', cell: ({ against, detail }) => detail ?? against ?? '', flexible: 'last' },
    ],
    shown,
  );
  return screenLines([rows, [paragraph(`${same} did not change beyond noise`)]], output);
}
