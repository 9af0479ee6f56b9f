/** Every status but 200, with the headers and bodies that come with it. */
import { describe, expect, it } from 'vitest';
import type { HttpError } from '../../../src/foundation/errors.js';
import { loadRuleSet } from '../../../src/platform/loader/load-rule-set.js';
import { type Script, startFaultPeer } from '../../support/fault-peer.js';
import { answering, errorBody, type Fields, failing, head } from '../../support/fault-peer-answers.js';
import { clientIn, clientOf, rejection } from '../../support/http.js';
import { fakeEnvironment, passUntil } from '../fake-environment.js';
import { type Fault, playFaults, quickOptions } from './play-faults.js';
import { expectNoKey, watchCall } from './watch-call.js';

const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString();
const rfc850 = (date: Date) =>
  `Friday, ${date
    .toUTCString()
    .slice(5, 16)
    .replace(/ /g, '-')
    .replace(/\d\d(\d\d)$/, '$1')} 00:00:00 GMT`;

/** Delays beyond the deadline: one attempt, and the call fails at once. */
const tooLong: readonly (readonly [string, () => string | readonly string[]])[] = [
  ['40 minutes', () => '2400'],
  ['more seconds than there are', () => '9'.repeat(400)],
  ['a date', inAnHour],
  ['a date of the second form', () => rfc850(new Date(Date.now() + 3 * 86_400_000))],
  ['a date and a number', () => `${inAnHour()}, 2400`],
  ['two headers, of which the longer holds', () => ['0', '2400']],
  ['blanks around it', () => '  2400\t'],
];

/** No usable delay: the client's own backoff applies. */
const noWait: readonly (readonly [string, string | readonly string[]])[] = [
  ['missing', []],
  ['0', '0'],
  ['-1', '-1'],
  ['empty', ''],
  ['a word', 'soon'],
  ['a fraction', '1.5'],
  ['an exponent', '1e9'],
  ['hexadecimal', '0x1000'],
  ['Infinity', 'Infinity'],
  ['a date that is past', 'Fri, 31 Dec 1999 23:59:59 GMT'],
  ['a date of the third form that is past', 'Fri Dec 31 23:59:59 1999'],
  ['a date without a zone', '2999-01-01T00:00:00'],
];

const waits: readonly Fault[] = [
  ...tooLong.map(
    ([name, value]): Fault => ({
      name: `429 with Retry-After: ${name}`,
      outcome: 'http',
      over: 'few rows',
      script: () => failing(429, { 'retry-after': value() }),
    }),
  ),
  ...noWait.map(
    ([name, value]): Fault => ({
      name: `429 with Retry-After: ${name}`,
      outcome: 'http',
      over: 'few rows',
      retried: true,
      script: () => failing(429, { 'retry-after': value }),
    }),
  ),
  {
    name: '503 with Retry-After: 40 minutes',
    outcome: 'http',
    over: 'few rows',
    script: () => failing(503, { 'retry-after': '2400' }),
  },
  {
    name: '429 with a reset that is past',
    outcome: 'http',
    over: 'few rows',
    retried: true,
    script: () => failing(429, { 'x-rate-limit-reset': 1_000_000_000, 'x-rate-limit-remaining': 0 }),
  },
  {
    name: '429 with garbage in every rate header',
    outcome: 'http',
    over: 'few rows',
    retried: true,
    script: () =>
      failing(429, {
        'x-rate-limit': 'NaN',
        'x-rate-limit-remaining': '-1',
        'x-rate-limit-reset': '1e99',
        date: 'now',
      }),
  },
];

const transient = [408, 500, 502, 503, 504, 507, 520, 599];
const final = [201, 202, 203, 206, 300, 304, 400, 401, 403, 404, 405, 409, 410, 415, 416, 418, 422, 425, 451, 501];

const statuses: readonly Fault[] = [
  ...transient.map(
    (status): Fault => ({
      name: `${status}`,
      outcome: 'http',
      retried: true,
      script: () => failing(status),
    }),
  ),
  ...final.map((status): Fault => ({ name: `${status}`, outcome: 'http', script: () => failing(status) })),
  {
    name: '503 with a page for people',
    outcome: 'http',
    retried: true,
    script: () => answering('<html>', 503, { 'content-type': 'text/html' }),
  },
  { name: '503 with an empty body', outcome: 'http', retried: true, script: () => answering('', 503) },
  {
    name: '404 with 100 kB',
    outcome: 'http',
    script: () => answering(JSON.stringify({ error: { code: 'x'.repeat(100_000) } }), 404),
  },
  {
    name: '500 that breaks off',
    outcome: 'http',
    retried: true,
    script: () => async (line) => {
      await line.send(`${head(line, 500, { 'content-length': 1000 })}{"error":`);
      line.reset();
    },
  },
  {
    name: '503 with a right body',
    outcome: 'http',
    retried: true,
    script: (row) => answering(row.body, 503),
  },
  { name: 'status 999', outcome: 'http', script: (row) => answering(row.body, 999) },
  {
    name: '206 with a whole body that nobody asked a range of',
    outcome: 'http',
    script: (row) => answering(row.body, 206, { 'content-range': `bytes 0-${row.body.length - 1}/${row.body.length}` }),
  },
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

describe('a keyword list that is not found', () => {
  it('is listed as missing, and the rest is loaded', async () => {
    const condition = {
      id: 1,
      operand: 'text',
      category: 'word',
      isKeywordsReferencePresent: true,
      value: ['l1', 'l2'],
    };
    const rules = [{ id: 'r1', conditions: [condition], action: ['blockMessage'] }];
    const peer = await startFaultPeer({
      scripts: ({ target }) => {
        if (target.includes('l1')) return answering(JSON.stringify({ data: { id: 'l1', searchTerms: ['spam'] } }));
        if (target.includes('l2')) return answering(errorBody('ERR_RULE_NOT_FOUND'), 404);
        return answering(JSON.stringify({ data: rules }));
      },
    });
    const ruleSet = await loadRuleSet(clientOf(peer, quickOptions));
    expect(ruleSet.lists.map(({ id }) => id)).toEqual(['l1']);
    expect(ruleSet.missing.map(({ listId }) => listId)).toEqual(['l2']);
    expect(ruleSet.rules).toHaveLength(1);
  });
});

describe('HttpError', () => {
  it('holds status and code of the response, and no text of its body', async () => {
    const peer = await startFaultPeer({ scripts: [failing(403)] });
    const error = (await rejection(clientOf(peer, quickOptions).users.get('ann'))) as HttpError;
    expect(error.message).toBe('GET /users/{uid} was answered with status 403 (ERR_FAULT)');
    expectNoKey(error);
  });
});
