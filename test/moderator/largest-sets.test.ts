/** What refreshes lose within a day, one by one: the guard counts from the largest rule set of the day. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createModerator, type KeywordList, type Moderator, type Rule } from '../../src/index.js';
import { countsOf, LargestCounts } from '../../src/moderator/rule-set-counts.js';
import { type PlatformState, platform, workplace } from './platform.js';

const place = workplace();
const { moderatorOf } = place;
const hour = 3_600_000;
afterEach(() => vi.useRealTimers());

/** What a platform has, as numbers: how many terms each list has, and how many stand in each rule. */
interface Sizes {
  readonly lists: Readonly<Record<string, number>>;
  readonly rules: Readonly<Record<string, number>>;
}
const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`);

function contentOf({ lists, rules }: Sizes): Pick<PlatformState, 'rules' | 'lists'> {
  const referring: Rule = {
    id: 'all',
    action: ['blockMessage'],
    conditions: [{ operand: 'text', isKeywordsReferencePresent: true, value: Object.keys(lists) }],
  };
  const inline = Object.entries(rules).map(
    ([id, count]): Rule => ({ id, action: ['blockMessage'], conditions: [{ operand: 'text', value: words(count) }] }),
  );
  const served = Object.entries(lists).map(([id, count]): [string, KeywordList] => [
    id,
    { id, searchTerms: words(count) },
  ]);
  return { rules: [referring, ...inline], lists: Object.fromEntries(served) };
}
const oneList = (terms: number): Sizes => ({ lists: { a: terms }, rules: {} });

/** A moderator over a platform of these sizes, on a clock of its own. */
async function begin(sizes: Sizes, snapshotFile?: string) {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  const { state, source } = platform(contentOf(sizes));
  const moderator = await moderatorOf({ source, snapshotFile });
  const bring = async (next: Sizes, of: Moderator = moderator) => {
    Object.assign(state, contentOf(next));
    return of.refresh();
  };
  const inUse = (of: Moderator = moderator): number =>
    words(20_001).filter((word) => of.decide(word) !== 'allow').length;
  return { state, source, moderator, bring, inUse };
}

describe('losses that add up within a day', () => {
  it('fourteen refreshes that lose 49 % each: what is in use stays above half, and the others are held', async () => {
    const { moderator, bring, inUse } = await begin(oneList(20_000));
    let terms = 20_000;
    for (let round = 0; round < 14; round++) {
      vi.advanceTimersByTime(60_000);
      terms = Math.ceil(terms * 0.51);
      expect(await bring(oneList(terms))).toBe(round === 0);
      expect(moderator.status.state).toBe(round === 0 ? 'fresh' : 'stale');
    }
    expect(inUse()).toBe(10_200);
    expect(moderator.status.held?.loss).toMatchObject({ terms: 20_000 - terms, of: { terms: 20_000 } });
    expect(moderator.status.held?.reason).toMatch(/terms would be lost, counted from the most of the last day$/);
  });

  it.each<[string, Sizes, Sizes[], boolean]>([
    [
      'terms of one list, while another one grows as much',
      { lists: { a: 100, b: 20 }, rules: {} },
      [
        { lists: { a: 60, b: 60 }, rules: {} },
        { lists: { a: 10, b: 90 }, rules: {} },
      ],
      true,
    ],
    [
      'lists',
      { lists: { a: 1, b: 1, c: 1, d: 1 }, rules: {} },
      [
        { lists: { a: 1, b: 1 }, rules: {} },
        { lists: { a: 1 }, rules: { x: 9 } },
      ],
      true,
    ],
    [
      'rules',
      { lists: {}, rules: { p: 50, q: 1, r: 1, s: 1 } },
      [
        { lists: {}, rules: { p: 50, q: 1, r: 1 } },
        { lists: {}, rules: { p: 50, q: 1 } },
        { lists: {}, rules: { p: 50 } },
      ],
      true,
    ],
    [
      'of the rule set in use, where another has grown again',
      { lists: { a: 30, b: 40 }, rules: {} },
      [
        { lists: { a: 20, b: 40 }, rules: {} },
        { lists: { a: 30, b: 9 }, rules: {} },
      ],
      true,
    ],
    [
      'terms in rules',
      { lists: {}, rules: { p: 50, q: 50 } },
      [
        { lists: {}, rules: { p: 30, q: 30 } },
        { lists: {}, rules: { p: 20, q: 20 } },
      ],
      true,
    ],
    [
      'a list that comes back without its terms',
      { lists: { a: 9, b: 1 }, rules: {} },
      [oneList(9), { lists: { a: 9, b: 0 }, rules: {} }],
      true,
    ],
    ['half, in steps', oneList(100), [oneList(90), oneList(70), oneList(50)], false],
    ['what came back', oneList(100), [oneList(60), oneList(100), oneList(60), oneList(100), oneList(50)], false],
  ])('%s', async (_, first, steps, isHeld) => {
    const { moderator, bring } = await begin(first);
    for (const step of steps.slice(0, -1)) expect(await bring(step)).toBe(true);
    expect(await bring(steps.at(-1)!)).toBe(!isHeld);
    expect(moderator.status.held !== undefined).toBe(isHeld);
  });

  it('a day later they no longer count', async () => {
    const { bring } = await begin(oneList(100));
    await bring(oneList(60));
    vi.advanceTimersByTime(23 * hour);
    expect(await bring(oneList(40))).toBe(false);
    vi.advanceTimersByTime(2 * hour + 1);
    expect(await bring(oneList(40))).toBe(true);
    // The 60 were in use until now.
    expect(await bring(oneList(29))).toBe(false);
  });

  it('what was in use for days counts from when it was replaced', async () => {
    const { bring } = await begin(oneList(100));
    vi.advanceTimersByTime(50 * hour);
    expect(await bring(oneList(60))).toBe(true);
    vi.advanceTimersByTime(20 * hour);
    expect(await bring(oneList(40))).toBe(false);
  });

  it.each([
    ['by `accept`', async (moderator: Moderator) => moderator.accept()],
    [
      'by as many refreshes',
      async (moderator: Moderator) => {
        for (let round = 0; round < 3; round++) await moderator.refresh();
      },
    ],
  ])('what was accepted %s is what counts from then on', async (_, accept) => {
    const { moderator, bring } = await begin(oneList(100));
    await bring(oneList(60));
    expect(await bring(oneList(40))).toBe(false);
    await accept(moderator);
    expect(moderator.status.held).toBeUndefined();
    expect(await bring(oneList(25))).toBe(true);
    expect(await bring(oneList(15))).toBe(false);
    expect(moderator.status.held?.loss.of.terms).toBe(40);
  });

  it('a clock that ran ahead for one refresh does not make it count for longer', async () => {
    const { bring } = await begin(oneList(100));
    vi.setSystemTime(Date.now() + 1_000 * hour);
    await bring(oneList(60));
    vi.setSystemTime(Date.now() - 1_000 * hour);
    expect(await bring(oneList(40))).toBe(false);
    vi.advanceTimersByTime(26 * hour);
    expect(await bring(oneList(40))).toBe(true);
  });
});

describe('restarts', () => {
  it('one after each refresh does not make the guard forget, and the snapshot has it', async () => {
    const { state, source, moderator } = await begin(oneList(20_000), place.snapshotFile);
    await moderator.close();
    let terms = 20_000;
    for (let round = 0; round < 14; round++) {
      vi.advanceTimersByTime(60_000);
      terms = Math.ceil(terms * 0.51);
      Object.assign(state, contentOf(oneList(terms)));
      const next = await createModerator({ source, snapshotFile: place.snapshotFile });
      expect(next.decide('w10199')).toBe('blockMessage');
      expect(next.status.held === undefined).toBe(round === 0);
      await next.close();
    }
  });

  it('do not make a day longer', async () => {
    const { state, source, moderator, bring } = await begin(oneList(100), place.snapshotFile);
    await bring(oneList(60));
    await moderator.close();
    for (let round = 0; round < 5; round++) {
      vi.advanceTimersByTime(5 * hour + 1_000);
      const next = await createModerator({ source, snapshotFile: place.snapshotFile });
      await next.close();
    }
    Object.assign(state, contentOf(oneList(40)));
    const last = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(last.status.held).toBeUndefined();
  });

  it('what was accepted stays accepted', async () => {
    const { source, moderator, bring } = await begin(oneList(100), place.snapshotFile);
    await bring(oneList(60));
    await bring(oneList(40));
    await moderator.accept();
    await moderator.close();
    const next = await moderatorOf({ source, snapshotFile: place.snapshotFile });
    expect(await bring(oneList(25), next)).toBe(true);
  });
});

describe('over random refreshes', () => {
  const ids = ['a', 'b', 'c', 'd'] as const;
  const few = fc.dictionary(fc.constantFrom(...ids), fc.integer({ min: 0, max: 12 }));
  const step = fc.record({
    act: fc.constantFrom('refresh', 'refresh', 'again', 'again', 'again', 'again', 'restart', 'accept'),
    sizes: fc.record({ lists: few, rules: few }),
    minutes: fc.constantFrom(0, 1, 59, 300, 1_000, 1_439, 1_441),
  });

  interface Used {
    readonly sizes: Sizes;
    /** When another took its place. */
    until: number;
  }

  /** Whether `next` lacks more than half of the most of each, or all terms of a list, by the definition. */
  function isTooLittle(sets: readonly Sizes[], next: Sizes): boolean {
    const most = (kind: 'lists' | 'rules', id: string) => Math.max(...sets.map((sizes) => sizes[kind][id] ?? -1));
    const was = (kind: 'lists' | 'rules') => ids.filter((id) => most(kind, id) >= 0);
    const gone = (kind: 'lists' | 'rules') => was(kind).filter((id) => next[kind][id] === undefined);
    const isEmptied = ids.some((id) => most('lists', id) > 0 && next.lists[id] === 0);
    let [lost, all] = [0, 0];
    for (const kind of ['lists', 'rules'] as const) {
      for (const id of was(kind)) {
        all += most(kind, id);
        lost += Math.max(0, most(kind, id) - (next[kind][id] ?? 0));
      }
    }
    const over = (part: number, whole: number) => whole > 0 && (part === whole || part / whole > 0.5);
    // One rule more, which refers to the lists, is always there.
    const isOver =
      over(gone('rules').length, was('rules').length + 1) || over(gone('lists').length, was('lists').length);
    return isEmptied || isOver || over(lost, all);
  }

  /** How much there is of rules, lists and terms. */
  const totals = ({ lists, rules }: Sizes): readonly number[] => {
    const terms = [...Object.values(lists), ...Object.values(rules)];
    return [Object.keys(rules).length + 1, Object.keys(lists).length, terms.reduce((sum, count) => sum + count, 0)];
  };

  it('what is in use never falls under the limit of the largest of the last day without a hold, and nothing else is held', async () => {
    const seen = { held: 0, taken: 0, accepted: 0, repeated: 0, forgotten: 0 };
    let runs = 0;
    let heldSizes = '';
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
        const first: Sizes = { lists: { a: 12, b: 12, c: 12 }, rules: { a: 12, b: 12 } };
        const { state, source } = platform(contentOf(first));
        runs++;
        const snapshotFile = steps.some(({ act }) => act === 'restart') ? `${place.snapshotFile}.${runs}` : undefined;
        let moderator = await createModerator({ source, snapshotFile });
        let used: Used[] = [{ sizes: first, until: Number.POSITIVE_INFINITY }];
        let served = first;
        const take = (isAccepted: boolean) => {
          used.at(-1)!.until = Date.now();
          used = [...(isAccepted ? [] : used), { sizes: served, until: Number.POSITIVE_INFINITY }];
        };
        for (const { act, sizes, minutes } of steps) {
          vi.advanceTimersByTime(minutes * 60_000);
          const inUse = used.at(-1)!.sizes;
          if (act === 'refresh') served = sizes;
          Object.assign(state, contentOf(served));
          const { held: before } = moderator.status;
          if (act === 'accept') {
            served = JSON.parse(before === undefined ? JSON.stringify(inUse) : heldSizes);
            expect(await moderator.accept()).toBe(before !== undefined);
            if (before !== undefined) take(true);
            seen.accepted += before === undefined ? 0 : 1;
            continue;
          }
          if (act === 'restart') {
            await moderator.close();
            moderator = await createModerator({ source, snapshotFile });
          } else await moderator.refresh();
          // Hours are whole: what was in use until some minutes before the day counts as well.
          const since = Math.floor(Date.now() / hour) * hour - 24 * hour;
          const ofDay = used.filter(({ until }) => until >= since).map((one) => one.sizes);
          const isHeld = moderator.status.held !== undefined;
          const isSame = isDeepStrictEqual(contentOf(served), contentOf(inUse));
          const isTooMuch = !isSame && (isTooLittle(ofDay, served) || isTooLittle([inUse], served));
          const isRepeated = !isHeld && isTooMuch;
          if (isRepeated) expect([act, before?.remaining]).toEqual([expect.stringMatching('refresh|again'), 1]);
          else expect(isHeld).toBe(isTooMuch);
          if (isHeld) heldSizes = JSON.stringify(served);
          else if (!isSame) take(isRepeated);
          seen.held += isHeld ? 1 : 0;
          seen.taken += isHeld || isSame ? 0 : 1;
          seen.repeated += isRepeated ? 1 : 0;
          seen.forgotten += used.length > ofDay.length + 1 ? 1 : 0;
          const now = totals(used.at(-1)!.sizes);
          for (const one of used.filter(({ until }) => until >= Date.now() - 24 * hour)) {
            for (const [index, total] of totals(one.sizes).entries())
              expect(now[index]).toBeGreaterThanOrEqual(total / 2);
          }
        }
        await moderator.close();
        vi.useRealTimers();
      }),
      { numRuns: 60, seed: 26_03 },
    );
    expect(Object.entries(seen).filter(([, count]) => count < 3)).toEqual([]);
  });

  it('what is remembered is bounded: at most one count an hour of an id, and none of what did not shrink', () => {
    const largest = new LargestCounts();
    const setOf = (terms: number) => {
      const { rules, lists } = contentOf({ lists: { a: terms, b: 5 }, rules: { r: 3 } });
      return countsOf({ rules, lists: Object.values(lists), missing: [], truncated: false, revision: '' });
    };
    for (let round = 0; round < 500; round++) {
      largest.follow(setOf(500 - round), setOf(499 - round), round * 20 * 60_000);
      largest.most(setOf(499 - round), round * 20 * 60_000);
    }
    const { rules, lists, inline } = largest.toJSON();
    expect([rules, inline]).toEqual([[], []]);
    expect(lists.map(([id, peaks]) => [id, peaks.length])).toEqual([['a', 25]]);
    largest.most(setOf(0), 500 * 20 * 60_000 + 26 * hour);
    expect(largest.isEmpty).toBe(true);
  });
});
