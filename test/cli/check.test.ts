import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { textAt } from '../../src/audit/count/excerpt.js';
import { createEngine } from '../../src/engine/engine.js';
import { re2wasm } from '../../src/engine/re2-wasm.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';
import { readRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { startService } from '../../src/platform/service/index.js';
import { whyNot } from '../../src/review/why-not/why-not.js';
import { checkFiles, custom } from './check-world.js';
import { expectPlainScreens, type RunOptions, sluice } from './terminal.js';
import { removedAfterAll, world } from './world.js';

const files = removedAfterAll(await checkFiles());
const service = await startService({ data: world() });
afterAll(() => service.close());

function check(args: readonly string[], given?: RunOptions) {
  const defaults = { '--rules': 'rule-set.json', '--semantics': 'semantics.json' };
  const sources = Object.entries(defaults).flatMap(([option, name]) =>
    args.includes(option) ? [] : [option, files.file(name)],
  );
  return sluice(['check', ...sources, ...args], given);
}

const ofFile = (name: string, ...args: readonly string[]) => ['--message', files.file(name), ...args];
const whys = () => ['--rules', files.file('why-not.json'), '--semantics', files.file('why-not-semantics.json')];
const broken = () => ['--rules', files.file('broken.json')];
const scored = () => ['--scores', files.file('scores.json')];
const overlapping = 'get your free Money now or never, what the heck. Ask my lawyer: free money now';
const scripts = 'قال له احمق وذهب, 你是 笨蛋 吗, an 👩‍🚀 flies 👍🏽 नमस्ते heck, ｶﾅ Damn \u{1b}[2J\u{202e}';
const long = `${'nothing to see in these many words, '.repeat(8)}heck\n\n${'and again '.repeat(20)}\r\n\tdamn, ${'笨蛋,'.repeat(30)}`;

describe('check screen', () => {
  const screens: readonly (readonly [name: string, args: () => readonly string[], code: number])[] = [
    ['allowed', () => ['good morning'], 0],
    ['flagged', () => ['ask my lawyer'], 0],
    ['in-shadow', () => ['tomorrow then'], 0],
    ['overlapping', () => [overlapping], 1],
    ['overlapping-verbose', () => [overlapping, '--verbose'], 1],
    ['scripts', () => [scripts], 1],
    ['long', () => [long], 1],
    ['many-matches', () => ['now '.repeat(1200)], 1],
    ['custom', () => ofFile('custom.json'), 1],
    ['custom-verbose', () => ofFile('custom.json', '--verbose'), 1],
    ['picture', () => ofFile('picture.json', ...scored()), 1],
    ['picture-verbose', () => ofFile('picture.json', ...scored(), '--verbose'), 1],
    ['picture-unevaluated', () => ofFile('picture.json', ...broken()), 0],
    ['picture-unevaluated-verbose', () => ofFile('picture.json', '--verbose', ...broken()), 0],
    ['broken', () => [...broken(), 'ask my lawyer'], 0],
    ['broken-verbose', () => [...broken(), 'what the heck', '--verbose'], 1],
    ['exempt', () => ofFile('root.json'), 0],
    ['why-not', () => ['he ck it, h3ck nowhere', '--why-not', ...whys()], 0],
    ['why-not-verbose', () => ['he ck it, h3ck nowhere', '--verbose', '--why-not', ...whys()], 0],
    ['why-not-rule', () => ['--why-not', 'links', ...whys(), `see https://help.ours.example/x\u{1b}[2J`], 0],
    ['why-not-matched', () => ['--why-not', 'links', ...whys(), 'https://evil.example'], 1],
    ['why-not-exempt', () => ofFile('root.json', '--why-not', ...whys()), 0],
    ['why-not-picture', () => ofFile('picture.json', '--scores', files.file('low.json'), '--why-not', 'gore'), 0],
    ['excepted', () => [...whys(), `see https://help.ours.example/x\u{1b}[2J and https://help.ours.example`], 0],
    ['excepted-and-stopped', () => [...whys(), 'https://help.ours.example/x https://evil.example'], 1],
    ['filtered', () => ofFile('admin.json', ...whys()), 0],
  ];

  it.each(screens)('matches the golden screen: %s', async (name, args, code) => {
    const outcome = await check(args());
    expect([outcome.code, outcome.stderr]).toEqual([code, '']);
    await expect(outcome.stdout).toMatchFileSnapshot(`../golden/cli/check-${name}.txt`);
  });

  it('matches the golden screen in colour of 100 columns, and of 140, which are the most', async () => {
    for (const [columns, width] of [
      [100, 100],
      [200, 140],
    ] as const) {
      const { stdout } = await check([overlapping], { isTTY: true, columns });
      await expect(stdout).toMatchFileSnapshot(`../golden/cli/check-colour-${width}-columns.txt`);
    }
  });

  it.each(screens)('has plain screens of any width: %s', async (_name, args) => {
    await expectPlainScreens((given) => check(args(), given), [40, 100, 300]);
  });

  it('is one green line for an allowed message', async () => {
    const { stdout } = await check(['good morning'], { isTTY: true });
    expect(stdout).toBe('\u{1b}[1m\u{1b}[32mallowed\u{1b}[39m\u{1b}[22m\n');
  });

  it('labels the first eight marks, and counts the others', async () => {
    const { stdout } = await check(['damn '.repeat(20)]);
    expect(stdout.match(/"damn"/g)).toHaveLength(8);
    expect(stdout).toContain('\n  +12 more marks\n');
  });
});

describe('sluice check', () => {
  const engine = async () => createEngine(await readRuleSetFile(files.file('rule-set.json')));
  const bare = (...args: readonly string[]) => ['check', '--rules', files.file('rule-set.json'), ...args];

  it('says errors of the rules under --json and --quiet too, and ends by the verdict', async () => {
    const stderr =
      'sluice: 1 error in the rules: broken#1[0]: `([` is not `<label>_greaterThan_<number>`; more by sluice lint\n';
    for (const option of ['--json', '--quiet']) {
      const allowed = await check([...broken(), 'hello', option]);
      expect([allowed.code, allowed.stderr]).toEqual([0, stderr]);
      const stopped = await check([...broken(), 'heck', option]);
      expect([stopped.code, stopped.stderr]).toEqual([1, stderr]);
    }
    expect((await check([...broken(), 'hello', '--json'])).stdout).toContain('"verdict": "allow"');
  });

  it('prints the decision of the engine unchanged with --json', async () => {
    const { explain } = await engine();
    const text = await sluice(bare('--json', overlapping));
    expect(JSON.parse(text.stdout)).toEqual(JSON.parse(JSON.stringify(explain(overlapping))));
    expect([text.code, text.stderr]).toEqual([1, '']);
    const message = await sluice(bare('--json', '--message', '-'), { stdin: [JSON.stringify(custom)] });
    expect(JSON.parse(message.stdout)).toEqual(JSON.parse(JSON.stringify(explain(custom))));
    const allowed = await sluice(bare('--json', 'good morning'));
    expect([allowed.code, JSON.parse(allowed.stdout).verdict]).toEqual([0, 'allow']);
  });

  it('adds why rules did not match to the decision with --why-not --json', async () => {
    const ruleSet = await readRuleSetFile(files.file('why-not.json'));
    const message = JSON.parse(await readFile(files.file('admin.json'), 'utf8')) as MessageDraft;
    const semantics = JSON.parse(await readFile(files.file('why-not-semantics.json'), 'utf8')) as object;
    const given = ['--json', ...ofFile('admin.json', ...whys())];
    for (const ruleId of [undefined, 'newcomers']) {
      const { code, stdout } = await check([...given, '--why-not', ...(ruleId === undefined ? [] : [ruleId])]);
      const { whyNot: answers, ...decision } = JSON.parse(stdout) as { whyNot: unknown };
      expect(answers).toEqual(whyNot(ruleSet, message, { semantics, ruleId }));
      expect(decision).toEqual(JSON.parse((await check(given)).stdout));
      expect(code).toBe(0);
    }
  });

  it('takes what stands alone behind --why-not for the text, and standard input behind it', async () => {
    const all = (await check(['a NOWHERE', ...whys(), '--why-not'])).stdout;
    expect((await check([...whys(), '--why-not', 'a NOWHERE'])).stdout).toBe(all);
    expect((await check([...whys(), '--why-not', '-'], { stdin: ['a NOWHERE'] })).stdout).toBe(all);
    expect((await check([...whys(), '--why-not', '--', 'a NOWHERE'])).stdout).toBe(all);
    expect((await check([...whys(), '--why-not=', 'a NOWHERE'])).stdout).toBe(all);
  });

  it('refuses --why-not of a rule that is not there, with the nearest one', async () => {
    const { code, stderr, stdout } = await check([...whys(), '--why-not', 'lnks', 'x']);
    expect([code, stderr, stdout]).toEqual([
      2,
      'sluice: `--why-not` must be the id of a rule, and no rule has this one; did you mean `links`?\n',
      '',
    ]);
  });

  it('reads a text from standard input without its final line feed', async () => {
    for (const [stdin, end] of [
      ['so damn\n', 7],
      ['so damn', 7],
      ['so damn\r\n', 7],
      ['\n\nso damn\n\n', 9],
    ] as const) {
      const { stdout } = await sluice(bare('--json', '-'), { stdin: [Buffer.from(stdin)] });
      expect(JSON.parse(stdout).matched[0].conditions[0].matches[0].span).toEqual({ start: end - 4, end });
    }
    const { explain } = await engine();
    const bytes = Buffer.from('你是 笨蛋 吗');
    const { stdout } = await sluice(bare('--json', '-'), { stdin: [...bytes].map((byte) => Uint8Array.of(byte)) });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(explain('你是 笨蛋 吗'))));
  });

  it('accepts any text after --, and an empty one', async () => {
    expect((await sluice(bare('--quiet', '--', '--damn'))).code).toBe(1);
    expect((await sluice(bare('--quiet', '--', '-'), { stdin: ['damn'] })).code).toBe(1);
    expect((await sluice(bare('--quiet', ''))).code).toBe(0);
  });

  it('prints nothing with --quiet, and exits by the verdict', async () => {
    expect(await sluice(bare('--quiet', 'damn'))).toEqual({ code: 1, stdout: '', stderr: '' });
    expect(await sluice(bare('--quiet', 'good morning'))).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse((await sluice(bare('--quiet', '--json', 'damn'))).stdout).verdict).toBe('blockMessage');
  });

  it('takes rules from a platform or the demo', async () => {
    const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    const asked = await sluice(['check', 'what the heck'], { env });
    expect([asked.code, asked.stderr]).toEqual([1, `pulling rules from ${service.url}\n`]);
    expect(asked.stdout).toMatch(/^stopped: blockMessage\n/);
    const demo = await sluice(['check', '--demo', '--quiet', 'SLUICE-CANARY-7f3a']);
    expect(demo).toEqual({ code: 1, stdout: '', stderr: '' });
    const lost = await sluice(['check', '--quiet', 'hello'], {
      env: { ...env, SLUICE_BASE_URL: 'http://127.0.0.1:9/v3' },
    });
    expect([lost.code, lost.stdout]).toEqual([4, '']);
  });

  it('warns of twenty files without a score above 1, and takes them with --scores-scale 1', async () => {
    const low = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`https://media.test/${index === 0 ? 'a.jpg' : index}`, { gore: 0.97 }]),
    );
    await writeFile(files.file('low.json'), JSON.stringify(low));
    const args = ofFile('picture.json', '--scores', files.file('low.json'), '--json');
    const plain = await check(args);
    expect(JSON.parse(plain.stdout)).toMatchObject({ matched: [] });
    expect(plain.stderr).toBe(
      'warning: none of 20 scored texts and files has a score above 1, and thresholds count from 0 to 100: scores from 0 to 1 need ' +
        '`--scores-scale 1`\n',
    );
    const scaled = await check([...args, '--scores-scale', '1']);
    expect([scaled.code, scaled.stderr]).toEqual([1, '']);
    expect(JSON.parse(scaled.stdout).matched[0].conditions[0].matches[0]).toMatchObject({ label: 'gore', score: 97 });
    expect((await check([...args, '--quiet'])).stderr).toBe('');
  });

  it('applies the scores of the demo with --demo', async () => {
    const scores: Record<string, Record<string, number>> = JSON.parse(
      await readFile(new URL('../../fixtures/data/scores.json', import.meta.url), 'utf8'),
    );
    const [url, labels] = Object.entries(scores).find(([, own]) => Object.values(own).some((score) => score > 30))!;
    const message = { type: 'image', data: { attachments: [{ url, mimeType: 'image/png' }] } };
    const { stdout } = await sluice(['check', '--demo', '--message', '-', '--json'], {
      stdin: [JSON.stringify(message)],
    });
    const matches = JSON.parse(stdout).matched[0].conditions[0].matches;
    expect(matches[0]).toMatchObject({ kind: 'score', path: 'scores[0]' });
    expect(labels[matches[0].label]).toBe(matches[0].score);
  });

  it('names the reason of a matched condition without matches', async () => {
    await writeFile(files.file('block.json'), '{"missingScores":"block"}');
    const args = bare('--semantics', files.file('block.json'), ...ofFile('picture.json'));
    const { code, stdout } = await sluice(args);
    expect(code).toBe(1);
    expect(stdout).toContain('\nGore in pictures: counts as matched, since scores are missing\n');
    expect((await sluice([...args, '--verbose'])).stdout).toContain(
      '→ condition 1, image → counts as matched, since scores are missing\n',
    );
  });

  it('names the reason of a condition that counts as matched on a text that cannot be read', async () => {
    await writeFile(files.file('unreadable.json'), '{"unreadable":"block"}');
    const args = bare('--semantics', files.file('unreadable.json'), '--message', '-');
    const { code, stdout } = await sluice(args, { stdin: ['{"data":{"text":{"en":"damn"}}}'] });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Scam phrases: counts\s+as\s+matched,\s+since\s+the\s+text\s+cannot\s+be\s+read/m);
  });

  it('exits with 3 for a broken rule under `broken: fail`', async () => {
    await writeFile(files.file('strict.json'), '{"broken":"fail"}');
    const outcome = await check([...broken(), '--semantics', files.file('strict.json'), 'hello']);
    expect(outcome).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^sluice: rule `broken`: .+\n$/),
    });
  });

  it('runs patterns on the engine of --semantics', async () => {
    const revision = async (...args: readonly string[]) =>
      JSON.parse((await sluice(bare('--json', ...args, overlapping))).stdout).revision;
    const ruleSet = await readRuleSetFile(files.file('rule-set.json'));
    const wasm = createEngine(ruleSet, { engine: re2wasm });
    await writeFile(files.file('wasm.json'), '{"engine":"re2-wasm"}');
    expect(await revision('--semantics', files.file('wasm.json'))).toBe(wasm.revision);
    expect(wasm.revision).not.toBe(createEngine(ruleSet).revision);
    const { stdout } = await sluice(bare('--json', '--semantics', files.file('wasm.json'), overlapping));
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(wasm.explain(overlapping))));
    wasm.close();
  });

  it('ends with 130 when interrupted while reading standard input', async () => {
    const controller = new AbortController();
    async function* silent() {
      yield 'da';
      setImmediate(() => controller.abort(new Error('interrupted')));
      await new Promise(() => undefined);
    }
    const outcome = await sluice(bare('-'), { stdin: silent(), interrupted: controller.signal });
    expect(outcome).toEqual({ code: 130, stdout: '', stderr: 'sluice: interrupted\n' });
  });
});

describe('textAt', () => {
  it('returns the text at any path in the notation of a decision', () => {
    const message = { data: { a: [{ 'b "c"\\d.e': ['x', 'y'] }], $1: { '': 'empty' } } };
    expect(textAt(message, 'data.a[0]["b \\"c\\"\\\\d.e"][1]')).toBe('y');
    expect(textAt(message, 'data.$1[""]')).toBe('empty');
    expect(textAt(message, 'data.a')).toBeUndefined();
    expect(textAt(message, 'data.none[3].more')).toBeUndefined();
  });
});
