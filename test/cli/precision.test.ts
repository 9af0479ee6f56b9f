import { readFile, stat, writeFile } from 'node:fs/promises';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { precisionInterval } from '../../src/review/precision-interval.js';
import { serveJsonWhile, sluice } from './terminal.js';
import { errorLine, openFiles } from './world.js';

type Row = Readonly<Record<string, string>>;
const read = (name: string) => readFile(files.file(name), 'utf8');
const rowsOf = (text: string) =>
  Papa.parse<Row>(text.replace(/^\u{feff}/u, ''), { header: true, skipEmptyLines: true }).data;
/** Writes a sample with outcomes, as European Excel does. */
const save = (name: string, rows: readonly Row[]) =>
  writeFile(files.file(name), `\u{feff}${Papa.unparse([...rows], { delimiter: ';', newline: '\r\n' })}`);
async function draw(name: string, ...args: readonly string[]) {
  const outcome = await sluice(['precision', ...given, '--draw', files.file(name), '--force', ...args]);
  expect([outcome.code, outcome.stdout]).toEqual([0, '']);
  return { text: await read(name), stderr: outcome.stderr };
}
const precision = (...args: readonly string[]) => sluice(['precision', path, ...args]);

/**
 * Of the terms `heck` and `damn` every third message was stopped wrongly; of e-mail addresses all
 * but one; of pictures those with low scores.
 */
function outcomeOf({ ruleId, draw: drawn, scores }: Row): string {
  const place = Number(/^\w+ (\d+)/.exec(drawn!)![1]) - 1;
  if (ruleId === "'scam" && place >= 10) return '';
  if (ruleId === "'gore") return Number(scores!.split(': ')[1]) > 85 ? 'right' : 'wrong';
  if (ruleId === "'profanity-filter") return place % 3 === 0 ? 'wrong' : 'right';
  return place === 7 ? 'wrong' : place === 8 ? 'Unsure' : 'r';
}

const files = await openFiles(800);
const path = files.file('labelled.csv');
const given = ['--rules', files.file('rule-set.json'), '--messages', files.file('messages.ndjson')];
const scores = Array.from({ length: 20 }, (_, at) => [
  `https://media.test/${8 * (at + 1)}.jpg`,
  { gore: 66 + 1.5 * at },
]);
await writeFile(files.file('many-scores.json'), JSON.stringify(Object.fromEntries(scores)));
const scored = ['--scores', files.file('many-scores.json')];
const { text } = await draw('drawn.csv', '--per-rule', '90', '--stopped', '0', '--allowed', '40', ...scored);
await save(
  'labelled.csv',
  rowsOf(text).map((row) => ({ ...row, outcome: outcomeOf(row) })),
);

describe('sluice precision --draw', () => {
  it('draws of each rule, of all stopped and of the rest what the engine decides, with the size of each', async () => {
    const { text, stderr } = await draw(
      'a.csv',
      ...['--per-rule', '20', '--per-rule', 'scam:3', '--stopped', '30', '--allowed', '10'],
    );
    expect(stderr).toContain(errorLine);
    expect(stderr).toContain('drew 83 messages into ');
    expect((await stat(files.file('a.csv'))).mode & 0o777).toBe(0o600);
    const engine = createEngine(JSON.parse(await read('rule-set.json')));
    const messages = (await read('messages.ndjson'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const decisions = new Map(messages.map((message) => [message.id, engine.explain(message)]));
    const all = [...decisions.values()];
    const stops = (id: string) =>
      all.filter(({ matched }) => matched.some(({ ruleId, determining }) => ruleId === id && determining)).length;
    const stopped = all.filter(({ verdict }) => verdict !== 'allow').length;
    const rows = rowsOf(text);
    const groups = rows.map(
      ({ ruleId, draw: drawn }) => `${ruleId} ${/\w+ /.exec(drawn!)![0]}${/\/\d+\/\d+/.exec(drawn!)![0]}`,
    );
    expect([...new Set(groups)]).toEqual([
      `'profanity-filter rule /20/${stops('profanity-filter')}`,
      `'email_filter rule /20/${stops('email_filter')}`,
      `'scam rule /3/${stops('scam')}`,
      `' stopped /30/${stopped}`,
      `' allowed /10/${800 - stopped}`,
    ]);
    expect(rows).toHaveLength(83);
    for (const { messageId, ruleId, verdict, draw: drawn, text: shown, outcome } of rows) {
      const decision = decisions.get(messageId!.slice(1))!;
      expect([decision.verdict, outcome]).toEqual([verdict, '']);
      expect([verdict === 'allow', shown!.includes('[[')]).toEqual(
        Array(2).fill(drawn!.startsWith('allowed')).with(1, !drawn!.startsWith('allowed')),
      );
      if (ruleId !== "'")
        expect(decision.matched.some((hit) => `'${hit.ruleId}` === ruleId && hit.determining)).toBe(true);
    }
  });

  it('is the same bytes for the same seed and messages, from a file, a pipe or a platform', async () => {
    const { text } = await draw('b.csv', '--seed', '7');
    expect((await draw('c.csv', '--seed', '7')).text).toBe(text);
    expect((await draw('c.csv', '--seed', '8')).text).not.toBe(text);
    const bytes = await readFile(files.file('messages.ndjson'));
    const rules = ['--rules', files.file('rule-set.json'), '--seed', '7'];
    const piped = ['precision', ...rules, '--messages', '-', '--draw', files.file('c.csv'), '--force', '--quiet'];
    expect((await sluice(piped, { stdin: [bytes.subarray(0, 777), bytes.subarray(777)] })).stderr).toBe(errorLine);
    expect(await read('c.csv')).toBe(text);
    await serveJsonWhile(['--data', files.file('data')], async ({ url, apiKey }) => {
      const env = { SLUICE_BASE_URL: url, SLUICE_API_KEY: apiKey };
      expect((await sluice(['precision', ...rules, '--draw', files.file('d.csv')], { env })).code).toBe(0);
    });
    // A platform adds fields to messages, so that the digest of the sample is another one; which
    // are drawn is the same.
    const drawn = (rows: readonly Row[]) => rows.map(({ draw: _, ...row }) => row);
    expect(drawn(rowsOf(await read('d.csv')))).toEqual(drawn(rowsOf(text)));
  });

  it('takes messages without ids, and ids that repeat', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({
      ...(at % 3 > 0 && { id: 'x' }),
      data: { text: `heck ${at}` },
    }));
    await writeFile(files.file('repeated.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const args = ['--rules', files.file('rule-set.json'), '--messages', files.file('repeated.ndjson')];
    await sluice(['precision', ...args, '--draw', files.file('e.csv')]);
    const ofRule = rowsOf(await read('e.csv')).filter(({ ruleId }) => ruleId !== "'");
    expect(new Set(ofRule.map(({ text }) => text)).size).toBe(60);
    for (const { messageId, text } of ofRule) {
      const at = Number(text!.slice('[[heck]] '.length));
      expect(messageId).toBe(at % 3 > 0 ? "'x" : `'#${at + 1}`);
    }
  });

  it('keeps the outcomes of a smaller sample of the same seed', async () => {
    await draw('small.csv', '--per-rule', '10', '--stopped', '5', '--allowed', '0');
    await save(
      'small-labelled.csv',
      rowsOf(await read('small.csv')).map((row, at) => ({ ...row, outcome: at % 4 === 0 ? '' : 'wrong' })),
    );
    const larger = ['--per-rule', '20', '--stopped', '5', '--allowed', '0', '--draw', files.file('larger.csv')];
    const { code, stderr } = await sluice(['precision', files.file('small-labelled.csv'), ...given, ...larger]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`, with 26 of the 26 outcomes of ${files.file('small-labelled.csv')}\n`),
    ]);
    const rows = rowsOf(await read('larger.csv'));
    expect([rows.length, rows.filter(({ outcome }) => outcome === 'wrong').length]).toEqual([65, 26]);
    expect((await sluice(['precision', files.file('larger.csv'), ...given, ...larger, '--force'])).stderr).toContain(
      'which `SAMPLE` reads',
    );
  });

  it.each([
    [['--per-rule', 'scam:'], '`--per-rule` must be a whole number from 0 to 100000'],
    [['--per-rule', '-1'], 'needs a value'],
    [['--seed', 'x'], '`--seed` must be a whole number'],
    [['--per-rule', 'scan:3'], 'did you mean `scam`?'],
    [['--json'], '`--json` and `--draw` exclude each other'],
  ] as [string[], string][])('refuses %j', async (args, words) => {
    const { code, stderr } = await sluice(['precision', ...given, '--draw', files.file('x.csv'), '--quiet', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

describe('sluice precision', () => {
  it('prints the estimate of each rule, of all and of what was missed, with --json', async () => {
    const { code, stdout, stderr } = await precision('--json');
    expect([code, stderr]).toEqual([0, '80 of 327 rows without an outcome: rows 192 to 271\n']);
    const { rules, all, missed } = JSON.parse(stdout);
    const shown = rules.map(({ more: _, ...rule }: { more: number }) => rule);
    const counts = (right: number, labelled: number, unsure: number, drawn: number, stopped = 100) => ({
      ...{ stopped, drawn, labelled, right, unsure, precision: right / labelled },
      low: precisionInterval(right, labelled + unsure, { of: stopped }).low,
      high: precisionInterval(right + unsure, labelled + unsure, { of: stopped }).high,
    });
    expect(shown).toEqual([
      { ruleId: 'profanity-filter', ruleName: 'Profanity filter', ...counts(60, 90, 0, 90, 400) },
      { ruleId: 'email_filter', ruleName: 'Email filter', ...counts(88, 89, 1, 90) },
      { ruleId: 'scam', ruleName: expect.stringContaining('Scam phrases'), ...counts(8, 9, 1, 90) },
      { ruleId: 'gore', ruleName: 'Gore in pictures', ...counts(7, 17, 0, 17, 17) },
    ]);
    expect(rules.map(({ more }: { more: number }) => more > 0)).toEqual([true, false, true, false]);
    expect(all).toBeNull();
    expect(missed).toEqual({
      ...{ allowed: 183, drawn: 40, labelled: 39, wrong: 1, unsure: 1 },
      high: precisionInterval(2, 40, { of: 183, level: 0.9 }).high,
    });
  });

  it.each([60, 80, 140])('is a screen of %i columns', async (columns) => {
    const { stdout } = await sluice(['precision', path, '--min-precision', '0.8'], { columns });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`../golden/cli/precision-${columns}-columns.txt`);
  });

  it('is a table of Markdown, of which names of rules are not part', async () => {
    await expect((await precision('--markdown')).stdout).toMatchFileSnapshot('../golden/cli/precision.md');
  });

  it('has a table of labels of reviewers, with a sample and without one', async () => {
    const reviewed = files.file('reviewed.ndjson');
    const rows = ['1', '2', '3', '4', '5'].map((messageId, at) => ({
      ...{ messageId, outcome: at === 0 ? 'wrong' : 'right', source: 'reviewed' },
      ...(at < 4 && { ruleId: at === 3 ? 'off' : 'profanity-filter' }),
    }));
    await writeFile(reviewed, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const { reviewed: found, ...report } = JSON.parse((await precision('--reviewed', reviewed, '--json')).stdout);
    expect(report).toEqual(JSON.parse((await precision('--json')).stdout));
    expect(found[0]).toEqual({ ruleId: 'profanity-filter', labelled: 3, right: 2, unsure: 0 });
    const { stdout } = await sluice(['precision', path, '--reviewed', reviewed], { columns: 100 });
    await expect(stdout).toMatchFileSnapshot('../golden/cli/precision-reviewed.txt');
    const alone = await sluice(['precision', '--reviewed', reviewed], { columns: 100 });
    expect([alone.code, alone.stderr]).toEqual([0, '']);
    await expect(alone.stdout).toMatchFileSnapshot('../golden/cli/precision-reviewed-alone.txt');
  });

  it('has the curve of a rule over its threshold and higher ones', async () => {
    const { stdout } = await sluice(['precision', path, '--curve', 'gore'], { columns: 100 });
    await expect(stdout).toMatchFileSnapshot('../golden/cli/precision-curve.txt');
    const { curve } = JSON.parse((await precision('--curve', 'gore', '--json')).stdout);
    const [{ label, greaterThan, points }] = curve.thresholds;
    expect([curve.ruleId, label, greaterThan, points.length]).toEqual(['gore', 'gore', 70, 17]);
    // Scores are 70.5, 72, 73.5 … 94.5; those over 85 were right to stop.
    for (const point of points) {
      const over = Array.from({ length: 20 }, (_, at) => 66 + 1.5 * at).filter((score) => score > point.greaterThan);
      const right = over.filter((score) => score > 85).length;
      expect(point).toEqual({
        ...{ greaterThan: point.greaterThan, labelled: over.length, right, wrong: over.length - right, unsure: 0 },
        ...{ precision: right / over.length, ...precisionInterval(right, over.length) },
      });
    }
  });

  it('closes a gate where the whole interval of a rule lies below it', async () => {
    const { rules } = JSON.parse((await precision('--json')).stdout);
    const lowest = Math.min(...rules.map(({ high }: { high: number }) => high));
    expect((await precision('--min-precision', String(lowest))).code).toBe(0);
    const closed = await precision('--min-precision', (lowest + 1e-6).toFixed(7));
    expect([closed.code, closed.stdout.match(/gate closed/g)?.length]).toEqual([1, 1]);
    expect(await precision('--min-precision', '0.99', '--quiet')).toMatchObject({ code: 1, stdout: '', stderr: '' });
  });

  it('says which rows are not labelled, and how many were taken out', async () => {
    const rows = rowsOf(await read('drawn.csv')).slice(0, 60);
    await save(
      'some.csv',
      rows.map((row, at) => ({ ...row, outcome: at % 2 === 0 || at > 20 ? 'right' : '' })),
    );
    const { stderr } = await sluice(['precision', files.file('some.csv')]);
    expect(stderr).toBe(
      '10 of 60 rows without an outcome: rows 3, 5, 7, 9, 11, 13, 15, 17, 19, 21\n' +
        'warning: 267 of the 327 rows that were drawn are not in the file: to leave out rows by what they say biases the share\n',
    );
  });

  it.each([
    [['--min-precision', '90'], '`--min-precision` must be a share above 0, up to 1, such as 0.9'],
    [['--min-precision', '0'], '`--min-precision` must be a share'],
    [['--json', '--markdown'], '`--json` and `--markdown` exclude each other; leave out one of them'],
    [['--reviewed', 'none'], 'cannot read `none`'],
    [['--curve', 'gone'], '`--curve` must be the id of a rule that stopped messages of the sample by scores: gore\n'],
    [['--curve', 'scam'], 'that stopped messages of the sample by scores: gore\n'],
    [['--rules', 'x'], '`--rules` goes with `--draw FILE`'],
    [['--threads', '2'], '`--threads` goes with `--draw FILE`'],
  ])('refuses %j', async (args, words) => {
    const { code, stderr } = await precision(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it('says how to get a sample, and refuses one that was changed', async () => {
    expect((await sluice(['precision'])).stderr).toContain('no sample; give its file, or `--draw FILE` to draw one');
    await save(
      'changed.csv',
      rowsOf(await read('drawn.csv')).map((row) => ({ ...row, messageId: '1,23E+19' })),
    );
    const { code, stderr } = await sluice(['precision', files.file('changed.csv')]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('changed.csv, row 2: the whole row was not drawn: ')]);
  });
});
