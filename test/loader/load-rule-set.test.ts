import { describe, expect, it, vi } from 'vitest';
import { digest } from '../../src/foundation/digest.js';
import { HttpError, NetworkError, ShapeError, UsageError } from '../../src/foundation/errors.js';
import type { Client } from '../../src/platform/client/client.js';
import type { KeywordList } from '../../src/platform/contract/keyword-list.js';
import type { Condition, Rule } from '../../src/platform/contract/rule.js';
import type { MissingKind } from '../../src/platform/contract/rule-set.js';
import { loadRuleSet } from '../../src/platform/loader/load-rule-set.js';
import type { RuleSource } from '../../src/platform/loader/rule-source.js';
import { clientOf, json, rejection, serve } from '../support/http.js';
import { turns } from '../support/until.js';

const reference = (value: string | string[], more: Condition = {}): Condition => ({
  isKeywordsReferencePresent: true,
  operand: 'text',
  category: 'word',
  value,
  ...more,
});
const rule = (id: string, ...conditions: Condition[]): Rule => ({ id, conditions, action: ['blockMessage'] });
const list = (id: string, ...searchTerms: string[]): KeywordList => ({ id, searchTerms });
const http = (status: number, platformCode?: string) =>
  new HttpError('GET /x', `status ${status}`, { status, platformCode });

interface Fake {
  readonly rules: readonly Rule[];
  readonly lists?: Readonly<Record<string, KeywordList | Rule | Error>>;
  readonly keywords?: Readonly<Record<string, KeywordList | Error>>;
  readonly meta?: { current?: { limit?: number; count?: number } };
  readonly wait?: (id: string) => Promise<unknown>;
}

/** A source that records requests. */
function source(fake: Fake): RuleSource & { readonly asked: string[]; readonly peak: () => number } {
  const asked: string[] = [];
  let running = 0;
  let peak = 0;
  const answer = async <T>(kind: string, table: Readonly<Record<string, T | Error>>, id: string): Promise<T> => {
    asked.push(`${kind}:${id}`);
    peak = Math.max(peak, ++running);
    await (fake.wait?.(id) ?? Promise.resolve());
    running--;
    const found = table[id] ?? http(404, 'ERR_RULE_NOT_FOUND');
    if (found instanceof Error) throw found;
    return found;
  };
  const { keywords } = fake;
  return {
    asked,
    peak: () => peak,
    rules: {
      list: async (options) => {
        asked.push(`list:${options?.limit}`);
        return { data: fake.rules, meta: fake.meta ?? {} };
      },
      get: (id) => answer<KeywordList | Rule>('rule', fake.lists ?? {}, id),
    },
    ...(keywords === undefined ? {} : { keywords: { get: (id) => answer('keyword', keywords, id) } }),
  };
}

describe('loadRuleSet: lists fetched', () => {
  it('each referenced list once, in order of first reference', async () => {
    const second = rule('r2', reference('c', { operand: 'custom' }), reference(['a', 'b']));
    const lists = { a: list('a', 'x'), b: list('b', 'y'), c: list('c') };
    const fake = source({ rules: [rule('r1', reference(['b', 'a'])), second], lists });
    const ruleSet = await loadRuleSet(fake);
    expect(ruleSet.lists).toEqual([list('b', 'y'), list('a', 'x'), list('c')]);
    expect(ruleSet.missing).toEqual([]);
    expect(fake.asked).toEqual(['list:1000', 'rule:b', 'rule:a', 'rule:c']);
  });

  it.each<[string, Condition, string[]]>([
    ['no flag', { operand: 'text', value: ['a'] }, []],
    ['a flag that is false', { operand: 'text', isKeywordsReferencePresent: false, value: ['a'] }, []],
    ['isKeywordsReferencePresent', { operand: 'text', isKeywordsReferencePresent: true, value: ['a'] }, ['a']],
    ['isKeywordReferencePresent', { operand: 'text', isKeywordReferencePresent: true, value: 'a' }, ['a']],
    ['isListReferencePresent', { operand: 'custom', isListReferencePresent: true, value: 'a' }, ['a']],
    ['an operand of the future', reference('a', { operand: 'sticker' }), ['a']],
    ['no operand', reference('a', { operand: undefined }), ['a']],
    ['a pattern list', reference('a', { category: 'pattern' }), ['a']],
    ['an image', reference('violence_greaterThan_30', { operand: 'image' }), []],
    ['a video', reference('a', { operand: 'video' }), []],
    ['a score of another category', reference('spam_greaterThan_50', { category: 'sentence-similarity' }), []],
    ['a list of another category', reference('a', { category: 'sentence-similarity' }), ['a']],
    ['no value', reference([]), []],
    ['an empty value', reference(['', 'a']), ['a']],
    ['an absent value', { operand: 'text', isKeywordsReferencePresent: true }, []],
  ])('%s', async (_, condition, expected) => {
    const ruleSet = await loadRuleSet(source({ rules: [rule('r', condition)] }));
    expect(ruleSet.missing.map(({ listId }) => listId)).toEqual(expected);
  });

  it('those of the option `lists` as well, each once; one that is not there is missing', async () => {
    const fake = source({ rules: [rule('r', reference('a'))], lists: { a: list('a'), ours: list('ours', 'x') } });
    const ruleSet = await loadRuleSet(fake, { lists: ['ours', 'a', 'gone', 'ours'] });
    expect(ruleSet.lists).toEqual([list('a'), list('ours', 'x')]);
    expect(ruleSet.missing).toMatchObject([{ listId: 'gone', kind: 'gone' }]);
    await expect(loadRuleSet(fake, { lists: 'ours' as never })).rejects.toThrow(/^`lists` must be an array of ids/);
  });

  it('lists of rules that do not run, too', async () => {
    const off = { ...rule('r', reference('a')), enabled: false, active: false };
    expect((await loadRuleSet(source({ rules: [off], lists: { a: list('a') } }))).lists).toEqual([list('a')]);
  });
});

describe('loadRuleSet: path of a list', () => {
  it('live path, when §4.8 returns nothing or a rule', async () => {
    const fake = source({
      rules: [rule('r', reference(['none', 'rule', 'list']))],
      lists: { rule: rule('rule'), list: list('list') },
      keywords: { none: list('none'), rule: list('rule', 'x') },
    });
    const ruleSet = await loadRuleSet(fake, { concurrency: 1 });
    expect(ruleSet.lists).toEqual([list('none'), list('rule', 'x'), list('list')]);
    expect(fake.asked).toEqual(['list:1000', 'rule:none', 'keyword:none', 'rule:rule', 'keyword:rule', 'rule:list']);
  });

  it('no other path after any other failure', async () => {
    const fake = source({ rules: [rule('r', reference('a'))], lists: { a: http(500) }, keywords: { a: list('a') } });
    expect((await loadRuleSet(fake)).missing).toEqual([{ listId: 'a', reason: 'http 500', kind: 'unreachable' }]);
    expect(fake.asked).not.toContain('keyword:a');
  });

  it.each<[string, KeywordList | Rule | Error | undefined, string, MissingKind]>([
    ['not there', undefined, 'http 404 (ERR_RULE_NOT_FOUND)', 'gone'],
    ['not there, with another status', http(400, 'ERR_RULE_NOT_FOUND'), 'http 400 (ERR_RULE_NOT_FOUND)', 'gone'],
    ['a rule', rule('a'), 'not a keyword list', 'gone'],
    ['another id', list('b'), 'answered with another id', 'refused'],
    ['no access', http(403, 'AUTH_ERR_NO_ACCESS'), 'http 403 (AUTH_ERR_NO_ACCESS)', 'refused'],
    ['too many requests', http(429), 'http 429', 'unreachable'],
    ['a failure of the platform', http(503), 'http 503', 'unreachable'],
    ['an operation that the platform lacks', http(501), 'http 501', 'refused'],
    ['no network', new NetworkError('GET /x', 'secret words'), 'network', 'unreachable'],
    ['an id that cannot be sent', new UsageError('secret words'), 'usage', 'refused'],
    ['a bug', new TypeError('secret words'), 'unknown failure', 'unreachable'],
  ])('missing: %s', async (_, found, reason, kind) => {
    const lists = { good: list('good', 'x'), ...(found === undefined ? {} : { a: found }) };
    const ruleSet = await loadRuleSet(source({ rules: [rule('r', reference(['a', 'good']))], lists }));
    expect(ruleSet.missing).toEqual([{ listId: 'a', reason, kind }]);
    expect(ruleSet.lists).toEqual([list('good', 'x')]);
  });

  it('reports the failure of the live path when that was requested last', async () => {
    const fake = source({ rules: [rule('r', reference('a'))], keywords: { a: http(404, 'ERR_KEYWORD_NOT_FOUND') } });
    expect((await loadRuleSet(fake)).missing).toEqual([
      { listId: 'a', reason: 'http 404 (ERR_KEYWORD_NOT_FOUND)', kind: 'gone' },
    ]);
  });
});

describe('loadRuleSet: rules', () => {
  it('are requested again without a limit when the limit is rejected', async () => {
    const asked: unknown[] = [];
    const picky: RuleSource = {
      rules: {
        list: async (options) => {
          asked.push(options?.limit);
          if (options?.limit !== undefined) throw http(400);
          return { data: [rule('r')], meta: {} };
        },
        get: () => Promise.reject(http(404)),
      },
    };
    expect((await loadRuleSet(picky, { limit: 77 })).rules).toEqual([rule('r')]);
    expect(asked).toEqual([77, undefined]);
  });

  it.each([401, 404, 500])('rejects with status %i of list rules', async (status) => {
    const failure = http(status);
    let asked = 0;
    const refuse = () => {
      asked++;
      return Promise.reject(failure);
    };
    expect(await rejection(loadRuleSet({ rules: { list: refuse, get: refuse } }))).toBe(failure);
    expect(asked).toBe(1);
  });

  it.each([
    [{ current: { count: 50, limit: 50 } }, true],
    [{ current: { count: 8, limit: 50 } }, false],
    [{ current: { count: 50 } }, false],
    [{ current: { limit: 50 } }, false],
    [{ current: {} }, false],
    [{}, false],
  ])('meta %j means truncated: %s', async (meta, truncated) => {
    expect((await loadRuleSet(source({ rules: [rule('r')], meta }))).truncated).toBe(truncated);
  });

  it.each([null, undefined, { current: null }])('meta %j, which no type allows: not truncated', async (meta) => {
    const list = async () => ({ data: [rule('r')], meta: meta as never });
    const { get } = source({ rules: [] }).rules;
    expect((await loadRuleSet({ rules: { list, get } })).truncated).toBe(false);
  });

  it.each([
    [undefined, 'data'],
    [{}, 'data'],
    [{ data: 'rules' }, 'data'],
    [{ data: [rule('r'), null] }, 'data[1].conditions'],
    [{ data: [{ id: 'r' }] }, 'data[0].conditions'],
    [{ data: [{ id: 'r', conditions: [null] }] }, 'data[0].conditions'],
  ])('a source that gives %j: a ShapeError', async (page, path) => {
    const { get } = source({ rules: [] }).rules;
    const error = await rejection(loadRuleSet({ rules: { list: async () => page as never, get } }));
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ path });
  });
});

describe('loadRuleSet: result', () => {
  it('lists are copies, with fields and terms in their order, and without fields that are undefined', async () => {
    const given = { name: undefined, searchTerms: ['b', '\ud800', 'a'], id: 'a', more: { deep: [1] } };
    const { lists } = await loadRuleSet(source({ rules: [rule('r', reference('a'))], lists: { a: given } }));
    expect(JSON.stringify(lists)).toBe(JSON.stringify([given]));
    given.searchTerms.push('c');
    given.more.deep.push(2);
    expect(lists).toStrictEqual([{ searchTerms: ['b', '\ud800', 'a'], id: 'a', more: { deep: [1] } }]);
  });

  it('the terms of a list are not parsed in one piece', async () => {
    const terms = Array.from({ length: 10_000 }, (_, index) => `term ${index}`);
    const parse = vi.spyOn(JSON, 'parse');
    await loadRuleSet(source({ rules: [rule('r', reference('a'))], lists: { a: list('a', ...terms) } }));
    const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
    parse.mockRestore();
    expect(longest).toBeLessThan(1_000);
  });

  const fake = (wait?: (id: string) => Promise<unknown>) =>
    source({
      rules: [{ ...rule('r', reference([...'abcdef'])), ...{ name: undefined, later: { x: undefined, y: [1] } } }],
      lists: Object.fromEntries([...'abcef'].map((id) => [id, list(id, id)])),
      ...(wait === undefined ? {} : { wait }),
    });

  it('is plain JSON that round-trips, with the digest of its content as revision', async () => {
    const ruleSet = await loadRuleSet(fake());
    expect(JSON.parse(JSON.stringify(ruleSet))).toStrictEqual(ruleSet);
    expect(ruleSet.rules[0]).not.toHaveProperty('name');
    expect(ruleSet.revision).toBe(digest({ rules: ruleSet.rules, lists: ruleSet.lists }));
  });

  it('does not depend on the order of responses', async () => {
    const expected = await loadRuleSet(fake());
    for (let run = 0; run < 20; run++) {
      const wait = () => turns(Math.floor(Math.random() * 5));
      expect(await loadRuleSet(fake(wait), { concurrency: 1 + (run % 6) })).toStrictEqual(expected);
    }
  });

  it('has another revision when a term changes', async () => {
    const one = await loadRuleSet(source({ rules: [rule('r', reference('a'))], lists: { a: list('a', 'x') } }));
    const two = await loadRuleSet(source({ rules: [rule('r', reference('a'))], lists: { a: list('a', 'y') } }));
    expect(one.revision).not.toBe(two.revision);
  });

  it.each([undefined, 1, 2, 100])('fetches at most %s lists at a time', async (concurrency) => {
    const slow = fake(() => turns(5));
    await loadRuleSet(slow, { concurrency });
    expect(slow.peak()).toBe(Math.min(concurrency ?? 4, 6));
  });

  it.each([0, -1, 1.5, Number.NaN])('rejects a concurrency of %s', async (concurrency) => {
    expect(await rejection(loadRuleSet(fake(), { concurrency }))).toBeInstanceOf(UsageError);
  });
});

describe('loadRuleSet: abort', () => {
  it('rejects with the reason and requests no more lists', async () => {
    const controller = new AbortController();
    const rules = [rule('r', reference(['a', 'b', 'c']))];
    const fake = source({ rules, wait: async () => controller.abort('enough') });
    const error = await rejection(loadRuleSet(fake, { concurrency: 1, signal: controller.signal }));
    await turns();
    expect(fake.asked).toEqual(['list:1000', 'rule:a']);
    expect(error).toBe('enough');
  });

  it('is not recorded as a missing list', async () => {
    const controller = new AbortController();
    const fake = source({ rules: [rule('r', reference('a'))], wait: async () => controller.abort('enough') });
    expect(await rejection(loadRuleSet(fake, { signal: controller.signal }))).toBe('enough');
  });

  it('inside the source rejects, too', async () => {
    const fake = source({ rules: [rule('r', reference('a'))], lists: { a: new DOMException('enough', 'AbortError') } });
    expect(await rejection(loadRuleSet(fake))).toMatchObject({ name: 'AbortError' });
  });

  it('before the call sends no request', async () => {
    const fake = source({ rules: [] });
    expect(await rejection(loadRuleSet(fake, { signal: AbortSignal.abort('late') }))).toBe('late');
    expect(fake.asked).toEqual([]);
  });
});

it('loadRuleSet: accepts a client as source', async () => {
  const server = await serve((response, { target }) => {
    if (target.startsWith('/v3/moderation/rules?')) json(response, { data: [rule('r', reference(['a', 'gone']))] });
    else if (target === '/v3/moderation/keywords/a') json(response, { data: { ...list('a', 'x'), name: null } });
    else json(response, { error: { code: 'ERR_RULE_NOT_FOUND' } }, 404);
  });
  const client: Client = clientOf(server);
  const asSource: RuleSource = client;
  const ruleSet = await loadRuleSet(asSource);
  expect(ruleSet.lists).toStrictEqual([list('a', 'x')]);
  expect(ruleSet.missing).toEqual([{ listId: 'gone', reason: 'http 404 (ERR_RULE_NOT_FOUND)', kind: 'gone' }]);
});

it.each([[null], [undefined], [7], ['rules'], [[]]])(
  'loadRuleSet: says what a source that loads %j should give',
  async (given) => {
    const source = { load: async () => given } as unknown as RuleSource;
    await expect(loadRuleSet(source)).rejects.toMatchObject({ code: 'shape', path: 'rules' });
  },
);
