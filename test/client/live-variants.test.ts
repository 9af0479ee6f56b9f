/** Responses of live platforms where they differ from the interface document, or where it shows nothing. */
import { describe, expect, it } from 'vitest';
import { clientOf, json, rejection, serve, serveJson } from '../support/http.js';

describe('variants of live platforms: meta', () => {
  it.each([
    undefined,
    {},
    { current: { limit: 50, count: 1 } },
    { current: null, next: null },
    { current: { limit: 50, count: 1 }, previous: { affix: 'prepend', sentAt: 1, id: '1' } },
    { pagination: { total: 1, count: 1, per_page: 100, current_page: 1, total_pages: 1 } },
    { cursor: { id: 1786, affix: 'prepend' } },
    { cursor: { updatedAt: 1, affix: 'append' } },
    null,
    { next: { id: null, sentAt: null, affix: null } },
    JSON.parse('{"__proto__":{"next":{"id":"1"}}}'),
  ])('%j ends the pagination', async (meta) => {
    const server = await serveJson({ data: [{ id: '1' }], meta });
    const seen: string[] = [];
    for await (const { id } of clientOf(server).messages.iterate()) seen.push(id);
    expect(seen).toEqual(['1']);
    expect(server.received).toHaveLength(1);
  });

  it('a cursor id may be a number', async () => {
    let at = 0;
    const server = await serve((response) => {
      const id = String(++at);
      json(response, { data: [{ id }], meta: at < 3 ? { next: { affix: 'append', sentAt: at, id: at } } : {} });
    });
    const seen: string[] = [];
    for await (const { id } of clientOf(server).messages.iterate()) seen.push(id);
    expect(seen).toEqual(['1', '2', '3']);
  });
});

describe('variants of live platforms: confirmations', () => {
  it.each([
    [{ success: true, message: 'done' }, true, 'done'],
    [{ success: true, Message: 'done' }, true, 'done'],
    [{ success: true, message: null }, true, ''],
    [{ success: false }, false, ''],
    [{ success: true, message: 'this', Message: 'that' }, true, 'this'],
  ])('%j', async (data, success, message) => {
    const confirmation = { success, message };
    const { groups } = clientOf(await serveJson({ data }));
    expect(await groups.markAsRead('g1', { onBehalfOf: 'ann' })).toEqual(confirmation);
    expect(await groups.markAsUnread('g1')).toEqual(confirmation);
  });
});

describe('variants of live platforms: error bodies', () => {
  it.each([
    [401, { code: 'AUTH_ERR_APIKEY_NOT_FOUND', message: 'The key 11111***11111 does not exist.' }, undefined],
    [400, { code: 'ERR_BAD_REQUEST', devMessage: 'x', details: { receiver: ['The receiver field is required.'] } }, 1],
    [429, { code: 'ERR_TOO_MANY_REQUESTS', source: 'chat-api' }, undefined],
  ])('with status %i', async (status, error, fields) => {
    const client = clientOf(await serveJson({ error }, status), { retry: false });
    const failure = (await rejection(client.users.get('ann'))) as { details?: object };
    expect(failure).toMatchObject({ code: 'http', status, platformCode: error.code });
    expect(failure.details && Object.keys(failure.details).length).toBe(fields);
    expect(String(failure)).not.toContain('11111');
  });
});
