/** P14: a check ends at its first fault, and pages are checked in portions. Counted by what of a value is read. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ShapeError } from '../../src/foundation/errors.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { endpoints, type Operation } from '../../src/platform/contract/endpoints.js';
import { byName } from '../../src/platform/contract/fields.js';
import { parse, parseInPortions, safeParse } from '../../src/platform/contract/parse.js';

/** More than an argument list takes: zod hands the issues of an element on by one. */
const many = 150_000;

const wrong = Array(many).fill(false);
const wrongByName = Object.fromEntries(wrong.map((value, index) => [`name${index}`, value]));
const rule = { id: 'a', conditions: [] };

/** Every place of the contract where a resource holds any number of things. */
const places: readonly (readonly [Operation, string, unknown])[] = [
  ['listMessages', 'data[0]', { data: wrong }],
  ['listMessages', 'data[0].tags[0]', { data: [{ id: '1', tags: wrong }] }],
  ['listMessages', 'data[0].data.attachments', { data: [{ id: '1', data: { attachments: wrong } }] }],
  [
    'listMessages',
    'data[0].data.attachments[0]',
    { data: [{ id: '1', data: { attachments: wrong.slice(0, 10_000) } }] },
  ],
  ['listMessages', 'data[0].data.entities.name0', { data: [{ id: '1', data: { entities: wrongByName } }] }],
  ['listRules', 'data[0]', { data: wrong }],
  ['listRules', 'data[0].conditions[0]', { data: [{ id: 'a', conditions: wrong }] }],
  ['listRules', 'data[0].filters[0]', { data: [{ ...rule, filters: wrong }] }],
  ['listRules', 'data[0].action[0]', { data: [{ ...rule, action: wrong }] }],
  ['listRules', 'data[0].conditions[0].value[0]', { data: [{ id: 'a', conditions: [{ value: wrong }] }] }],
  ['getRule', 'data.conditions[0]', { data: { id: 'a', conditions: wrong } }],
  ['getRule', 'data.searchTerms[0]', { data: { id: 'a', searchTerms: wrong } }],
  ['getKeywordList', 'data.searchTerms[0]', { data: { id: 'a', searchTerms: wrong } }],
  ['getUser', 'data.tags[0]', { data: { uid: 'a', tags: wrong } }],
  ['getGroup', 'data.tags[0]', { data: { guid: 'a', tags: wrong } }],
  ['updateConversation', 'data[0]', { data: wrong }],
];

describe(`${many} wrong values`, () => {
  it.each(places)('%s, %s: one fault is made, and named', (name, path, value) => {
    const schema: z.ZodType = endpoints[name].response;
    for (const check of [() => parse(schema, value, 'here'), () => runAtOnce(parseInPortions(schema, value, 'here'))]) {
      expect(check).toThrow(ShapeError);
      expect(check).toThrow(`here: \`${path}\` `);
    }
    const { error } = safeParse(schema, value);
    expect(issuesIn(error!.issues)).toBeLessThanOrEqual(20);
  });

  function issuesIn(issues: readonly z.core.$ZodIssue[]): number {
    const inside = issues.flatMap((issue) => (issue.code === 'invalid_union' ? issue.errors : []));
    return inside.reduce((sum, branch) => sum + issuesIn(branch), issues.length);
  }

  it('are not looked at behind the first one', () => {
    let reads = 0;
    const counting = () => ({
      get id() {
        reads++;
        return false;
      },
    });
    const items = Array.from({ length: 1000 }, counting);
    const of = (schema: z.ZodType, value: unknown) => {
      reads = 0;
      expect(safeParse(schema, value).success).toBe(false);
      return reads;
    };
    const item = z.object({ id: z.string() });
    expect(of(z.array(item), items)).toBe(1);
    expect(of(byName(item), { ...items })).toBe(1);
    expect(of(z.object({ a: z.array(item), b: z.array(item) }), { a: items, b: items })).toBe(1);
    reads = 0;
    expect(() => runAtOnce(parseInPortions(endpoints.listMessages.response, { data: items }, 'x'))).toThrow(
      'data[0].id',
    );
    // Both branches of an id.
    expect(reads).toBeLessThanOrEqual(2);
  });
});

describe('a page in portions', () => {
  const page = (count: number, extra: object = {}) => ({
    data: Array.from({ length: count }, (_, index) => ({ id: index, future: [index] })),
    meta: { next: { id: 7 } },
    ...extra,
  });

  it.each([0, 1, 15, 16, 17, 1000])('of %i items is what it is in one go, in as many portions as it needs', (count) => {
    const value = page(count, { future: { a: 1 } });
    const work = parseInPortions(endpoints.listMessages.response, value, 'here');
    let portions = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) portions++;
    expect(step.value).toEqual(parse(endpoints.listMessages.response, value, 'here'));
    expect(portions).toBe(Math.ceil(count / 16));
  });

  it('names a fault by its place in the whole', () => {
    const value = page(100);
    const check = (given: unknown) => () => runAtOnce(parseInPortions(endpoints.listMessages.response, given, 'here'));
    expect(check({ ...value, data: value.data.with(77, { id: '', future: [] } as never) })).toThrow('`data[77].id`');
    expect(check({ ...value, meta: { next: 7 } })).toThrow('`meta.next`');
    expect(check({ ...value, data: 7 })).toThrow('`data` ');
    expect(check(7)).toThrow('`the whole value`');
    expect(check(null)).toThrow('`the whole value`');
  });
});
