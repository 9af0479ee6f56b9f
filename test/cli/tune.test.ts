import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, readRuleSetFile, writeRuleSetFolder } from '../../src/index.js';
import { startService } from '../../src/platform/service/index.js';
import { faults, labelsOf, type World, worldOf } from '../tune/world.js';
import { sluice } from './terminal.js';

let directory: string;
const file = (name: string) => join(directory, name);
const lines = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const sense = faults['a harmless sense of a term'];
const toxic = faults['a threshold five points low'];
const world = worldOf(sense.rules as never, sense.texts, 11);
const scored = worldOf(toxic.rules as never, toxic.texts, 11);

async function keep(name: string, { rules, messages }: World, count: number) {
  await writeFile(file(`${name}.json`), JSON.stringify({ ...rules, note: 'kept' }, null, 2));
  await writeFile(file(`${name}.ndjson`), lines(messages.map(({ id, data }) => ({ id, data }))));
  await writeFile(
    file(`${name}.labels.ndjson`),
    lines(labelsOf({ rules, messages }, { stopped: count, allowed: 20, seed: 5 })),
  );
  const table = messages.flatMap(({ id, scores: [own] }) => (own ? [[id, own.labels]] : []));
  await writeFile(file(`${name}.scores.json`), JSON.stringify(Object.fromEntries(table)));
}

const given = (name: string, rules = `${name}.json`) => [
  ...['tune', '--rules', file(rules), '--messages', file(`${name}.ndjson`)],
  ...['--labels', file(`${name}.labels.ndjson`)],
];
const tune = (name: string, ...args: readonly string[]) => sluice([...given(name), ...args], { columns: 80 });
const mistakes = async (rules: string) => {
  const engine = createEngine(await readRuleSetFile(rules));
  return world.messages.filter((message) => (engine.decide(message) !== 'allow') !== message.isBad).length;
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-tune-'));
  await keep('sense', world, 60);
  await keep('toxic', scored, 60);
});
afterAll(() => rm(directory, { recursive: true }));

describe('sluice tune', () => {
  it('shows what each proposal does', async () => {
    const more = [
      { messageId: 'gone', outcome: 'wrong' },
      { messageId: '7', outcome: 'unsure' },
    ];
    await writeFile(file('more.ndjson'), lines(more));
    const { code, stdout } = await tune('sense', '--labels', file('more.ndjson'));
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot('../golden/cli/tune.txt');
    const page = await readFile(new URL('../../docs/tune.md', import.meta.url), 'utf8');
    expect(stdout).toContain(page.match(/^```text\n([\s\S]*?)^```$/m)![1]!.trimEnd());
    await expect((await tune('sense', '--markdown')).stdout).toMatchFileSnapshot('../golden/cli/tune.md');
    expect((await tune('sense', '--quiet')).stdout).toBe('');
  });

  it('shows the curve of a threshold, and the way to another scorer', async () => {
    const scores = ['--scores', file('toxic.scores.json'), '--new-scores', file('new.json')];
    const table = scored.messages.map(({ id, scores: [own] }) => [id, { toxicity: own!.labels.toxicity! / 2 }]);
    await writeFile(file('new.json'), JSON.stringify(Object.fromEntries(table)));
    const { stdout } = await tune('toxic', ...scores);
    await expect(stdout).toMatchFileSnapshot('../golden/cli/tune-thresholds.txt');
  });

  it('prints everything but the rule sets as JSON', async () => {
    const report = JSON.parse((await tune('sense', '--json')).stdout);
    expect(report.proposals[0]).toMatchObject({ kind: 'exception', detail: sense.detail, status: 'holds', lost: 0 });
    expect([report.proposals[0].ruleSet, report.set?.ruleSet]).toEqual([undefined, undefined]);
    expect(report).toMatchObject({ messages: 3000, labels: { used: 80 }, thresholds: [] });
    const other = JSON.parse((await tune('sense', '--json', '--holdout', '0', '--seed', '2')).stdout);
    expect(other.proposals[0]).toMatchObject({ status: 'suggestion' });
  });

  it('writes proposals to a file, with a comment, and keeps all else that is in it', async () => {
    const before = JSON.parse(await readFile(file('sense.json'), 'utf8'));
    await writeFile(file('copy.json'), JSON.stringify(before, null, 2));
    const { code, stderr } = await sluice([...given('sense', 'copy.json'), '--write', '1', '--quiet']);
    expect([code, stderr]).toEqual([0, '']);
    const after = JSON.parse(await readFile(file('copy.json'), 'utf8'));
    const [list] = after.lists.slice(before.lists.length);
    const comment = expect.stringMatching(/^frees \d+ messages that labels called wrong \(sluice tune\)$/);
    expect(list).toEqual({ id: 'violence-exceptions', category: 'word', searchTerms: ['kill the'] });
    expect(after).toEqual({
      ...{ ...before, lists: [...before.lists, list] },
      semantics: { exceptions: [{ lists: ['violence-exceptions'], for: { lists: ['violence'] } }] },
      comments: { 'violence-exceptions': { terms: { 'kill the': comment } } },
    });
    expect([await mistakes(file('sense.json')), await mistakes(file('copy.json'))]).toEqual([expect.any(Number), 0]);
    expect(await mistakes(file('sense.json'))).toBeGreaterThan(100);
  });

  it('writes proposals to a folder, where comments and readings stay', async () => {
    const folder = file('rules');
    await mkdir(folder);
    const noted = { comments: { violence: { terms: { stab: 'Ann, 2026' } } }, semantics: { wildcards: 'asterisk' } };
    await writeRuleSetFolder(folder, { ...world.rules, missing: [], truncated: false, revision: 'x', ...noted });
    const { stderr } = await sluice([...given('sense', 'rules'), '--write', '1']);
    expect(stderr).toContain(`1 change written to ${folder}`);
    expect(await readFile(join(folder, 'lists/violence-exceptions.txt'), 'utf8')).toMatch(
      /^kill the +# frees \d+ messages/m,
    );
    expect(await readFile(join(folder, 'lists/violence.txt'), 'utf8')).toMatch(/^stab +# Ann, 2026/m);
    expect(JSON.parse(await readFile(join(folder, 'semantics.json'), 'utf8'))).toMatchObject({ wildcards: 'asterisk' });
    expect(await mistakes(folder)).toBe(0);
  });

  it('takes messages of a stream and of a platform, and cases that have to hold', async () => {
    const first = JSON.parse((await tune('sense', '--json')).stdout);
    const stdin = await readFile(file('sense.ndjson'), 'utf8');
    const piped = [
      'tune',
      '--rules',
      file('sense.json'),
      '--messages',
      '-',
      '--labels',
      file('sense.labels.ndjson'),
      '--json',
    ];
    expect(JSON.parse((await sluice(piped, { stdin })).stdout)).toEqual(first);
    const messages = world.messages.map(({ id, data }, at) => ({
      id,
      data,
      sender: 'a',
      receiverType: 'user' as const,
      receiver: 'b',
      sentAt: at,
    }));
    const service = await startService({ data: { messages } });
    const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    const fetched = await sluice(
      ['tune', '--rules', file('sense.json'), '--labels', file('sense.labels.ndjson'), '--json'],
      { env },
    );
    await service.close();
    expect(JSON.parse(fetched.stdout)).toEqual(first);
    await writeFile(
      file('cases.ndjson'),
      lines([{ name: 'a process', message: 'kill the process', verdict: 'blockMessage' }]),
    );
    const { proposals } = JSON.parse((await tune('sense', '--json', '--cases', file('cases.ndjson'))).stdout);
    expect(proposals.map(({ detail }: { detail: string }) => detail)).not.toContain(sense.detail);
  });

  it.each([
    [['--precision', '95'], '`--precision` must be a share above 0, up to 1'],
    [['--holdout', '1.5'], '`--holdout` must be a share above 0, up to 1'],
    [['--new-scores', 'x.json'], '`--new-scores` goes with `--scores FILE`'],
    [['--write', '99'], '`--write 99`: there are'],
    [['--write', '0'], '`--write` must be a whole number, 1 or more'],
  ])('refuses %j', async (args, words) => {
    const { code, stderr } = await tune('sense', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it('needs labels, and rules of a file to write them', async () => {
    expect((await sluice(['tune', '--demo'])).stderr).toContain('no labels; add `--labels FILE`');
    const args = ['tune', '--demo', '--labels', file('sense.labels.ndjson'), '--write', '1'];
    expect((await sluice(args)).stderr).toContain('`--write` goes with `--rules FILE|DIR`');
  });
});
