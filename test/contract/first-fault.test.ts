/** P14: a check ends at its first fault. Counted by what of a value is read. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ShapeError } from '../../src/foundation/errors.js';
import { endpoints, type Operation } from '../../src/platform/contract/endpoints.js';
import { byName } from '../../src/platform/contract/fields.js';
import { parse, safeParse } from '../../src/platform/contract/parse.js';

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
    const check = () => parse(schema, value, 'here');
    expect(check).toThrow(ShapeError);
    expect(check).toThrow(`here: \`${path}\` `);
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
    expect(() => parse(endpoints.listMessages.response, { data: items }, 'x')).toThrow('data[0].id');
    // Both branches of an id.
    expect(reads).toBeLessThanOrEqual(2);
  });
});
