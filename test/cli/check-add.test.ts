import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFiles, custom } from './check-world.js';
import { sluice } from './terminal.js';

let files: Awaited<ReturnType<typeof checkFiles>>;
let cases: string;
beforeEach(async () => {
  files = await checkFiles();
  cases = files.file('cases.ndjson');
});
afterEach(() => files.remove());

const run = (command: string, ...args: readonly string[]) =>
  sluice([command, '--rules', files.file('rule-set.json'), ...args]);
const add = (...args: readonly string[]) => run('check', '--add', cases, ...args);
const rows = async () =>
  (await readFile(cases, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('sluice check --add', () => {
  it('appends a case with verdict and determining rules, which passes then', async () => {
    const first = await add('ask my lawyer, damn');
    expect([first.code, first.stderr]).toEqual([1, `added case "1: blockMessage, profanity-filter" to ${cases}\n`]);
    expect(first.stdout).toMatch(/^stopped: blockMessage, also flagMessage\n/);
    expect((await add('good "morning"\n')).code).toBe(0);
    await add('--message', files.file('custom.json'));
    await add('--message', files.file('picture.json'), '--scores', files.file('scores.json'));
    expect(await rows()).toEqual([
      {
        name: '1: blockMessage, profanity-filter',
        message: 'ask my lawyer, damn',
        verdict: 'blockMessage',
        rules: ['profanity-filter'],
      },
      { name: '2: allow', message: 'good "morning"\n', verdict: 'allow' },
      {
        name: '3: blockMessage, profanity-filter',
        message: custom,
        verdict: 'blockMessage',
        rules: ['profanity-filter'],
      },
      {
        name: '4: blockMessage, gore',
        message: JSON.parse(await readFile(files.file('picture.json'), 'utf8')),
        media: [
          { operand: 'image', labels: { gore: 91.5, Blood: 60 }, url: 'https://media.test/a.jpg' },
          { operand: 'image', labels: { gore: 3 }, url: 'https://media.test/b.jpg' },
        ],
        verdict: 'blockMessage',
        rules: ['gore'],
      },
    ]);
    expect(await run('test', cases)).toEqual({ code: 0, stdout: '4 passed\n', stderr: '' });
  });

  it('makes a new file readable by its owner alone, and leaves the mode of another', async () => {
    await add('damn');
    expect((await stat(cases)).mode & 0o777).toBe(0o600);
    await chmod(cases, 0o644);
    await add('heck');
    expect((await stat(cases)).mode & 0o777).toBe(0o644);
  });

  it('ends a last line that has no newline', async () => {
    await writeFile(cases, '{"name":"old","message":"hi","verdict":"allow"}');
    await add('damn');
    expect((await rows()).map(({ name }) => name)).toEqual(['old', '2: blockMessage, profanity-filter']);
    expect((await readFile(cases, 'utf8')).endsWith('}\n')).toBe(true);
  });

  it('adds no case twice', async () => {
    await add('damn');
    const before = await readFile(cases, 'utf8');
    const again = await add('damn');
    expect(again.stderr).toBe(
      `case "1: blockMessage, profanity-filter" at ${cases}:1 has this message and verdict already\n`,
    );
    await writeFile(files.file('draft.json'), '{"data":{"text":"damn"}}');
    expect((await add('--message', files.file('draft.json'))).code).toBe(1);
    expect(await readFile(cases, 'utf8')).toBe(before);
    // Other scores make another case.
    await add('--message', files.file('picture.json'));
    await add('--message', files.file('picture.json'), '--scores', files.file('scores.json'));
    expect(await rows()).toHaveLength(3);
  });

  it('refuses a message that the file expects another verdict of', async () => {
    const expected = '{"name":"old","message":"damn","verdict":"allow"}\n';
    await writeFile(cases, expected);
    const outcome = await add('damn');
    expect([outcome.code, outcome.stderr]).toEqual([
      3,
      `sluice: ${cases}:1: \`verdict\` is \`allow\` for the same message, which now gets \`blockMessage\`; nothing was added: change that case, or take it out\n`,
    ]);
    expect(await readFile(cases, 'utf8')).toBe(expected);
  });

  it.each<[string, string[], string | undefined, number, string]>([
    [
      'messages',
      ['damn'],
      '{"id":"1","data":{"text":"hi"}}\n',
      3,
      '@:1: `message` must be there in a golden case; nothing was added, since the file seems to hold something else',
    ],
    [
      'an array',
      ['damn'],
      '[]',
      3,
      '@: the whole file must be ndjson, one case a line, and is an array, to which no line can be added',
    ],
    [
      'no JSON',
      ['damn'],
      'damn\n',
      3,
      '@:1: the whole line must be json; at column 1, a value was expected; each line of the file has a value of its own (NDJSON)',
    ],
  ])('refuses a file that is %s', async (_, args, content, code, error) => {
    await writeFile(cases, content ?? '');
    const outcome = await add('--quiet', ...args);
    expect(outcome).toEqual({ code, stdout: '', stderr: `sluice: ${error.replace('@', cases)}\n` });
    expect(await readFile(cases, 'utf8')).toBe(content);
  });

  it('names what cannot be: a directory, standard input, a name without a file', async () => {
    const inFolder = await run('check', '--quiet', '--add', files.directory, 'damn');
    expect(inFolder).toEqual({
      code: 2,
      stdout: '',
      stderr: `sluice: cannot read \`${files.directory}\`: it is a directory\n`,
    });
    const stdin = await run('check', '--quiet', '--add', '-', 'damn');
    expect(stdin).toEqual({ code: 2, stdout: '', stderr: 'sluice: `--add` needs the name of a file\n' });
    const nowhere = await run('check', '--quiet', '--add', files.file('none/cases.ndjson'), 'damn');
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      `sluice: cannot write \`${files.file('none/cases.ndjson')}\`: no such file or directory\n`,
    ]);
  });
});
