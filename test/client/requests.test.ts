/**
 * What is sent: every operation as §4 writes it, ids whole or refused (P18), and misuse that is
 * found before anything is sent.
 */
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { type Client, createClient } from '../../src/platform/client/client.js';
import { writeMessageQuery, writePath } from '../../src/platform/client/request.js';
import { type MessageQuery, messageParameters } from '../../src/platform/contract/message-query.js';
import { apiKey, clientOf, rejection, serveJson } from '../support/http.js';
import { runs } from '../support/runs.js';
import { rows } from './rows.js';

const rule = { id: 'r1', conditions: [{ id: 1, operand: 'text', value: ['l1'] }], action: ['blockMessage'] };
const [read, last] = ['/v3/groups/g1/conversation/read', '9007199254740991'];
const ann = { onBehalfOf: 'ann' };

/** A value that only callers from JavaScript can pass. */
const mistaken = (value: unknown): never => value as never;

/** Calls an operation, and returns its requests as `METHOD target body`. */
async function sentBy(call: (client: Client) => Promise<unknown>): Promise<string[]> {
  const server = await serveJson({}, 400);
  await rejection(call(clientOf(server)));
  return server.received.map(({ method, target, body }) => `${method} ${target} ${body}`.trim());
}

it.each(rows.map((row) => [row.sent, row.call] as const))('%s', async (request, call) => {
  const note = /"note":"[^"]*"/g;
  expect((await sentBy(call)).map((sent) => sent.replace(note, '"note"'))).toEqual([request.replace(note, '"note"')]);
});

it.each<[string, (client: Client) => Promise<unknown>]>([
  ['GET /v3/moderation/keywords/l1', ({ keywords }) => keywords.get('l1')],
  ['GET /v3/moderation/rules?limit=50', ({ rules }) => rules.list({ limit: 50 })],
  ['GET /v3/messages', ({ messages }) => messages.list()],
  ['DELETE /v3/groups/g1/conversation/read {}', ({ groups }) => groups.markAsUnread('g1')],
  [`DELETE ${read} {"messageId":0}`, ({ groups }) => groups.markAsUnread('g1', { messageId: 0 })],
  [`DELETE ${read} {"messageId":9007199254740991}`, ({ groups }) => groups.markAsUnread('g1', { messageId: last })],
])('%s', async (request, call) => {
  expect(await sentBy(call)).toEqual([request]);
});

it('header names are those of §4, and none is sent that the row lacks', async () => {
  const server = await serveJson({ data: { success: true } });
  await clientOf(server).groups.markAsRead('g1', { onBehalfOf: 'ann of york~' });
  await clientOf({ url: `${server.url}/` })
    .groups.get('g1')
    .catch(() => {});
  const [first, second] = server.received;
  const common = { apikey: apiKey, 'accept-encoding': 'identity', accept: 'application/json' };
  const own = { onBehalfOf: 'ann of york~', 'Content-Type': 'application/json' };
  expect(first?.rawHeaders).toMatchObject({ ...common, ...own });
  expect(second).toMatchObject({ target: '/v3/groups/g1', rawHeaders: common });
  for (const name of Object.keys(own)) expect(second?.rawHeaders).not.toHaveProperty(name);
});

describe('ids', () => {
  const naughty = [
    ...'|.|..|./|/..|%2e%2e|%252e|/|///evil.example|\\|a/b|../users/bob|?apikey=x|#|&limit=1|;jsessionid=1|%|%zz'.split(
      '|',
    ),
    ...'%0d%0aapikey: x|\0|a\r\nhost: evil|\x7f| |\x20a|a |\ufeffa|a\u00a0|a\u0085b|\u2028|ann:x@evil.example|[::1]'.split(
      '|',
    ),
    ...'https://evil.example/v3|"|\' OR 1=1|__proto__|9007199254740993|e\u0301|👩‍👩‍👧|\ud800|a\ud800b|．．'.split('|'),
    ...['../'.repeat(50), 'a'.repeat(20_000)],
  ];
  const anyId = fc.oneof(
    fc.constantFrom(...naughty),
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom('.', '/', '\\', '%2f', '?', '\ud800', '\n')).map((all) => all.join('')),
  );

  it('are one segment that decodes to them, also for a proxy, or are refused', () => {
    let refused = 0;
    const isWhole = (id: string) => {
      try {
        const path = writePath('/users/{uid}/conversation', { uid: id });
        const url = new URL(`http://127.0.0.1/v3${path}`);
        expect(url.pathname.split('/')).toEqual(['', 'v3', 'users', path.split('/')[2], 'conversation']);
        expect(decodeURIComponent(path.split('/')[2]!)).toBe(id);
        expect(path).toMatch(/^[!-~]+$/);
      } catch (error) {
        refused++;
        expect(error).toBeInstanceOf(UsageError);
        expect(String(error)).toContain('`uid`');
        if (id.length > 3) expect(String(error)).not.toContain(id);
      }
    };
    for (const id of naughty) isWhole(id);
    expect(refused).toBe(15);
    fc.assert(fc.property(anyId, isWhole), { numRuns: runs(300, 20_000) });
  });

  it.each([undefined, 7, '', '..', ' a', 'a\ud800'])(
    '%j: a path and an acting user that are refused before anything is sent',
    async (id) => {
      const uses = [
        (client: Client) => client.groups.get(mistaken(id)),
        ...(id === '..' ? [] : [(client: Client) => client.users.get('a', { onBehalfOf: mistaken(id ?? 'é') })]),
      ];
      for (const use of uses)
        expect(
          await sentBy(async (client) =>
            rejection(use(client)).then((error) => {
              expect(error).toBeInstanceOf(UsageError);
              throw error;
            }),
          ),
        ).toEqual([]);
    },
  );

  it.each(['1e3', '0x10', ' 7', '+7', '-7', '９', '9007199254740992', '', '1.5', -1, 1.5, Number.NaN, null, true])(
    'the message id %j is refused',
    async (messageId) => {
      const call = async ({ groups }: Client) => groups.markAsUnread('g1', { messageId: mistaken(messageId) });
      expect(await sentBy(call)).toEqual([]);
    },
  );
});

describe('the query of list messages (§4.2)', () => {
  it('writes every kind of parameter, and decodes to it', () => {
    const query: MessageQuery = {
      types: ['text', 'a,b'],
      tags: ['x y', "z'&"],
      hideDeleted: true,
      sentAt: 1_700_000_000,
      limit: 1000,
      searchKey: 'a&b=ü',
      hasLinks: undefined,
    };
    expect(writeMessageQuery(query)).toBe(
      'searchKey=a%26b%3D%C3%BC&hideDeleted=true&sentAt=1700000000&limit=1000&tags=x%20y,z%27%26&types=text&types=a%2Cb',
    );
    const texts = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(texts, fc.array(texts, { minLength: 1 }), (searchKey, types) => {
        const params = new URLSearchParams(writeMessageQuery({ searchKey, types }));
        expect([params.get('searchKey'), params.getAll('types')]).toEqual([searchKey, types]);
        expect([...params.keys()].every((name) => name in messageParameters)).toBe(true);
      }),
    );
  });

  it.each<[unknown, string]>([
    [{ limit: 1001 }, '`limit` must be a whole number from 1 to 1000'],
    [{ limit: '10' }, '`limit`'],
    [{ fromTimestamp: 2 ** 53 }, '`fromTimestamp` must be a whole number'],
    [{ hideDeleted: 'true' }, '`hideDeleted` must be true or false'],
    [{ receiverType: 'channel' }, '`receiverType` must be one of `user`, `group`'],
    [{ tags: ['a,b'] }, '`tags` holds a comma'],
    [{ tags: [] }, '`tags` must be a list of strings'],
    [{ sender: '' }, '`sender`'],
    [{ searchKey: 'a\ud800' }, '`searchKey` holds half of a surrogate pair'],
    [null, 'must be an object'],
    [{ hasAttachment: true }, "has no option 'hasAttachment'; did you mean 'hasAttachments'?"],
    [JSON.parse('{"__proto__":1}'), "has no option '__proto__'"],
  ])('refuses %j', (query, words) => {
    expect(() => writeMessageQuery(query as MessageQuery)).toThrow(words);
  });
});

const url = 'https://app.example/v3';

describe('options of the client', () => {
  it.each([url, `${url}/`, 'http://localhost:1/v3', 'http://127.8.9.10', 'http://[::1]:3000/v3'])(
    'takes %s, and shows no key',
    (baseUrl) => {
      const client = createClient({
        baseUrl,
        apiKey,
        retry: false,
        timeouts: { connectMs: undefined },
        allowHttp: false,
      });
      expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain(apiKey);
      expect(client.id).toBe(baseUrl.replace(/\/$/, ''));
    },
  );

  it.each<[unknown, string]>([
    [undefined, '`createClient` must be an object of options'],
    ...(['//secret.example', 'secret.example/v3', 'file:///secret', undefined] as const).map(
      (baseUrl): [unknown, string] => [{ baseUrl }, '`baseUrl` must be an http or https address'],
    ),
    [{ baseUrl: 'https://ann@app.example/v3' }, '`baseUrl` holds credentials'],
    [{ baseUrl: 'https://:secret@app.example/v3' }, '`baseUrl` holds credentials'],
    [{ baseUrl: `${url}?secret` }, '`baseUrl` holds a query'],
    ...(
      ['app.example', '10.0.0.1', '0.0.0.0', 'localhost.example', '127.0.0.1.example', '[::ffff:7f00:1]'] as const
    ).map((host): [unknown, string] => [{ baseUrl: `http://${host}/v3`, allowHttp: 'yes' }, '`allowHttp: true`']),
    ...(['', 7, 'secret\n', ' secret', 'këy', 'secret\r\nx: y'] as const).map((key): [unknown, string] => [
      { apiKey: key },
      '`apiKey`',
    ]),
    [{ timeouts: { totalMs: 2 ** 31 } }, '`timeouts.totalMs` must be a whole number from 1 to 2147483647'],
    [{ timeouts: { bodyMs: -1 } }, '`timeouts.bodyMs`'],
    [{ timeouts: 5 }, '`timeouts`'],
    [{ retry: true }, '`retry`'],
    [{ retry: { attempts: 11 } }, '`retry.attempts` must be a whole number from 1 to 10'],
    [{ retry: { maxWaitMs: 0 } }, '`retry.maxWaitMs`'],
    [{ retry: { budget: '5' } }, '`retry.budget`'],
    [{ retry: { budgetRatio: Number.NaN } }, '`retry.budgetRatio` must be a number from 0 to 1'],
    [{ retry: { attempt: 2 } }, "`retry` has no option 'attempt'; did you mean 'attempts'?"],
    [{ maxResponseBytes: 1.5 }, '`maxResponseBytes` must be a whole number from 1'],
    [{ concurrency: 0 }, '`concurrency`'],
    [{ dispatcher: {} }, '`dispatcher` must be an undici dispatcher'],
    [{ timeoutMs: 100 }, "`createClient` has no option 'timeoutMs'; did you mean 'timeouts'?"],
  ])('refuses %j', (options, words) => {
    const create = () => createClient((options && { baseUrl: url, apiKey, ...options }) as never);
    expect(create).toThrow(UsageError);
    expect(create).toThrow(words);
    expect(create).not.toThrow('secret');
  });
});

describe('options of calls', () => {
  it.each<[(client: Client) => Promise<unknown>, string]>([
    [
      ({ users }) => users.get('a', mistaken({ onbehalfof: 'bob' })),
      "GET /users/{uid} has no option 'onbehalfof'; did you mean 'onBehalfOf'?",
    ],
    [
      ({ users }) => users.updateConversation('a', mistaken(undefined)),
      'PUT /users/{uid}/conversation acts for a user: pass',
    ],
    [({ users }) => users.updateConversation('a', { ...ann, tags: mistaken('a') }), '`tags` must be a list of strings'],
    [({ groups }) => groups.markAsRead('g', mistaken({ ...ann, messageID: 5 })), "did you mean 'messageId'?"],
    [({ messages }) => messages.list({}, mistaken({ onPage: () => {} })), "has no option 'onPage'"],
    [({ rules }) => rules.list(mistaken(ann)), "has no option 'onBehalfOf'"],
    [({ rules }) => rules.list({ limit: 0 }), '`limit` must be a whole number from 1'],
    [({ rules }) => rules.get('r', mistaken({ limit: 5 })), "has no option 'limit'; known are 'signal'"],
    [({ rules }) => rules.get('r', mistaken(null)), 'must be an object of options'],
    [({ rules }) => rules.create(mistaken([rule])), '`rule` must be an object'],
    [({ lists }) => lists.replace('l1', mistaken('l1')), '`list` must be an object'],
    [
      async ({ messages }) => {
        for await (const _ of messages.iterate({}, mistaken({ onpage: 1 })));
      },
      "did you mean 'onPage'?",
    ],
  ])('refused: %s', async (call, words) => {
    const refused = async (client: Client) => {
      const error = await rejection(call(client));
      expect(error).toBeInstanceOf(UsageError);
      expect(String(error)).toContain(words);
      throw error;
    };
    expect(await sentBy(refused)).toEqual([]);
  });
});
