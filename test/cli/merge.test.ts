import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { version } from '../../src/foundation/version.js';
import { startService } from '../../src/platform/service/index.js';
import { runs } from '../support/runs.js';
import { sluice } from './terminal.js';
import { messages, scores, world } from './world.js';

/** `sluice merge`: audits of parts become the audit of the whole. */

const count = 200;
/** Messages with repeated texts, media with and without scores, decisions of a platform, two senders, and rows of no day. */
const rows = messages(count).map((row, index) => ({
  ...row,
  ...(index % 11 === 0 && { sentAt: undefined }),
  sender: index % 3 === 0 ? 'alice' : 'bob',
  data: { ...row.data, moderation: { status: ['disapproved', 'approved', 'pending'][index % 3], rule: 'scam' } },
}));
const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
const rules = ['rule-set.json', 'scores.json', 'other.json'] as const;
let directory: string;
const file = (...names: string[]) => join(directory, ...names);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-merge-'));
  const { rules: ruleList = [], lists = [] } = world();
  await writeFile(file(rules[0]), JSON.stringify({ rules: ruleList, lists }));
  await writeFile(file(rules[1]), JSON.stringify(scores));
  await writeFile(file(rules[2]), JSON.stringify({ rules: ruleList.slice(1), lists }));
});
afterAll(() => rm(directory, { recursive: true }));

/** Audits some of the rows into a directory. */
async function audit(name: string, part: readonly string[], options: readonly string[] = []): Promise<string> {
  await writeFile(file(`${name}.ndjson`), part.join(''));
  const out = file(name);
  const source = options.includes('--rules') ? [] : ['--rules', file('rule-set.json')];
  const of = [...source, '--scores', file('scores.json'), '--messages', file(`${name}.ndjson`), '--allow-empty'];
  const { code, stderr } = await sluice(['audit', ...of, ...options, '--quiet', '--out', out]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return out;
}

const merge = (parts: readonly string[], name: string, options: readonly string[] = ['--quiet']) =>
  sluice(['merge', ...parts, '--out', file(name), ...options]);

const textOf = (name: string, of: string) => readFile(file(name, of), 'utf8');
/** The summary without what it is of: where messages came from. */
async function summaryOf(name: string): Promise<unknown> {
  const { input: _, ...summary } = JSON.parse(await textOf(name, 'summary.json'));
  return summary;
}
/** The page without its title, the source of the messages, the command line and the digest of the file that was read. */
async function pageOf(name: string): Promise<string> {
  const page = await textOf(name, 'report.html');
  return page
    .replace(/<title>.*<\/title>|Messages from <bdi>.*?<\/bdi>|<pre tabindex="0"><code>.*<\/code><\/pre>/g, '')
    .replace(/<dt>messages, sha-256<\/dt><dd>.*?<\/dd>/, '');
}

describe('sluice merge', () => {
  it('gives the files of one audit, wherever the messages are cut', async () => {
    let run = 0;
    const cuts = fc.array(fc.integer({ min: 0, max: count }), { maxLength: 4 });
    const flags = fc.subarray(['--all', '--compare-platform', '--report', '--with-text', '--on-bad-row=skip']);
    await fc.assert(
      fc.asyncProperty(
        cuts,
        flags,
        fc.constantFrom([], ['--by', 'sender']),
        fc.boolean(),
        async (at, given, by, again) => {
          run += 1;
          const options = [...given, ...by];
          const isSkipped = given.includes('--on-bad-row=skip');
          const all = isSkipped
            ? lines.flatMap((line, index) => (index % 50 === 7 ? ['no json\n', line] : [line]))
            : lines;
          const borders = [0, ...[...at].sort((left, right) => left - right), all.length];
          const parts: string[] = [];
          for (const [index, border] of borders.slice(1).entries()) {
            parts.push(await audit(`part-${run}-${index}`, all.slice(borders[index], border), options));
          }
          await audit(`whole-${run}`, all, options);
          const report = given.includes('--report') ? ['--report', '--quiet'] : ['--quiet'];
          const [first = '', second, ...others] = parts;
          // What was merged is merged again.
          const merged = again && second !== undefined ? [file(`two-${run}`), ...others] : parts;
          if (merged !== parts) expect(await merge([first, second ?? ''], `two-${run}`)).toMatchObject({ code: 0 });
          expect(await merge(merged, `merged-${run}`, report)).toMatchObject({ code: 0, stdout: '' });
          expect(await textOf(`merged-${run}`, 'decisions.ndjson')).toBe(
            await textOf(`whole-${run}`, 'decisions.ndjson'),
          );
          expect(await summaryOf(`merged-${run}`)).toEqual(await summaryOf(`whole-${run}`));
          if (given.includes('--report')) expect(await pageOf(`merged-${run}`)).toBe(await pageOf(`whole-${run}`));
          const { counts, options: counted } = JSON.parse(await textOf(`merged-${run}`, 'counters.json'));
          const whole = JSON.parse(await textOf(`whole-${run}`, 'counters.json'));
          expect([counts, counted]).toEqual([whole.counts, whole.options]);
        },
      ),
      {
        numRuns: runs(3),
        examples: [
          [[0, 0, 200], ['--all', '--report'], [], true],
          // A part that begins with a bad row.
          [[7], ['--on-bad-row=skip'], [], false],
        ],
      },
    );
  });

  describe('with two halves of the messages', () => {
    let one: string;
    let two: string;
    const refused = async (parts: readonly string[], words: string | RegExp, code = 2, options?: readonly string[]) => {
      const outcome = await merge(parts, 'refused', options);
      expect(outcome).toMatchObject({ code, stdout: '' });
      const stderr = outcome.stderr.replaceAll(`${directory}/`, '').replace(/^reading.*\n/, '');
      if (typeof words === 'string') expect(stderr).toBe(`sluice: ${words}\n`);
      else expect(stderr).toMatch(words);
      expect(await readdir(directory)).not.toContain('refused');
    };
    beforeAll(async () => {
      one = await audit('one', lines.slice(0, 100));
      two = await audit('two', lines.slice(100));
      await audit('whole', lines);
    });

    it('prints what an audit prints, and reads a finished merge when it is run again', async () => {
      const json = await merge([one, two], 'printed', ['--json']);
      expect(json.code).toBe(0);
      expect(json.stdout).toBe(await textOf('printed', 'summary.json'));
      const screen = await merge([one, two], 'printed', ['--by', 'term', '--top', '3', '--issues']);
      expect(screen.stdout).toContain('151 of 200 messages stopped');
      expect(screen.stdout).toContain('from 2 parts');
      expect(screen.stdout).not.toContain('--rule ID');
      expect(screen.code).toBe(0);
      const { stderr, code } = await merge([two, one], 'printed');
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('holds an audit of other inputs: messages of another source'),
      ]);
      expect((await merge([two, one], 'printed', ['--force', '--quiet'])).code).toBe(0);
      const swapped = (await textOf('two', 'decisions.ndjson')) + (await textOf('one', 'decisions.ndjson'));
      expect(await textOf('printed', 'decisions.ndjson')).toBe(swapped);
    });

    it('makes files with what matched for their owner alone, and follows no link', async () => {
      await merge([one, two], 'modes');
      for (const name of ['decisions.ndjson', 'counters.json'])
        expect((await stat(file('modes', name))).mode & 0o777).toBe(0o600);
      expect((await readdir(file('modes'))).sort()).toEqual([
        'counters.json',
        'decisions.ndjson',
        'manifest.json',
        'summary.json',
      ]);
      await mkdir(file('links'));
      await writeFile(file('precious'), 'mine');
      await symlink(file('precious'), file('links', 'counters.json'));
      const { code, stderr } = await merge([one, two], 'links', ['--force', '--quiet']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is a link, in the place of a file')]);
      expect(await readFile(file('precious'), 'utf8')).toBe('mine');
      await mkdir(file('foreign'));
      await writeFile(file('foreign', 'counters.json'), 'mine');
      const foreign = await merge([one, two], 'foreign');
      expect([foreign.code, foreign.stderr]).toEqual([
        2,
        expect.stringContaining('counters.json` is there already, without a manifest'),
      ]);
    });

    it('refuses parts that overlap, and names them and a message', async () => {
      const late = await audit('late', lines.slice(150));
      const inner = await audit('inner', lines.slice(110, 140));
      await cp(one, file('copy'), { recursive: true });
      const overlap = 'cut the parts so that each message is in one';
      await refused([one, one], `\`one\` and \`one\` overlap: message \`1\` is in both; ${overlap}`);
      await refused([one, two, file('copy')], `\`one\` and \`copy\` overlap: message \`1\` is in both; ${overlap}`);
      await refused([one, two, late], `\`two\` and \`late\` overlap: message \`200\` is in both; ${overlap}`);
      // Neither the first nor the last message of one is that of the other, or has a row there.
      await refused([two, inner], /`(two|inner)` and `(two|inner)` overlap: message `1\d\d` is in both/);
      await refused([late, inner, two], /overlap/);
      await merge([one, two], 'both');
      await refused([file('both'), one], `\`both\` and \`one\` overlap: message \`1\` is in both; ${overlap}`);
    });

    it('refuses parts of other rules, readings, scores, options and versions, and names what differs', async () => {
      const half = lines.slice(100);
      const parts = 'is not a part of the audit in `one`';
      const other = await audit('other', half, ['--rules', file('other.json')]);
      await refused(
        [one, other],
        /^sluice: `other` is not a part of the audit in `one`: other rules \(\w{12}, now \w{12}\)\n$/,
      );
      await writeFile(file('semantics.json'), '{"words":"substring"}');
      const read = await audit('read', half, ['--semantics', file('semantics.json')]);
      await refused([one, read], `\`read\` ${parts}: other semantics`);
      const every = await audit('every', half, ['--all']);
      await refused([one, every], `\`every\` ${parts}: it was begun without \`--all\``);
      const paged = await audit('paged', half, ['--report']);
      await refused([one, paged], `\`paged\` ${parts}: it was begun without \`--report\``);
      await cp(two, file('old'), { recursive: true });
      const manifest = await textOf('old', 'manifest.json');
      await writeFile(file('old', 'manifest.json'), manifest.replace(`"version": "${version}"`, '"version": "0.0.9"'));
      await refused([one, file('old')], `\`old\` ${parts}: another version of sluice (${version}, now 0.0.9)`);
      await refused([file('old')], `the audit in \`old\` is one of sluice 0.0.9, and this is ${version}`);
    });

    it('refuses what is not a finished audit, and says which command finishes it', async () => {
      await refused([one, file('nothing')], '`nothing` holds no audit: it has no manifest.json');
      await refused([one, file('rule-set.json')], /^sluice: cannot read `rule-set.json`/);
      await writeFile(file('bad.ndjson'), [...lines.slice(0, 10), 'no json\n'].join(''));
      const args = ['--rules', file('rule-set.json'), '--messages', file('bad.ndjson'), '--since', '2020-01-01'];
      expect((await sluice(['audit', ...args, '--quiet', '--out', file('begun')])).code).toBe(3);
      const finishes = 'sluice audit --rules FILE --messages FILE --since 2020-01-01 --out begun';
      await refused([one, file('begun')], `the audit in \`begun\` is not finished; \`${finishes}\` goes on with it`);
      const diff = [
        '--rules',
        file('rule-set.json'),
        '--against',
        file('other.json'),
        '--messages',
        file('one.ndjson'),
      ];
      await sluice(['diff', ...diff, '--quiet', '--out', file('diff')]);
      await refused([one, file('diff')], '`diff` holds a diff, not an audit');
    });

    it('refuses a part whose files are not as its audit wrote them', async () => {
      for (const name of ['counters.json', 'decisions.ndjson']) {
        await rm(file('changed'), { recursive: true, force: true });
        await cp(two, file('changed'), { recursive: true });
        await appendFile(file('changed', name), ' ');
        const what = '`the whole file` is not as the audit wrote it; judge that part anew';
        await refused([one, file('changed')], `changed/${name}: ${what}`, 3);
        await rm(file('changed', name));
        await refused([one, file('changed')], `changed/${name}: ${what}`, 3);
      }
    });

    it('refuses command lines that cannot be meant', async () => {
      expect((await sluice(['merge', one, two])).stderr).toContain('no directory for the result; add `--out DIR`');
      await refused([], 'no parts; name the directories of `sluice audit --out DIR`, in order');
      const examples = 'the parts have no examples for a report; audit them with `--report`, or leave it out';
      await refused([one, two], examples, 2, ['--report', '--quiet']);
      const by = 'the parts have no counts by sender; audit them with `--by sender`';
      await refused([one, two], by, 2, ['--by', 'sender', '--quiet']);
      const { code, stderr } = await merge([one, two], 'one', ['--force', '--quiet']);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('one` is one of the parts; choose another directory'),
      ]);
    });
  });

  it('takes windows of time at a platform, and refuses those that have a second in common', async () => {
    const service = await startService({ data: world() });
    const fetched = async (name: string, ...window: readonly string[]) => {
      const args = ['--base-url', service.url, ...window, '--all', '--quiet', '--out', file(name)];
      expect(await sluice(['audit', ...args], { env: { SLUICE_API_KEY: service.apiKey } })).toMatchObject({ code: 0 });
      return file(name);
    };
    try {
      const first = await fetched('first', '--until', '2026-03-01');
      const second = await fetched('second', '--since', '2026-03-02');
      await fetched('fetched', '--since', '2026-03-01');
      expect(await merge([first, second], 'windows')).toMatchObject({ code: 0 });
      expect(await textOf('windows', 'decisions.ndjson')).toBe(await textOf('fetched', 'decisions.ndjson'));
      expect(await summaryOf('windows')).toEqual(await summaryOf('fetched'));
      // No message was sent in the quarter of an hour that is in both.
      const early = await fetched('early', '--since', '2026-03-01T23:15Z', '--until', '2026-03-02T12:30Z');
      const late = await fetched('night', '--since', '2026-03-02T12:15Z');
      const { code, stderr } = await merge([late, early], 'refused');
      const words =
        'overlap: both fetched messages of 2026-03-02T12:15:00.000Z; cut the parts so that each message is in one';
      expect([code, stderr.replaceAll(`${directory}/`, '')]).toEqual([2, `sluice: \`early\` and \`night\` ${words}\n`]);
    } finally {
      await service.close();
    }
  });
});
