/**
 * What refreshes lose one by one: the guard counts from all that could stop a message since a
 * person last accepted a rule set.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createModerator, type KeywordList, type Moderator, type Rule } from '../../src/index.js';
import { type PlatformState, platform, workplace } from './platform.js';

const place = workplace();
const { moderatorOf } = place;

/**
 * Terms of lists by id, and terms of rules by id; a rule that is off is listed with its terms. One
 * more rule names all lists.
 */
interface World {
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly rules: Readonly<Record<string, { readonly terms: readonly string[]; readonly isOff?: boolean }>>;
}

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`);
const oneList = (...terms: string[]): World => ({ lists: { a: terms }, rules: {} });

function contentOf({ lists, rules }: World): Pick<PlatformState, 'rules' | 'lists'> {
  const action = ['blockMessage'];
  const naming = { operand: 'text', isKeywordsReferencePresent: true, value: Object.keys(lists) };
  const inline = Object.entries(rules).map(
    ([id, { terms, isOff = false }]): Rule => ({
      id,
      action,
      enabled: !isOff,
      conditions: [{ operand: 'text', value: terms }],
    }),
  );
  const served = Object.entries(lists).map(([id, searchTerms]): [string, KeywordList] => [id, { id, searchTerms }]);
  return { rules: [{ id: 'all', action, conditions: [naming] }, ...inline], lists: Object.fromEntries(served) };
}

async function begin(world: World, snapshotFile?: string) {
  const { state, source } = platform(contentOf(world));
  const moderator = await moderatorOf({ source, snapshotFile });
  const bring = async (next: World, to: Moderator = moderator) => {
    Object.assign(state, contentOf(next));
    return to.refresh();
  };
  return { state, source, moderator, bring };
}

describe('losses that add up', () => {
  it('fourteen refreshes that lose 49 % each: what is in use stays above half, and the others are held', async () => {
    const { moderator, bring } = await begin(oneList(...words(5_000)));
    let terms = 5_000;
    for (let round = 0; round < 14; round++) {
      terms = Math.ceil(terms * 0.51);
      expect(await bring(oneList(...words(terms)))).toBe(round === 0);
    }
    expect(words(5_000).filter((word) => moderator.decide(word) !== 'allow')).toHaveLength(2_550);
    expect(moderator.status.held?.loss).toMatchObject({ terms: 5_000 - terms, of: { terms: 5_000 } });
    expect(moderator.status.held?.reason).toMatch(/terms would be lost, counted from the most that was ever accepted$/);
  });

  it('terms that are replaced a few at a time count, and junk in their place does not make up for them', async () => {
    const { bring } = await begin(oneList(...words(10)));
    const without = (lost: number) => oneList(...words(10).slice(lost), ...words(50).slice(10, 10 + lost));
    expect([await bring(without(4)), await bring(without(6)), await bring(without(9))]).toEqual([true, true, false]);
  });

  it.each([
    ['by a restart after each refresh', true],
    ['by nothing', false],
  ])('are not forgotten %s, until a smaller one is accepted', async (_, restarts) => {
    const { source, state, moderator } = await begin(oneList(...words(100)), place.snapshotFile);
    let live = moderator;
    const bring = async (count: number) => {
      Object.assign(state, contentOf(oneList(...words(count))));
      if (!restarts) return live.refresh();
      await live.close();
      live = await moderatorOf({ source, snapshotFile: place.snapshotFile });
      return live.status.held === undefined;
    };
    expect([await bring(60), await bring(60), await bring(40), await bring(60)]).toEqual(
      restarts ? [true, true, false, true] : [true, false, false, false],
    );
    expect(await bring(40)).toBe(false);
    expect(await live.accept(live.status.held!.revision)).toBe(true);
    expect([await bring(25), await bring(15)]).toEqual([true, false]);
    expect(live.status.held?.loss.of.terms).toBe(40);
  });

  it('what comes back is lost no more', async () => {
    const { bring } = await begin(oneList(...words(100)));
    for (const count of [60, 100, 60, 100, 50]) expect(await bring(oneList(...words(count)))).toBe(true);
  });
});

describe('over random refreshes', () => {
  const term = fc.constantFrom(...words(9));
  const few = fc.uniqueArray(term, { maxLength: 6 });
  const id = fc.constantFrom('a', 'b', 'c');
  const worlds: fc.Arbitrary<World> = fc.record({
    lists: fc.dictionary(id, few),
    rules: fc.dictionary(id, fc.record({ terms: few, isOff: fc.boolean() })),
  });
  const step = fc.record({ act: fc.constantFrom('refresh', 'refresh', 'refresh', 'restart', 'accept'), world: worlds });

  /** All that can stop a message, as texts. */
  const partsOf = ({ lists, rules }: World): ReadonlySet<string> => {
    // A term of two lists counts for the first of them, by which a match is named.
    const seen = new Set<string>();
    const isFirst = (term: string) => !seen.has(term) && seen.add(term).size > 0;
    const ofLists = Object.entries(lists).flatMap(([id, terms]) =>
      terms.filter(isFirst).map((term) => `list ${id} ${term}`),
    );
    const running = Object.entries(rules).filter(([, { terms, isOff }]) => !isOff && terms.length > 0);
    const ofRules = running.flatMap(([id, { terms }]) => [`rule ${id}`, ...terms.map((term) => `in ${id} ${term}`)]);
    return new Set([...ofLists, ...ofRules, ...(ofLists.length > 0 ? ['rule all'] : [])]);
  };

  /**
   * What of `known` cannot stop a message in `next`: a term can as long as any list or rule has it.
   */
  function lostOf(known: ReadonlySet<string>, next: World): ReadonlySet<string> {
    const left = partsOf(next);
    const isRule = (part: string) => part.startsWith('rule');
    const terms = new Set([...left].filter((part) => !isRule(part)).map((part) => part.split(' ').at(-1)));
    return new Set([...known].filter((part) => !(isRule(part) ? left.has(part) : terms.has(part.split(' ').at(-1)))));
  }

  /**
   * Whether `next` lost more than half of the rules, lists or terms of `known`, or every term of a
   * list, by the definition.
   */
  function losesTooMuch(known: ReadonlySet<string>, next: World): boolean {
    const lost = lostOf(known, next);
    const exceeds = (count: number, all: number) => all > 0 && (count === all || count / all > 0.5);
    const count = (isCounted: (part: string) => boolean) =>
      exceeds([...lost].filter(isCounted).length, [...known].filter(isCounted).length);
    const listIds = [...new Set([...known].flatMap((part) => /^list (.)/.exec(part)?.[1] ?? []))];
    const gone = listIds.filter((id) => [...known].every((part) => !part.startsWith(`list ${id}`) || lost.has(part)));
    const isEmptied = gone.some((id) => next.lists[id] !== undefined);
    const isOver = exceeds(gone.length, listIds.length);
    return isEmptied || isOver || count((part) => part.startsWith('rule')) || count((part) => !part.startsWith('rule'));
  }

  /** A condition without a value cannot be evaluated. */
  const evaluatedIn = ({ lists, rules }: World): Readonly<Record<string, boolean>> => ({
    all: Object.keys(lists).length > 0,
    ...Object.fromEntries(
      Object.entries(rules).flatMap(([id, { terms, isOff }]) => (isOff ? [] : [[id, terms.length > 0]])),
    ),
  });

  it('a rule set is held exactly when it loses too much of what is in use, or of the most that was accepted', async () => {
    const seen = { held: 0, taken: 0, accepted: 0, restarted: 0 };
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
        const first: World = {
          lists: { a: words(4), b: words(6).slice(2) },
          rules: { a: { terms: words(7).slice(5) }, b: { terms: words(9).slice(6) } },
        };
        const snapshotFile = `${place.snapshotFile}.${run++}`;
        const { source, state } = platform(contentOf(first));
        let moderator = await createModerator({ source, snapshotFile });
        let [inUse, served, ever] = [first, first, partsOf(first)];
        for (const { act, world } of steps) {
          if (act === 'accept') {
            const { held } = moderator.status;
            expect(await moderator.accept(held?.revision ?? '')).toBe(held !== undefined);
            if (held === undefined) continue;
            [inUse, ever] = [served, partsOf(served)];
            seen.accepted++;
            continue;
          }
          served = world;
          Object.assign(state, contentOf(served));
          if (act === 'restart') {
            await moderator.close();
            moderator = await createModerator({ source, snapshotFile });
            seen.restarted++;
          } else await moderator.refresh();
          const before = partsOf(inUse);
          const losesSome = lostOf(before, served).size > 0;
          const [old, now] = [evaluatedIn(inUse), evaluatedIn(served)];
          const isUnevaluated = Object.keys(now).some((id) => old[id] === true && !now[id]);
          const isHeld = isUnevaluated || losesTooMuch(before, served) || (losesSome && losesTooMuch(ever, served));
          expect(moderator.status.held !== undefined).toBe(isHeld);
          for (const text of words(9)) {
            const stopping = [...partsOf(isHeld ? inUse : served)].some((part) => part.endsWith(` ${text}`));
            expect(moderator.decide(text)).toBe(stopping ? 'blockMessage' : 'allow');
          }
          seen[isHeld ? 'held' : 'taken']++;
          if (isHeld) continue;
          inUse = served;
          ever = new Set([...partsOf(served), ...lostOf(ever, served)]);
        }
        await moderator.close();
      }),
      { numRuns: 18, seed: 2603, endOnFailure: true },
    );
    expect(Object.entries(seen).filter(([, count]) => count < 10)).toEqual([]);
  });
});
