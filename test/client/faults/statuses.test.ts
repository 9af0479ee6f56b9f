/** Every status but 200, with the headers and bodies that come with it. */
import { describe, expect, it } from 'vitest';
import { type Script, startFaultPeer } from '../../support/fault-peer.js';
import { answering, errorBody, type Fields, failing, head } from '../../support/fault-peer-answers.js';
import { clientIn, clientOf, rejection } from '../../support/http.js';
import { fakeEnvironment, passUntil } from '../fake-environment.js';
import { type Fault, playFaults, quickOptions } from './play-faults.js';
import { expectNoKey, watchCall } from './watch-call.js';

/** A refusal with these headers, for one read and one write of each kind. */
function refused(name: string, status: number, fields: Fields, retried: boolean): Fault {
  const script = () => failing(status, fields);
  return { name: `${status} with ${name}`, outcome: 'http', over: 'few rows', retried, script };
}

const garbage = { 'x-rate-limit': 'NaN', 'x-rate-limit-remaining': '-1', 'x-rate-limit-reset': '1e99', date: 'now' };

/** Which delays headers state is in rate-limit.test.ts; here is what a call makes of them. */
const waits: readonly Fault[] = [
  // Beyond the deadline: one attempt, and the call fails at once.
  refused('Retry-After: 40 minutes', 503, { 'retry-after': '2400' }, false),
  refused('Retry-After: two headers, of which the longer holds', 429, { 'retry-after': ['0', '2400'] }, false),
  // No delay that can be used: the client's own backoff applies.
  refused('Retry-After: a word', 429, { 'retry-after': 'soon' }, true),
  refused('Retry-After: a date that is past', 429, { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }, true),
  refused('a reset that is past', 429, { 'x-rate-limit-reset': 1_000_000_000, 'x-rate-limit-remaining': 0 }, true),
  refused('garbage in every rate header', 429, garbage, true),
];

const transient = [408, 500, 502, 503, 504, 507, 520, 599];
const final = [201, 202, 203, 206, 300, 304, 400, 401, 403, 404, 405, 409, 410, 415, 416, 418, 422, 425, 451, 501];

/** A status with what a peer sends with it. */
function answered(status: number, retried: boolean, name = '', script: Fault['script'] = () => failing(status)): Fault {
  return { name: `${status}${name}`, outcome: 'http', retried, script };
}

const statuses: readonly Fault[] = [
  ...transient.map((status) => answered(status, true)),
  ...final.map((status) => answered(status, false)),
  answered(503, true, ' with a page for people', () => answering('<html>', 503, { 'content-type': 'text/html' })),
  answered(404, false, ' with 100 kB', () => answering(errorBody('x'.repeat(100_000)), 404)),
  answered(500, true, ' that breaks off', () => async (line) => {
    await line.send(`${head(line, 500, { 'content-length': 1000 })}{"error":`);
    line.reset();
  }),
  answered(503, true, ' with a right body', (row) => answering(row.body, 503)),
  answered(999, false, ' with a right body', (row) => answering(row.body, 999)),
  answered(206, false, ' with a whole body that nobody asked a range of', ({ body }) =>
    answering(body, 206, { 'content-range': `bytes 0-${body.length - 1}/${body.length}` }),
  ),
];

playFaults([...waits, ...statuses]);

describe('wrong rate-limit headers', () => {
  const user = JSON.stringify({ data: { uid: 'ann' } });

  it.each<[string, Fields]>([
    ['nothing remains, and no reset', { 'x-rate-limit-remaining': 0 }],
    ['nothing remains, and a reset that is past', { 'x-rate-limit-remaining': 0, 'x-rate-limit-reset': 1 }],
    ['one remains, for ever', { 'x-rate-limit-remaining': 1, 'x-rate-limit': 1, 'x-rate-limit-reset': 4e9 }],
    ['a limit of none', { 'x-rate-limit': 0, 'x-rate-limit-remaining': 0 }],
    ['more than there are', { 'x-rate-limit-remaining': '9'.repeat(40), 'x-rate-limit': '9'.repeat(15) }],
    ['a retry-after on a right answer', { 'retry-after': 3600 }],
  ])('%s: no call hangs', async (_, fields) => {
    const peer = await startFaultPeer({ scripts: [answering(user, 200, fields)] });
    const client = clientOf(peer, quickOptions);
    const call = () => watchCall(() => client.users.get('ann'), { uid: 'ann' });
    const endings = await Promise.all(Array.from({ length: 30 }, call));
    expect(endings.filter(({ outcome }) => outcome !== 'right')).toEqual([]);
    expect(peer.requests).toHaveLength(30);
  });

  it.each<[string, Script]>([
    ['reset', (line) => line.reset()],
    ['never answered', () => {}],
    ['cut', (line) => line.send('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n').then(line.finish)],
  ])('few remain, and what is under way is %s: those after it still get their turn', async (_, fault) => {
    const right = answering(user, 200, { 'x-rate-limit-remaining': 2 });
    const peer = await startFaultPeer({ scripts: (_request, index) => (index % 3 === 1 ? fault : right) });
    const world = fakeEnvironment();
    const client = clientIn(world, peer, { ...quickOptions, timeouts: { totalMs: 150 }, retry: false });
    for (let round = 0; round < 3; round++) {
      const call = () => watchCall(() => client.users.get('ann'), { uid: 'ann' });
      const endings = await passUntil(world, Promise.all(Array.from({ length: 6 }, call)), 25);
      expect(endings.map(({ outcome }) => outcome)).toContain('right');
    }
  });
});

/** A body that breaks off, with all headers that would allow a range request for its rest. */
const cutWithRanges =
  (body: string): Script =>
  async (line) => {
    const fields = { 'content-length': body.length, 'accept-ranges': 'bytes', etag: '"1"' };
    await line.send(head(line, 200, fields) + body.slice(0, 40));
    await line.pause(5);
    line.reset();
  };

describe('partial content', () => {
  it('a body that broke off is requested as a whole, and a 206 is an error', async () => {
    const body = JSON.stringify({ data: { uid: 'ann', name: 'x'.repeat(100) } });
    const fields = { 'content-range': `bytes 40-${body.length - 1}/${body.length}` };
    const peer = await startFaultPeer({ scripts: [cutWithRanges(body), answering(body.slice(40), 206, fields)] });
    const error = await rejection(clientOf(peer, quickOptions).users.get('ann'));
    expect(error).toMatchObject({ code: 'http', status: 206 });
    expect(peer.requests).toHaveLength(2);
    for (const { headers } of peer.requests) {
      expect(headers).not.toHaveProperty('range');
      expect(headers).not.toHaveProperty('if-range');
    }
  });
});

describe('a key revoked during pagination', () => {
  it.each([401, 403])('status %i is an error after the messages before it', async (status) => {
    const page = { data: [{ id: '1' }, { id: '2' }], meta: { next: { affix: 'append', id: '2' } } };
    const peer = await startFaultPeer({ scripts: [answering(JSON.stringify(page)), failing(status)] });
    const seen: string[] = [];
    const walk = async () => {
      for await (const { id } of clientOf(peer, quickOptions).messages.iterate()) seen.push(id);
    };
    const error = await rejection(walk());
    expect(error).toMatchObject({ code: 'http', status, platformCode: 'ERR_FAULT' });
    expectNoKey(error);
    expect(seen).toEqual(['1', '2']);
    expect(peer.requests).toHaveLength(2);
  });
});
