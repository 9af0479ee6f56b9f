/** Responses of live platforms where they differ from the interface document, or where it shows nothing. */
import { describe, expect, it } from 'vitest';
import { loadRuleSet } from '../../src/platform/loader/load-rule-set.js';
import { clientOf, json, rejection, serve, serveJson } from '../support/http.js';

const list = { id: 'profanity-list', name: 'Profane Words', category: 'word', isCSV: false, searchTerms: ['spam'] };
const namesake = { id: 'profanity-list', name: 'Profanity', conditions: [], action: ['blockMessage'] };
const condition = { id: 1, isKeywordsReferencePresent: true, operand: 'text', category: 'word', value: [list.id] };
const rule = { id: 'text-profanity-filter', conditions: [condition], action: ['blockMessage'] };
const notFound = { error: { code: 'ERR_RULE_NOT_FOUND', message: 'There is no such rule.' } };

/** Serves one rule, and gives `atRules` where the document has keyword lists. */
function servePlatform(atRules: { readonly status?: number; readonly body: unknown }) {
  return serve((response, { target }) => {
    if (target.includes('/moderation/keywords/')) json(response, { data: list });
    else if (target.includes('/moderation/rules/')) json(response, atRules.body, atRules.status);
    else json(response, { data: [rule], meta: { current: { limit: 50, count: 1 } } });
  });
}

describe('variants of live platforms: path of a keyword list', () => {
  it.each<[string, { readonly status?: number; readonly body: unknown }, boolean]>([
    ['where §4.8 has it', { body: { data: list } }, false],
    ['at its own path, beside a rule of that id', { body: { data: namesake } }, true],
    ['at its own path, where no rule has that id', { status: 404, body: notFound }, true],
    ['at its own path, where the code alone says so', { status: 400, body: notFound }, true],
  ])('%s', async (_, atRules, fellBack) => {
    const server = await servePlatform(atRules);
    const { lists, missing } = await loadRuleSet(clientOf(server));
    expect({ lists, missing }).toEqual({ lists: [list], missing: [] });
    const targets = server.received.map(({ target }) => target).slice(1);
    const documented = '/v3/moderation/rules/profanity-list';
    expect(targets).toEqual(fellBack ? [documented, '/v3/moderation/keywords/profanity-list'] : [documented]);
  });

  it('no second path when the platform fails', async () => {
    const server = await servePlatform({ status: 503, body: {} });
    const { missing } = await loadRuleSet(clientOf(server, { retry: { baseMs: 1 } }));
    expect(missing).toEqual([{ listId: 'profanity-list', reason: 'http 503', kind: 'unreachable' }]);
    expect(server.received.filter(({ target }) => target.includes('keywords'))).toEqual([]);
  });
});

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
