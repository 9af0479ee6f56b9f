import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../support/runs.js';
import { idsOf, type Query, serveSample } from './call.js';
import { actors, agrees, filters } from './filter-values.js';
import { type InProcess, inProcess } from './in-process.js';
import { select } from './naive-listing.js';
import { data } from './sample-data.js';

let service: Awaited<ReturnType<typeof serveSample>>;
let inside: InProcess;
beforeAll(async () => {
  service = await serveSample();
  inside = await inProcess(data);
});
afterAll(() => service.close());

describe('filters of list messages (§4.2)', () => {
  it('serves everything in order when nothing is asked', () => {
    expect(agrees(inside, {}, undefined)).toBe(92);
  });

  it.each(filters)('%s alone selects what a naive listing selects', (name, all) => {
    const sizes = all.flatMap((value) => actors.map((actor) => agrees(inside, { [name]: value }, actor)));
    expect(new Set(sizes).size).toBeGreaterThan(1);
  });

  it('more than two hold together, for any acting user', () => {
    const oneOf = ([name, all]: (typeof filters)[number]) =>
      fc.constantFrom(...all).map((value) => ({ [name]: value }));
    const query = fc
      .shuffledSubarray([...filters], { minLength: 3, maxLength: 5 })
      .chain((some) => fc.tuple(...some.map(oneOf)))
      .map((parts): Query => Object.assign({}, ...parts));
    fc.assert(
      fc.property(query, fc.constantFrom(...actors), (asked, actor) => void agrees(inside, asked, actor)),
      { numRuns: runs(75, 4000) },
    );
  });

  it('with `unread` select the unread among what the other selects', () => {
    for (const actor of actors.slice(0, -1)) {
      const unread = new Set(inside.ids({ unread: true, count: true }, actor));
      expect(unread.size).toBeGreaterThan(0);
      for (const [name, all] of filters) {
        for (const value of all) {
          const selected = select({ [name]: value }, actor).map(({ id }) => id);
          const asked = inside.ids({ [name]: value, unread: true, count: true }, actor);
          expect(asked, JSON.stringify([name, value, actor])).toEqual(selected.filter((id) => unread.has(id)));
        }
      }
    }
  });

  it('hides messages of blocked users only from whom blocked them', () => {
    const sendersFor = (query: Query, actor?: string) => {
      const found = new Set(inside.ids(query, actor));
      return new Set(data.messages.filter(({ id }) => found.has(id)).map(({ sender }) => sender));
    };
    expect(sendersFor({}, 'alice')).toContain('dave');
    expect(sendersFor({ hideMessagesFromBlockedUsers: true }, 'alice')).not.toContain('dave');
    expect(sendersFor({ hideMessagesFromBlockedUsers: true })).toContain('dave');
  });
});

describe('values in a query (§4.2)', () => {
  const idsAt = async (query: string) => {
    const { body } = await service.call(`/messages?limit=1000&${query}`);
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  it.each([
    ['types', 'text', 'location'],
    ['categories', 'action', 'custom'],
    ['tags', 'later', 'other'],
    ['mentionedUids', 'carol', 'dave'],
  ])('%s may be joined, repeated, with brackets, or all of it', async (name, one, other) => {
    const expected = select({ [name]: [one, other] }).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(0);
    for (const query of [
      `${name}=${one},${other}`,
      `${name}=${one}&${name}=${other}`,
      `${name}[]=${one}&${name}[]=${other}`,
      `${name}%5B%5D=${one},${other}`,
      `${name}=${other}&${name}[]=${one},`,
    ]) {
      expect(await idsAt(query), query).toEqual(expected);
    }
  });

  it('are booleans as 1 and 0, and none where they are empty', async () => {
    const all = idsOf(await service.list({ limit: 1000 }));
    const without = ['hasLinks=0', 'hasLinks=', 'sender=&type=&tags=&fromTimestamp=', 'toTimestamp=1000', 'unknown=1'];
    for (const query of without) expect(await idsAt(query), query).toEqual(all);
    const linked = await idsAt('hasLinks=true');
    expect(await idsAt('hasLinks=1')).toEqual(linked);
    expect(linked.length).toBeLessThan(all.length);
  });
});
