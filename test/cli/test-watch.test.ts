import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { checkFiles } from './check-world.js';
import { type Outcome, sluice } from './terminal.js';

let files: Awaited<ReturnType<typeof checkFiles>>;
beforeEach(async () => {
  files = await checkFiles();
});
afterEach(() => files.remove());

/** Replaces a file at once: a run may begin at any moment, and must read the one text or the other. */
async function put(name: string, text: string): Promise<void> {
  await writeFile(files.file('written'), text);
  await rename(files.file('written'), files.file(name));
}

const line = (message: string, verdict: string) => `${JSON.stringify({ name: message, message, verdict })}\n`;

/** Runs `sluice test --watch` on `cases.ndjson`. Changes of folders and the end of waits are what the test says, never a timer. */
function watching(args: readonly string[] = [], isTTY = false, rules = 'rule-set.json') {
  const controller = new AbortController();
  const watched = new Map<string, () => void>();
  const ticks = new Set<() => void>();
  let stdout = '';
  let notes = 0;
  const onWrite = (stream: string, text: string) => {
    if (stream === 'stdout') stdout += text;
    else if (text.includes('watching')) notes += 1;
  };
  const all = ['test', files.file('cases.ndjson'), '--rules', files.file(rules), '--watch', ...args];
  const given = { watched, ticks, interrupted: controller.signal, onWrite, isTTY };
  const ended = sluice(all, given);
  return {
    watched,
    ticks,
    ended,
    stdout: () => stdout,
    runs: (count: number) => until(() => notes >= count),
    /** Reports that something in the folder changed, `times` times, and ends the wait for more. */
    change(times = 1) {
      for (let index = 0; index < times; index++) for (const changed of watched.values()) changed();
      const pending = [...ticks];
      for (const tick of pending) tick();
      return pending.length;
    },
    end(): Promise<Outcome> {
      controller.abort(new Error('interrupted'));
      return ended;
    },
  };
}

describe('sluice test --watch', () => {
  it('runs again when a file changes, and ends with the code of the last run', async () => {
    await put('cases.ndjson', line('damn', 'allow'));
    const watch = watching();
    await watch.runs(1);
    expect(watch.stdout()).toMatch(/\n1 failed\n$|\n0 passed, 1 failed\n$/);
    await put('cases.ndjson', line('damn', 'blockMessage'));
    watch.change();
    await watch.runs(2);
    expect(watch.stdout()).toMatch(/\n1 passed\n$/);
    const { code, stderr } = await watch.end();
    expect(code).toBe(0);
    expect(stderr).toBe('watching 2 files; ctrl-c ends\n'.repeat(2));
    expect([watch.watched.size, watch.ticks.size]).toEqual([0, 0]);
  });

  it('watches the folders of cases, rules, readings, expectations, labels and messages', async () => {
    await put('cases.ndjson', line('damn', 'blockMessage'));
    await mkdir(files.file('other'));
    await writeFile(files.file('other/messages.ndjson'), '{"data":{"text":"damn"}}\n');
    await writeFile(files.file('other/expect.json'), '[{"rule":"profanity-filter","exactly":1}]');
    const others = ['--semantics', files.file('semantics.json'), '--messages', files.file('other/messages.ndjson')];
    const row = '[{"messageId":"#1","ruleId":"profanity-filter","outcome":"right"}]';
    await writeFile(files.file('other/labels.json'), row);
    const ofCorpus = ['--expect', files.file('other/expect.json'), '--labels', files.file('other/labels.json')];
    const watch = watching([...others, ...ofCorpus]);
    await watch.runs(1);
    expect([...watch.watched.keys()].sort()).toEqual([files.directory, files.file('other')]);
    for (const [index, name] of [
      'rule-set.json',
      'semantics.json',
      'other/messages.ndjson',
      'other/expect.json',
      'other/labels.json',
    ].entries()) {
      await utimes(files.file(name), 1, index + 1);
      watch.change();
      await watch.runs(index + 2);
    }
    expect(watch.stdout().match(/1 passed/g)).toHaveLength(6);
    expect((await watch.end()).code).toBe(0);
  });

  it('watches the lists and the readings of a folder of rules, also those that come', async () => {
    await put('cases.ndjson', line('cheap', 'blockMessage'));
    await mkdir(files.file('kept/lists'), { recursive: true });
    const conditions = [{ operand: 'text', isKeywordsReferencePresent: true, value: ['a', 'b'] }];
    await put('kept/rules.json', JSON.stringify({ rules: [{ id: 'r', action: ['blockMessage'], conditions }] }));
    await put('kept/lists/a.txt', 'sale\n');
    const watch = watching([], false, 'kept');
    await watch.runs(1);
    expect([...watch.watched.keys()].sort()).toEqual(
      ['', '/kept', '/kept/lists'].map((name) => files.directory + name),
    );
    const changes = [
      ['lists/a.txt', 'cheap\n'],
      ['lists/b.txt', 'dear\n'],
      ['semantics.json', '{ "words": "substring" }'],
    ] as const;
    for (const [index, [name, text]] of changes.entries()) {
      await put(`kept/${name}`, text);
      watch.change();
      await watch.runs(index + 2);
    }
    expect(watch.stdout()).toContain('1 passed');
    await watch.end();
  });

  it('takes several events for one change, and none for a change of another file', async () => {
    await put('cases.ndjson', line('damn', 'blockMessage'));
    const watch = watching();
    await watch.runs(1);
    await writeFile(files.file('unrelated.txt'), 'x');
    expect(watch.change(5)).toBe(1);
    await put('cases.ndjson', line('damn', 'blockMessage') + line('hi', 'allow'));
    expect(watch.change(5)).toBe(1);
    await watch.runs(2);
    expect(watch.stdout()).toBe('1 passed\n2 passed\n');
    await watch.end();
  });

  it('sees a file that an editor put in the place of the old one, and a change while it runs', async () => {
    await put('cases.ndjson', line('damn', 'blockMessage'));
    const watch = watching();
    await watch.runs(1);
    await put('cases.ndjson', line('damn', 'allow'));
    watch.change();
    // The next change comes at once, in the middle of the run; whichever run reads it, it is seen in the end.
    await put('cases.ndjson', line('damn', 'blockMessage').repeat(3));
    watch.change();
    await until(() => {
      watch.change();
      return watch.stdout().endsWith('3 passed\n');
    });
    await watch.end();
  });

  it('goes on after an error that can be mended', async () => {
    await put('cases.ndjson', 'no json\n');
    const watch = watching();
    await watch.runs(1);
    await rm(files.file('cases.ndjson'));
    watch.change();
    await watch.runs(2);
    await put('cases.ndjson', line('damn', 'blockMessage'));
    watch.change();
    await watch.runs(3);
    const { code, stdout, stderr } = await watch.end();
    expect([code, stdout]).toEqual([0, '1 passed\n']);
    expect(stderr).toMatch(/cases\.ndjson:1: `the whole line` must be json.*\n.*\n.*no such file or directory\n/);
  });

  it('clears the screen on a terminal alone', async () => {
    await put('cases.ndjson', line('damn', 'blockMessage'));
    const terminal = watching([], true);
    await terminal.runs(1);
    expect(terminal.stdout().startsWith('\u{1b}[2J\u{1b}[3J\u{1b}[H')).toBe(true);
    await terminal.end();
    const pipe = watching();
    await pipe.runs(1);
    expect(pipe.stdout()).toBe('1 passed\n');
    expect((await pipe.end()).code).toBe(0);
  });

  it('ends with 1 when the last run failed, also when it is interrupted before a change', async () => {
    await put('cases.ndjson', line('damn', 'allow'));
    const watch = watching();
    await watch.runs(1);
    expect((await watch.end()).code).toBe(1);
  });
});
