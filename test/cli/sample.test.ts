import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SampleRow } from '../../src/audit/sample/sample.js';
import { createEngine } from '../../src/engine/engine.js';
import { type RunOptions, serveJsonWhile, sluice } from './terminal.js';
import { errorLine, worldFiles } from './world.js';

let files: Awaited<ReturnType<typeof worldFiles>>;
beforeAll(async () => {
  files = await worldFiles(400);
});
afterAll(() => files.remove());

const read = (name: string) => readFile(files.file(name), 'utf8');
const rowsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
async function sample(name: string, ...args: readonly string[]) {
  const messages = args.includes('--messages') ? [] : ['--messages', files.file('messages.ndjson')];
  const given = ['--rules', files.file('rule-set.json'), ...messages];
  const { code, stdout, stderr } = await sluice(['sample', ...given, '--out', files.file(name), '--force', ...args]);
  expect([code, stdout]).toEqual([0, '']);
  return { text: await read(name), stderr };
}

describe('sluice sample', () => {
  it('draws of each rule, of all stopped and of the rest what the engine decides, with the size of each stratum', async () => {
    const { text, stderr } = await sample(
      'a.ndjson',
      '--per-rule',
      '20',
      '--per-rule',
      'scam:3',
      '--stopped',
      '30',
      '--allowed',
      '10',
    );
    expect(stderr).toContain(errorLine);
    expect(stderr).toContain('83 messages of 5 strata drawn to ');
    expect((await stat(files.file('a.ndjson'))).mode & 0o777).toBe(0o600);
    const [head, ...rows] = rowsOf(text);
    const ruleSet = JSON.parse(await read('rule-set.json'));
    const engine = createEngine(ruleSet);
    const messages = rowsOf(await read('messages.ndjson'));
    const decisions = new Map(messages.map((message) => [message.id, engine.explain(message)]));
    const stops = (ruleId: string) =>
      [...decisions.values()].filter(({ matched }) => matched.some((hit) => hit.ruleId === ruleId && hit.determining))
        .length;
    const stopped = [...decisions.values()].filter(({ verdict }) => verdict !== 'allow').length;
    expect(head).toEqual({
      seed: 1,
      receipt: {
        rules: expect.stringMatching(/^[\da-f]{32}$/),
        semantics: {},
        messages: expect.stringMatching(/^[\da-f]{32}$/),
        engine: expect.any(String),
      },
      strata: [
        {
          kind: 'rule',
          ruleId: 'profanity-filter',
          ruleName: 'Profanity filter',
          size: stops('profanity-filter'),
          drawn: 20,
        },
        { kind: 'rule', ruleId: 'email_filter', ruleName: 'Email filter', size: stops('email_filter'), drawn: 20 },
        { kind: 'rule', ruleId: 'scam', ruleName: ruleSet.rules[1].name, size: stops('scam'), drawn: 3 },
        { kind: 'stopped', size: stopped, drawn: 30 },
        { kind: 'allowed', size: messages.length - stopped, drawn: 10 },
      ],
    });
    expect(rows.length).toBe(83);
    for (const { messageId, message, decision, stratum } of rows as SampleRow[]) {
      expect(message).toEqual(messages.find(({ id }) => id === messageId));
      expect(decision).toEqual(JSON.parse(JSON.stringify(decisions.get(messageId))));
      if (stratum.kind === 'rule')
        expect(decision.matched.find(({ ruleId }) => ruleId === stratum.ruleId)!.determining).toBe(true);
      else expect(decision.verdict === 'allow').toBe(stratum.kind === 'allowed');
    }
  });

  it('is the same bytes for the same seed and messages, from a file, a pipe or a platform, whatever the pages', async () => {
    const { text } = await sample('b.ndjson', '--seed', '7');
    expect((await sample('c.ndjson', '--seed', '7')).text).toBe(text);
    expect((await sample('c.ndjson', '--seed', '8')).text).not.toBe(text);
    const stdin = [
      (await readFile(files.file('messages.ndjson'))).subarray(0, 777),
      (await readFile(files.file('messages.ndjson'))).subarray(777),
    ];
    expect(
      (
        await sluice(
          [
            'sample',
            '--rules',
            files.file('rule-set.json'),
            '--messages',
            '-',
            '--seed',
            '7',
            '--out',
            files.file('c.ndjson'),
            '--force',
            '--quiet',
          ],
          { stdin },
        )
      ).stderr,
    ).toBe(errorLine);
    expect(await read('c.ndjson')).toBe(text);
    await serveJsonWhile(['--data', files.file('data')], async ({ url, apiKey }) => {
      for (const size of ['7', '1000']) {
        const env = { SLUICE_BASE_URL: url, SLUICE_API_KEY: apiKey };
        const args = [
          '--rules',
          files.file('rule-set.json'),
          '--page-size',
          size,
          '--seed',
          '7',
          '--out',
          files.file(`${size}.ndjson`),
        ];
        expect((await sluice(['sample', ...args], { env })).code).toBe(0);
      }
    });
    expect(await read('7.ndjson')).toBe(await read('1000.ndjson'));
    // A platform adds fields to messages; which are drawn is the same.
    const drawn = (rows: readonly SampleRow[]) => rows.map(({ messageId, stratum }) => [messageId, stratum]);
    expect(drawn(rowsOf(await read('7.ndjson')).slice(1))).toEqual(drawn(rowsOf(text).slice(1)));
  });

  it('draws for each term', async () => {
    const { text } = await sample(
      'terms.ndjson',
      '--by',
      'term',
      '--per-rule',
      '4',
      '--stopped',
      '0',
      '--allowed',
      '0',
    );
    const [{ strata }] = rowsOf(text);
    expect(strata).toContainEqual({
      ...{ kind: 'rule', ruleId: 'profanity-filter', listId: 'profanity-list', term: 'heck' },
      ...{ ruleName: 'Profanity filter', size: 50, drawn: 4 },
    });
    const heck = rowsOf(text).filter(({ stratum }) => stratum?.term === 'heck');
    expect(heck.map(({ message }) => message.data.text)).toEqual(
      Array.from({ length: 4 }, () => 'what the heck, HECK'),
    );
  });

  it('takes messages without ids, and ids that repeat', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({
      ...(at % 3 > 0 && { id: 'x' }),
      data: { text: `heck ${at}` },
    }));
    await writeFile(files.file('repeated.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const { text } = await sample('d.ndjson', '--messages', files.file('repeated.ndjson'), '--per-rule', '60');
    const [head, ...drawn] = rowsOf(text);
    expect(head.strata[0]).toMatchObject({ ruleId: 'profanity-filter', size: 60, drawn: 60 });
    const ofRule = drawn.slice(0, 60) as SampleRow[];
    expect(new Set(ofRule.map(({ message }) => message.data!.text)).size).toBe(60);
    for (const { messageId, message } of ofRule) {
      const at = Number(message.data!.text!.slice('heck '.length));
      expect(messageId).toBe(at % 3 > 0 ? 'x' : `#${at + 1}`);
    }
  });

  it('leaves out rows that hold no message, and says how many, where that is asked for', async () => {
    await writeFile(files.file('bad.ndjson'), '{"id":"1","data":{"text":"heck"}}\noops\n{"data":{"text":"hello"}}\n');
    const { text, stderr } = await sample(
      'bad-sample.ndjson',
      '--messages',
      files.file('bad.ndjson'),
      '--on-bad-row',
      'skip',
    );
    expect(stderr).toContain('rows that hold no message, left out: 1; the first in line 2: ');
    expect(rowsOf(text).flatMap(({ messageId = [] }) => messageId)).toEqual(['1', '1', '#3']);
    const given = [
      '--rules',
      files.file('rule-set.json'),
      '--messages',
      files.file('bad.ndjson'),
      '--out',
      files.file('e'),
    ];
    const { code, stderr: error } = await sluice(['sample', ...given]);
    expect([code, error]).toEqual([3, expect.stringContaining('bad.ndjson:2')]);
  });

  it.each([
    [[], 'no file for the sample; add `--out FILE`'],
    [['--out', 'x', '--by', 'list'], '`--by` must be one of rule, term'],
    [['--out', 'x', '--per-rule', 'scam:'], '`--per-rule` must be a whole number from 0 to 100000'],
    [['--out', 'x', '--per-rule', '-1'], 'needs a value'],
    [['--out', 'x', '--seed', 'x'], '`--seed` must be a whole number'],
    [['--out', 'x', '--per-rule', 'scan:3'], 'did you mean `scam`?'],
    [['--out', '/nowhere/x'], 'cannot write `/nowhere/x`: no such file or directory'],
  ] as [string[], string][])('refuses %j', async (args, words) => {
    const given = ['--rules', files.file('rule-set.json'), '--messages', files.file('messages.ndjson')];
    const { code, stderr } = await sluice(['sample', ...given, ...args, '--quiet'], {} satisfies RunOptions);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});
