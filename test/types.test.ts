/**
 * The public types: rules as people write them compile.
 * What must not compile stands behind `@ts-expect-error`, so `npm run typecheck` is the test of it.
 */
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import {
  type Client,
  type Condition,
  createEngine,
  type Filter,
  type KeywordList,
  loadRuleSet,
  type MessageDraft,
  type Rule,
  type RuleSetInput,
} from '../src/index.js';
import type { keywordListSchema } from '../src/platform/contract/keyword-list.js';
import type { conditionSchema, filterSchema, ruleSchema } from '../src/platform/contract/rule.js';

describe('createEngine: takes rules', () => {
  const decide = (ruleSet: RuleSetInput) => createEngine(ruleSet).decide('Buy now');

  it('as literals: one action or several, conditions without id, other fields', () => {
    const one = { id: 'r', action: 'blockMessage', conditions: [{ operand: 'text', value: 'buy now' }] };
    const several = { ...one, action: ['blockMessage', 'kick'], owner: 'trust team' };
    expect([decide({ rules: [one], lists: [] }), decide({ rules: [several], lists: [] })]).toEqual([
      'blockMessage',
      'blockMessage',
    ]);
  });

  it('as constants, whose arrays are read-only', () => {
    const ruleSet = {
      rules: [
        {
          id: 'r',
          action: ['dropMessage'],
          conditions: [{ operand: 'text', isKeywordsReferencePresent: true, value: ['words'] }],
          filters: [{ type: 'sender', entity: 'user', operand: 'uid', operator: 'notIn', value: ['ann'] }],
        },
      ],
      lists: [{ id: 'words', searchTerms: ['buy now'] }],
    } as const;
    const from = (sender: string) => createEngine(ruleSet).decide({ sender, data: { text: 'Buy now' } });
    expect([from('bob'), from('ann')]).toEqual(['dropMessage', 'allow']);
    expect(createEngine(ruleSet).issues).toEqual([]);
  });

  it('with fields of their own, which are kept, when they are not literals', async () => {
    const parsed = JSON.parse(
      '{ "id": "r", "owner": "trust", "conditions": [{ "operand": "text", "value": "x" }] }',
    ) as {
      id: string;
      owner: string;
      conditions: { operand: string; value: string; [field: string]: unknown }[];
    };
    const rules: RuleSetInput['rules'] = [parsed];
    expect(createEngine({ rules, lists: [] }).issues).toMatchObject([{ code: 'unknown-action' }]);
    const source = {
      rules: {
        list: async () => ({ data: [parsed], meta: {} }),
        get: async () => ({ id: 'l', searchTerms: [] }),
      },
    };
    expect((await loadRuleSet(source)).rules).toEqual([parsed]);
  });

  it('with fields that may be undefined, and values of sets that are not known here', () => {
    const description: string | undefined = undefined;
    const condition: Condition = { operand: 'audio', category: 'toxicity', operator: 'near', value: 'x' };
    const filter: Filter = { type: 'onlooker', entity: 'bot', operand: 'height', operator: 'above', value: '1' };
    const rule: Rule = { id: 'r', description, action: 'report', conditions: [condition], filters: [filter] };
    expect(createEngine({ rules: [rule], lists: [] }).issues.length).toBeGreaterThan(1);
  });
});

describe('types', () => {
  it('values that the schemas parse are rules, conditions, filters and keyword lists', () => {
    expectTypeOf<z.infer<typeof ruleSchema>>().toExtend<Rule>();
    expectTypeOf<z.infer<typeof conditionSchema>>().toExtend<Condition>();
    expectTypeOf<z.infer<typeof filterSchema>>().toExtend<Filter>();
    expectTypeOf<z.infer<typeof keywordListSchema>>().toExtend<KeywordList>();
  });

  it('have the fields of the schemas and no others', () => {
    type Named<T> = keyof { [Name in keyof T as string extends Name ? never : Name]: T[Name] };
    expectTypeOf<Named<Rule>>().toEqualTypeOf<keyof typeof ruleSchema.shape>();
    expectTypeOf<Named<Condition>>().toEqualTypeOf<keyof typeof conditionSchema.shape>();
    expectTypeOf<Named<Filter>>().toEqualTypeOf<keyof typeof filterSchema.shape>();
    expectTypeOf<Named<KeywordList>>().toEqualTypeOf<keyof typeof keywordListSchema.shape>();
  });

  it('of the client are those of the engine', () => {
    expectTypeOf<Awaited<ReturnType<Client['rules']['get']>>>().toEqualTypeOf<Rule | KeywordList>();
    expectTypeOf<Awaited<ReturnType<Client['rules']['list']>>['data']>().toEqualTypeOf<Rule[]>();
  });

  it('refuse a rule without id or conditions, and values of the wrong kind', () => {
    // @ts-expect-error: conditions are missing
    const withoutConditions: Rule = { id: 'r', action: 'blockMessage' };
    // @ts-expect-error: the id is missing
    const withoutId: Rule = { conditions: [] };
    // @ts-expect-error: an action is a string
    const badAction: Rule = { id: 'r', conditions: [], action: { verdict: 'blockMessage' } };
    // @ts-expect-error: values are strings
    const badValue: Condition = { operand: 'text', value: [1] };
    // @ts-expect-error: a list has terms
    const withoutTerms: KeywordList = { id: 'l', category: 'word' };
    const words = { operand: 'text', value: 'buy now' } as const;
    // @ts-expect-error: `filters` is misspelt
    const badRule: Rule = { id: 'r', conditions: [], fliters: [] };
    // @ts-expect-error: so it is where the rule stands in a call
    const badCall = () => createEngine({ rules: [{ id: 'r', conditions: [words], fliters: [] }], lists: [] });
    // @ts-expect-error: `category` is misspelt
    const badCondition: Condition = { ...words, catgory: 'word' };
    // @ts-expect-error: `operator` is misspelt
    const badFilter: Filter = { type: 'sender', entity: 'user', operand: 'role', oprator: 'in', value: 'admin' };
    // @ts-expect-error: case is a reading of the semantics
    const badList: KeywordList = { id: 'l', searchTerms: [], caseSensitive: true };
    // @ts-expect-error: the text stands at `data.text`
    const badDraft: MessageDraft = { text: 'hello' };
    // @ts-expect-error: a text is a string
    const badText: MessageDraft = { data: { text: 5 } };
    // @ts-expect-error: a reading has no such value
    const badReading = () => createEngine({ rules: [], lists: [] }, { words: 'whole' });
    const refused = [withoutConditions, withoutId, badAction, badValue, withoutTerms, badDraft, badText, badReading];
    const misspelt = [badRule, badCall, badCondition, badFilter, badList];
    expect([refused.length, misspelt.length]).toEqual([8, 5]);
  });
});
