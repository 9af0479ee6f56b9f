/** What the guard counts of a rule set, and the most that there was of it in the rule sets of the last day. */

import { namesLists } from '../compile/list-flags.js';
import type { RuleSet } from '../contract/rule-set.js';

/** What is counted, by id. A further kind is a row here and one in `countsOf`. */
const kinds = ['rules', 'lists', 'inline'] as const;
type Kind = (typeof kinds)[number];
type Counts = ReadonlyMap<string, number>;

/**
 * `rules`: rules of an id, more than one where rules share it, or have none; `lists`: terms of each keyword list, 0 for one that is
 * there without any; `inline`: terms, patterns and thresholds that stand in the conditions of rules. Blank terms match nothing, and
 * are none.
 */
export type RuleSetCounts = Readonly<Record<Kind, Counts>>;

export function countsOf({ rules, lists }: RuleSet): RuleSetCounts {
  return {
    rules: sums(rules, () => 1),
    lists: sums(lists, ({ searchTerms }) => (Array.isArray(searchTerms) ? searchTerms.filter(isTerm).length : 0)),
    inline: sums(rules, inlineCount),
  };
}

/** A count that was the largest, and the last hour, since the epoch, in which it was in use. */
type Peak = readonly [count: number, hour: number];

/** Peaks as JSON: `[id, peaks]` of each kind. */
export type SavedPeaks = Readonly<Record<Kind, readonly (readonly [id: string, peaks: readonly Peak[]])[]>>;

/** Whether a value that was read from a file is what `LargestCounts.toJSON` gave. */
export function isSavedPeaks(value: unknown): value is SavedPeaks {
  const isPeak = (peak: unknown) => isTuple(peak) && peak.every(Number.isSafeInteger);
  const isEntry = (entry: unknown) =>
    isTuple(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1]) && entry[1].every(isPeak);
  return kinds.every((kind) => {
    const entries = (value as Partial<Record<Kind, unknown>> | null | undefined)?.[kind];
    return Array.isArray(entries) && entries.every(isEntry);
  });
}

function isTuple(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

/** For so many hours after its last one a rule set counts; hours are whole, so it is a day or up to an hour more. */
const DAY = 24;

/**
 * The counts that the rule sets before the one in use had more of, for a day after the last time that each was in use. Peaks of an id
 * fall with time, one an hour at most, so that there are at most 25 of them; of most ids there are none.
 */
export class LargestCounts {
  readonly #peaks: Readonly<Record<Kind, Map<string, readonly Peak[]>>>;

  constructor(saved?: SavedPeaks) {
    this.#peaks = { rules: new Map(saved?.rules), lists: new Map(saved?.lists), inline: new Map(saved?.inline) };
  }

  /** Whether nothing counts but the rule set in use. */
  get isEmpty(): boolean {
    return kinds.every((kind) => this.#peaks[kind].size === 0);
  }

  /** For each id the most of the last day, that of the rule set in use among it. `now` in milliseconds since the epoch. */
  most(inUse: RuleSetCounts, now: number): RuleSetCounts {
    this.#expire(hourOf(now));
    const mostOf = (kind: Kind): Counts => {
      const most = new Map(inUse[kind]);
      for (const [id, [largest]] of this.#peaks[kind]) {
        if (largest !== undefined) most.set(id, Math.max(largest[0], most.get(id) ?? 0));
      }
      return most;
    };
    return { rules: mostOf('rules'), lists: mostOf('lists'), inline: mostOf('inline') };
  }

  /** A rule set took the place of another one. */
  follow(before: RuleSetCounts, after: RuleSetCounts, now: number): void {
    const hour = hourOf(now);
    for (const kind of kinds) {
      const peaks = this.#peaks[kind];
      for (const [id, count] of before[kind]) peaks.set(id, withPeak(peaks.get(id) ?? [], count, hour));
      for (const [id, known] of peaks) {
        // What the new one has as much of need not be remembered. A list without terms is still more than none.
        const count = after[kind].get(id) ?? (kind === 'lists' ? -1 : 0);
        keep(
          peaks,
          id,
          known.filter((peak) => peak[0] > count),
        );
      }
    }
  }

  /** What was lost is meant: from now on the rule set in use alone counts. */
  clear(): void {
    for (const kind of kinds) this.#peaks[kind].clear();
  }

  toJSON(): SavedPeaks {
    const { rules, lists, inline } = this.#peaks;
    return { rules: [...rules], lists: [...lists], inline: [...inline] };
  }

  #expire(hour: number): void {
    for (const kind of kinds) {
      const peaks = this.#peaks[kind];
      for (const [id, known] of peaks) {
        // An hour to come was set by a clock that ran ahead; it counts from now.
        const sooner = known.map(([count, last]): Peak => [count, Math.min(last, hour)]);
        keep(
          peaks,
          id,
          sooner.filter(([, last]) => hour - last <= DAY),
        );
      }
    }
  }
}

function keep(peaks: Map<string, readonly Peak[]>, id: string, left: readonly Peak[]): void {
  if (left.length > 0) peaks.set(id, left);
  else peaks.delete(id);
}

/** A later peak that is as large makes an earlier one needless, and an earlier one of the same hour a smaller later one. */
function withPeak(known: readonly Peak[], count: number, hour: number): readonly Peak[] {
  const larger = known.filter((peak) => peak[0] > count);
  return larger.at(-1)?.[1] === hour ? larger : [...larger, [count, hour]];
}

function hourOf(now: number): number {
  return Math.floor(now / 3_600_000);
}

function inlineCount({ conditions }: RuleSet['rules'][number]): number {
  const values = conditions.filter((condition) => !namesLists(condition)).flatMap(({ value }) => value ?? []);
  return values.filter(isTerm).length;
}

function isTerm(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/** Sums by id. A source of one's own may give ids that are no strings, or none. */
function sums<Item extends { readonly id: string }>(
  items: readonly Item[],
  count: (item: Item) => number,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const id = typeof item.id === 'string' ? item.id : (JSON.stringify(item.id) ?? '');
    counts.set(id, (counts.get(id) ?? 0) + count(item));
  }
  return counts;
}
