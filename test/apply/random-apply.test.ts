import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeywordList } from '../../src/platform/contract/keyword-list.js';
import { writeLimits } from '../../src/platform/contract/moderation-writes.js';
import type { Rule } from '../../src/platform/contract/rule.js';
import { digestParts, type Part, type PartKind } from '../../src/platform/loader/part-form.js';
import { keptStates, wantedOfJournal } from '../../src/review/apply/journal-rows.js';
import type { Write } from '../../src/review/apply/order.js';
import { partsById, stateOf } from '../../src/review/apply/parts.js';
import { perform } from '../../src/review/apply/perform.js';
import { type PlanOptions, planApply, planUndo } from '../../src/review/apply/plan.js';
import { runs } from '../support/runs.js';
import { missingLists, type Parts, parts } from './random-parts.js';

const mostParts = writeLimits.rules;

/** A platform in memory, whose requests may fail before or after they took effect, kill the caller, or meet a second writer. */
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
    return { rules, lists, customLists: lists.filter((list) => list.default !== true).length };
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
async function performUntilKilled(writes: readonly Write[], store: Store, journal: Row[]) {
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
  const note = async ({ kind, id, after }: Write, was: Part | undefined) => {
    journal.push({ kind, id, was: was ?? null, becomes: after ?? null });
  };
  const { read, create, replace } = store;
  const ports = {
    read: guarded(read),
    create: guarded(create),
    replace: guarded(replace),
    delete: guarded(store.delete),
  };
  return Promise.race([perform(writes, ports, { note }), killed]);
}

type Row = { kind: PartKind; id: string; was: Part | null; becomes: Part | null };

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
  it('ends at the target, or stops and says why; no list is missing at any moment; undo ends where it began', async () => {
    const events = fc.option(
      fc.record({
        at: fc.integer({ min: 1, max: 40 }),
        kind: fc.constantFrom('fail' as const, 'lose' as const, 'kill' as const, 'other' as const),
      }),
    );
    const property = fc.asyncProperty(
      parts,
      parts,
      events,
      fc.boolean(),
      fc.constantFrom(100, 3, 1),
      async (old, target, event, isDeleting, free) => {
        const there = free === 100 ? old : filled(old, free);
        const wanted =
          free === 100
            ? target
            : {
                rules: [...target.rules, ...there.rules.filter(({ id }) => id.startsWith('x'))],
                lists: [...target.lists, ...there.lists.filter(({ id }) => id.startsWith('x'))],
              };
        const store = new Store(there);
        const began = store.state;
        const base = digestParts(there);
        const journal: Row[] = [];
        store.event = event ?? undefined;
        store.onWrite = () => expect(missingLists(store.parts)).toEqual([]);
        let isTouched = false;
        let isDone = false;
        for (let attempt = 1; attempt <= 3 && !isDone; attempt += 1) {
          const options: PlanOptions = { base, written: keptStates(journal), isDeleting };
          const plan = planApply(wanted, store.parts, options);
          if (plan.refusals.length > 0) {
            isTouched = event?.kind === 'other' && store.requests >= event.at;
            const codes = new Set(plan.refusals.map(({ code }) => code));
            if (isTouched) return;
            for (const code of codes) expect(['window', 'too-many', 'no-list']).toContain(code);
            if (codes.has('window') || codes.has('too-many')) expect(free).not.toBe(100);
            if (codes.has('no-list')) expect(isDeleting || free !== 100).toBe(isDeleting);
            return;
          }
          const outcome = await performUntilKilled(plan.writes, store, journal);
          isDone = outcome !== 'killed' && outcome.stopped === undefined;
          if (outcome !== 'killed' && outcome.stopped !== undefined) {
            expect(['fail', 'lose', 'other']).toContain(event?.kind);
            if (event?.kind === 'other') expect(outcome.stopped.why).not.toBe('failed');
          }
        }
        expect(isDone).toBe(true);
        for (const kind of ['rule', 'list'] as const) {
          const now = partsById(store.parts, kind);
          for (const [id, part] of partsById(wanted, kind)) {
            // A second writer may write after the last look.
            if (event?.kind === 'other' && now.get(id)?.name?.startsWith('someone else')) continue;
            expect(stateOf(kind, now.get(id))).toBe(stateOf(kind, part));
          }
          for (const id of now.keys()) expect(!isDeleting || partsById(wanted, kind).has(id)).toBe(true);
        }
        if (event?.kind !== 'other') expect(planApply(wanted, store.parts, { base, isDeleting }).writes).toEqual([]);
        const wasMet = event !== null && store.requests >= event.at;
        store.event = undefined;
        const undo = planUndo(wantedOfJournal(journal), store.parts, {
          written: keptStates(journal),
          isOverwriting: event?.kind === 'other' || free !== 100,
        });
        expect(undo.refusals).toEqual([]);
        const undone = await performUntilKilled(undo.writes, store, []);
        expect(undone).toEqual({ done: undo.writes.length });
        if (event?.kind !== 'other' || !wasMet) expect(store.state).toEqual(began);
      },
    );
    await fc.assert(property, { numRuns: runs(100, 2_000) });
  });

  it('lets nothing through that the old and the new rules stop, but for changed rules', async () => {
    const property = fc.asyncProperty(parts, parts, async (old, target) => {
      const store = new Store(old);
      const { writes, refusals } = planApply(target, store.parts, { base: digestParts(old), isDeleting: true });
      if (refusals.length > 0) return;
      const changed = writes.some(
        ({ kind, before, after }) => kind === 'rule' && before !== undefined && after !== undefined,
      );
      const kept = 'abcde'.split('').filter((word) => stops(old, word) && stops(target, word));
      store.onWrite = () => {
        if (!changed) for (const word of kept) expect(stops(store.parts, word)).toBe(true);
      };
      expect(await performUntilKilled(writes, store, [])).toEqual({ done: writes.length });
    });
    await fc.assert(property, { numRuns: runs(100, 2_000) });
  });
});
