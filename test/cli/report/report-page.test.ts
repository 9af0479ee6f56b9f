import { describe, expect, it } from 'vitest';
import { reportPage } from '../../../src/cli/report/report-page.js';
import { reportScript } from '../../../src/cli/report/report-script.js';
import { reportStyle } from '../../../src/cli/report/report-style.js';
import { harmless, hostileMessages, reportOf } from './hostile-world.js';

/** The page without style and script, which are the same in every report. */
const content = (page: string) =>
  page
    .replace(reportStyle, '…')
    .replace(reportScript, '…')
    .replace(/sha256-[^']*/g, 'sha256-…');

const dataOf = (page: string) =>
  JSON.parse(/<script type="application\/json" id="report-data">(.*)<\/script>\n/.exec(page)![1]!);

const plain = (count: number, days: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: String(index), sender: 'a', conversationId: 'b' },
    ...{ sentAt: 1_767_225_600 + Math.floor((index * days) / count) * 86_400, data: { text: 'hello' } },
  }));

describe('the page of a report', () => {
  it('of hostile texts is as it was', async () => {
    await expect(content(reportPage(reportOf(hostileMessages())))).toMatchFileSnapshot(
      '../../golden/cli/report-hostile.txt',
    );
  });

  it('redacted is as it was, and holds no text of a message', async () => {
    const page = reportPage(reportOf(hostileMessages(), { content: 'redacted' }));
    await expect(content(page)).toMatchFileSnapshot('../../golden/cli/report-redacted.txt');
    expect(page).not.toMatch(/w{300}|txet|alert\(1\)/);
    expect(page).toContain('characters 0 to 5');
  });

  it('depends on its input alone', () => {
    expect(reportPage(reportOf(hostileMessages()))).toBe(reportPage(reportOf(hostileMessages().reverse())));
  });

  it('has no element, attribute or comment of a hostile text', () => {
    const page = content(reportPage(reportOf(hostileMessages())));
    const tags = [...page.matchAll(/<[a-z!][^>]*>/g)].map(([tag]) => tag);
    expect(tags.filter((tag) => /onerror|onload|<img|<!--/.test(tag))).toEqual([]);
    expect(tags.filter((tag) => tag.startsWith('<script'))).toEqual([
      '<script type="application/json" id="report-data">',
      '<script>',
    ]);
    expect(page.match(/<\/(script|style|head)>/g)).toEqual(['</style>', '</head>', '</script>', '</script>']);
  });

  it('has its counts as JSON, without texts of messages', () => {
    const data = dataOf(reportPage(reportOf(hostileMessages())));
    expect([data.format, data.messages, data.verdicts]).toEqual([1, 8, { allow: 2, blockMessage: 3, dropMessage: 3 }]);
    expect(data.byRule.map(({ stopped }: { readonly stopped: number }) => stopped).sort()).toEqual([0, 1, 2, 3]);
    expect(JSON.stringify(data)).not.toContain('w'.repeat(300));
  });

  it('of no message, and of messages that are all allowed, says so', () => {
    const none = content(reportPage(reportOf([], { ruleSet: harmless })));
    expect(none).toContain('<h1>No message was judged</h1>');
    expect(none).toContain('No message says when it was sent.');
    const allowed = content(reportPage(reportOf(plain(3, 1))));
    expect(allowed).toContain('<h1>None of 3 messages stopped</h1>');
    expect(allowed).toContain('No rule matched a message.');
    expect(allowed.match(/<rect /g)).toHaveLength(1);
  });

  it('of ten years has as many bars as fit a line, which count every message', () => {
    const page = content(reportPage(reportOf(plain(5_000, 3_653))));
    expect(page.match(/<rect /g)).toHaveLength(118);
    const counts = [
      ...page.matchAll(/<tr><th scope="row">2\d\d\d-[^<]*<\/th><td class="n">0<\/td><td class="n">(\d+)</g),
    ];
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(5_000);
    expect(page).toContain('2036-01-01');
  });
});
