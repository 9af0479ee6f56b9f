import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/foundation/errors.js';
import { writeMessageQuery, writePath } from '../../src/platform/client/request.js';
import { type MessageQuery, messageParameters } from '../../src/platform/contract/message-query.js';
import { clientOf, rejection, serveJson } from '../support/http.js';
import { runs } from '../support/runs.js';

const acceptable = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((id) => id !== '.' && id !== '..' && id.trim() === id && !/\p{Cc}/u.test(id));

function refusal(query: unknown): string {
  try {
    writeMessageQuery(query as MessageQuery);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return String(error);
  }
  throw new Error(`accepted ${JSON.stringify(query)}`);
}

describe('path parameters', () => {
  it('an id is written as one segment that decodes to it', () => {
    fc.assert(
      fc.property(acceptable, (id) => {
        const path = writePath('/users/{uid}/conversation', { uid: id });
        const url = new URL(`http://127.0.0.1/v3${path}`);
        const segments = url.pathname.split('/');
        expect(segments).toHaveLength(5);
        expect(decodeURIComponent(segments[3]!)).toBe(id);
        expect(url.search + url.hash).toBe('');
      }),
      { numRuns: runs(300, 20_000) },
    );
  });

  it('any string is refused or decodes to itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)) }), (id) => {
        let path: string;
        try {
          path = writePath('/{id}', { id });
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          return;
        }
        expect(decodeURIComponent(path.slice(1))).toBe(id);
      }),
      { numRuns: runs(300, 20_000) },
    );
  });

  it.each([
    ...['', '.', '..', 'a\ud800', '\udc00', 'a\nb', 'a\u0000', 'a\u0085b', ' a', 'a ', 'a\u00a0', '\ufeffa'],
    ...[undefined, 7],
  ])('%j is refused by the name of the parameter', async (id) => {
    const server = await serveJson({ data: {} });
    const error = await rejection(clientOf(server).groups.get(id as string));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain('`guid`');
    expect(server.received).toEqual([]);
  });

  it('a refused id is not in the error', async () => {
    const error = await rejection(clientOf(await serveJson({})).rules.get(' someone-private'));
    expect(String(error)).not.toContain('someone-private');
  });
});

describe('query of list messages (§4.2)', () => {
  it('writes every kind of parameter', () => {
    const query: MessageQuery = {
      types: ['text', 'a,b'],
      tags: ['x y', 'z&'],
      mentionedUids: ['ann', 'bob'],
      hideDeleted: true,
      unread: false,
      sentAt: 1_700_000_000,
      limit: 1000,
      receiverType: 'group',
      searchKey: 'a&b=ü',
      hasLinks: undefined,
    };
    expect(writeMessageQuery(query).split('&')).toEqual(
      'searchKey=a%26b%3D%C3%BC mentionedUids=ann,bob receiverType=group hideDeleted=true unread=false sentAt=1700000000 limit=1000 tags=x%20y,z%26 types=text types=a%2Cb'.split(
        ' ',
      ),
    );
  });

  it('arrives at the server as written, and is absent when empty', async () => {
    const server = await serveJson({ data: [], meta: {} });
    const client = clientOf(server);
    await client.messages.list({ sender: 'ann', count: true });
    await client.messages.list({});
    await client.messages.list();
    const targets = server.received.map(({ target }) => target);
    expect(targets).toEqual(['/v3/messages?sender=ann&count=true', '/v3/messages', '/v3/messages']);
  });

  it('decodes to the texts that were passed', () => {
    const texts = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(texts, fc.array(texts, { minLength: 1 }), (searchKey, types) => {
        const params = new URLSearchParams(writeMessageQuery({ searchKey, types }));
        expect(params.get('searchKey')).toBe(searchKey);
        expect(params.getAll('types')).toEqual(types);
        expect([...params.keys()].every((name) => name in messageParameters)).toBe(true);
      }),
    );
  });

  it.each([
    [{ limit: 0 }, '`limit` must be a whole number from 1 to 1000'],
    [{ limit: 1001 }, '`limit` must be a whole number from 1 to 1000'],
    [{ limit: '10' }, '`limit`'],
    [{ sentAt: 1.5 }, '`sentAt` must be a whole number'],
    [{ fromTimestamp: 2 ** 53 }, '`fromTimestamp`'],
    [{ hideDeleted: 'true' }, '`hideDeleted` must be true or false'],
    [{ receiverType: 'channel' }, '`receiverType` must be one of `user`, `group`'],
    [{ tags: ['a,b'] }, '`tags` holds a comma'],
    [{ tags: [] }, '`tags` must be a list of strings'],
    [{ types: 'text' }, '`types` must be a list of strings'],
    [{ mentionedUids: [7] }, '`mentionedUids`'],
    [{ sender: '' }, '`sender`'],
    [{ sender: null }, '`sender`'],
    [{ searchKey: 'a\ud800' }, '`searchKey` holds half of a surrogate pair'],
    [null, 'must be an object'],
  ])('refuses %j', (query, words) => {
    expect(refusal(query)).toContain(words);
  });

  it('suggests the nearest parameter for an unknown one', () => {
    expect(refusal({ hasAttachment: true })).toContain("has no option 'hasAttachment'; did you mean 'hasAttachments'?");
    expect(refusal({ conversationID: 'x' })).toContain("did you mean 'conversationId'?");
    expect(refusal({ qqqqqqqqqqqqqqqqqqqq: 1 })).toContain("known are 'searchKey', ");
    expect(refusal({ toString: 1 })).toContain("has no option 'toString'");
    expect(refusal(JSON.parse('{"__proto__":1}'))).toContain("has no option '__proto__'");
  });

  it('of list rules: refuses a limit that is not a whole number', async () => {
    const server = await serveJson({ data: [] });
    for (const limit of [0, -1, 1.5, Number.POSITIVE_INFINITY]) {
      expect(await rejection(clientOf(server).rules.list({ limit }))).toBeInstanceOf(UsageError);
    }
    expect(server.received).toEqual([]);
  });
});
