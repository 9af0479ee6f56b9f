import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { digest } from '../../src/foundation/digest.js';
import { RuleSetError, ShapeError, UsageError } from '../../src/foundation/errors.js';
import type { RuleSet } from '../../src/platform/contract/rule-set.js';
import { readRuleSetFile, writeRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { rejection } from '../support/http.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
});

const content = { rules: [{ id: 'r', conditions: [] }], lists: [{ id: 'l', searchTerms: ['\u2028', 'ü', '\ud800'] }] };
const ruleSet: RuleSet = {
  ...content,
  missing: [
    { listId: 'gone', reason: 'http 404', kind: 'gone' },
    { listId: 'by-hand', reason: 'lost' },
  ],
  truncated: true,
  revision: digest(content),
};

async function fileOf(text: string | Uint8Array): Promise<string> {
  const path = join(directory, 'rules.json');
  await writeFile(path, text);
  return path;
}

describe('writeRuleSetFile', () => {
  it('round-trips a rule set', async () => {
    const path = join(directory, 'rules.json');
    await writeRuleSetFile(path, ruleSet);
    expect(await readRuleSetFile(path, { verify: true })).toStrictEqual(ruleSet);
    expect(await readdir(directory)).toEqual(['rules.json']);
  });

  it('is atomic for readers and other writers', async () => {
    const path = join(directory, 'rules.json');
    await writeRuleSetFile(path, ruleSet);
    const sizes = Array.from({ length: 12 }, (_, index) => index * 2000);
    const writing = sizes.map((size) => {
      const lists = [{ id: 'l', searchTerms: Array.from({ length: size }, (_, term) => `term ${term}`) }];
      return writeRuleSetFile(path, { ...ruleSet, lists, revision: digest({ rules: ruleSet.rules, lists }) });
    });
    let done = false;
    const all = Promise.all(writing).then(() => {
      done = true;
    });
    let reads = 0;
    while (!done) {
      await readRuleSetFile(path, { verify: true });
      reads++;
    }
    await all;
    expect(reads).toBeGreaterThan(1);
    expect(await readdir(directory)).toEqual(['rules.json']);
  });

  it('keeps the old file and no temporary file on failure', async () => {
    const path = join(directory, 'missing', 'rules.json');
    const error = await rejection(writeRuleSetFile(path, ruleSet));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(`\`${path}\`: no such file or directory`);
    await mkdir(join(directory, 'taken'));
    expect(await rejection(writeRuleSetFile(join(directory, 'taken'), ruleSet))).toBeInstanceOf(UsageError);
    expect(await readdir(directory)).toEqual(['taken']);
  });

  it('rejects a value that is too deep for JSON', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const rules = [{ id: 'r', conditions: [], deep }];
    const error = await rejection(writeRuleSetFile(join(directory, 'x.json'), { ...ruleSet, rules }));
    expect(error).toBeInstanceOf(RuleSetError);
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('readRuleSetFile', () => {
  it('accepts `rules` and `lists` alone', async () => {
    const read = await readRuleSetFile(await fileOf(JSON.stringify(content)));
    expect(read).toStrictEqual({ ...content, missing: [], truncated: false, revision: digest(content) });
  });

  it('refuses a kind of missing list that there is not', async () => {
    const missing = [{ listId: 'a', reason: 'b', kind: 'lost' }];
    const error = await rejection(readRuleSetFile(await fileOf(JSON.stringify({ ...content, missing }))));
    expect(error).toMatchObject({ code: 'shape', path: 'missing[0].kind' });
  });

  it('accepts malformed rules, which the engine reports as issues', async () => {
    const broken = { rules: [null, 7, { id: 'r', later: 1 }], lists: ['x'] };
    expect(await readRuleSetFile(await fileOf(JSON.stringify(broken)))).toMatchObject(broken);
  });

  it('accepts a byte order mark', async () => {
    expect(await readRuleSetFile(await fileOf(`\ufeff${JSON.stringify(content)}`))).toMatchObject(content);
  });

  it('edited file: returns the digest of its content; rejects under `verify`', async () => {
    const edited = { ...ruleSet, lists: [{ id: 'l', searchTerms: ['other'] }] };
    const path = await fileOf(JSON.stringify(edited));
    expect((await readRuleSetFile(path)).revision).toBe(digest({ rules: edited.rules, lists: edited.lists }));
    const error = await rejection(readRuleSetFile(path, { verify: true }));
    expect(error).toBeInstanceOf(RuleSetError);
    expect(String(error)).toContain(path);
  });

  it('verify: rejects any changed byte and any truncation', async () => {
    const path = join(directory, 'rules.json');
    await writeRuleSetFile(path, { ...ruleSet, missing: [], truncated: false });
    const whole = await readFile(path);
    for (let at = 0; at < whole.length; at++) {
      const damaged = Uint8Array.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x01;
      await writeFile(path, damaged);
      const read = await readRuleSetFile(path, { verify: true }).catch((error: unknown) => error);
      if (read instanceof Error) continue;
      expect(read).toMatchObject({ rules: ruleSet.rules, lists: ruleSet.lists });
    }
    for (let length = 0; length < whole.length - 2; length += 7) {
      await writeFile(path, whole.subarray(0, length));
      expect(await rejection(readRuleSetFile(path, { verify: true }))).toBeInstanceOf(ShapeError);
    }
  });

  it('rejects a path without a file', async () => {
    const path = join(directory, 'none.json');
    const error = await rejection(readRuleSetFile(path));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(`\`${path}\`: no such file or directory`);
  });

  it.each([
    ['private, not json', 'the whole value', 'must be JSON, and is not'],
    ['', 'the whole value', 'must be JSON, and is not'],
    [Uint8Array.of(0x7b, 0xff), 'the whole value', 'must be utf-8'],
    ['[]', 'the whole value', 'must be an object'],
    ['{"rules":[]}', 'lists', 'must be an array'],
    ['{"rules":{"private":1},"lists":[]}', 'rules', 'must be an array'],
    ['{"rules":[],"lists":[],"missing":[{"listId":"a"}]}', 'missing[0].reason', 'must be a string'],
    ['{"rules":[],"lists":[],"truncated":"no"}', 'truncated', 'must be a boolean'],
  ])('rejects %j with file and path', async (text, at, words) => {
    const path = await fileOf(text);
    const error = (await rejection(readRuleSetFile(path))) as ShapeError;
    expect(error).toBeInstanceOf(ShapeError);
    expect(error).toMatchObject({ source: path, path: at });
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('private');
  });
});
