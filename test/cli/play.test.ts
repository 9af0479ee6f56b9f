import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../src/platform/service/index.js';
import type { ServedRules } from '../../src/play/handler.js';
import { listenWhile, sluice } from './terminal.js';
import { world, worldFiles } from './world.js';

async function rulesAndMessages() {
  const files = await worldFiles();
  onTestFinished(files.remove);
  return files;
}

/** Gets what the page of a command line gets: the rules, and the lines of the messages. */
async function servedBy(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const got: { page?: string; rules?: ServedRules; messages?: unknown[]; status?: number } = {};
  const outcome = await listenWhile(
    ['play', '--json', ...args],
    async (printed) => {
      const { origin, hash } = new URL((JSON.parse(printed) as { readonly url: string }).url);
      const get = (path: string) =>
        fetch(origin + path, { headers: { authorization: `Bearer ${hash.replace('#token=', '')}` } });
      got.page = await (await fetch(origin)).text();
      const rules = await get('/rules');
      got.status = rules.status;
      if (!rules.ok) return;
      got.rules = (await rules.json()) as ServedRules;
      // Each page that is loaded reads the messages anew.
      for (const _ of [1, 2]) {
        const lines = (await (await get('/messages')).text()).split('\n').filter(Boolean);
        got.messages = lines.map((line) => JSON.parse(line) as unknown);
      }
    },
    env,
  );
  return { ...outcome, ...got };
}

describe('sluice play', () => {
  it('serves rules and messages of files with the readings and the scores, and ends well', async () => {
    const files = await rulesAndMessages();
    const { rules, messages, code, stderr, page } = await servedBy([
      ...['--rules', files.file('rule-set.json'), '--messages', files.file('messages.ndjson')],
      ...['--shadow', 'scam', '--scores', files.file('scores.json'), '--quiet'],
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(page).toContain("connect-src 'self'");
    expect(rules).toMatchObject({ rulesName: files.file('rule-set.json'), rules: { semantics: { shadow: ['scam'] } } });
    expect(rules!.rules.rules.length).toBeGreaterThan(0);
    expect(messages!.length).toBeGreaterThan(3);
    expect(messages!.some((row) => (row as unknown[]).length === 2)).toBe(true);
  });

  it('serves the messages of a platform each time that the page is loaded', async () => {
    const service = await startService({ data: world(20) });
    onTestFinished(() => service.close());
    const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    const { messages, rules, code } = await servedBy(['--quiet'], env);
    expect([code, rules!.messagesName]).toEqual([0, expect.any(String)]);
    expect(messages).toHaveLength(20);
    expect(messages!.every(Array.isArray)).toBe(true);
  });

  it('needs nothing: the page has the bundled demo then', async () => {
    const { status, page, code } = await servedBy([]);
    expect([status, code]).toEqual([401, 0]);
    expect(page).toContain('id="demo"');
  });

  it('takes rules alone, for messages that are dropped', async () => {
    const files = await rulesAndMessages();
    const { rules, messages } = await servedBy(['--rules', files.file('rule-set.json')]);
    expect(rules!.messagesName).toBe(undefined);
    expect(messages).toEqual([{ error: expect.any(String) }]);
  });

  it.each([
    [['--messages', '-', '--rules', 'x'], '`--messages` a file'],
    [['--messages', 'x'], 'no rules; add `--rules FILE`'],
    [['--rules', 'nowhere.json'], 'nowhere.json'],
  ])('refuses %j', async (args, words) => {
    const { code, stderr } = await sluice(['play', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});
