import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { readRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { startService } from '../../src/platform/service/index.js';
import { checkFiles } from './check-world.js';
import { expectPlainScreens, type RunOptions, sluice } from './terminal.js';
import { removedAfterAll, world } from './world.js';

const brokenRules = fileURLToPath(new URL('../../fixtures/data/broken.json', import.meta.url));
const demoCases = fileURLToPath(new URL('../../fixtures/data/cases.ndjson', import.meta.url));

const ndjson = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const attachments = [{ url: 'https://media.test/a.jpg', mimeType: 'image/jpeg' }];
const picture = { type: 'image', data: { text: 'look', attachments } };
const blocked = { verdict: 'blockMessage', rules: ['profanity-filter'] };
const good = [
  { name: 'an insult', message: 'what the HECK', ...blocked, terms: ['heck'] },
  { name: 'a town', message: 'a damnable town', verdict: 'allow', not: ['profanity-filter'] },
];
const bad = [
  { name: 'money', message: 'get your free Money now, what the heck', verdict: 'blockMessage', not: ['scam'] },
  { name: 'a \u{1b}[31mred\u{202e} name', message: '你是 笨蛋 吗', verdict: 'allow', terms: ['damn'] },
  { name: 'no scores', message: picture, verdict: 'blockMessage', rules: ['gore'] },
  { name: 'money', message: 'good morning', verdict: 'dropMessage', todo: true },
  { name: 'passes by now', message: 'damn', verdict: 'blockMessage', todo: true },
];
const unevaluated = [
  { name: 'a picture', message: picture, verdict: 'allow' },
  { name: 'no gore', message: picture, verdict: 'allow', not: ['gore', 'scam'] },
];
const near = [
  { name: 'in disguise', message: 'what the h3ck', ...blocked },
  { name: 'no rule is named', message: 'dummyhead', verdict: 'blockMessage' },
  { name: 'switched off', message: 'hello', verdict: 'allow', rules: ['off', 'review'] },
];

const files = removedAfterAll(await checkFiles());
const service = await startService({ data: world() });
afterAll(() => service.close());
await writeFile(files.file('good.ndjson'), ndjson(good));
await writeFile(files.file('bad.ndjson'), ndjson(bad));

const rules = () => ['--rules', files.file('rule-set.json'), '--semantics', files.file('semantics.json')];
const brokenLine =
  'sluice: 1 error in the rules: broken#1[0]: `([` is not `<label>_greaterThan_<number>`; more by sluice lint\n';
/**
 * Runs `sluice test`; arguments with the ending of JSON are files of the directory, and so is shown
 * wherever its path is printed.
 */
async function test(args: readonly string[], given?: RunOptions, sources = rules()) {
  const inPlace = args.map((arg) => (/\.(?:nd)?json$/.test(arg) && !arg.startsWith('/') ? files.file(arg) : arg));
  const outcome = await sluice(['test', ...(args.includes('--rules') ? sources.slice(2) : sources), ...inPlace], given);
  const plain = (text: string) => text.replaceAll(`${files.directory}/`, '');
  return { ...outcome, stdout: plain(outcome.stdout), stderr: plain(outcome.stderr) };
}

describe('test screen', () => {
  // Cases come from standard input: the names of files of the test differ in length by machine, and
  // lines are wrapped.
  const screens: readonly (readonly [name: string, cases: readonly unknown[], args: string[], code: number])[] = [
    ['passed', good, [], 0],
    ['failed', [...good, ...bad], [], 1],
    ['failed-verbose', bad, ['--verbose'], 1],
    ['why-not', near, [], 1],
    ['unevaluated', unevaluated, [], 1],
    ['strict', unevaluated, ['--strict'], 1],
    ['coverage', good, ['--coverage'], 0],
    ['threshold', good, ['--coverage', '40'], 1],
    ['broken', good, ['--rules', 'broken.json'], 3],
    ['broken-verbose', [...good, ...bad], ['--rules', 'broken.json', '--verbose'], 3],
  ];
  const show = (cases: readonly unknown[], args: readonly string[], given?: RunOptions) =>
    test(['-', ...args], { stdin: [ndjson(cases)], ...given });

  it.each(screens)('matches the golden screen: %s', async (name, cases, args, code) => {
    const outcome = await show(cases, args);
    expect([outcome.code, outcome.stderr]).toEqual([code, '']);
    await expect(outcome.stdout).toMatchFileSnapshot(`../golden/cli/test-${name}.txt`);
  });

  it('matches the golden screens of 40 columns, and in colour of 100', async () => {
    const all = [...good, ...bad];
    const args = ['--coverage'];
    const narrow = await show(all, args, { isTTY: true, columns: 40, env: { NO_COLOR: '1' } });
    await expect(narrow.stdout).toMatchFileSnapshot('../golden/cli/test-40-columns.txt');
    const colour = await show(all, args, { isTTY: true, columns: 100 });
    await expect(colour.stdout).toMatchFileSnapshot('../golden/cli/test-colour-100-columns.txt');
  });

  it.each(screens)('has plain screens of any width: %s', async (_, cases, args) => {
    await expectPlainScreens((given) => show(cases, args, given), [40, 80, 120]);
  });
});

describe('sluice test', () => {
  it('prints nothing with --quiet, and exits by the outcome', async () => {
    expect(await test(['good.ndjson', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await test(['bad.ndjson', '--quiet'])).toEqual({ code: 1, stdout: '', stderr: '' });
  });

  it('takes an array, standard input, and several files', async () => {
    const array = JSON.stringify(good, undefined, 2);
    await writeFile(files.file('array.json'), array);
    const passed = { code: 0, stdout: '2 passed\n', stderr: '' };
    expect(await test(['array.json'])).toEqual(passed);
    expect(await test(['-'], { stdin: [`\u{feff}\n ${array}`] })).toEqual(passed);
    expect(await test(['-'], { stdin: [...Buffer.from(ndjson(good))].map((byte) => Uint8Array.of(byte)) })).toEqual(
      passed,
    );
    expect((await test(['array.json', 'good.ndjson', '-'], { stdin: [ndjson(good)] })).stdout).toMatch(/\n6 passed\n$/);
    expect((await test(['good.ndjson', 'good.ndjson'])).stdout).toBe('2 passed\n');
  });

  it('names the line in which a case of an array begins', async () => {
    const text = `[ {"name":"a\\"]},{[","message":"x","verdict":"allow"},\n\n  {\n "name": "b", "message": {"data":\n{"text": "damn"}}, "verdict":"allow"}, {"name":"c","message":"heck","verdict":"allow"\n} ]`;
    const { stdout } = await test(['-', '--json'], { stdin: [text] });
    const { failures } = JSON.parse(stdout);
    expect(failures.map(({ place }: { place: string }) => place)).toEqual(['standard input:3', 'standard input:5']);
  });

  it('takes rules from a platform, and the scores of --scores', async () => {
    const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    const insult = [{ name: 'a', message: 'heck', verdict: 'blockMessage' }];
    const outcome = await test(['-'], { env, stdin: [ndjson(insult)] }, []);
    // The rules of this platform have errors.
    expect([outcome.code, outcome.stderr]).toEqual([3, `pulling rules from ${service.url}\n`]);
    expect(outcome.stdout).toMatch(/^2 errors in the rules: [\s\S]+\n\n1 passed\n$/);
    const scored = await test(['bad.ndjson', '--scores', 'scores.json', '--json']);
    const names = JSON.parse(scored.stdout).failures.map(({ name }: { name: string }) => name);
    expect(names).not.toContain('no scores');
    expect(names).toContain('money');
  });

  it('prints the report of `testRules` with --json, equal bytes for equal input', async () => {
    const args = ['bad.ndjson', 'good.ndjson', '--coverage'];
    const { code, stdout } = await test([...args, '--json']);
    const report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(report).toMatchObject({ ok: false, cases: 7, passed: 2, failed: 3, todo: 2, todoPassing: 1 });
    expect(report.failures[0]).toMatchObject({
      status: 'failed',
      name: 'money',
      place: 'bad.ndjson:1',
      case: bad[0],
      differences: [
        { field: 'verdict', expected: 'blockMessage', actual: 'dropMessage' },
        { field: 'not', ruleId: 'scam' },
      ],
    });
    expect(report.duplicates).toEqual([{ name: 'money', place: 'bad.ndjson:4', first: 'bad.ndjson:1' }]);
    expect((await test([...args, '--format', 'json'])).stdout).toBe(stdout);
    expect((await test([...args, '--json', '--quiet'])).stdout).toBe(stdout);
  });

  it('ends with 3 on errors in the rules, whatever the cases say, and says so in every format', async () => {
    const ruleSet = await readRuleSetFile(files.file('broken.json'));
    const errors = createEngine(ruleSet).issues.filter(({ severity }) => severity === 'error');
    expect(errors).toHaveLength(1);
    for (const cases of ['good.ndjson', 'bad.ndjson']) {
      const sources = ['--rules', 'broken.json', cases];
      const json = await test([...sources, '--json']);
      expect([json.code, json.stderr]).toEqual([3, brokenLine]);
      expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, errors });
      expect(await test([...sources, '--quiet'])).toEqual({ code: 3, stdout: '', stderr: brokenLine });
      const junit = await test([...sources, '--format', 'junit']);
      expect([junit.code, junit.stderr]).toEqual([3, brokenLine]);
      expect(junit.stdout).toContain('<failure message="errors of the rules: 1">broken#1[0]: malformed-threshold');
    }
  });

  it('runs the cases of the demo with --demo alone: all pass, and every rule that works is covered', async () => {
    const { code, stdout } = await sluice(['test', '--demo', '--coverage', '--json']);
    const report = JSON.parse(stdout);
    expect([code, report.failures]).toEqual([0, []]);
    expect(report.cases).toBeGreaterThan(40);
    expect([report.todo > 0, report.todoPassing]).toEqual([true, 0]);
    const broken = await sluice(['test', demoCases, '--rules', brokenRules, '--quiet']);
    expect([broken.code, broken.stdout]).toEqual([3, '']);
    expect(broken.stderr).toMatch(/^sluice: \d+ errors in the rules: /);
    const silent = report.coverage.rules.uncovered.filter((id: string) => !id.startsWith('broken-'));
    expect(silent).toEqual([]);
    const own = (await readFile(demoCases, 'utf8')).trimEnd();
    expect(own.split('\n')).toHaveLength(report.cases);
    expect(own).not.toContain('broken-');
  });

  it('ends with 130 when interrupted', async () => {
    const controller = new AbortController();
    async function* endless() {
      for (let id = 0; ; id++) {
        if (id === 50) controller.abort(new Error('interrupted'));
        yield ndjson([{ name: String(id), message: 'damn', verdict: 'blockMessage' }]);
      }
    }
    const outcome = await test(['-'], { stdin: endless(), interrupted: controller.signal });
    expect([outcome.code, outcome.stdout]).toEqual([130, '']);
  });
});

describe('sluice test --format junit', () => {
  const args = ['good.ndjson', 'bad.ndjson'];

  it('matches the golden report', async () => {
    const { code, stdout } = await test([...args, '--coverage', '40', '--format', 'junit']);
    expect(code).toBe(1);
    await expect(stdout).toMatchFileSnapshot('../golden/cli/test-junit.xml');
    expect((await test([...args, '--coverage', '40', '--format', 'junit'])).stdout).toBe(stdout);
  });

  it('says of a case that passes what could not be checked', async () => {
    const { stdout } = await test(['-', '--format', 'junit'], { stdin: [ndjson(unevaluated)] });
    expect(stdout).toContain(
      '<system-out>allowed, but could not be checked: no scores were given for the image</system-out>',
    );
  });

  it('counts what it lists, suite by suite and in all', async () => {
    const { stdout } = await test([...args, '--coverage', '40', '--format', 'junit']);
    const count = (text: string) => ({
      tests: text.match(/<testcase /g)?.length ?? 0,
      failures: text.match(/<failure /g)?.length ?? 0,
      skipped: text.match(/<skipped /g)?.length ?? 0,
    });
    const numbers = (tag: string) =>
      Object.fromEntries(
        [...tag.matchAll(/(tests|failures|skipped)="(\d+)"/g)].map(([, name, value]) => [name, Number(value)]),
      );
    const suites = [...stdout.matchAll(/(<testsuite [^>]*>)([\s\S]*?)<\/testsuite>/g)];
    expect(suites.length).toBe(3);
    for (const [, tag, content] of suites) expect(numbers(tag!)).toEqual(count(content!));
    expect(numbers(/<testsuites [^>]*>/.exec(stdout)![0])).toEqual(count(stdout));
  });

  it('is well-formed XML 1.0 for any name, rule and message', async () => {
    const odd = '<&>"\'\u0000\u0007\u001b\u009b\ud800\u{fffe}\u{ffff}\u{202e}]]>\n\t';
    const ruleSet = {
      rules: [{ id: odd, name: odd, action: 'kick', conditions: [{ operand: 'text', value: [odd, 'x'] }] }],
      lists: [],
    };
    await writeFile(files.file('odd-rules.json'), JSON.stringify(ruleSet));
    const cases = [
      { name: odd, message: `${odd} x`, verdict: 'blockMessage', terms: [`${odd}y`], not: [odd] },
      { name: `${odd}2`, message: odd, verdict: 'dropMessage', todo: true },
    ];
    const { stdout } = await test(['-', '--format', 'junit'], { stdin: [ndjson(cases)] }, [
      '--rules',
      files.file('odd-rules.json'),
    ]);
    expect(stdout).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
    // Tags and entities aside there is nothing that marks up.
    const texts = stdout.replace(/<\/?[a-z]+(?: [a-z]+="[^"<]*")*\/?>|<\?xml version="1.0" encoding="UTF-8"\?>/g, '');
    expect(texts.replace(/&(?:amp|lt|gt|quot);/g, '')).not.toMatch(/[<>&]/);
    expect(stdout).toContain('&lt;&amp;&gt;&quot;');
  });
});

describe('sluice test: mistakes', () => {
  const mistakes = [
    ...['', 'good.ndjson --format xml', 'good.ndjson --format junit --json', 'good.ndjson --coverage 101', '- -'],
    ...['nowhere.json', 'empty.ndjson', 'good.ndjson empty.json', 'good.ndjson broken.ndjson'],
    ...['no-json.ndjson', 'no-array.json'],
  ];

  beforeAll(async () => {
    const contents = {
      'empty.ndjson': '\n \n',
      'empty.json': ' [ ]\n',
      'broken.ndjson': `${ndjson(good)}{"name":"a","message":"b","verdict":"allow","not":["profanity"]}\n`,
      'no-json.ndjson': `${JSON.stringify(good[0])}\nname: a\n`,
      'no-array.json': '[{"name":"a"\n  "b"',
    };
    for (const [name, content] of Object.entries(contents)) await writeFile(files.file(name), content);
  });

  it('are one line on stderr each, and nothing is run', async () => {
    const screens: string[] = [];
    for (const args of mistakes) {
      const { code, stdout, stderr } = await test(args.split(' ').filter(Boolean), { stdin: [] });
      expect([args, stdout]).toEqual([args, '']);
      screens.push(`$ sluice test ${args}`.trimEnd(), `${stderr}[exit code ${code}]\n`);
    }
    await expect(screens.join('\n')).toMatchFileSnapshot('../golden/cli/test-mistakes.txt');
  });
});

describe('docs/rules-in-a-repository.md', () => {
  const page = readFile(new URL('../../docs/rules-in-a-repository.md', import.meta.url), 'utf8');

  it('names every field of the report', async () => {
    const report = JSON.parse((await test(['bad.ndjson', '--coverage', '5', '--json'])).stdout);
    const named = (fields: object) => Object.keys(fields);
    const { coverage, threshold, failures, duplicates } = report;
    const fields = [report, coverage, coverage.terms, coverage.terms.sources[0], threshold, failures[0], duplicates[0]];
    for (const field of fields.flatMap(named)) expect(await page).toMatch(new RegExp(`\\b${field}\\b`));
  });
});
