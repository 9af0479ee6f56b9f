import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { failureOf } from '../../src/cli/exit-code.js';
import { commands } from '../../src/cli/main.js';
import { HttpError } from '../../src/foundation/errors.js';
import { startService } from '../../src/platform/service/index.js';
import { serve } from '../support/http.js';
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
  await writeFile(file('beside.ndjson'), '{"id":"1","text":"you moron"}\n');
  await writeFile(file('messages.ndjson'), '{"id":"1","sentAt":"noon","data":{"text":"x"}}\n');
  await writeFile(file('rows.ndjson'), '{"id":"1","posted":"noon"}\n');
  await writeFile(file('both.ndjson'), '{"id":"1","text":"you moron","data":{}}\n');
});
afterAll(() => rm(directory, { recursive: true }));

const key = { SLUICE_API_KEY: 'canary-key-0123456789' };
const offline = { ...key, SLUICE_BASE_URL: 'http://127.0.0.1:9/v3' };

describe('help', () => {
  it('lists the commands, on stderr without arguments', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await sluice(args);
      expect([code, stderr]).toEqual([0, '']);
      await expect(stdout).toMatchFileSnapshot('../golden/cli/help.txt');
    }
    const bare = await sluice([]);
    expect([bare.code, bare.stdout]).toEqual([2, '']);
    expect(bare.stderr).toContain('usage: sluice COMMAND');
  });

  it.each(commands.map(({ name }) => name))('is the same for %s by --help, -h and `help`', async (command) => {
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

  it('names only options that the same command has', () => {
    const unknown = commands.flatMap(({ name, options }) =>
      Object.values(options).flatMap(({ needs = [] }) => {
        const missing = needs.filter((needed) => !Object.hasOwn(options, needed));
        return missing.map((needed) => `${name}: ${needed}`);
      }),
    );
    expect(unknown).toEqual([]);
  });

  it('prints the version with --version', async () => {
    expect((await sluice(['--version'])).stdout).toMatch(/^sluice \d+\.\d+\.\d+/);
  });
});

/** Command lines with their errors; the exit code is 2 where none is given. `@` stands for a directory of files. */
const mistakes: [args: string, error: string, code?: number][] = [
  ['audti', 'unknown command `audti`; did you mean `audit`?'],
  ['download', 'unknown command `download`; see `sluice --help`'],
  ['--demo', 'unknown option `--demo`; see `sluice --help`'],
  ['audit --mesages x', 'unknown option `--mesages`; did you mean `--messages`?'],
  ['audit --demo --api-file x', 'unknown option `--api-file`; see `sluice audit --help`'],
  ['audit --toString', 'unknown option `--toString`; see `sluice audit --help`'],
  ['audit -x', 'unknown option `-x`; see `sluice audit --help`'],
  ['audit --demo --by hour', '`--by` must be one of day, sender, conversation, rule, term'],
  ['audit --demo now', '`audit` takes no argument besides its options; see `sluice audit --help`'],
  ['audit --demo=yes', '`--demo` takes no value'],
  ['check --rules a --rules b you', '`--rules` is given more than once; give it once'],
  ['audit --demo --json --json', '`--json` is given more than once; give it once'],
  [
    'audit --rules r --messages m --demo',
    '`--demo` would not be read, since `--rules` and `--messages` give everything; leave out one of them',
  ],
  [
    'diff --rules a --against b --messages m --base-url http://x/v3',
    '`--base-url` would not be read, since the files given have everything; leave out one of them',
  ],
  ['audit --demo --all', '`--all` goes with `--out DIR`'],
  [
    'lint --frobnicate r',
    'unknown option `--frobnicate`; a file or folder of rules that begins with `-` goes after `--`; see `sluice lint --help`',
  ],
  ['audit --out', '`--out` needs a value: `--out DIR`'],
  ['audit --rules --demo', '`--rules` needs a value: `--rules FILE|DIR`'],
  [
    'audit',
    'no rules and no messages; give `--base-url URL` with SLUICE_API_KEY set, or `--rules FILE --messages FILE`, or `--demo`',
  ],
  ['audit --rules r', 'no messages; add `--messages FILE`, or `--base-url URL` with SLUICE_API_KEY set to fetch them'],
  ['audit --messages m', 'no rules; add `--rules FILE`, or `--base-url URL` with SLUICE_API_KEY set to fetch them'],
  ['audit --demo --base-url http://x/v3', '`--base-url` and `--demo` exclude each other; leave out one of them'],
  [
    'check --rules r --demo --verbose you',
    '`--demo` would not be read, since `--rules` gives everything; leave out one of them',
  ],
  [
    'audit --demo --since tomorrow',
    '`--since tomorrow` is not a time; write unix seconds, a day like `2026-03-01`, or `2026-03-01T08:00Z`',
  ],
  [
    'audit --demo --until 2026-02-31T25:00Z',
    '`--until 2026-02-31T25:00Z` is not a time; write unix seconds, a day like `2026-03-01`, or `2026-03-01T08:00Z`',
  ],
  [
    'audit --demo --since 2026-02-30',
    '`--since 2026-02-30` is not a time; write unix seconds, a day like `2026-03-01`, or `2026-03-01T08:00Z`',
  ],
  ['audit --demo --since 9 --until 8', '`--since` is later than `--until`; no message can be both'],
  [
    'audit --demo --messages m --on-behalf-of bob',
    '`--on-behalf-of` is for messages from the platform; leave it out with `--messages`',
  ],
  ['audit --rules nowhere --messages m', 'cannot read a rule set from `nowhere`: no such file or directory'],
  ['audit --rules @/rules.json --messages nowhere', 'cannot read `nowhere`: no such file or directory'],
  ['audit --rules @/rules.json --messages @', 'cannot read `@`: it is a directory'],
  ['audit --rules @/rules.json --messages - --scores nowhere', 'cannot read `nowhere`: no such file or directory'],
  ['audit --rules @/rules.json --messages - --scores-scale 1', '`--scores-scale` goes with `--scores FILE`'],
  ['check --rules @/rules.json x --scores @/scores.json --scores-scale 10', '`--scores-scale` must be one of 1, 100'],
  [
    'audit --rules @/rules.json --messages - --scores @/scores.json',
    '@/scores.json: `["https://m/a.jpg"].gore` must be a number',
    3,
  ],
  [
    'audit --rules @/rules.json --messages - --semantics @/text.json',
    '@/text.json: the whole value must be json; at line 1, column 1, a value was expected',
    3,
  ],
  [
    'audit --rules @/rules.json --messages - --semantics @/array.json',
    '@/array.json: the whole value must be an object',
    3,
  ],
  ['audit --rules @/array.json --messages -', '@/array.json: the whole value must be an object', 3],
  [
    'audit --rules @/rules.json --messages @/messages.ndjson --quiet',
    '@/messages.ndjson:1: `sentAt` must be a number',
    3,
  ],
  [
    'audit --rules @/rules.json --messages - --semantics @/engine.json',
    'reading `engine` must be one of re2js, re2-wasm',
  ],
  [
    'check hello',
    'no rules; give `--rules FILE`, or `--base-url URL` with SLUICE_API_KEY set to fetch them, or `--demo`',
  ],
  ['check --demo', 'nothing to judge; give a text in quotes, or `-` for standard input, or `--message FILE`'],
  ['check --demo you idiot', '`check` takes one text; put quotes around it'],
  [
    'check --demo --idiot',
    'unknown option `--idiot`; a text that begins with `-` goes after `--`; see `sluice check --help`',
  ],
  [
    'check --demo -idiot',
    'unknown option `-i`; a text that begins with `-` goes after `--`; see `sluice check --help`',
  ],
  ['check --demo --sores x', 'unknown option `--sores`; did you mean `--scores`?'],
  ['check --demo --message m you', 'a text and `--message` are two different things to judge; give one of them'],
  ['check --demo --rules r you', '`--demo` would not be read, since `--rules` gives everything; leave out one of them'],
  [
    'check --base-url http://x/v3 --rules r you',
    '`--base-url` would not be read, since `--rules` gives everything; leave out one of them',
  ],
  ['check --rules @/rules.json --message nowhere', 'cannot read `nowhere`: no such file or directory'],
  [
    'check --rules @/rules.json --message @/text.json',
    '@/text.json: the whole value must be one message as json (`sluice audit` takes many); at line 1, column 1, a value was expected',
    3,
  ],
  ['check --rules @/rules.json --message @/array.json', '@/array.json: the whole value must be an object', 3],
  [
    'check --rules @/rules.json --message @/latin1.json',
    '@/latin1.json: the whole text must be utf-8; `iconv -f WINDOWS-1252 -t UTF-8` converts it if it is Latin-1',
    3,
  ],
  [
    'check --rules @/rules.json --message {"text":"you-moron"}',
    '`--message` takes the name of a file; give the message itself on standard input, with `--message -`',
  ],
  [
    'check --rules @/rules.json --message @/beside.ndjson',
    '@/beside.ndjson: a message must have its text at `data.text`, and has one at `text`: write { "data": { "text": … } }',
  ],
  [
    'audit --rules @/rules.json --messages @/rows.ndjson --quiet',
    '@/rows.ndjson:1: the row has no `data.text`, and has no column for the text among `id`, `posted`; columns can be mapped: `text=COLUMN,sentAt=COLUMN`, and `sentAt=` leaves one out',
    3,
  ],
  ['audit --demo --map text=body', '`--map` goes with `--messages FILE`'],
  [
    'audit --rules @/rules.json --messages m --map body=text',
    '`--map` must be like `text=body,sentAt=posted`, each once of text, id, sender, sentAt, conversationId',
  ],
  ['audit --rules @/rules.json --messages m --map text=', '`--map text=` names no column; a message needs its text'],
  [
    'audit --rules @/rules.json --messages @/both.ndjson --quiet --map sender=who',
    '@/both.ndjson: columns are named, and it has messages with `data`',
  ],
  [
    'audit --rules @/rules.json --messages @/both.ndjson --quiet',
    '@/both.ndjson:1: a message must have its text at `data.text`, and has one at `text`: write { "data": { "text": … } }',
  ],
  ['check --rules @/array.json hello', '@/array.json: the whole value must be an object', 3],
  ['pull', 'no platform to pull from; give `--base-url URL` with SLUICE_API_KEY set, or `--demo`'],
  ['pull --demo', 'nowhere to put the rules; give `--out FILE`, or `--out -` to print them'],
  ['pull --demo --out - --since 2026-03-01', '`--since` chooses messages; add `--messages FILE`, or leave it out'],
  [
    'pull --demo --out - --messages -',
    'rules, messages and labels cannot go to standard output together; name a file for all but one of them',
  ],
  ['pull --demo --messages @', 'cannot write `@`: it is a directory'],
  ['diff', 'no rules; give `--rules NEW --against OLD`, or `--rules NEW --live` with `--base-url URL`, or `--demo`'],
  [
    'diff --rules r --messages m',
    'nothing to compare with; add `--against FILE`, or `--live` for the rules of the platform, or `--against-semantics FILE`',
  ],
  ['diff --against r', 'no new rules; add `--rules FILE`, or `--live` for the rules of the platform'],
  [
    'diff --rules a --against b --live',
    '`--rules` and `--against` give both rule sets; leave out one of them, or `--live`',
  ],
  ['diff --rules a --live', '`--live` needs a platform; add `--base-url URL` with SLUICE_API_KEY set, or `--demo`'],
  [
    'diff --rules a --against b --max-released 3',
    '`--max-released` needs messages; add `--messages FILE` or a platform',
  ],
  [
    'diff --demo --max-newly-stopped some',
    '`--max-newly-stopped` must be a whole number of messages, or a share such as `0.5%`',
  ],
  [
    'diff --demo --max-newly-stopped 0.5',
    '`--max-newly-stopped` must be a whole number of messages, or a share such as `0.5%`',
  ],
  ['diff --demo --max-released 101%', '`--max-released` must be a whole number of messages, or a share such as `0.5%`'],
  ['diff --demo --top -1', '`--top` needs a value: `--top N`'],
  ['diff --demo --json --markdown', '`--json` and `--markdown` exclude each other; leave out one of them'],
  ['serve --port 99999', '`--port` must be a whole number from 0 to 65535'],
  ['serve --port http', '`--port` must be a whole number from 0 to 65535'],
];

describe('error', () => {
  it.each(mistakes)('%s', async (args, error, code = 2) => {
    const inPlace = (text: string) => text.replaceAll('@', directory);
    const outcome = await sluice(args.split(' ').map(inPlace));
    expect(outcome).toEqual({ code, stdout: '', stderr: `sluice: ${inPlace(error)}\n` });
  });

  it('names the unknown reading of a semantics file', async () => {
    const args = ['audit', '--rules', file('rules.json'), '--messages', '-', '--semantics', file('semantics.json')];
    const { code, stderr } = await sluice(args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^sluice: unknown reading `word`; there are .+\n$/)]);
  });

  it('never repeats a key given as an argument', async () => {
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

  it('names the mistake in the key or the address', async () => {
    const withoutKey = await sluice(['audit', '--base-url', 'http://127.0.0.1:9/v3']);
    expect(withoutKey.stderr).toBe('sluice: no api key; set SLUICE_API_KEY or use `--api-key-file FILE`\n');
    const emptyFile = await sluice(['pull', '--out', '-', '--api-key-file', file('empty.key')], { env: offline });
    expect(emptyFile.stderr).toBe(`sluice: \`${file('empty.key')}\` holds no api key\n`);
    const open = await sluice(['pull', '--out', '-', '--base-url', 'http://example.test/v3'], { env: key });
    expect(open.stderr).toBe(
      'sluice: `--base-url` is plain http to another machine, which shows the key to the network: use https\n',
    );
    const withKey = await sluice(['pull', '--out', '-', '--base-url', 'https://me:it@example.test/v3'], { env: key });
    expect(withKey.stderr).toBe('sluice: `--base-url` holds credentials: leave them out and set SLUICE_API_KEY\n');
    const badUrl = await sluice(['pull', '--out', '-'], { env: { ...key, SLUICE_BASE_URL: 'somewhere' } });
    expect(badUrl.stderr).toMatch(/^sluice: `--base-url` must be .+\n$/);
    expect([withoutKey.code, emptyFile.code, badUrl.code]).toEqual([2, 2, 2]);
  });

  it('of the platform exits with 4, and says how to mend it', async () => {
    const { url, apiKey, close } = await startService({ data: {} });
    onTestFinished(close);
    const html = await serve(async (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    });
    const cases: [baseUrl: string, key: string, words: RegExp][] = [
      [
        offline.SLUICE_BASE_URL,
        apiKey,
        /could not connect to http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\).*; check `--base-url` or SLUICE_BASE_URL\n$/,
      ],
      [url, 'another-key', /status 401 .*; check SLUICE_API_KEY, or the file of `--api-key-file`\n$/],
      [url.replace('/v3', ''), apiKey, /status 404.*; the base url should end in `\/v3`\n$/],
      [html.url, apiKey, /must be JSON, and came as `text\/html`; the base url should end in `\/v3`\n$/],
    ];
    for (const [baseUrl, secret, words] of cases) {
      const env = { SLUICE_BASE_URL: baseUrl, SLUICE_API_KEY: secret };
      const { code, stdout, stderr } = await sluice(['audit', '--quiet'], { env });
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toMatch(/^sluice: GET \/moderation\/rules:? [^\n]+\n$/);
      expect(stderr).toMatch(words);
    }
  });

  it('names options of the command line, never those of the library', () => {
    const moved = new HttpError(
      'GET /messages',
      { fact: 'GET /messages was redirected, which is not followed', advice: 'check-base-url' },
      { status: 301 },
    );
    expect(moved.message).toBe('GET /messages was redirected, which is not followed: check `baseUrl`');
    expect(failureOf(moved)?.words).toBe(
      'sluice: GET /messages was redirected, which is not followed: check `--base-url`\n',
    );
  });

  it('that is a bug shows its stack and exits with 70', async () => {
    const broken = {
      get SLUICE_BASE_URL(): string {
        throw new TypeError('not foreseen');
      },
    };
    const { code, stderr } = await sluice(['audit'], { env: broken });
    expect(code).toBe(70);
    expect(stderr).toMatch(/^sluice: this is a bug in sluice, please report it\nTypeError: not foreseen\n {4}at /);
  });

  it('holds no terminal controls', async () => {
    const { stderr } = await sluice(['audit', '--\u{1b}[2J\u{202e}']);
    expect(stderr).toBe('sluice: unknown option `--\\x1b[2J\\u{202e}`; see `sluice audit --help`\n');
  });
});
