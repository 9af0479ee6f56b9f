import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sluice } from './terminal.js';

let directory: string;
const file = (name: string) => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-usage-'));
  await writeFile(file('rules.json'), '{"rules":[],"lists":[]}');
  await writeFile(file('empty.key'), ' \n');
  await writeFile(file('text.json'), 'not json');
  await writeFile(file('array.json'), '[]');
  await writeFile(file('engine.json'), '{"engine":"hyperscan"}');
  await writeFile(file('latin1.json'), Buffer.from('{"data":{"text":"\u00e9"}}', 'latin1'));
  await writeFile(file('scores.json'), '{"https://m/a.jpg":{"gore":"much"}}');
  await writeFile(file('semantics.json'), '{"word":"substring"}');
  await writeFile(file('messages.ndjson'), '{"id":"1","sentAt":"noon"}\n');
});
afterAll(() => rm(directory, { recursive: true }));

const key = { SLUICE_API_KEY: 'canary-key-0123456789' };
const offline = { ...key, SLUICE_BASE_URL: 'http://127.0.0.1:9/v3' };

describe('sluice', () => {
  it('says what it can do', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await sluice(args);
      expect([code, stderr]).toEqual([0, '']);
      await expect(stdout).toMatchFileSnapshot('../golden/cli/help.txt');
    }
    const bare = await sluice([]);
    expect([bare.code, bare.stdout]).toEqual([2, '']);
    expect(bare.stderr).toContain('usage: sluice COMMAND');
  });

  it.each(['check', 'audit', 'pull', 'serve', 'bench'])('helps with %s, three ways', async (command) => {
    for (const args of [
      [command, '--help'],
      [command, '-h'],
      ['help', command],
    ]) {
      const { code, stdout, stderr } = await sluice(args);
      expect([code, stderr]).toEqual([0, '']);
      await expect(stdout).toMatchFileSnapshot(`../golden/cli/help-${command}.txt`);
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    }
  });

  it('has a version', async () => {
    expect((await sluice(['--version'])).stdout).toMatch(/^sluice \d+\.\d+\.\d+/);
  });
});

/** `@` stands for a directory of files. */
const mistakes: readonly { readonly args: string; readonly words: string; readonly code?: number }[] = [
  { args: 'audti', words: 'unknown command `audti`; did you mean `audit`?' },
  { args: 'download', words: 'unknown command `download`; see `sluice --help`' },
  { args: '--demo', words: 'unknown option `--demo`; see `sluice --help`' },
  { args: 'audit --mesages x', words: 'unknown option `--mesages`; did you mean `--messages`?' },
  { args: 'audit --demo --api-file x', words: 'unknown option `--api-file`; see `sluice audit --help`' },
  { args: 'audit --toString', words: 'unknown option `--toString`; see `sluice audit --help`' },
  { args: 'audit -x', words: 'unknown option `-x`; see `sluice audit --help`' },
  { args: 'audit --demo now', words: '`audit` takes no argument besides its options; see `sluice audit --help`' },
  { args: 'audit --demo=yes', words: '`--demo` takes no value' },
  { args: 'audit --out', words: '`--out` needs a value: `--out DIR`' },
  { args: 'audit --rules --demo', words: '`--rules` needs a value: `--rules FILE`' },
  {
    args: 'audit',
    words:
      'no rules and no messages; give `--base-url URL` with SLUICE_API_KEY set, or `--rules FILE --messages FILE`, or `--demo`',
  },
  {
    args: 'audit --rules r',
    words: 'no messages; add `--messages FILE`, or `--base-url URL` with SLUICE_API_KEY set to fetch them',
  },
  {
    args: 'audit --messages m',
    words: 'no rules; add `--rules FILE`, or `--base-url URL` with SLUICE_API_KEY set to fetch them',
  },
  {
    args: 'audit --demo --base-url http://x/v3',
    words: '`--demo` and `--base-url` are two different platforms; give one of them',
  },
  {
    args: 'audit --demo --since tomorrow',
    words: '`--since tomorrow` is no time; write unix seconds, a day like `2026-03-01`, or `2026-03-01T08:00Z`',
  },
  {
    args: 'audit --demo --until 2026-02-31T25:00Z',
    words:
      '`--until 2026-02-31T25:00Z` is no time; write unix seconds, a day like `2026-03-01`, or `2026-03-01T08:00Z`',
  },
  {
    args: 'audit --demo --since 2026-02-30',
    words: '`--since 2026-02-30` is no time; write unix seconds, a day like `2026-03-01`, or `2026-03-01T08:00Z`',
  },
  { args: 'audit --demo --since 9 --until 8', words: '`--since` is later than `--until`; no message can be both' },
  { args: 'audit --demo --page-size 0', words: '`--page-size` should be a whole number from 1 to 1000' },
  { args: 'audit --demo --page-size 1e3', words: '`--page-size` should be a whole number from 1 to 1000' },
  {
    args: 'audit --demo --messages m --on-behalf-of bob',
    words: '`--on-behalf-of` is for messages from the platform; leave it out with `--messages`',
  },
  {
    args: 'audit --rules nowhere --messages m',
    words: 'cannot read a rule set from `nowhere`: no such file or directory',
  },
  { args: 'audit --rules @/rules.json --messages nowhere', words: 'cannot read `nowhere`: no such file or directory' },
  { args: 'audit --rules @/rules.json --messages @', words: 'cannot read `@`: it is a directory' },
  {
    args: 'audit --rules @/rules.json --messages - --scores nowhere',
    words: 'cannot read `nowhere`: no such file or directory',
  },
  {
    args: 'audit --rules @/rules.json --messages - --scores @/scores.json',
    words: '@/scores.json: `["https://m/a.jpg"].gore` should be a number',
    code: 3,
  },
  {
    args: 'audit --rules @/rules.json --messages - --semantics @/text.json',
    words: '@/text.json: `the whole value` should be json',
    code: 3,
  },
  {
    args: 'audit --rules @/rules.json --messages - --semantics @/array.json',
    words: '@/array.json: `the whole value` should be a record',
    code: 3,
  },
  {
    args: 'audit --rules @/array.json --messages -',
    words: '@/array.json: `the whole value` should be an object',
    code: 3,
  },
  {
    args: 'audit --rules @/rules.json --messages @/messages.ndjson --quiet',
    words: '@/messages.ndjson:1: `sentAt` should be a number',
    code: 3,
  },
  { args: 'audit --demo --engine hyperscan', words: '`--engine` must be one of re2js, re2-wasm' },
  {
    args: 'audit --rules @/rules.json --messages - --semantics @/engine.json',
    words: 'reading `engine` must be one of re2js, re2-wasm',
  },
  {
    args: 'check hello',
    words: 'no rules; give `--rules FILE`, or `--base-url URL` with SLUICE_API_KEY set to fetch them, or `--demo`',
  },
  {
    args: 'check --demo',
    words: 'nothing to judge; give a text in quotes, or `-` for standard input, or `--message FILE`',
  },
  { args: 'check --demo you idiot', words: '`check` takes one text; put quotes around it' },
  { args: 'check --demo --idiot', words: 'unknown option; a text that begins with `-` goes after `--`' },
  { args: 'check --demo -idiot', words: 'unknown option; a text that begins with `-` goes after `--`' },
  { args: 'check --demo --sores x', words: 'unknown option `--sores`; did you mean `--scores`?' },
  {
    args: 'check --demo --message m you',
    words: 'a text and `--message` are two different things to judge; give one of them',
  },
  {
    args: 'check --demo --rules r you',
    words: '`--rules` and `--demo` are two different sources of rules; give one of them',
  },
  {
    args: 'check --base-url http://x/v3 --rules r you',
    words: '`--rules` and `--base-url` are two different sources of rules; give one of them',
  },
  { args: 'check --rules @/rules.json --message nowhere', words: 'cannot read `nowhere`: no such file or directory' },
  {
    args: 'check --rules @/rules.json --message @/text.json',
    words: '@/text.json: `the whole value` should be one message as json; `sluice audit` takes many',
    code: 3,
  },
  {
    args: 'check --rules @/rules.json --message @/array.json',
    words: '@/array.json: `the whole value` should be an object',
    code: 3,
  },
  {
    args: 'check --rules @/rules.json --message @/latin1.json',
    words: '@/latin1.json: `the whole text` should be utf-8',
    code: 3,
  },
  { args: 'check --rules @/array.json hello', words: '@/array.json: `the whole value` should be an object', code: 3 },
  { args: 'pull', words: 'no platform to pull from; give `--base-url URL` with SLUICE_API_KEY set, or `--demo`' },
  { args: 'pull --demo', words: 'nowhere to put the rules; give `--out FILE`, or `--out -` to print them' },
  { args: 'serve --port 99999', words: '`--port` should be a whole number from 0 to 65535' },
  { args: 'serve --port http', words: '`--port` should be a whole number from 0 to 65535' },
];

describe('a mistake', () => {
  it.each(mistakes)('$args', async ({ args, words, code = 2 }) => {
    const inPlace = (text: string) => text.replaceAll('@', directory);
    const outcome = await sluice(args.split(' ').map(inPlace));
    expect(outcome).toEqual({ code, stdout: '', stderr: `sluice: ${inPlace(words)}\n` });
  });

  it('says the unknown reading of a semantics file', async () => {
    const args = ['audit', '--rules', file('rules.json'), '--messages', '-', '--semantics', file('semantics.json')];
    const { code, stderr } = await sluice(args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^sluice: unknown reading `word`; there are .+\n$/)]);
  });

  it('never echoes a key, whatever way it comes', async () => {
    const secret = 'canary-key-0123456789';
    for (const args of [['--api-key', secret], [`--api-key=${secret}`], ['--apikey', secret], [`--key=${secret}`]]) {
      const { code, stdout, stderr } = await sluice(['audit', '--demo', ...args]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(
        /does not exist, since other processes can read arguments; set SLUICE_API_KEY or use `--api-key-file FILE`\n$/,
      );
      expect(stderr).not.toContain(secret);
    }
    const { stderr } = await sluice(['audit', '--demo', secret]);
    expect(stderr).not.toContain(secret);
  });

  it('in what the environment says is named too', async () => {
    const withoutKey = await sluice(['audit', '--base-url', 'http://127.0.0.1:9/v3']);
    expect(withoutKey.stderr).toBe('sluice: no api key; set SLUICE_API_KEY or use `--api-key-file FILE`\n');
    const emptyFile = await sluice(['pull', '--out', '-', '--api-key-file', file('empty.key')], { env: offline });
    expect(emptyFile.stderr).toBe(`sluice: \`${file('empty.key')}\` holds no api key\n`);
    const badUrl = await sluice(['pull', '--out', '-'], { env: { ...key, SLUICE_BASE_URL: 'somewhere' } });
    expect(badUrl.stderr).toMatch(/^sluice: `--base-url` should be .+\n$/);
    expect([withoutKey.code, emptyFile.code, badUrl.code]).toEqual([2, 2, 2]);
  });

  it('of the platform is another code', async () => {
    const { code, stdout, stderr } = await sluice(['audit', '--quiet'], { env: offline });
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(/^sluice: GET \/moderation\/rules .+\n$/);
  });

  it('in ours shows its stack and says whose it is', async () => {
    const broken = {
      get SLUICE_BASE_URL(): string {
        throw new TypeError('not foreseen');
      },
    };
    const { code, stderr } = await sluice(['audit'], { env: broken });
    expect(code).toBe(70);
    expect(stderr).toMatch(/^sluice: this is a bug in sluice, please report it\nTypeError: not foreseen\n {4}at /);
  });

  it('cannot act on the terminal', async () => {
    const { stderr } = await sluice(['audit', '--\u{1b}[2J\u{202e}']);
    expect(stderr).toBe('sluice: unknown option `--\\x1b[2J\\u{202e}`; see `sluice audit --help`\n');
  });
});
