/**
 * P21: a message that is there all the time comes exactly once, however the list shifts. Pages that would never end are
 * in paginate.test.ts.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FaultPeer, type PeerRequest, type Script, startFaultPeer } from '../support/fault-peer.js';
import { answering, failing } from '../support/fault-peer-answers.js';
import { clientOf } from '../support/http.js';
import { runs } from '../support/runs.js';
import { failOnStrays } from './rows.js';

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
  const client = clientOf(peer, { retry: { baseMs: 0, budget: 1000 } });
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
