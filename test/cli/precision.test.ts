import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { precisionInterval } from '../../src/review/precision-interval.js';
import { sluice } from './terminal.js';
import { worldFiles } from './world.js';

let files: Awaited<ReturnType<typeof worldFiles>>;
let path: string;
let given: readonly string[];

/** Of the terms `heck` and `damn` every third message was stopped wrongly; of e-mail addresses all but one. */
beforeAll(async () => {
  files = await worldFiles(800);
  path = files.file('sample.ndjson');
  given = ['--rules', files.file('rule-set.json'), '--messages', files.file('messages.ndjson')];
  expect(
    (await sluice(['sample', ...given, '--per-rule', '90', '--stopped', '0', '--allowed', '40', '--out', path])).code,
  ).toBe(0);
  const rows = (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
  const places = new Map<string, number>();
  const labels = rows.flatMap(({ messageId, stratum: { kind, ruleId } }) => {
    const place = places.get(ruleId ?? kind) ?? 0;
    places.set(ruleId ?? kind, place + 1);
    if (ruleId === 'scam' && place >= 10) return [];
    const outcome =
      ruleId === 'profanity-filter'
        ? place % 3 === 0
          ? 'wrong'
          : 'right'
        : place === 7
          ? 'wrong'
          : place === 8
            ? 'unsure'
            : 'right';
    return [{ messageId, ...(ruleId !== undefined && { ruleId }), outcome }];
  });
  const others = ['a', 'b', 'c'].map((messageId) => ({ messageId, ruleId: 'scam', outcome: 'wrong' }));
  await writeFile(
    files.file('sample.labels.ndjson'),
    [...labels, ...others].map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
});
afterAll(() => files.remove());

const precision = (...args: readonly string[]) => sluice(['precision', path, ...args], { columns: 110 });

describe('sluice precision', () => {
  it('says of each rule what the labels say, as JSON', async () => {
    const { code, stdout, stderr } = await precision('--json');
    expect([code, stderr]).toEqual([0, '']);
    const { rules, all, missed, notDrawn } = JSON.parse(stdout);
    const shown = rules.map(({ more, ...rule }: { more: number }) => rule);
    const counts = (right: number, labelled: number, unsure: number, drawn: number, stopped = 100) => ({
      ...{ stopped, drawn, labelled, right, unsure, precision: right / labelled },
      low: precisionInterval(right, labelled + unsure, { of: stopped }).low,
      high: precisionInterval(right + unsure, labelled + unsure, { of: stopped }).high,
    });
    expect(shown).toEqual([
      { ruleId: 'profanity-filter', ruleName: 'Profanity filter', ...counts(60, 90, 0, 90, 400) },
      { ruleId: 'email_filter', ruleName: 'Email filter', ...counts(88, 89, 1, 90) },
      { ruleId: 'scam', ruleName: expect.stringContaining('Scam phrases'), ...counts(8, 9, 1, 90) },
    ]);
    expect(rules.map(({ more }: { more: number }) => more > 0)).toEqual([true, false, true]);
    expect(all).toMatchObject({ labelled: 0, precision: null, low: 0, high: 1, drawn: 0, stopped: 600 });
    expect(missed).toEqual({
      ...{ allowed: 200, drawn: 40, labelled: 39, wrong: 1, unsure: 1 },
      high: precisionInterval(2, 40, { of: 200, level: 0.9 }).high,
    });
    expect(notDrawn).toEqual({ labelled: 3, right: 0, unsure: 0 });
  });

  it.each([60, 80, 140])('is a screen of %i columns', async (columns) => {
    const { stdout } = await sluice(['precision', path, '--min-precision', '0.8'], { columns });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`../golden/cli/precision-${columns}-columns.txt`);
  });

  it('is a table of Markdown, of which names of rules are not part', async () => {
    await expect((await precision('--markdown')).stdout).toMatchFileSnapshot('../golden/cli/precision.md');
  });

  it('has columns for labels of reviewers, with a sample and without one', async () => {
    const reviewed = files.file('reviewed.ndjson');
    const rows = ['1', '2', '3', '4'].map((messageId, at) => ({
      ...{
        messageId,
        ruleId: at === 3 ? 'off' : 'profanity-filter',
        outcome: at === 0 ? 'wrong' : 'right',
        source: 'reviewed',
      },
    }));
    await writeFile(reviewed, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const both = ['--labels', files.file('sample.labels.ndjson'), '--labels', reviewed];
    expect(JSON.parse((await precision(...both, '--json')).stdout).rules).toEqual(
      JSON.parse((await precision('--json')).stdout).rules,
    );
    const { stdout } = await sluice(['precision', path, ...both], { columns: 120 });
    await expect(stdout).toMatchFileSnapshot('../golden/cli/precision-reviewed.txt');
    const alone = await sluice(['precision', '--labels', reviewed], { columns: 100 });
    expect(alone.code).toBe(0);
    await expect(alone.stdout).toMatchFileSnapshot('../golden/cli/precision-reviewed-alone.txt');
  });

  it('closes a gate where the whole interval of a rule lies below it', async () => {
    const { rules } = JSON.parse((await precision('--json')).stdout);
    const high: number = rules[0].high;
    expect((await precision('--min-precision', String(high))).code).toBe(0);
    const closed = await precision('--min-precision', (high + 1e-6).toFixed(7));
    expect([closed.code, closed.stdout.match(/gate closed/g)?.length]).toEqual([1, 1]);
    expect(await precision('--min-precision', '0.99', '--quiet')).toMatchObject({ code: 1, stdout: '' });
  });

  it.each([
    [['--min-precision', '90'], '`--min-precision` must be a share above 0, up to 1, such as 0.9'],
    [['--min-precision', '0'], '`--min-precision` must be a share'],
    [['--json', '--markdown'], '`--json` and `--markdown` exclude each other; leave out one of them'],
    [['--labels', 'none'], 'cannot read `none`'],
  ])('refuses %j', async (args, words) => {
    const { code, stderr } = await precision(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it('says how to get a sample, and labels', async () => {
    expect(await sluice(['precision'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no sample; give its file'),
    });
    await writeFile(files.file('other.ndjson'), await readFile(path));
    expect((await sluice(['precision', files.file('other.ndjson')])).stderr).toContain(
      'the sample has no labels yet; make them with `sluice label ',
    );
  });
});

describe('audit --labels', () => {
  const audit = (...args: readonly string[]) =>
    sluice(['audit', ...given, '--out', files.file('audit'), '--report', '--quiet', ...args]);

  it('adds how right the rules are to the report, by the sample beside the labels', async () => {
    const labels = files.file('sample.labels.ndjson');
    expect((await audit('--labels', labels)).code).toBe(0);
    const page = await readFile(files.file('audit/report.html'), 'utf8');
    const [, section = ''] = /<section id="precision">([\s\S]*?)<\/section>/.exec(page)!;
    expect(section.match(/<tbody>[\s\S]*<\/tbody>/)![0].match(/<tr>/g)).toHaveLength(3);
    expect(section).toContain(
      '<bdi>Profanity filter</bdi></th><td class="n o">400</td><td class="n o">90</td><td class="n o">60</td>',
    );
    expect(section).toContain('<td>(57–75)</td>');
    expect(section.match(/<circle /g)!.length).toBe(3);
    expect(section).toContain('missed: at most ');
    // Of what the page rests on too: other labels are another audit.
    expect((await audit()).stderr).toContain('other labels');
    expect((await audit('--force')).code).toBe(0);
    expect(await readFile(files.file('audit/report.html'), 'utf8')).not.toContain('id="precision"');
  });

  it('refuses labels without a report, and without a sample', async () => {
    const without = await sluice(['audit', ...given, '--labels', 'x.labels.ndjson']);
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('`--labels` goes with `--report`')]);
    const named = await audit('--labels', files.file('messages.ndjson'), '--force');
    expect([named.code, named.stderr]).toEqual([
      2,
      expect.stringContaining('`--labels` must be a file SAMPLE.labels.ndjson'),
    ]);
  });
});
