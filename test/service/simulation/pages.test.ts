import { describe, expect, it } from 'vitest';
import { createClient, ShapeError } from '../../../src/index.js';
import type { Cursor } from '../../../src/platform/contract/meta.js';
import type { FaultPlan, Service } from '../../../src/platform/service/index.js';
import { serviceWith } from './service-with.js';
import { exchange } from './wire.js';

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly meta: { readonly next?: Cursor };
}

async function pageAt(service: Service, cursor: Cursor = {}, filters = 'limit=10'): Promise<Page> {
  const query = new URLSearchParams(
    Object.entries(cursor).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const { body } = await exchange(service, `/v3/messages?${filters}&${query}`);
  return JSON.parse(body.toString());
}

const ids = ({ data }: Page) => data.map(({ id }) => id);

async function walk(service: Service, pages: number): Promise<Page[]> {
  const found = [await pageAt(service)];
  while (found.length < pages) found.push(await pageAt(service, found.at(-1)?.meta.next));
  return found;
}

const withFaults = (plan: FaultPlan) => serviceWith(plan);
const right = async () => walk(await serviceWith(undefined), 4);

describe('a fault of pages', () => {
  it('duplicate-page: the page before comes again with its cursor, and the walk goes on from there', async () => {
    const service = await withFaults({ faults: [{ kind: 'duplicate-page', path: '/messages', after: 2, count: 1 }] });
    const [first, second, third] = (await right()) as [Page, Page, Page];
    const walked = await walk(service, 4);
    expect(walked.map(ids)).toEqual([first, second, second, third].map(ids));
    expect(walked[2]).toEqual(walked[1]);
  });

  it('duplicate-page: leaves first pages alone, and keeps walks apart', async () => {
    const service = await withFaults({ faults: [{ kind: 'duplicate-page', after: 3 }] });
    const team = 'limit=10&conversationId=group_team';
    const first = await pageAt(service);
    const second = await pageAt(service, first.meta.next);
    const ofTeam = await pageAt(service, {}, team);
    expect(ids(await pageAt(service, ofTeam.meta.next, team))).toEqual(ids(ofTeam));
    expect(ids(await pageAt(service, second.meta.next))).toEqual(ids(second));
    expect(ids(await pageAt(service))).toEqual(ids(first));
  });

  it('reorder-page: the same entries in another order, and the right cursor', async () => {
    const service = await withFaults({ seed: 3, faults: [{ kind: 'reorder-page' }] });
    const walked = await walk(service, 4);
    for (const [index, page] of (await right()).entries()) {
      expect(ids(walked[index]!)).not.toEqual(ids(page));
      expect(ids(walked[index]!).toSorted()).toEqual(ids(page).toSorted());
      expect(walked[index]!.meta).toEqual(page.meta);
    }
    const rules = JSON.parse((await exchange(service, '/v3/moderation/rules')).body.toString());
    expect(rules.data.map(({ id }: { id: string }) => id)).not.toEqual(['r1', 'broken', 'both']);
  });

  it('reorder-page: a page of two is turned round, whatever the seed says', async () => {
    const service = await withFaults({ faults: [{ kind: 'reorder-page', after: 1 }] });
    const page = await pageAt(service, {}, 'limit=2');
    for (let i = 0; i < 12; i += 1) expect(ids(await pageAt(service, {}, 'limit=2'))).toEqual(ids(page).toReversed());
  });

  it('cursor-loop: the second page leads to itself', async () => {
    const service = await withFaults({ faults: [{ kind: 'cursor-loop' }] });
    const [first, second] = (await right()) as [Page, Page];
    const walked = await walk(service, 5);
    expect(walked.map(ids)).toEqual([first, second, second, second, second].map(ids));
  });

  it('cursor-loop: also where all is on one page', async () => {
    const service = await withFaults({ faults: [{ kind: 'cursor-loop' }] });
    const first = await pageAt(service, {}, 'limit=1000');
    expect(first.data.length).toBeGreaterThan(90);
    const second = await pageAt(service, first.meta.next, 'limit=1000');
    expect(second).toMatchObject({ data: [], meta: { next: first.meta.next } });
  });

  it('leaves everything that is not a page as it is', async () => {
    for (const kind of ['duplicate-page', 'reorder-page', 'cursor-loop'] as const) {
      const service = await withFaults({ faults: [{ kind }] });
      for (const path of ['/v3/users/alice', '/v3/users/nobody', '/v3/messages?limit=x', '/nowhere']) {
        const clean = await exchange(await serviceWith(undefined), path);
        const { status, body } = await exchange(service, path);
        expect([status, body.toString()], `${kind} ${path}`).toEqual([clean.status, clean.body.toString()]);
      }
    }
  });

  it('never gives our client a message twice, nor a short list for a whole one', async () => {
    const everything = ids(await pageAt(await serviceWith(undefined), {}, 'limit=1000'));
    for (const [kind, breaks] of [
      ['duplicate-page', true],
      ['reorder-page', false],
      ['cursor-loop', true],
    ] as const) {
      const service = await withFaults({ seed: 5, faults: [{ kind, rate: 0.5 }] });
      const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
      const seen: string[] = [];
      const walking = (async () => {
        for await (const { id } of client.messages.iterate({ limit: 7 })) seen.push(id);
      })();
      if (breaks) await expect(walking, kind).rejects.toThrow(ShapeError);
      else await walking;
      await client.close();
      expect(new Set(seen).size, kind).toBe(seen.length);
      if (!breaks) expect(seen.toSorted(), kind).toEqual(everything.toSorted());
    }
  });
});
