import { describe, expect, it } from 'vitest';
import { endpoints, type Operation, operationLabel } from '../../src/platform/contract/endpoints.js';
import { groupSchema } from '../../src/platform/contract/group.js';
import { keywordListSchema } from '../../src/platform/contract/keyword-list.js';
import { messageSchema } from '../../src/platform/contract/message.js';
import { metaSchema } from '../../src/platform/contract/meta.js';
import { ruleSchema } from '../../src/platform/contract/rule.js';
import { userSchema } from '../../src/platform/contract/user.js';

const resources = {
  user: [userSchema, { uid: 'ann' }],
  group: [groupSchema, { guid: 'g1' }],
  message: [messageSchema, { id: '1' }],
  rule: [ruleSchema, { id: 'r1', conditions: [] }],
  list: [keywordListSchema, { id: 'l1', searchTerms: [] }],
  meta: [metaSchema, {}],
} as const;

describe('resources (§2)', () => {
  it.each(Object.entries(resources))(
    '%s requires only its identifier, and keeps unknown fields',
    (_, [schema, least]) => {
      expect(schema.parse(least)).toStrictEqual(least);
      const more = { ...least, later: { nested: [1, { x: null }] }, 'odd name': false };
      expect(schema.parse(more)).toStrictEqual(more);
    },
  );

  it.each(Object.entries(resources).filter(([name]) => name !== 'meta'))(
    '%s is rejected without its identifier',
    (_, [schema]) => {
      expect(schema.safeParse({}).success).toBe(false);
      expect(schema.safeParse(null).success).toBe(false);
      expect(schema.safeParse([]).success).toBe(false);
    },
  );

  it('a `__proto__` field sets no prototype', () => {
    const rule = ruleSchema.parse(JSON.parse('{"id":"r","conditions":[],"__proto__":{"enabled":false}}'));
    expect(rule.enabled).toBeUndefined();
    expect(Object.getPrototypeOf(rule)).toBe(Object.prototype);
    expect(Object.prototype).not.toHaveProperty('enabled');
  });
});

describe('rules (§2.5)', () => {
  it('keeps unknown enumeration values', () => {
    const condition = { operand: 'hologram', operator: 'resembles', category: 'sentence-similarity', entity: 'being' };
    const rule = { id: 'r1', conditions: [condition], action: ['summonModerator'] };
    expect(ruleSchema.parse(rule)).toStrictEqual(rule);
  });

  it('accepts one string or several', () => {
    const many = { id: 'r', conditions: [{ value: ['a', 'b'], message: ['no'] }], action: ['blockMessage'] };
    const one = { id: 'r', conditions: [{ value: 'a', message: 'no' }], action: 'blockMessage' };
    expect(ruleSchema.parse(many)).toStrictEqual(many);
    expect(ruleSchema.parse(one)).toStrictEqual(one);
  });

  it('reads null as absent', () => {
    const rule = ruleSchema.parse({ id: 'r', conditions: [{ value: null }], name: null, enabled: null, filters: null });
    expect(rule).toEqual({ id: 'r', conditions: [{}] });
  });

  it.each(['isKeywordsReferencePresent', 'isKeywordReferencePresent', 'isListReferencePresent'])(
    'has the flag %s',
    (flag) => {
      expect(ruleSchema.safeParse({ id: 'r', conditions: [{ [flag]: 'yes' }] }).success).toBe(false);
      expect(ruleSchema.safeParse({ id: 'r', conditions: [{ [flag]: true }] }).success).toBe(true);
    },
  );
});

describe('messages (§2.4)', () => {
  it('accepts a deleted message without data, and ids written as numbers', () => {
    expect(messageSchema.parse({ id: 7, parentId: 3, data: null })).toEqual({ id: '7', parentId: '3' });
  });

  it('keeps enumeration values, whole entities and free-form data', () => {
    const message = {
      id: '1',
      category: 'interactive',
      type: 'form',
      receiverType: 'channel',
      data: {
        text: 'hi',
        entities: { by: { entity: { uid: 'a', deep: [1] }, entityType: 'robot' } },
        metadata: { a: [null, { b: 1 }] },
        customData: 'anything',
        attachments: [{ url: 'u', size: 4 }],
      },
      receipts: { data: [[]] },
    };
    expect(messageSchema.parse(message)).toStrictEqual(message);
  });

  it.each([{ id: '' }, { id: 1.5 }, { id: '1', data: { text: 5 } }, { id: '1', data: { attachments: {} } }])(
    'rejects %j',
    (message) => {
      expect(messageSchema.safeParse(message).success).toBe(false);
    },
  );
});

describe('endpoints (§4)', () => {
  it('labels every row by method and template, without an id', () => {
    const labels = (Object.keys(endpoints) as Operation[]).map(operationLabel);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels).toContain('DELETE /groups/{guid}/conversation/read');
  });

  it('has the eight operations of the document, and marks others as beyond it', () => {
    const sections = Object.values(endpoints).map(({ section }) => section);
    const documented = ['§4.1', '§4.2', '§4.3', '§4.4', '§4.5', '§4.6', '§4.7', '§4.8'];
    expect(sections.filter((section) => section !== 'beyond').sort()).toEqual(documented);
  });

  it('requires an acting user exactly where §5 does', () => {
    const required = Object.values(endpoints).filter(({ onBehalfOf }) => onBehalfOf === 'required');
    expect(required.map(({ section }) => section).sort()).toEqual(['§4.1', '§4.5']);
  });

  it('adds an empty `meta` to a page without one', () => {
    expect(endpoints.listMessages.response.parse({ data: [] })).toEqual({ data: [], meta: {} });
  });
});
