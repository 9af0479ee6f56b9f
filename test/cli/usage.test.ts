import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { failureOf } from '../../src/cli/failure.js';
import { HttpError } from '../../src/foundation/errors.js';
import { startService } from '../../src/platform/service/index.js';
import { commands } from '../support/commands.js';
import { temporaryFolder } from '../support/folder.js';
import { serve } from '../support/http.js';
import { sluice } from './terminal.js';

const directory = temporaryFolder();
const file = (name: string) => join(directory, name);

beforeAll(async () => {
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

/** Command lines that are wrong. `@` stands for a directory of files. */
const mistakes = `
audti
download
--demo
audit --mesages x
audit --demo --api-file x
audit --toString
audit -x
audit --demo --by hour
audit --demo now
audit --demo=yes
check --rules a --rules b you
audit --demo --json --json
audit --rules r --messages m --demo
diff --rules a --against b --messages m --base-url http://x/v3
audit --demo --all
lint --frobnicate r
audit --out
audit --rules --demo
audit
audit --rules r
audit --messages m
audit --demo --base-url http://x/v3
check --rules r --demo --verbose you
audit --demo --since tomorrow
audit --demo --until 2026-02-31T25:00Z
audit --demo --since 2026-02-30
audit --demo --since 9 --until 8
audit --demo --messages m --on-behalf-of bob
audit --rules nowhere --messages m
audit --rules @/rules.json --messages nowhere
audit --rules @/rules.json --messages @
audit --rules @/rules.json --messages - --scores nowhere
audit --rules @/rules.json --messages - --scores-scale 1
check --rules @/rules.json x --scores @/scores.json --scores-scale 10
audit --rules @/rules.json --messages - --scores @/scores.json
audit --rules @/rules.json --messages - --semantics @/text.json
audit --rules @/rules.json --messages - --semantics @/array.json
audit --rules @/array.json --messages -
audit --rules @/rules.json --messages @/messages.ndjson --quiet
audit --rules @/rules.json --messages - --semantics @/engine.json
check hello
check --demo
check --demo you idiot
check --demo --idiot
check --demo -idiot
check --demo --sores x
check --demo --message m you
check --demo --rules r you
check --base-url http://x/v3 --rules r you
check --rules @/rules.json --message nowhere
check --rules @/rules.json --message @/text.json
check --rules @/rules.json --message @/array.json
check --rules @/rules.json --message @/latin1.json
check --rules @/rules.json --message {"text":"you-moron"}
check --rules @/rules.json --message @/beside.ndjson
audit --rules @/rules.json --messages @/rows.ndjson --quiet
audit --demo --map text=body
audit --rules @/rules.json --messages m --map body=text
audit --rules @/rules.json --messages m --map text=
audit --rules @/rules.json --messages @/both.ndjson --quiet --map sender=who
audit --rules @/rules.json --messages @/both.ndjson --quiet
check --rules @/array.json hello
pull
pull --demo
pull --demo --out - --since 2026-03-01
pull --demo --out - --messages -
pull --demo --messages @
diff
diff --rules r --messages m
diff --against r
diff --rules a --against b --live
diff --rules a --live
diff --rules a --against b --max-released 3
diff --demo --max-newly-stopped some
diff --demo --max-newly-stopped 0.5
diff --demo --max-released 101%
diff --demo --top -1
diff --demo --json --markdown
serve --port 99999
serve --port http
`;

describe('error', () => {
  it('of each mistake is one line on stderr, with its exit code', async () => {
    const screens: string[] = [];
    for (const line of mistakes.trim().split('\n')) {
      const { code, stdout, stderr } = await sluice(line.replaceAll('@', directory).split(' '));
      expect([line, stdout, stderr]).toEqual([line, '', expect.stringMatching(/^sluice: [^\n]+\n$/)]);
      screens.push(`$ sluice ${line}\n${stderr.replaceAll(directory, '@')}[exit code ${code}]\n`);
    }
    await expect(screens.join('\n')).toMatchFileSnapshot('../golden/cli/mistakes.txt');
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
