/**
 * The public types: rules as people write them compile, values that are known are completed, hover texts have examples that hold.
 * What must not compile stands behind `@ts-expect-error`, so `npm run typecheck` is the test of it.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import * as publicNames from '../src/index.js';
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
import { openInEditor } from './support/language-server.js';

const root = resolve(import.meta.dirname, '..');

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

  it('with fields of their own, which are kept, when they are no literals', async () => {
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

describe('in an editor', () => {
  const text = `
import { audit, createClient, createEngine, createModerator, loadRuleSet, type Decision, type Match, type Rule } from '../src/index.js';
import type { Condition, Filter, KeywordList } from '../src/index.js';
export const rule: Rule = { id: 'r', action: [''], conditions: [] };
export const condition: Condition = { operand: '', category: '' , operator: '' };
export const filter: Filter = { type: '' , entity: '' , operand: '' , operator: '' };
export const list: KeywordList = { id: 'l', searchTerms: [], category: '' };
export const engine = createEngine({ rules: [{ id: 's', action: '', conditions: [{ operand: '' , value: [] }] }], lists: [] });
engine.decide('hello');
engine.explain('hello');
export const use = [audit, createClient, createModerator, loadRuleSet];
export type Uses = [Decision, Match];
`;
  let editor: Awaited<ReturnType<typeof openInEditor>>;
  beforeAll(async () => {
    editor = await openInEditor(text);
  });
  afterAll(() => editor?.close());

  it.each([
    ["condition: Condition = { operand: '", ['text', 'custom', 'image', 'video', 'audio', 'file']],
    ["operand: '', category: '", ['word', 'pattern']],
    ["category: '' , operator: '", ['contains', 'equals']],
    ["filter: Filter = { type: '", ['sender', 'receiver']],
    ["type: '' , entity: '", ['user', 'group']],
    ["entity: '' , operand: '", ['uid', 'guid', 'name', 'role', 'type', 'tags', 'createdAt']],
    ["id: 'r', action: ['", ['allow', 'blockMessage', 'dropMessage', 'flagMessage', 'kick', 'ban', 'deactivate']],
    ["id: 's', action: '", ['allow', 'blockMessage', 'dropMessage', 'flagMessage', 'kick', 'ban', 'deactivate']],
    ["conditions: [{ operand: '", ['text', 'custom', 'image', 'video', 'audio', 'file']],
    ["searchTerms: [], category: '", ['word', 'pattern']],
  ])('known values are completed behind %s', async (code, values) => {
    expect((await editor.completionsAfter(code)).sort()).toEqual([...values].sort());
  });

  it.each([
    'createEngine',
    'createModerator',
    'engine.decide',
    'engine.explain',
    'audit',
    'createClient',
    'loadRuleSet',
    'Decision',
    'Match',
    'Rule',
    'Condition',
    'KeywordList',
    'Filter',
  ])('the hover text of %s has an example', async (name) => {
    expect(await editor.hoverOver(name)).toMatch(/\*@example\*[\s\S]*```ts\n/);
  });

  it('the hover text of a field says what it is', async () => {
    expect(await editor.hoverOver('condition: Condition = { operand')).toContain(
      'The part of a message that is looked at',
    );
  });
});

describe('examples of docstrings', () => {
  const source = join(root, 'src');
  const examples = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const comments = readFileSync(join(source, name), 'utf8').matchAll(
        /^ *\* @example.*\n *\* ```ts\n([\s\S]*?)^ *\* ```$/gm,
      );
      return [...comments].map(([, lines]) => ({ name, code: lines!.replace(/^ *\* ?/gm, '') }));
    });
  const engineExample = examples.find(({ code }) => code.startsWith('const engine = createEngine({'))!.code;
  const withEngine = (code: string) =>
    /\bconst engine\b|engine: Engine/.test(code) ? code : `${engineExample}{\n${code}}\n`;

  const handler = `import { createModerationHandler } from ${JSON.stringify(join(source, 'live/http/handler.js'))};\n`;
  const ofHandler = (code: string) => (code.includes('createModerationHandler') ? handler : '');

  it('compile under strict', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-examples-'));
    try {
      const entry = JSON.stringify(join(source, 'index.js'));
      const names = [...readFileSync(join(source, 'index.ts'), 'utf8').matchAll(/\b(?:type )?(\w+)(?=,| \}|$)/gm)];
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      const files = examples.map(({ code }, at) => {
        const used = [...new Set(names.map(([, name]) => name!))].filter(
          (name) => new RegExp(`\\b${name}\\b`).test(code) || name === 'createEngine',
        );
        const file = `example-${at}.ts`;
        writeFileSync(
          join(folder, file),
          `${ofHandler(code)}import { ${used.join(', ')} } from ${entry};\n${withEngine(code)}export {};\n`,
        );
        return file;
      });
      const compilerOptions = {
        noEmit: true,
        rootDir: '/',
        verbatimModuleSyntax: false,
        typeRoots: [join(root, 'node_modules/@types')],
      };
      const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const compiled = promisify(execFile)(process.execPath, [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-p',
        folder,
      ]);
      await expect(compiled.catch(({ stdout }) => Promise.reject(new Error(stdout)))).resolves.toBeDefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const shown = examples.filter(({ code }) => /^\S.*; \/\/ /m.test(code));
  it.each(shown)('$name: values are those that the comments show', async ({ code }) => {
    const checks = withEngine(code).replace(/^(\S.*); \/\/ (.*)$/gm, 'check($1, $2);');
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
    const run = new AsyncFunction('check', ...Object.keys(publicNames), transformSync(checks, { loader: 'ts' }).code);
    await run((value: unknown, expected: unknown) => expect(value).toEqual(expected), ...Object.values(publicNames));
    expect.assertions(checks.match(/^check\(/gm)!.length);
  });
});
