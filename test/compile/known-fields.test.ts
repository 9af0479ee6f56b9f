import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { IssueLog } from '../../src/engine/compile/issue.js';
import { checkFields, type FieldOwner, knownFields } from '../../src/engine/compile/known-fields.js';
import { keywordListSchema } from '../../src/platform/contract/keyword-list.js';
import { conditionSchema, filterSchema, ruleSchema } from '../../src/platform/contract/rule.js';

const schemas = { rule: ruleSchema, condition: conditionSchema, filter: filterSchema, list: keywordListSchema };
const owners = Object.keys(schemas) as FieldOwner[];

function issuesOf(owner: FieldOwner, fields: object) {
  const log = new IssueLog();
  checkFields(owner, fields as Readonly<Record<string, unknown>>, {}, log);
  return log.issues;
}
const unknown = (owner: FieldOwner, ...names: string[]) =>
  issuesOf(owner, Object.fromEntries(names.map((name) => [name, true]))).filter(({ code }) => code === 'unknown-field');

/** The name that a detail advises; of the spellings of one flag, one. */
const meant = ({ detail }: { readonly detail: string }) =>
  /`(\w+)`\?$/.exec(detail)?.[1]?.replace('KeywordsReference', 'KeywordReference');

/** Fields that the platform has on these objects beyond those of the document, or elsewhere. */
const ofPlatform: Readonly<Record<FieldOwner, readonly string[]>> = {
  rule: ['_id', '__v', 'appId', 'createdBy', 'updatedBy', 'deletedAt', 'deletedBy', 'reviewed', 'blockedAt', 'weight'],
  condition: ['weight', 'similarityValue', 'disallowedSentences', 'basicAuthEnabled', 'prompts', '_id', 'url', 'auth'],
  filter: ['_id', '__v', 'weight', 'appId', 'id', 'uid'],
  list: ['_id', '__v', 'appId', 'description', 'createdBy', 'updatedBy', 'url', 'language'],
};
/** What applications write beside rules for their own use. */
const ofApplications = 'note notes date mode owner team tags severity priority reason comment'.split(' ');

describe('fields', () => {
  it.each(owners)('of a %s are those of the schema, and so are the flags', (owner) => {
    expect([...knownFields[owner].fields].sort()).toEqual(Object.keys(schemas[owner].shape).sort());
    const flags = knownFields[owner].flags;
    expect(flags.every((flag) => knownFields[owner].fields.includes(flag))).toBe(true);
  });

  it.each(owners)('of a %s that platforms and applications have are not noticed', (owner) => {
    expect(unknown(owner, ...ofPlatform[owner], ...ofApplications)).toEqual([]);
    expect(unknown(owner, ...knownFields[owner].fields)).toEqual([]);
  });

  it.each(owners)(
    'of a %s with a letter missing, doubled or swapped are noticed, by the name that was meant',
    (owner) => {
      for (const field of knownFields[owner].fields.filter((name) => name.length > 4 && !/edAt$/.test(name))) {
        for (let at = 1; at < field.length - 1; at++) {
          const slips = [
            field.slice(0, at) + field.slice(at + 1),
            field.slice(0, at) + field[at]! + field.slice(at),
            field.slice(0, at) + field[at + 1]! + field[at]! + field.slice(at + 2),
          ];
          for (const slip of slips.filter((name) => !knownFields[owner].fields.includes(name)))
            expect(unknown(owner, slip).map(meant)).toEqual([meant({ detail: `\`${field}\`?` })]);
        }
      }
    },
  );

  it('of rules and lists that are called like a reading are noticed, whichever they are near', () => {
    for (const name of 'caseSensitive words reading wholeWord folding wildcards exceptions shadow'.split(' '))
      for (const owner of ['rule', 'condition', 'list'] as const) expect(unknown(owner, name)).toHaveLength(1);
  });

  it('of a list that are called like a reading of lists are advised for this list', () => {
    const advice = (name: string) => issuesOf('list', { id: 'l', [name]: 1 });
    expect(advice('wholeWord')[0]?.detail).toContain('`words: { lists: { "l": \'word\' } }`');
    expect(advice('caseSensitive')[0]?.detail).toContain('`words: { lists: { "l": { folding: \'exact\' } } }`');
  });

  it.each([
    ['rule', 'enabled', 'malformed-rule'],
    ['rule', 'active', 'malformed-rule'],
    ['condition', 'isKeywordsReferencePresent', 'malformed-condition'],
    ['condition', 'isKeywordReferencePresent', 'malformed-condition'],
    ['condition', 'isListReferencePresent', 'malformed-condition'],
    ['list', 'isCSV', 'malformed-list'],
  ] as const)('a flag is a boolean: %s, %s', (owner, flag, code) => {
    for (const value of ['false', 'true', '', 0, 1, [], {}]) {
      expect(issuesOf(owner, { [flag]: value })).toMatchObject([{ code, severity: 'error' }]);
    }
    for (const value of [true, false, null, undefined]) expect(issuesOf(owner, { [flag]: value })).toEqual([]);
  });

  it('of an object with very many are looked at up to a number, and long names are cut', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`filter${at}`, 1]));
    expect(issuesOf('rule', many).length).toBeLessThanOrEqual(50);
    for (const { detail } of issuesOf('list', { [`searchTerms${'s'.repeat(100_000)}`]: 1, searchTermz: 1 }))
      expect(detail.length).toBeLessThan(200);
  });

  it('of the fixtures are known', () => {
    const folder = new URL('../../fixtures/data/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const objects = (kind: string) =>
      files
        .filter((name) => name.endsWith(`${kind}.json`) && !name.startsWith('broken'))
        .flatMap(
          (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Record<string, object[] | undefined>[],
        );
    const [rules, lists] = [objects('rules'), objects('lists')];
    expect([rules.length > 10, lists.length > 3]).toEqual([true, true]);
    for (const rule of rules) {
      expect(issuesOf('rule', rule)).toEqual([]);
      for (const condition of rule.conditions ?? []) expect(issuesOf('condition', condition)).toEqual([]);
      for (const filter of rule.filters ?? []) expect(issuesOf('filter', filter)).toEqual([]);
    }
    for (const list of lists) expect(issuesOf('list', list)).toEqual([]);
  });
});
