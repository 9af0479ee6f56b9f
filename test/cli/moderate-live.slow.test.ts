/** Rules of `sluice moderate` that change while it runs: what it holds back, takes and says. */
import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startService } from '../../src/platform/service/index.js';
import { ask, files, moderateWhile, statusOf, stops } from './moderating.js';
import { sluice } from './terminal.js';

describe('sluice moderate, as its rules change', () => {
  it('follows its file: replaced, broken, mended', async () => {
    const { file } = await files();
    await writeFile(file('live.json'), stops('one'));
    const { code, stderr } = await moderateWhile(['--rules', file('live.json')], async (url) => {
      const isStopped = async (text: string) => (await ask(`${url}/decide`, text)).json.verdict === 'blockMessage';
      expect([await isStopped('one'), await isStopped('two')]).toEqual([true, false]);
      await writeFile(file('next.json'), stops('one', 'two'));
      await rename(file('next.json'), file('live.json'));
      while (!(await isStopped('two'))) await pause(20);
      await writeFile(file('live.json'), '{ "rules": [');
      const failed = /sluice_refreshes_total\{outcome="failed"\}/;
      while (!failed.test(await (await fetch(`${url}/metrics`)).text())) await pause(20);
      expect([await isStopped('two'), await statusOf(`${url}/readyz`)]).toEqual([true, 200]);
      await writeFile(file('live.json'), stops('one', 'two', 'three'));
      while (!(await isStopped('three'))) await pause(20);
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: the rules were not refreshed: .*live\.json: [^\n]*JSON[^\n]*\n$/);
  });

  it('starts without the platform: not ready until its rules are there', async () => {
    const { file } = await files();
    const down = await startService({ data: file('data') });
    const { apiKey } = down;
    const port = Number(new URL(down.url).port);
    await down.close();
    const env = { SLUICE_BASE_URL: down.url, SLUICE_API_KEY: apiKey };
    const { code, stderr } = await moderateWhile(
      [],
      async (url) => {
        expect([await statusOf(`${url}/healthz`), await statusOf(`${url}/readyz`)]).toEqual([200, 503]);
        expect(await ask(`${url}/decide`, 'x')).toEqual({ status: 503, json: { error: 'the rules are not there' } });
        expect((await ask(`${url}/custom-api`, { contextMessages: [{ a: 'x' }] })).status).toBe(503);
        const up = await startService({ data: file('data'), port, apiKey });
        let ready = 503;
        while (ready !== 200) ready = await statusOf(`${url}/readyz`);
        expect((await ask(`${url}/decide`, 'damn')).status).toBe(200);
        await up.close();
      },
      env,
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: no rules yet of http:.*\n/m);
    expect(stderr).not.toContain(apiKey);
  });

  it('says that the source fails also while rules are held back', async () => {
    const { file } = await files();
    await writeFile(file('live.json'), stops('one'));
    const { stderr } = await moderateWhile(['--rules', file('live.json')], async (url) => {
      const refreshed = async (outcome: string) => {
        const line = `sluice_refreshes_total{outcome="${outcome}"}`;
        while (!(await (await fetch(`${url}/metrics`)).text()).includes(line)) await pause(20);
      };
      await writeFile(file('live.json'), '{ "rules": [], "lists": [] }');
      await refreshed('held');
      await writeFile(file('live.json'), '{ "rules": [');
      await refreshed('failed');
    });
    const [held, failed, ...others] = stderr.trimEnd().split('\n');
    expect(held).toMatch(/^warning: new rules are held back: 1 of 1 rules and 1 of 1 terms would be lost; /);
    expect(failed).toMatch(/^warning: the rules were not refreshed: .*live\.json: .*JSON/);
    expect(others).toEqual([]);
  });

  it('holds back what its canary has against it, says so once in a line, and when that is over', async () => {
    const { file } = await files();
    await writeFile(file('live.json'), stops('one'));
    const args = ['--rules', file('live.json'), '--canary', '--refresh', '1'];
    const { stderr } = await moderateWhile(args, async (url) => {
      const isStopped = async (text: string) => (await ask(`${url}/decide`, text)).json.verdict === 'blockMessage';
      const refreshed = async (outcome: string, least: number) => {
        const line = new RegExp(`sluice_refreshes_total\\{outcome="${outcome}"\\} (\\d+)`);
        while (Number(line.exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? 0) < least) await pause(20);
      };
      for (const text of ['secret one', 'secret two', 'secret three']) await isStopped(text);
      await writeFile(file('live.json'), stops('one', 'secret'));
      await refreshed('held', 5);
      expect(await isStopped('secret two')).toBe(false);
      await writeFile(file('live.json'), stops('one', 'four'));
      await refreshed('changed', 1);
      expect(await isStopped('four')).toBe(true);
    });
    const held =
      /^warning: new rules are held back: 2 of the last 3 messages would be newly stopped, over the limit of 0\.05; 2 of them by term "secret" of rule "secret"; to take them, write the line [0-9a-f]{32} into a file, and start with `--accept-file FILE`\nno rules are held back any more: those of .*live\.json are in use\n$/;
    expect(stderr).toMatch(held);
  });

  it('takes what the guard holds when its revision stands in the file of `--accept-file`, over a restart as well', async () => {
    const { file } = await files();
    const args = ['--rules', file('live.json'), '--snapshot', file('snapshot.json'), '--accept-file', file('accepted')];
    const isStopped = async (url: string) => (await ask(`${url}/decide`, 'three')).json.verdict === 'blockMessage';
    await writeFile(file('accepted'), '# nothing yet\n');
    await writeFile(file('live.json'), stops('one', 'two', 'three'));
    await moderateWhile(args, async (url) => expect(await isStopped(url)).toBe(true));
    await writeFile(file('live.json'), stops('one'));
    const linted = await sluice(['lint', file('live.json'), '--json']);
    const { revision } = JSON.parse(linted.stdout);
    const { stderr } = await moderateWhile(args, async (url) => {
      expect(await isStopped(url)).toBe(true);
      expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ready', held: { revision } });
    });
    expect(stderr).toContain(`would be lost; to take them, write the line ${revision} into ${file('accepted')}\n`);
    await writeFile(file('accepted'), `not a revision\n${'0'.repeat(32)}\n`);
    const { stderr: again } = await moderateWhile([...args, '--refresh', '1'], async (url) => {
      expect(await isStopped(url)).toBe(true);
      await writeFile(file('accepted'), `not a revision\n${revision}\n`);
      while (await isStopped(url)) await pause(20);
    });
    expect(again).toContain(`warning: ${file('accepted')}:1: must be a revision of 32 hexadecimal characters`);
    expect(again).toContain(`rules that were accepted are in use: revision ${revision}\n`);
    const { stderr: calm } = await moderateWhile(args, async (url) => expect(await isStopped(url)).toBe(false));
    expect(calm).not.toContain('held back');
  });

  it('is not ready with rules that cannot stop anything, until they are accepted', async () => {
    const { file } = await files();
    await writeFile(file('live.json'), '{ "rules": [], "lists": [] }');
    const args = ['--rules', file('live.json'), '--accept-file', file('accepted')];
    let revision = '';
    const { stderr } = await moderateWhile(args, async (url) => {
      const ready = await fetch(`${url}/readyz`);
      expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('no-rules')]);
      expect((await ask(`${url}/decide`, 'x')).status).toBe(503);
      expect((await ask(`${url}/custom-api`, { contextMessages: [{ a: 'x' }] })).status).toBe(503);
    });
    expect(stderr).toContain(`cannot read accepted revisions from \`${file('accepted')}\`: no such file or directory`);
    expect(stderr).toContain(
      'there are no rules yet, and /readyz is 503: nothing in it can stop a message; to take them',
    );
    revision = /write the line ([0-9a-f]{32})/.exec(stderr)?.[1] ?? '';
    await writeFile(file('accepted'), `${revision}\r\n`);
    await moderateWhile(args, async (url) => expect(await statusOf(`${url}/readyz`)).toBe(200));
  });

  it('prints the errors of its rules at the start and at each change', async () => {
    const { file } = await files();
    const broken = { id: 'bad', action: ['blockMessage'], conditions: [{ operand: 'txt', value: ['x'] }] };
    const withErrors = (...ids: string[]) => {
      const { rules, lists } = JSON.parse(stops('one'));
      return JSON.stringify({ rules: [...rules, ...ids.map((id) => ({ ...broken, id }))], lists });
    };
    await writeFile(file('live.json'), withErrors('first'));
    const { stderr } = await moderateWhile(['--rules', file('live.json'), '--refresh', '1', '--quiet'], async (url) => {
      const errors = async () => {
        const ready = (await (await fetch(`${url}/readyz`)).json()) as { issues?: { error: number } };
        return ready.issues?.error;
      };
      expect(await errors()).toBe(1);
      await writeFile(file('live.json'), withErrors('first', 'second'));
      while ((await errors()) !== 2) await pause(20);
      await writeFile(file('live.json'), withErrors());
      while ((await errors()) !== undefined) await pause(20);
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('sluice_rule_issues{severity="error"} 0\n');
    });
    const line = (words: string) => `sluice: ${words}; more by sluice lint\n`;
    const place = (id: string) => `${id}#1: operand \`txt\` cannot be evaluated here; did you mean \`text\`?`;
    expect(stderr).toBe(
      line(`1 error in the rules: ${place('first')}`) +
        line(`2 errors in the rules: ${place('first')}; ${place('second')}`),
    );
  });
});
