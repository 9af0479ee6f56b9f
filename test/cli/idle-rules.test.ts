/**
 * Rules that were meant to stop messages and stop none: the library and every command that meets
 * them say so.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine, type RuleSetInput } from '../../src/index.js';
import { temporaryFolder } from '../support/folder.js';
import { listenWhile, sluice } from './terminal.js';

const folder = temporaryFolder();

const rule = (condition: object, fields: object = {}) => ({
  ...{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: ['spam'], ...condition }] },
  ...fields,
});
const ofList = rule({ isKeywordsReferencePresent: true, value: ['bad'] });
const listOf = (...searchTerms: readonly string[]) => ({ id: 'bad', searchTerms });

/**
 * Rule sets that stop nothing, with the issue of the engine if there is one, and what is said of
 * them.
 */
const mistakes: Readonly<Record<string, readonly [rules: RuleSetInput, issue: string | undefined, words: string]>> = {
  'the id of a list as a word': [
    { rules: [rule({ value: ['bad'] })], lists: [listOf('spam')] },
    'unflagged-list',
    'r#1[0] → bad: value 1 is the id of a keyword list, and is taken as a word: to refer to the list, set `isKeywordsReferencePresent`',
  ],
  'words on one line': [
    { rules: [ofList], lists: [listOf('shit,fuck,cunt')] },
    'joined-terms',
    'r#1[0] → bad: term `shit,fuck,cunt` is several words with a comma or semicolon between them, and is found only as a whole; make a term of each',
  ],
  'a list without a term': [
    { rules: [ofList, { ...ofList, id: 's' }], lists: [listOf('')] },
    'empty-list',
    'bad: has no term, so it stops nothing; r: looks for nothing that can be found; s: looks for nothing that can be found',
  ],
  'an action that blocks users': [
    { rules: [rule({}, { action: ['block'] })], lists: [] },
    'unknown-action',
    'r: action `block` stops no message; `blockMessage` does',
  ],
  'no rules': [{ rules: [], lists: [] }, undefined, 'no rule runs'],
  'rules that are off': [{ rules: [rule({}, { enabled: false })], lists: [] }, undefined, 'no rule runs'],
  'rules in shadow, and rules that flag': [
    {
      ...{ rules: [rule({}), rule({}, { id: 's', action: 'flagMessage' })], lists: [] },
      semantics: { shadow: ['r'] },
    },
    undefined,
    'r: is in shadow; s: has no action that stops a message',
  ],
};

describe.each(Object.entries(mistakes))('%s', (name, [ruleSet, issue, words]) => {
  const line = `warning: no rule can stop a message: ${words}; more by sluice lint\n`;
  const stated = async () => {
    const file = join(folder, `${name}.json`);
    await writeFile(file, JSON.stringify(ruleSet));
    return file;
  };

  it('is an issue of the engine where a part of the rules is wrong', () => {
    const { issues } = createEngine(ruleSet);
    const [first] = issues.filter(({ code }) => code !== 'empty-term');
    expect([first?.code, first?.severity]).toEqual(issue === undefined ? [undefined, undefined] : [issue, 'warning']);
    expect(issues.filter(({ code }) => code === issue)).toHaveLength(issue === undefined ? 0 : 1);
  });

  it('is said by check, judge and audit, but not if they are quiet', async () => {
    const rules = ['--rules', await stated()];
    const stdin = ['{"data":{"text":"shit happens"}}\n'];
    for (const args of [['check', 'shit happens'], ['judge'], ['audit', '--messages', '-']]) {
      const { code, stderr } = await sluice([...args, ...rules], { stdin });
      expect([code, stderr]).toEqual([0, expect.stringContaining(line)]);
      expect((await sluice([...args, ...rules, '--quiet'], { stdin })).stderr).toBe('');
    }
  });

  it('is said by moderate, and is an error of lint', async () => {
    const file = await stated();
    const { stderr } = await listenWhile(['moderate', '--json', '--rules', file], async () => {});
    expect(stderr).toContain(line);
    const { code, stdout } = await sluice(['lint', file, '--json']);
    const { findings } = JSON.parse(stdout) as { findings: readonly Record<string, unknown>[] };
    expect([code, findings.filter(({ id }) => id === 'stops-nothing')]).toMatchObject([1, [{ severity: 'error' }]]);
  });
});

describe('rules of which some stop nothing', () => {
  const rules = [ofList, rule({}, { id: 's' }), rule({ value: ['eggs'] }, { id: 'flag', action: 'flagMessage' })];

  it('are named, the first three, without those that are meant to let messages through', async () => {
    const file = join(folder, 'some.json');
    const more = ['t', 'u', 'v'].map((id) => rule({}, { id, action: 'drop' }));
    await writeFile(file, JSON.stringify({ rules: [...rules, ...more], lists: [listOf()] }));
    const { stderr } = await sluice(['check', 'hello', '--rules', file]);
    expect(stderr).toBe(
      'warning: 5 parts of the rules do not stop what they are meant to stop: bad: has no term, so it stops nothing; ' +
        't: action `drop` stops no message; `dropMessage` does; u: action `drop` stops no message; `dropMessage` does; ' +
        '+2 more; more by sluice lint\n',
    );
  });

  it('are marked in the table of an audit', async () => {
    const file = join(folder, 'flag.json');
    await writeFile(file, JSON.stringify({ rules: rules.slice(1), lists: [] }));
    const { stdout, stderr } = await sluice(['audit', '--rules', file, '--messages', '-'], {
      stdin: ['{"data":{"text":"spam eggs"}}\n'],
    });
    expect(stdout).toMatch(/^s {2,}block/m);
    expect(stdout).toMatch(/^flag \(stops nothing\) +flagMessage/m);
    expect(stderr).not.toContain('warning');
  });
});
