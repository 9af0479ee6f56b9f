import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../fixtures/random.js';
import { type Intercept, startService } from '../../src/platform/service/index.js';
import { refusal } from '../service/intercepts.js';
import { temporaryFolder } from '../support/folder.js';
import { isFull, runs } from '../support/runs.js';
import { sluice } from './terminal.js';
import { messages, world } from './world.js';

/**
 * Audits that are stopped in their midst, and go on: their results are those of an audit that
 * nothing disturbed.
 */

const count = 12_400;
const rows = messages(count).map((row, index) => ({ ...row, sentAt: 1_772_323_200 + Math.floor(index / 3) }));
const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const directory = temporaryFolder();
let whole: readonly string[];

const file = (name: string) => join(directory, name);
const contents = async (out: string) =>
  Promise.all(['decisions.ndjson', 'manifest.json', 'summary.json'].map((name) => readFile(join(out, name), 'utf8')));
const fromFile = (...args: readonly string[]) => ['audit', '--rules', file('rules.json'), '--quiet', ...args];

beforeAll(async () => {
  const { rules, lists } = world();
  await writeFile(file('rules.json'), JSON.stringify({ rules, lists }));
  await writeFile(file('messages.ndjson'), text);
  expect((await sluice(fromFile('--messages', '-', '--out', file('whole')), { stdin: [text] })).code).toBe(0);
  whole = await contents(file('whole'));
});

/** The messages in chunks, behind some of which the audit is interrupted. */
async function* interrupting(chunks: number, after: number, controller: AbortController): AsyncGenerator<string> {
  const length = Math.ceil(text.length / chunks);
  for (let chunk = 0; chunk < chunks; chunk++) {
    if (chunk === after) controller.abort(new Error('interrupted'));
    yield text.slice(chunk * length, (chunk + 1) * length);
  }
}

describe('an audit of messages from standard input', () => {
  it('that is interrupted anywhere, over and over, ends with the bytes of one that is not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        async (interruptions, chunks) => {
          const out = await mkdtemp(file('out-'));
          for (const after of interruptions) {
            const controller = new AbortController();
            const stdin = interrupting(chunks, after, controller);
            const args = fromFile('--messages', '-', '--out', out);
            const { code } = await sluice(args, { stdin, interrupted: controller.signal });
            expect(code).toBe(after < chunks ? 130 : 0);
          }
          expect((await sluice(fromFile('--messages', '-', '--out', out), { stdin: [text] })).code).toBe(0);
          expect(await contents(out)).toEqual(whole);
          expect((await readdir(out)).sort()).toEqual(['decisions.ndjson', 'manifest.json', 'summary.json']);
        },
      ),
      { numRuns: runs(4, 100) },
    );
  });

  it('says what is kept, and shows what was judged', async () => {
    const controller = new AbortController();
    const out = file('kept');
    const stdin = interrupting(10, 7, controller);
    const args = ['audit', '--rules', file('rules.json'), '--messages', '-', '--out', out];
    const { code, stdout, stderr } = await sluice(args, { stdin, interrupted: controller.signal });
    expect(code).toBe(130);
    expect(stderr).toContain('8,690 messages kept: the same command goes on behind them\n');
    expect(stdout).toMatch(/^interrupted after 8,\d{3} messages; everything below is true for those$/m);
    expect((await readdir(out)).sort()).toEqual(['decisions.ndjson', 'manifest.json', 'summary.json']);
    const shown = await sluice(args, { stdin: [text] });
    expect(shown.stdout).toMatch(/^3,710 messages in .* 8,690 messages judged before/m);
  });

  it('whose beginning is another one now is refused, and nothing is lost', async () => {
    const out = file('other-beginning');
    const controller = new AbortController();
    await sluice(fromFile('--messages', '-', '--out', out), {
      stdin: interrupting(10, 7, controller),
      interrupted: controller.signal,
    });
    const other = text.replace('hello', 'HELLO');
    const { code, stderr } = await sluice(fromFile('--messages', '-', '--out', out), { stdin: [other] });
    expect([code, stderr]).toEqual([
      3,
      'sluice: standard input: the whole stream does not begin as it did when the audit began; choose another directory, or add `--force` to replace it\n',
    ]);
    expect((await sluice(fromFile('--messages', '-', '--out', out), { stdin: [text] })).code).toBe(0);
    expect(await contents(out)).toEqual(whole);
  });
});

describe('a finished audit', () => {
  const audit = (out: string, ...args: readonly string[]) =>
    sluice([
      'audit',
      '--rules',
      file('rules.json'),
      '--messages',
      file('messages.ndjson'),
      '--out',
      file(out),
      ...args,
    ]);

  it('of equal inputs is left as it is, with its screen and code 0', async () => {
    const first = await audit('finished');
    const before = await contents(file('finished'));
    const again = await audit('finished');
    expect([first.code, again.code]).toEqual([0, 0]);
    expect(await contents(file('finished'))).toEqual(before);
    expect(again.stdout).toContain('finished before, and left as they are');
    const upper = (screen: string) => screen.slice(0, screen.indexOf('12,400 messages'));
    expect(upper(again.stdout).replace('12,400 messages', '')).toBe(upper(first.stdout).replace('12,400 messages', ''));
  });

  it('is not taken for one of other messages in a file of the same name, nor shown when a file of it is gone', async () => {
    await audit('renewed', '--quiet');
    const summary = file('renewed/summary.json');
    await rm(summary);
    expect(await audit('renewed', '--quiet')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'summary.json` is gone; choose another directory, or add `--force` to replace it',
      ),
    });
    expect((await audit('renewed', '--quiet', '--force')).code).toBe(0);
    onTestFinished(() => writeFile(file('messages.ndjson'), text));
    await writeFile(file('messages.ndjson'), `${text}${text.slice(0, text.indexOf('\n') + 1)}`);
    expect(await audit('renewed', '--quiet')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the audit was of other messages of '),
    });
  });
});

describe('an audit of a file', () => {
  it('leaves rows out that hold no message, with --on-bad-row skip, and says which', async () => {
    const bad = ['{"id":"1","sentAt":"today"}', '[]', '{"text":"x","body":"y"}', 'no json', '{"data":{"text":"heck"}}'];
    await writeFile(file('bad.ndjson'), `${bad.join('\n')}\n`);
    const args = ['audit', '--rules', file('rules.json'), '--messages', file('bad.ndjson')];
    const stopped = await sluice(args);
    expect([stopped.code, stopped.stderr]).toEqual([3, expect.stringContaining('bad.ndjson:1: ')]);
    const skipped = await sluice([...args, '--on-bad-row', 'skip']);
    expect(skipped.code).toBe(0);
    expect(skipped.stdout).toContain('1 of 1 message stopped');
    expect(skipped.stdout).toMatch(
      /^rows that hold no message, left out: 4\n {2}.*`data\.text`.*\n.*: line 1\n(?:.*\n)*? {2}\+1 more$/m,
    );
    const { badRows } = JSON.parse((await sluice([...args, '--on-bad-row', 'skip', '--json'])).stdout);
    expect(badRows.first.map(({ line }: { line: number }) => line)).toEqual([1, 2, 3, 4]);
    expect(JSON.stringify(badRows)).not.toContain('today');
    const piped = ['audit', '--rules', file('rules.json'), '--messages', '-', '--on-bad-row', 'skip', '--json'];
    const fromInput = await sluice(piped, { stdin: [`${bad.join('\n')}\n`] });
    expect([fromInput.code, JSON.parse(fromInput.stdout).badRows.count]).toEqual([0, 4]);
  });
});

/**
 * Refuses pages of messages, repeats the last one before, or turns their order round, each so often
 * in 1,000.
 */
function spoilPages(seed: number, { refused = 0, repeated = 0, reversed = 0 }): Intercept {
  const random = createRandom(seed, 'pages');
  let last: { readonly data: unknown[] } | undefined;
  return async ({ url = '' }, answer) => {
    if (!url.startsWith('/v3/messages')) return answer();
    if (random.chance(refused)) return refusal(400);
    const response = await answer();
    const page = (await response.json()) as { readonly data: unknown[] };
    if (random.chance(repeated) && last !== undefined) return Response.json(last);
    last = page;
    return Response.json(random.chance(reversed) ? { ...page, data: [...page.data].reverse() } : page);
  };
}

describe('an audit of a platform', () => {
  const audit = async (out: string, intercept?: Intercept) => {
    const service = await startService({ data: { ...world(), messages: rows }, intercept });
    try {
      const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
      return await sluice(['audit', '--quiet', '--out', file(out)], { env });
    } finally {
      await service.close();
    }
  };

  it('that repeats and reorders pages, or fails, judges every message once', async () => {
    expect((await audit('platform')).code).toBe(0);
    const undisturbed = await contents(file('platform'));
    expect(JSON.parse(undisturbed.at(-1)!).messages).toBe(count);
    const plans = {
      disorder: { reversed: 500 },
      repeats: { repeated: 50, reversed: 200 },
      failures: { refused: 50 },
    };
    for (const [out, plan] of Object.entries(plans)) {
      const codes: number[] = [];
      for (let seed = 0; seed < 40 && codes.at(-1) !== 0; seed++)
        codes.push((await audit(out, spoilPages(seed, plan))).code);
      expect(codes.at(-1), out).toBe(0);
      expect(codes.length > 1, out).toBe(out !== 'disorder');
      expect(await contents(file(out)), out).toEqual(undisturbed);
    }
  });

  // The wait is a real one, of longer than a call has in the library.
  it.runIf(isFull)('that limits its rate waits for the next minute', async () => {
    let pages = 0;
    const limit: Intercept = ({ url = '' }, answer) =>
      url.startsWith('/v3/messages') && pages++ === 0 ? refusal(429, { 'retry-after': '35' }) : answer();
    expect((await audit('limited', limit)).code).toBe(0);
    expect(JSON.parse(await readFile(file('limited/summary.json'), 'utf8')).messages).toBe(count);
  });
});
