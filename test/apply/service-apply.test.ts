import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partStoreOf, readLiveParts } from '../../src/cli/apply/live-parts.js';
import { createClient } from '../../src/platform/client/client.js';
import type { Rule } from '../../src/platform/contract/rule.js';
import { digestParts } from '../../src/platform/loader/part-form.js';
import { type ModerationRow, startService } from '../../src/platform/service/index.js';
import { type JournalRow, keptStates, wantedOfJournal } from '../../src/review/apply/journal-rows.js';
import { partsById, stateOf } from '../../src/review/apply/parts.js';
import { perform } from '../../src/review/apply/perform.js';
import { planApply, planUndo } from '../../src/review/apply/plan.js';
import { loseAnswers } from '../service/intercepts.js';
import { runs } from '../support/runs.js';
import { missingLists, type Parts, parts } from './random-parts.js';

const losses = fc.record({
  kind: fc.constantFrom('reset', 'html', 'content-type'),
  method: fc.constantFrom('POST', 'PUT', 'DELETE'),
  after: fc.integer({ min: 0, max: 3 }),
  count: fc.integer({ min: 1, max: 2 }),
});
const listIds = ['l1', 'l2', 'l3', 'l4'];

const property = fc.asyncProperty(
  parts,
  parts,
  fc.option(losses),
  fc.option(fc.integer({ min: 1, max: 6 })),
  async (old, target, loss, otherAt) => {
    const data = old as unknown as Record<keyof Parts, ModerationRow[]>;
    const service = await startService({ data, intercept: loss === null ? undefined : loseAnswers(loss) });
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
    const signal = new AbortController().signal;
    try {
      const live = () => readLiveParts(client, listIds, signal);
      const journal: JournalRow[] = [];
      const store = partStoreOf(client);
      const began = digestParts(await live());
      let [writes, isOtherDone, isDone] = [0, false, false];
      const note: Parameters<typeof perform>[2]['note'] = async ({ kind, id, after }, was) => {
        journal.push({ kind, id, was: was ?? null, becomes: after ?? null });
        expect(missingLists(await live())).toEqual([]);
        writes += 1;
        const [rule] = (await live()).rules;
        if (writes !== otherAt || rule === undefined) return;
        isOtherDone = true;
        // Its answer may be lost as well.
        await client.rules.replace(rule.id, { ...(rule as Rule), name: 'theirs' }).catch(() => {});
      };
      for (let attempt = 1; attempt <= 4 && !isDone; attempt += 1) {
        const plan = planApply(target, await live(), {
          ...{ base: digestParts(old), written: keptStates(journal), isDeleting: true },
        });
        if (isOtherDone && plan.refusals.length > 0) {
          expect(new Set(plan.refusals.map(({ code }) => code))).toEqual(new Set(['changed-there']));
          return;
        }
        expect(plan.refusals).toEqual([]);
        const { stopped } = await perform(plan.writes, store, { note });
        isDone = stopped === undefined;
        if (stopped?.why === 'changed' || stopped?.why === 'not-taken') expect(isOtherDone).toBe(true);
      }
      expect(isDone).toBe(true);
      if (isOtherDone) return;
      const now = await live();
      for (const kind of ['rule', 'list'] as const) {
        const wanted = partsById(target, kind);
        for (const [id, part] of wanted) expect(stateOf(kind, partsById(now, kind).get(id))).toBe(stateOf(kind, part));
      }
      const look = async () => expect(missingLists(await live())).toEqual([]);
      const undo = planUndo(wantedOfJournal(journal), now, { written: keptStates(journal) });
      expect(undo.refusals).toEqual([]);
      for (let attempt = 1, undone = false; attempt <= 3 && !undone; attempt += 1) {
        const again = planUndo(wantedOfJournal(journal), await live(), { written: keptStates(journal) });
        undone = (await perform(again.writes, store, { note: look })).stopped === undefined;
      }
      expect(digestParts(await live())).toEqual(began);
    } finally {
      await client.close();
      await service.close();
    }
  },
);

it('over HTTP, with lost answers and a second writer: ends at the target, or stops and says why; undo ends where it began', async () => {
  await fc.assert(property, { numRuns: runs(30, 1_000) });
});
