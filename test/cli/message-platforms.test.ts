/** Files of messages as exports of several platforms have them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sluice } from './terminal.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-todo-'));
  const conditions = [{ operand: 'text', value: ['buy now'] }];
  const rules = [{ id: 'r', action: 'blockMessage', conditions }];
  await writeFile(join(folder, 'rules.json'), JSON.stringify({ rules, lists: [] }));
});
afterAll(() => rm(folder, { recursive: true }));

let runs = 0;

/** Audits a file of messages; resolves to the rows of its decisions. */
async function audited(name: string, content: string, ...more: readonly string[]) {
  const out = join(folder, `out-${runs++}`);
  await writeFile(join(folder, name), content);
  const files = ['--rules', join(folder, 'rules.json'), '--messages', join(folder, name)];
  const { code, stderr } = await sluice(['audit', ...files, '--out', out, '--all', ...more]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const written = (await readFile(join(out, 'decisions.ndjson'), 'utf8')).trim().split('\n');
  const summary = JSON.parse(await readFile(join(out, 'summary.json'), 'utf8'));
  return { summary, stderr, rows: written.map((row) => JSON.parse(row)) };
}
const linesOf = (...rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('exports', () => {
  it('rows without an id are named by their place', async () => {
    const { rows, summary } = await audited('plain.ndjson', linesOf({ text: 'hello' }, { text: 'buy now' }));
    expect(rows).toMatchObject([{ row: 1 }, { row: 2, decision: { verdict: 'blockMessage' } }]);
    expect(summary.rules[0].examples).toEqual(['#2']);
  });

  it('the text of Telegram as an array of parts is its text', async () => {
    const text = ['buy ', { type: 'bold', text: 'now' }];
    const { rows } = await audited('telegram.ndjson', linesOf({ id: 1, text }));
    expect(rows).toMatchObject([{ decision: { verdict: 'blockMessage' } }]);
  });

  it.each(['ts', 'created_utc'])('%s of an export is the time', async (column) => {
    const { rows } = await audited('times.ndjson', linesOf({ text: 'hello', [column]: '1772323200.5' }));
    expect(rows).toMatchObject([{ sentAt: 1772323200.5 }]);
  });

  it('HTML entities in most texts get a warning', async () => {
    const texts = ['you &amp; me', '&#8220;hello&#8221;', 'a &lt; b'].map((text) => ({ text }));
    const { stderr } = await audited('entities.ndjson', linesOf(...texts));
    expect(stderr).toMatch(/3 of the first 3 texts .*`--decode html`/);
    const escaped = { text: 'buy&#32;now &LT;&#x1F600;&nbsp;&unknown;' };
    const decoded = await audited('decoded.ndjson', linesOf(escaped), '--decode', 'html', '--with-text');
    expect(decoded.rows).toMatchObject([{ text: 'buy now <😀\u00a0&unknown;' }]);
    expect(decoded.stderr).not.toContain('--decode');
  });

  it('NDJSON of strings is read as `judge` reads it', async () => {
    const { rows } = await audited('strings.ndjson', linesOf('hello', 'buy now'));
    expect(rows).toMatchObject([{ decision: { verdict: 'allow' } }, { decision: { verdict: 'blockMessage' } }]);
  });

  it('a cell of TSV never spans lines, and loses the quotes around it alone', async () => {
    const { rows } = await audited('cells.tsv', 'id\ttext\n1\t"hello\n2\tbuy now\n3\t"buy now"\n4\t5" x\n');
    expect(rows).toMatchObject(
      ['allow', 'blockMessage', 'blockMessage', 'allow'].map((verdict) => ({ decision: { verdict } })),
    );
    expect(rows[2].decision.matched[0].conditions[0].matches[0].span).toEqual({ start: 0, end: 7 });
  });
});
