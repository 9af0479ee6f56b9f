import { describe, expect, it } from 'vitest';
import { reportPage } from '../../../src/cli/page/page.js';
import { reportStyle } from '../../../src/cli/page/page-style.js';
import type { Semantics } from '../../../src/engine/semantics.js';
import type { MessageDraft } from '../../../src/platform/contract/message-draft.js';
import type { RuleSet } from '../../../src/platform/contract/rule-set.js';
import { harmless, hostileMessages, hostileRuleSet, reportOf } from './hostile-world.js';

/** The page without its style, which is the same in every report. */
const content = (page: string) => page.replace(reportStyle, '…').replace(/sha256-[^']*/g, 'sha256-…');

const plain = (count: number, days: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: String(index), sender: 'a', conversationId: 'b' },
    ...{ sentAt: 1_767_225_600 + Math.floor((index * days) / count) * 86_400, data: { text: 'hello' } },
  }));

/** All on one day but the last, which is allowed. */
const onTwoDays = (messages: readonly MessageDraft[]) =>
  messages.map((message, index) => ({
    ...message,
    sentAt: 1_777_593_600 + (index < messages.length - 1 ? 0 : 86_400),
  }));

/** The contrast of two colours like `#1b1b1a`, as WCAG 2 defines it. */
function contrast(left: string, right: string): number {
  const luminance = (colour: string) => {
    const digits =
      colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit) : colour.slice(1).match(/../g)!;
    const parts = digits.map((pair) => Number.parseInt(pair, 16) / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const [dark, light] = [luminance(left), luminance(right)].sort((first, second) => first - second);
  return (light! + 0.05) / (dark! + 0.05);
}

/** What is said of each example. */
const examplesOf = (page: string) =>
  [
    ...content(page)
      .replaceAll('>\n<', '><')
      .matchAll(/<blockquote[^>]*>(.*?)<\/li>/g),
  ].map(([, text]) => text);

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

  it('says at its beginning that rules have errors, and has them apart from warnings', () => {
    const page = content(reportPage(reportOf(hostileMessages())));
    const error = 'broken#1[0]: pattern was rejected: missing closing ] of a character class';
    const line = `<p class="error"><a href="#unchecked">1 error in the rules</a>: <bdi>${error}</bdi></p>`;
    expect(page.slice(0, page.indexOf('<nav'))).toContain(line);
    const lists = [
      ...page.matchAll(/<details><summary>(?:<span class="error">)?(\d+ \w+ \w+ the rules).*?<ul>(.*?)<\/ul>/gs),
    ];
    expect(
      lists.map(([, words, items]) => [words, items!.match(/<li>(?:<span class="error">)?([\w-]+)/)?.[1]]),
    ).toEqual([
      ['1 error in the rules', 'rejected-pattern'],
      ['1 warning about the rules', 'unknown-action'],
    ]);
    expect(content(reportPage(reportOf([], { ruleSet: harmless })))).not.toMatch(/class="error"|about the rules/);
  });

  it('depends on its input alone', () => {
    expect(reportPage(reportOf(hostileMessages()))).toBe(reportPage(reportOf(hostileMessages().reverse())));
  });

  it('has no element, attribute or comment of a hostile text', () => {
    const page = content(reportPage(reportOf(hostileMessages())));
    const tags = [...page.matchAll(/<[a-z!][^>]*>/g)].map(([tag]) => tag);
    expect(tags.filter((tag) => /onerror|onload|<img|<!--/.test(tag))).toEqual([]);
    expect(tags.filter((tag) => tag.startsWith('<script'))).toEqual([]);
    expect(page.match(/<\/(script|style|head)>/g)).toEqual(['</style>', '</head>']);
  });

  it('of no message, and of messages that are all allowed, says so', () => {
    const none = content(reportPage(reportOf([], { ruleSet: harmless })));
    expect(none).toContain('<h1>No message was judged</h1>');
    expect(none).toContain('No message says when it was sent.');
    const allowed = content(reportPage(reportOf(plain(3, 1))));
    expect(allowed).toContain('<h1>None of 3 messages was stopped</h1>');
    expect(allowed).toContain('No rule matched a message.');
    expect(allowed).toContain('<p>All on Thu Jan 1 2026: 0 blocked, 0 dropped of 3.</p>');
    expect(content(reportPage(reportOf(plain(4, 2)))).match(/<rect class="none"/g)).toHaveLength(2);
  });

  it('of ten years has as many bars as fit a line, which count every message', () => {
    const page = content(reportPage(reportOf(plain(5_000, 3_653))));
    expect(page.match(/<rect /g)).toHaveLength(118);
    const counts = [
      ...page.matchAll(
        /<tr><th scope="row">2\d\d\d-[^<]*<\/th><td class="n">0<\/td><td class="n">0<\/td><td class="n">(\d+)</g,
      ),
    ];
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(5_000);
    expect(page).toContain('2036-01-01');
  });

  it('has bars of two parts, which a printer without colours keeps apart', () => {
    const page = content(reportPage(reportOf(hostileMessages())));
    const bars = [...page.matchAll(/<g><title>([^<]*)<\/title>(.*?)<\/g>/g)].map(([, words, shapes]) => [
      words,
      shapes,
    ]);
    expect(bars).toHaveLength(8);
    const [both] = [...content(reportPage(reportOf(onTwoDays(hostileMessages())))).matchAll(/<title>on .*?<\/g>/g)];
    expect(both?.[0]).toBe(
      '<title>on Fri May 1 2026: 3 blocked, 3 dropped of 7</title><rect class="blocked" x="0" y="24" width="3" height="24"/><rect class="dropped" x="0" y="0" width="3" height="24"/></g>',
    );
    for (const bar of bars) expect(bar[1]).toMatch(/^<rect class="(?:blocked|dropped|none)" [^>]*>$/);
    const themes = [...reportStyle.matchAll(/--paper: (#\w+);.*--blocked: (#\w+); --dropped: (#\w+);/g)];
    expect(themes).toHaveLength(3);
    for (const [, paper, blocked, dropped] of themes) {
      expect(contrast(paper!, blocked!)).toBeGreaterThan(3);
      expect(contrast(blocked!, dropped!)).toBeGreaterThan(3);
    }
  });

  it('folds away the smaller rows of a long table, and says how many it leaves out', () => {
    const messages = Array.from({ length: 550 }, (_, index) => ({
      ...{ id: String(index), category: 'message', type: 'text', sender: `user-${index}`, data: { text: 'moron' } },
    }));
    const page = content(reportPage(reportOf(messages)));
    const table = /<section id="senders">(.*?)<\/section>/s.exec(page)![1]!;
    const [open, folded] = table.split('<details class="more">');
    expect([open, folded].map((part) => part?.match(/<th scope="row">/g)?.length)).toEqual([20, 480]);
    expect(folded).toContain('<summary>480 more senders</summary>');
    expect(folded).toContain('50 more senders in summary.json');
  });

  it('says of each rule what it did: blocked, dropped, only matched, or in shadow', () => {
    const word = { ...hostileRuleSet.rules[0]!.conditions![0]!, value: ['hello'] };
    const rule = (id: string, action: readonly string[]) => ({ id, name: id, action, conditions: [word] });
    const heads = (action: readonly string[], semantics: Partial<Semantics> = {}) => {
      const ruleSet = { ...hostileRuleSet, rules: [rule('a', action)] } as unknown as RuleSet;
      const page = content(reportPage(reportOf(plain(3, 1), { ruleSet, semantics })));
      return /<summary><span class="name">(.*?)<\/span>\n<svg[^>]*><rect class="(\w+)"/.exec(page)!.slice(1);
    };
    const name = '<bdi>a</bdi>';
    const both = ['blockMessage', 'dropMessage'];
    expect(heads(['blockMessage'])).toEqual([`${name}</span><span class="n">3 blocked`, 'blocked']);
    expect(heads(both)).toEqual([`${name}</span><span class="n">3 dropped`, 'dropped']);
    expect(heads(both, { precedence: [...both, 'allow'] })).toEqual([
      `${name}</span><span class="n">3 blocked`,
      'blocked',
    ]);
    const faint = (text: string) => ` <span class="faint">${text}</span></span><span class="n">0 stopped, 3 matched`;
    expect(heads(['flag'])[0]).toBe(name + faint('<bdi>flag</bdi>'));
    expect(heads(['blockMessage'], { shadow: ['a'] })[0]).toBe(name + faint('in shadow'));
  });

  it('has one example of messages that say the same', () => {
    const message = (id: string, text: string) => ({ id, category: 'message', type: 'text', data: { text } });
    const messages = [message('1', 'a moron'), message('2', 'a moron'), message('3', 'moron')];
    expect(examplesOf(reportPage(reportOf(messages)))).toEqual([
      '<mark>moron</mark></blockquote><p class="faint">message <bdi>3</bdi></p>',
      'a <mark>moron</mark></blockquote><p class="faint">message <bdi>2</bdi></p><p class="faint">message <bdi>1</bdi></p>',
    ]);
  });

  it('says of each example who wrote it, when and in which conversation, as far as the message says so', () => {
    const message = (id: string, own: object) => ({
      id,
      category: 'message',
      type: 'text',
      data: { text: `${id} moron` },
      ...own,
    });
    const messages = [
      message('1', { sender: 'ann', conversationId: 'room', sentAt: 1_777_593_600 + 3_723.5 }),
      message('2', { sender: 7, sentAt: 1e15 }),
      message('3', { sender: 'bob' }),
    ] as unknown as MessageDraft[];
    const lines = [
      '<p class="faint">from <bdi>ann</bdi> · May 1 2026, 01:02 · in <bdi>room</bdi> · message <bdi>1</bdi></p>',
      '<p class="faint">message <bdi>2</bdi></p>',
      '<p class="faint">from <bdi>bob</bdi> · message <bdi>3</bdi></p>',
    ];
    const linesOf = (page: string) => (content(page).match(/<p class="faint">(?:from|message).*?<\/p>/g) ?? []).sort();
    expect(linesOf(reportPage(reportOf(messages)))).toEqual([...lines].sort());
    const redacted = reportPage(reportOf(messages, { content: 'redacted' }));
    expect(linesOf(redacted)).toEqual([...lines].sort());
    expect(redacted).not.toContain('1 moron');
  });

  it('says why a term is in its list, where the list says it', () => {
    const referring = { ...hostileRuleSet.rules[0]!.conditions![0]!, isKeywordsReferencePresent: true, value: ['l'] };
    const ruleSet = {
      ...hostileRuleSet,
      rules: [{ id: 'a', action: ['blockMessage'], conditions: [referring] }],
      lists: [{ id: 'l', category: 'word', searchTerms: ['hello', 'bye'] }],
      comments: { l: { terms: { hello: 'asked for by <b>ann</b>', bye: 'unused' } } },
    } as unknown as RuleSet;
    const page = content(reportPage(reportOf(plain(1, 1), { ruleSet })));
    expect(page).toContain('<p class="faint">why it is there: <bdi>asked for by &lt;b&gt;ann&lt;/b&gt;</bdi></p>');
    expect(page).not.toContain('unused');
  });

  it('says where the messages came from, also in its title', () => {
    const page = content(reportPage({ ...reportOf(plain(3, 1)), from: 'may.ndjson' }));
    expect(page).toContain('<title>None of 3 messages was stopped · may.ndjson</title>');
    expect(page).toContain('Messages from <bdi>may.ndjson</bdi> · Jan 1 2026, UTC');
  });

  it('has the first, the highest and the last date below its bars, and says whose rules they were', () => {
    const page = content(reportPage({ ...reportOf(plain(365, 365)), rulesFrom: 'rules.json' }));
    const ends = /<p class="ends">(.*?)<\/p>/.exec(page)![1];
    expect(ends).toBe('<span>Thu Jan 1 2026</span><span>none stopped on any day</span><span>Thu Dec 31 2026</span>');
    expect(page).toMatch(/Rules from <bdi>rules\.json<\/bdi> · revision [0-9a-f]{12}</);
    const two = content(reportPage(reportOf(onTwoDays(hostileMessages()))));
    expect(two).toMatch(/<span>most on Fri May 1 2026: 6 \(3 blocked, 3 dropped\)<\/span>/);
  });
});
