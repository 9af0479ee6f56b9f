import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeywordList } from '../../src/platform/contract/keyword-list.js';
import { writeLimits } from '../../src/platform/contract/moderation-writes.js';
import type { Rule } from '../../src/platform/contract/rule.js';
import { digestParts, type Part, type PartKind } from '../../src/platform/loader/part-form.js';
import { rulesBefore } from '../../src/review/apply/before.js';
import type { Write } from '../../src/review/apply/order.js';
import { partsById, stateOf } from '../../src/review/apply/parts.js';
import { perform } from '../../src/review/apply/perform.js';
import { planApply } from '../../src/review/apply/plan.js';
import { runs } from '../support/runs.js';
import { missingLists, type Parts, parts } from './random-parts.js';

const mostParts = writeLimits.rules;

/**
 * A platform in memory, whose requests may fail before or after they took effect, kill the caller,
 * or meet a second writer.
 */
class Store {
  readonly rule = new Map<string, Part>();
  readonly list = new Map<string, Part>();
  requests = 0;
  revision = 0;
  /** What happens at the request of this number. */
  event: { readonly at: number; readonly kind: 'fail' | 'lose' | 'kill' | 'other' } | undefined;
  onWrite: () => void = () => {};

  constructor({ rules, lists }: Parts) {
    for (const rule of rules) this.rule.set(rule.id, rule);
    for (const list of lists) this.list.set(list.id, list);
  }

  get parts() {
    const [rules, lists] = [[...this.rule.values()] as Rule[], [...this.list.values()] as KeywordList[]];
    return { rules, lists };
  }

  get state() {
    return digestParts(this.parts);
  }

  async #request<Result>(work: () => Result): Promise<Result> {
    this.requests += 1;
    const { kind, at } = this.event ?? { kind: undefined, at: -1 };
    if (at !== this.requests) return work();
    if (kind === 'other') {
      const [first] = this.rule.values();
      if (first !== undefined) this.rule.set(first.id, { ...first, name: `someone else ${this.requests}` });
      return work();
    }
    if (kind === 'fail') throw new Error('503');
    if (kind === 'lose' || Math.random() < 0.5) work();
    throw kind === 'kill' ? new Killed() : new Error('reset');
  }

  read = (kind: PartKind, id: string) => this.#request(() => this[kind].get(id));
  create = (kind: PartKind, part: Part) =>
    this.#request(() => {
      const customs = [...this[kind].values()].filter((other) => other.default !== true);
      if (this[kind].has(part.id) || customs.length >= mostParts) throw new Error('400');
      this.#put(kind, part);
    });
  replace = (kind: PartKind, id: string, part: Part) =>
    this.#request(() => {
      const old = this[kind].get(id);
      if (old === undefined) throw new Error('404');
      this.#put(kind, { ...part, ...(old.default && { default: true }) } as Part);
    });
  delete = (kind: PartKind, id: string) =>
    this.#request(() => {
      if (!this[kind].delete(id)) throw new Error('404');
      this.onWrite();
    });

  #put(kind: PartKind, part: Part) {
    this.revision += 1;
    this[kind].set(part.id, { ...part, revisionId: `r${this.revision}` });
    this.onWrite();
  }
}

class Killed extends Error {}

/** `perform` catches errors of requests: a killed process makes none after that. */
async function performUntilKilled(writes: readonly Write[], store: Store) {
  let isKilled = false;
  const guarded =
    <Arguments extends readonly unknown[], Result>(call: (...input: Arguments) => Promise<Result>) =>
    async (...input: Arguments) => {
      if (isKilled) return new Promise<never>(() => {});
      try {
        return await call(...input);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        isKilled = true;
        onKill();
        return new Promise<never>(() => {});
      }
    };
  let onKill = () => {};
  const killed = new Promise<'killed'>((resolve) => {
    onKill = () => resolve('killed');
  });
  const { read, create, replace } = store;
  const ports = {
    read: guarded(read),
    create: guarded(create),
    replace: guarded(replace),
    delete: guarded(store.delete),
  };
  return Promise.race([perform(writes, ports), killed]);
}

type Before = ReturnType<typeof rulesBefore<Parts>>;

/**
 * Applies rules until that is done, at most so many times; the first attempt keeps what the
 * platform had.
 */
async function applyUntilDone(
  rules: Parts & Partial<Pick<Before, 'pulled' | 'before'>>,
  store: Store,
  { attempts = 3, isDeleting = true, isOverwriting = false } = {},
) {
  let kept: Before | undefined;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const between = { ...rules.before?.between, ...kept?.before.between };
    const plan = planApply(rules, store.parts, { base: rules.pulled, between, isDeleting, isOverwriting });
    if (plan.refusals.length > 0) return { kept, isDone: false, codes: new Set(plan.refusals.map(({ code }) => code)) };
    kept ??= rulesBefore(plan.writes, store.parts, 'target');
    const outcome = await performUntilKilled(plan.writes, store);
    const stopped = outcome === 'killed' ? undefined : outcome.stopped;
    if (outcome !== 'killed' && stopped === undefined) return { kept, isDone: true, codes: new Set() };
    if (stopped !== undefined) expect(['fail', 'lose', 'other']).toContain(store.event?.kind);
    if (stopped !== undefined && store.event?.kind === 'other') expect(stopped.why).not.toBe('failed');
  }
  return { kept, isDone: false, codes: new Set() };
}

/** Parts of others that fill the platform up to a number of rules and lists. */
function filled({ rules, lists }: Parts, free: number): Parts {
  const of = (count: number) => Array.from({ length: Math.max(0, mostParts - free - count) }, (_, at) => `x${at}`);
  return {
    rules: [...rules, ...of(rules.length).map((id): Rule => ({ id, conditions: [{ operand: 'text', value: ['z'] }] }))],
    lists: [...lists, ...of(lists.length).map((id): KeywordList => ({ id, searchTerms: ['z'] }))],
  };
}

/** Whether a word is stopped. */
const stops = ({ rules, lists }: Parts, word: string) =>
  rules.some(
    ({ enabled, conditions }) =>
      enabled !== false &&
      conditions.some(({ isKeywordsReferencePresent, value }) =>
        isKeywordsReferencePresent
          ? (value as string[]).some((id) =>
              lists.find((list) => list.id === id)?.searchTerms.some((term) => term.replaceAll('"', '') === word),
            )
          : (value as string[]).includes(word),
      ),
  );

describe('a change applied to a platform', () => {
  const kinds = ['fail', 'lose', 'kill', 'other'] as const;
  const events = fc.option(fc.record({ at: fc.integer({ min: 1, max: 40 }), kind: fc.constantFrom(...kinds) }));

  it('ends at the target, or stops and says why; no list is missing at any moment; the way back ends where it began', async () => {
    const property = fc.asyncProperty(
      parts,
      parts,
      fc.record({
        event: events,
        isDeleting: fc.boolean(),
        free: fc.constantFrom(100, 3, 1),
        attempts: fc.constantFrom(1, 3),
      }),
      fc.record({ event: events, attempts: fc.constantFrom(1, 3) }),
      async (old, target, { event, isDeleting, free, attempts }, back) => {
        const there = free === 100 ? old : filled(old, free);
        const others = (all: Parts) => ({
          rules: all.rules.filter(({ id }) => id.startsWith('x')),
          lists: all.lists.filter(({ id }) => id.startsWith('x')),
        });
        const [rules, lists] = [
          [...target.rules, ...others(there).rules],
          [...target.lists, ...others(there).lists],
        ];
        const store = new Store(there);
        const began = store.state;
        store.event = event ?? undefined;
        store.onWrite = () => expect(missingLists(store.parts)).toEqual([]);
        const wanted = { rules, lists, pulled: digestParts(there) };
        const { kept, isDone, codes } = await applyUntilDone(wanted, store, { attempts, isDeleting });
        const isMet = event !== null && store.requests >= event.at;
        const isForeign = event?.kind === 'other' && isMet;
        for (const code of codes) {
          if (!isForeign) expect(['too-many', 'no-list']).toContain(code);
          if (code === 'too-many') expect(free).not.toBe(100);
          if (code === 'no-list') expect(isDeleting).toBe(true);
        }
        if (kept === undefined) return;
        expect(isDone || attempts === 1 || isForeign || codes.size > 0).toBe(true);
        if (isDone && !isForeign) {
          for (const kind of ['rule', 'list'] as const) {
            const now = partsById(store.parts, kind);
            for (const [id, part] of partsById(wanted, kind))
              expect(stateOf(kind, now.get(id))).toBe(stateOf(kind, part));
            for (const id of now.keys()) expect(!isDeleting || partsById(wanted, kind).has(id)).toBe(true);
          }
          expect(planApply(wanted, store.parts, { base: wanted.pulled, isDeleting }).writes).toEqual([]);
        }
        if (isForeign) {
          store.event = undefined;
          expect((await applyUntilDone(kept, store, { isOverwriting: true })).isDone).toBe(true);
          return;
        }
        store.requests = 0;
        store.event = back.event?.kind === 'other' ? undefined : (back.event ?? undefined);
        const returned = await applyUntilDone(kept, store, { attempts: back.attempts });
        expect([...returned.codes]).toEqual([]);
        store.event = undefined;
        if (!returned.isDone) {
          // From half-way back, by either file.
          const again = await applyUntilDone(kept, store);
          expect([again.isDone, ...again.codes]).toEqual([true]);
        }
        expect(store.state).toEqual(began);
      },
    );
    await fc.assert(property, { numRuns: runs(50, 2_000) });
  });

  it('lets nothing through that the old and the new rules stop, but for gaps that the plan names', async () => {
    const property = fc.asyncProperty(parts, parts, async (old, target) => {
      const store = new Store(old);
      const { writes, refusals, gaps } = planApply(target, store.parts, { base: digestParts(old), isDeleting: true });
      if (refusals.length > 0) return;
      const kept = 'abcde'.split('').filter((word) => stops(old, word) && stops(target, word));
      store.onWrite = () => {
        if (gaps.length === 0) for (const word of kept) expect(stops(store.parts, word)).toBe(true);
      };
      expect(await performUntilKilled(writes, store)).toEqual({ done: writes.length });
    });
    await fc.assert(property, { numRuns: runs(100, 2_000) });
  });

  const rule = (id: string, value: readonly string[], others: Partial<Rule> = {}): Rule => ({
    id,
    action: ['blockMessage'],
    conditions: [{ operand: 'text', isKeywordsReferencePresent: true, value }],
    ...others,
  });
  const lists = ['a', 'b'].map((id): KeywordList => ({ id, searchTerms: [id] }));

  it.each([
    ['is switched off', rule('old', ['a'], { enabled: false })],
    ['only flags', rule('old', ['a'], { action: ['flagMessage'] })],
    [
      'is narrowed',
      rule('old', ['a'], { filters: [{ type: 'sender', operand: 'role', operator: 'equals', value: ['x'] }] }),
    ],
    ['loses the list', rule('old', ['b'])],
  ])('writes the rule that takes over a list before the one that %s', (_, after) => {
    const before = { rules: [rule('old', ['a', 'b']), rule('wide', ['b'])], lists };
    const target = { rules: [after, rule('wide', ['a', 'b'])], lists };
    const { writes, gaps } = planApply(target, before, { base: digestParts(before) });
    expect([writes.map(({ id }) => id), gaps]).toEqual([['wide', 'old'], []]);
  });

  it('names rules that each gain and lose, between which there may be a gap', () => {
    const before = { rules: [rule('one', ['a']), rule('two', ['b'])], lists };
    const target = { rules: [rule('one', ['b']), rule('two', ['a'])], lists };
    expect(planApply(target, before, { base: digestParts(before) }).gaps).toEqual([
      { kind: 'rule', id: 'one' },
      { kind: 'rule', id: 'two' },
    ]);
  });
});
