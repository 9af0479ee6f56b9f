/** P21: hostile or shifting pages end, and a message that is there all the time comes exactly once. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../../src/foundation/errors.js';
import { type FaultPeer, type PeerRequest, type Script, startFaultPeer } from '../../support/fault-peer.js';
import { answering, failing } from '../../support/fault-peer-answers.js';
import { clientOf, rejection } from '../../support/http.js';
import { runs } from '../../support/runs.js';
import { failOnStrays, quickOptions } from './play-faults.js';
import { expectNoKey } from './watch-call.js';

failOnStrays();

/** What happens to the list, or to the answer, at one request. */
type Happening =
  | { readonly kind: 'nothing' | 'a reset' | 'a 503' | 'a cut' }
  | { readonly kind: 'an insert' | 'a delete'; readonly id: number }
  /** Some messages before the cursor come again, in front of the page. */
  | { readonly kind: 'an overlap'; readonly by: number }
  /** A message of the page stands in it twice. */
  | { readonly kind: 'a double'; readonly at: number };

interface World {
  readonly ids: readonly number[];
  readonly limit: number;
  readonly happenings: readonly Happening[];
  /** Whether the last page carries a cursor all the same, as a platform may that does not look ahead. */
  readonly cursorAtEnd: boolean;
}

/** Ids of two kinds: even ones are there from the start, odd ones are put in while the walk goes on. */
const even = fc.integer({ min: 0, max: 60 }).map((half) => half * 2);
const odd = fc.integer({ min: 0, max: 60 }).map((half) => half * 2 + 1);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Happening>({ kind: 'nothing' }) },
  fc.constantFrom<Happening>({ kind: 'a reset' }, { kind: 'a 503' }, { kind: 'a cut' }),
  fc.record({ kind: fc.constant('an insert' as const), id: odd }),
  fc.record({ kind: fc.constant('a delete' as const), id: fc.oneof(even, odd) }),
  fc.record({ kind: fc.constant('an overlap' as const), by: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('a double' as const), at: fc.nat(5) }),
);
const world: fc.Arbitrary<World> = fc.record({
  ids: fc.uniqueArray(even, { maxLength: 40 }),
  limit: fc.integer({ min: 1, max: 9 }),
  // No two faults in a row are more than a call has attempts for.
  happenings: fc.array(happening, { maxLength: 25 }).map(withoutFaultsInARow),
  cursorAtEnd: fc.boolean(),
});

function isFault({ kind }: Happening): boolean {
  return kind === 'a reset' || kind === 'a 503' || kind === 'a cut';
}

function withoutFaultsInARow(happenings: readonly Happening[]): Happening[] {
  return happenings.filter((each, index) => !(isFault(each) && index > 0 && isFault(happenings[index - 1]!)));
}

/** A list behind a cursor: ordered by id, and every page is cut from what the list holds at that moment. */
function serveWorld({ ids, limit: applied, happenings, cursorAtEnd }: World): {
  readonly scripts: (request: PeerRequest, index: number) => Script;
  readonly deleted: ReadonlySet<number>;
} {
  const present = new Set(ids);
  const deleted = new Set<number>();
  const scripts = ({ target }: PeerRequest, index: number): Script => {
    const now = happenings[index] ?? { kind: 'nothing' };
    if (now.kind === 'a reset') return (line) => line.reset();
    if (now.kind === 'a 503') return failing(503);
    if (now.kind === 'an insert') present.add(now.id);
    if (now.kind === 'a delete' && present.delete(now.id)) deleted.add(now.id);
    const after = Number(new URL(target, 'http://peer').searchParams.get('id') ?? -1);
    const sorted = [...present].sort((a, b) => a - b);
    const page = sorted.filter((id) => id > after).slice(0, applied);
    const last = page.at(-1);
    const more = last !== undefined && (cursorAtEnd || sorted.some((id) => id > last));
    if (now.kind === 'an overlap' && page.length > 0)
      page.unshift(...sorted.filter((id) => id <= after).slice(-now.by));
    if (now.kind === 'a double' && page.length > 0) page.push(page[now.at % page.length]!);
    const next = more ? { affix: 'append', sentAt: 1_700_000_000, id: String(last) } : undefined;
    const data = page.map((id) => ({ id: String(id), sentAt: 1_700_000_000 }));
    const body = JSON.stringify({ data, meta: { current: { limit: applied, count: data.length }, next } });
    if (now.kind !== 'a cut') return answering(body);
    return async (line) => {
      await line.send(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, body.length / 2)}`);
      line.finish();
    };
  };
  return { scripts, deleted };
}

async function walkOf(peer: FaultPeer, limit: number): Promise<number[]> {
  const client = clientOf(peer, { ...quickOptions, retry: { baseMs: 0, budget: 1000 } });
  const walked: number[] = [];
  for await (const { id } of client.messages.iterate({ limit })) walked.push(Number(id));
  await client.close();
  return walked;
}

describe('a list that changes while it is walked, over a peer that fails', () => {
  it('gives every message that is there throughout exactly once, in order, and nothing that never was', async () => {
    let walks = 0;
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const { scripts, deleted } = serveWorld(given);
        const peer = await startFaultPeer({ scripts });
        const walked = await walkOf(peer, given.limit);
        await peer.close();
        walks++;
        const throughout = given.ids.filter((id) => !deleted.has(id)).sort((a, b) => a - b);
        const wanted = new Set(throughout);
        expect(new Set(walked).size).toBe(walked.length);
        expect(walked.filter((id) => wanted.has(id))).toEqual(throughout);
        const ever = new Set([...given.ids, ...given.happenings.flatMap((each) => ('id' in each ? [each.id] : []))]);
        expect(walked.filter((id) => !ever.has(id))).toEqual([]);
        // Every page but the last brings something, so pages cannot outnumber messages.
        const faults = given.happenings.filter(isFault).length;
        expect(peer.requests.length).toBeLessThanOrEqual(ever.size + faults + 2);
      }),
      { numRuns: runs(55, 2500) },
    );
    expect(walks).toBeGreaterThan(50);
  });
});

describe('pages that would never end', () => {
  const message = (id: number | string) => ({ id: String(id), sentAt: 1 });
  const page = (ids: readonly (number | string)[], next?: unknown) =>
    answering(JSON.stringify({ data: ids.map(message), meta: { next } }));
  const next = (id: number | string) => ({ affix: 'append', sentAt: 1, id: String(id) });

  it.each<[string, (index: number) => Script, number]>([
    ['an empty page that leads to itself', (index) => page(index === 0 ? [1] : [], next(1)), 2],
    ['a cursor that leads nowhere', () => page([1], {}), 1],
    ['a page that shrinks to nothing', (index) => page([1, 2, 3].slice(index), next(index < 3 ? `x${index}` : 3)), 5],
    [
      'an empty page with a cursor, and the last page behind it',
      (index) => page(index === 1 ? [] : [index], index < 2 ? next(index) : undefined),
      3,
    ],
  ])('%s: the walk is done', async (_, scriptOf, requests) => {
    const peer = await startFaultPeer({ scripts: (_request, index) => scriptOf(index) });
    const walked = await walkOf(peer, 10);
    expect(new Set(walked).size).toBe(walked.length);
    expect(peer.requests).toHaveLength(requests);
  });

  it.each<[string, (index: number) => Script, number, string]>([
    ['a cursor that does not move', () => page([1], next(1)), 2, 'meta.next'],
    ['a cursor that does not move, under new messages', (index) => page([index], next(1)), 2, 'meta.next'],
    ['cursors in a circle of two', (index) => page([index], next(index % 2)), 3, 'meta.next'],
    ['the same page under ever new cursors', (index) => page([1, 2], next(index)), 4, 'data'],
    ['empty pages under ever new cursors', (index) => page([], next(index)), 21, 'data'],
    ['empty pages under one cursor', () => page([], next(1)), 2, 'meta.next'],
    [
      'an empty page that leads to itself, behind no message of that id',
      (index) => page(index === 0 ? [1] : [], next(2)),
      2,
      'meta.next',
    ],
    ['empty pages in a circle', (index) => page(index === 0 ? [1] : [], next(index % 2)), 3, 'meta.next'],
  ])('%s: a ShapeError that says where, not an early end', async (_, scriptOf, requests, path) => {
    const peer = await startFaultPeer({ scripts: (_request, index) => scriptOf(index) });
    const error = await rejection(walkOf(peer, 10));
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ source: 'GET /messages', path });
    expectNoKey(error);
    expect(peer.requests).toHaveLength(requests);
  });

  it('equal times do not make messages equal', async () => {
    const all = Array.from({ length: 30 }, (_, index) => index + 1);
    const peer = await startFaultPeer({
      scripts: ({ target }) => {
        const after = Number(new URL(target, 'http://peer').searchParams.get('id') ?? 0);
        return page(all.slice(after, after + 4), after + 4 < all.length ? next(after + 4) : undefined);
      },
    });
    expect(await walkOf(peer, 4)).toEqual(all);
  });

  it.each<[string, unknown]>([
    ['next a string', 'page2'],
    ['next a list', [1]],
    ['next a number', 7],
    ['next.id an object', { id: {} }],
    ['next.id a fraction', { id: 1.5 }],
    ['next.sentAt a string', { id: '1', sentAt: '1' }],
    ['next.sentAt past all integers', { id: '1', sentAt: 2 ** 60 }],
    ['next.affix sideways', { id: '1', affix: 'sideways' }],
    ['next.affix a list', { id: '1', affix: ['append'] }],
    ['next.id half of a surrogate pair', { id: 'a\ud800' }],
  ])('%s: a ShapeError that says where, not an early end', async (_, cursor) => {
    const peer = await startFaultPeer({ scripts: [page([1], cursor), page([2])] });
    const error = await rejection(walkOf(peer, 10));
    expect(error).toBeInstanceOf(ShapeError);
    expect((error as ShapeError).path).toMatch(/^meta\.next/);
    expectNoKey(error);
    expect(peer.requests).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['no meta', '{"data":[{"id":"1"}]}'],
    ['meta null', '{"data":[{"id":"1"}],"meta":null}'],
    ['next and current null', '{"data":[{"id":"1"}],"meta":{"next":null,"current":null}}'],
    ['a next that the list inherits', '{"data":[{"id":"1"}],"meta":{"__proto__":{"next":{"id":"1"}}}}'],
    ['a next of empty fields', '{"data":[{"id":"1"}],"meta":{"next":{"id":null,"sentAt":null,"affix":null}}}'],
  ])('%s: the walk is done', async (_, body) => {
    const peer = await startFaultPeer({ scripts: [answering(body)] });
    expect(await walkOf(peer, 10)).toEqual([1]);
    expect(peer.requests).toHaveLength(1);
  });
});
