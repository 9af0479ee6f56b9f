/** P18: an id reaches the operation that it was meant for, whole, or it is refused before the wire. */
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/foundation/errors.js';
import type { Client } from '../../../src/platform/client/client.js';
import { endpoints, type Operation } from '../../../src/platform/contract/endpoints.js';
import { type FaultPeer, type PeerRequest, startFaultPeer } from '../../support/fault-peer.js';
import { answering } from '../../support/fault-peer-answers.js';
import { clientOf } from '../../support/http.js';
import { runs } from '../../support/runs.js';
import { failOnStrays, quickOptions } from './play-faults.js';

failOnStrays();

/** In the spirit of the big list of naughty strings, for what stands in a path: a few of each kind. */
const naughtyIds: readonly string[] = [
  ...['', ' ', '.', '..', './', '/..', '.%2e', '%2e%2e', '%252e%252e', '/', '///evil.example', '\\'],
  ...['..\\', '%5c', 'a/b', 'ann/conversation', '../users/bob', '/v3/users/bob', '?apikey=x', '#'],
  ...['a?b#c', '&limit=1', 'a=b', ';jsessionid=1', '%', '%zz', '%0d%0aapikey: x', '%c0%ae%c0%ae'],
  ...['100%', 'a+b', 'a,b', '\0', '\r\n', 'a\r\nhost: evil.example', '\x7f', 'a b', ' a', 'a '],
  ...['\ufeffa', '\u2028', 'a\u200bb', 'https://evil.example/v3', 'ann:secret@evil.example', '[::1]'],
  ...['"', '$\u007buid}', "' OR 1=1 --", '__proto__', '9007199254740993', 'e\u0301', '👩‍👩‍👧'],
  ...['\u{10ffff}', '\ud800', 'a\ud800b', '\udc00\ud800', 'ثم نفس', '．．', '／', '../'.repeat(50)],
  ...['/'.repeat(300), '😀'.repeat(300), 'a'.repeat(20_000)],
];

/** The operations that take a string into the address: by their path, and list messages by its query. */
type WithoutId =
  | 'listRules'
  | 'listKeywordLists'
  | 'createRule'
  | 'createKeywordList'
  | 'listBlockedMessages'
  | 'listReviewedMessages';
const operations: Readonly<Record<Exclude<Operation, WithoutId>, (client: Client, id: string) => Promise<unknown>>> = {
  updateConversation: (client, id) => client.users.updateConversation(id, { onBehalfOf: 'ann' }),
  listMessages: (client, id) =>
    client.messages.list({ id, sender: id, conversationId: id, searchKey: id, types: [id] }),
  getGroup: (client, id) => client.groups.get(id),
  getUser: (client, id) => client.users.get(id),
  markAsRead: (client, id) => client.groups.markAsRead(id, { onBehalfOf: 'ann' }),
  markAsUnread: (client, id) => client.groups.markAsUnread(id),
  getRule: (client, id) => client.rules.get(id),
  getKeywordList: (client, id) => client.keywords.get(id),
  replaceRule: (client, id) => client.rules.replace(id, { id, conditions: [] }),
  deleteRule: (client, id) => client.rules.delete(id),
  replaceKeywordList: (client, id) => client.lists.replace(id, { id, searchTerms: [] }),
  deleteKeywordList: (client, id) => client.lists.delete(id),
};

const asked = Object.keys(operations) as (keyof typeof operations)[];

/** What a server finds that splits the path first and decodes its parts then, as the routers of servers do. */
function routeOf({ method, target }: PeerRequest): { readonly operation: string | undefined; readonly ids: string[] } {
  const [path = '', query = ''] = target.split('?');
  const parts = path.split('/').slice(2);
  const operation = Object.entries(endpoints).find(([, row]) => {
    const wanted = row.path.split('/').slice(1);
    const fits = wanted.every((part, index) => part.startsWith('{') || part === parts[index]);
    return row.method === method && wanted.length === parts.length && fits;
  });
  const template = operation?.[1].path.split('/').slice(1) ?? [];
  const pathIds = parts.filter((_, index) => template[index]?.startsWith('{')).map(decodeURIComponent);
  const queryIds = [...new URLSearchParams(query)].map(([, value]) => value);
  return { operation: operation?.[0], ids: operation?.[0] === 'listMessages' ? queryIds : pathIds };
}

let peer: FaultPeer;
let client: Client;

beforeEach(async () => {
  const confirmation = { success: true, message: '' };
  const names = { uid: 'x', guid: 'x', id: 'x', conversationId: 'x' };
  const resource = { ...names, searchTerms: [], conditions: [], ...confirmation };
  const page = answering('{"data":[]}');
  const single = answering(JSON.stringify({ data: resource }));
  peer = await startFaultPeer({ scripts: ({ target }) => (target.startsWith('/v3/messages') ? page : single) });
  client = clientOf(peer, quickOptions);
});

/** Calls the operation: whether the id was refused, or arrived in the request that was meant. */
async function ask(operation: (typeof asked)[number], id: string): Promise<'arrived' | 'refused'> {
  const before = peer.requests.length;
  try {
    await operations[operation](client, id);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    if (id.length > 3) expect(String(error)).not.toContain(id);
    expect(peer.requests.length).toBe(before);
    return 'refused';
  }
  expect(peer.requests.length).toBe(before + 1);
  const request = peer.requests[before]!;
  const route = routeOf(request);
  const wanted = operation === 'listMessages' ? [id, id, id, id, id] : [id];
  expect({ id, ...route }).toEqual({ id, operation, ids: wanted });
  // What a proxy in between would make of it, which reads addresses as a browser does.
  const url = new URL(request.target, peer.origin);
  expect(url.origin + url.pathname + url.hash).toBe(peer.origin + request.target.split('?')[0]);
  if (operation === 'listMessages') expect([...url.searchParams.values()]).toEqual(wanted);
  expect(request.target).toMatch(/^\/v3\/[!-~]+$/);
  expect(Object.keys(request.headers)).not.toContain('evil');
  expect(request.headers.host).toBe(`127.0.0.1:${peer.port}`);
  return 'arrived';
}

describe.each(asked)('%s', (operation) => {
  it(`brings ${naughtyIds.length} naughty ids whole, or refuses them`, async () => {
    const outcomes: string[] = [];
    for (const id of naughtyIds) outcomes.push(await ask(operation, id));
    const refused = naughtyIds.filter((_, index) => outcomes[index] === 'refused');
    // Few are refused, and all of those that no encoding can carry.
    expect(refused).toContain('');
    expect(refused).toContain('\ud800');
    if (operation !== 'listMessages') expect(refused).toEqual(expect.arrayContaining(['.', '..', '\0', '\r\n', ' a']));
    expect(refused.length).toBeLessThan(naughtyIds.length / 4);
  });

  it('brings any string whole, or refuses it', async () => {
    const units = fc.oneof(
      fc.constantFrom('.', '..', '/', '\\', '%', '%2e', '%2f', '?', '#', '&', '=', ';', ' ', '\r\n', '\0', '@', ':'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    const ids = fc.array(units, { maxLength: 6 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(ids, async (id) => void (await ask(operation, id))),
      { numRuns: runs(12, 2000) },
    );
  });
});

describe('acting users', () => {
  it('arrive as they are given, in their header alone, or are refused', async () => {
    for (const onBehalfOf of naughtyIds) {
      const before = peer.requests.length;
      const error = await client.users.get('ann', { onBehalfOf }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error instanceof UsageError) {
        expect(peer.requests.length).toBe(before);
        continue;
      }
      // Longer than any peer takes headers: sent as it is, and answered as it may be.
      expect(error).toBeUndefined();
      expect(peer.requests[before]?.headers.onbehalfof).toBe(onBehalfOf);
      expect(peer.requests[before]?.target).toBe('/v3/users/ann');
    }
  });
});

describe('message ids of the read markers', () => {
  it.each(['1', '9007199254740991', 0, 7])('%j is sent as the integer it is', async (messageId) => {
    await client.groups.markAsRead('g1', { onBehalfOf: 'ann', messageId });
    expect(peer.requests.at(-1)?.body).toBe(`{"messageId":${messageId}}`);
  });

  const strings = ['1e3', '0x10', ' 7', '+7', '-7', '1_000', '９', '9007199254740992', '1,"a":2', '', '1.5'];

  it.each([...strings, -1, 1.5, Number.NaN, Infinity, null, true])('%j is refused', async (messageId) => {
    const options = { onBehalfOf: 'ann', messageId: messageId as number };
    await expect(client.groups.markAsRead('g1', options)).rejects.toBeInstanceOf(UsageError);
    await expect(client.groups.markAsUnread('g1', options)).rejects.toBeInstanceOf(UsageError);
    expect(peer.requests).toEqual([]);
  });
});
