import type { BenchRecord, ContenderResult, MeasurementResult } from './record.js';
import { ratioOf, type Spread } from './statistics.js';

/** What became of one contender between two records. */
export interface Change {
  readonly measurement: string;
  readonly contender: string;
  readonly kind: 'faster' | 'slower' | 'same' | 'added' | 'removed' | 'count';
  /** What its times were set against inside each record, since times of two runs cannot be compared. */
  readonly against?: string;
  readonly before?: Spread;
  readonly after?: Spread;
  /** Median after by median before: 0.5 is twice as fast. */
  readonly factor?: number;
  readonly detail?: string;
}

/** Changes of less than this are not told, however steady the figures were. */
const leastChange = 0.03;

/**
 * What changed from one record to another beyond noise: a contender's time relative to an anchor of the same rounds moved
 * when its middle half before and its middle half after do not touch, and the medians lie more than 3 % apart. Records of
 * `--quick` have too few rounds to know their noise: of them only counts, and who took part, can change.
 */
export function compareRecords(before: BenchRecord, after: BenchRecord): Change[] {
  const all = (record: BenchRecord) => [...record.results, ...record.curves.flatMap(pointsOf)];
  const earlier = new Map(all(before).map((result) => [result.name, result]));
  const later = new Map(all(after).map((result) => [result.name, result]));
  const names = [...new Set([...earlier.keys(), ...later.keys()])];
  const changes = names.flatMap((name) => compareMeasurements(name, earlier.get(name), later.get(name)));
  if (before.mode === 'full' && after.mode === 'full') return changes;
  const isTime = ({ kind }: Change) => kind === 'faster' || kind === 'slower';
  return changes.map((change) => (isTime(change) ? { ...change, kind: 'same', detail: 'a quick record' } : change));
}

function pointsOf({ points }: BenchRecord['curves'][number]): MeasurementResult[] {
  return points.map(({ result }) => result);
}

function compareMeasurements(
  measurement: string,
  before: MeasurementResult | undefined,
  after: MeasurementResult | undefined,
): Change[] {
  const earlier = measuredOf(before);
  const later = measuredOf(after);
  const names = [...new Set([...earlier.keys(), ...later.keys()])];
  const anchor = anchorOf(names.filter((name) => earlier.has(name) && later.has(name)));
  return names
    .filter((name) => name !== anchor)
    .map((contender) => {
      const own = earlier.get(contender);
      const now = later.get(contender);
      if (own === undefined) return { measurement, contender, kind: 'added' };
      if (now === undefined) return { measurement, contender, kind: 'removed' };
      if (own.count !== now.count) {
        return { measurement, contender, kind: 'count', detail: `counted ${own.count}, now ${now.count}` };
      }
      if (anchor === undefined) return { measurement, contender, kind: 'same', detail: 'nothing to set it against' };
      return judge(measurement, contender, anchor, [own, earlier.get(anchor)!], [now, later.get(anchor)!]);
    });
}

type Pair = readonly [own: ContenderResult, anchor: ContenderResult];

function judge(measurement: string, contender: string, against: string, before: Pair, after: Pair): Change {
  const relative = ([own, anchor]: Pair) => ratioOf(own.rounds ?? [], anchor.rounds ?? []);
  const [earlier, later] = [relative(before), relative(after)];
  const factor = later.median / earlier.median;
  const apart = later.low > earlier.high || later.high < earlier.low;
  const kind = !apart || Math.abs(factor - 1) < leastChange ? 'same' : factor < 1 ? 'faster' : 'slower';
  return { measurement, contender, kind, against, before: earlier, after: later, factor };
}

function measuredOf(result: MeasurementResult | undefined): Map<string, ContenderResult> {
  return new Map(
    result?.contenders.filter(({ status }) => status === 'measured').map((contender) => [contender.name, contender]),
  );
}

/** The floor where there is one, otherwise the first contender that is not ours: code that we do not change. */
function anchorOf(names: readonly string[]): string | undefined {
  return names.find((name) => name.startsWith('floor')) ?? names.find((name) => !name.startsWith('sluice'));
}
