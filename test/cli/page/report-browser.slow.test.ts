import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportPage } from '../../../src/cli/page/page.js';
import { chromiumPath, launchChromium, mustHaveChromium } from '../../package/chromium.js';
import { harmless, hostileMessages, reportOf } from './hostile-world.js';

/** Reports in a browser, opened as files, as those who get one do. */

/** What axe leaves in a page. */
interface Axe {
  readonly axe: {
    run(options?: { readonly runOnly: readonly string[] }): Promise<{
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
      readonly passes: readonly unknown[];
    }>;
  };
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const title = '6 of 8 messages were stopped (75.0 %) · "><img src=x onerror=document.title="attribute">';
/** An expression of the page: what a browser hands over when a file with this text is dropped. */
const droppedFile = (text: string) => `(() => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([${JSON.stringify(text)}], 'report.html', { type: 'text/html' }));
  return transfer;
})()`;

/** More senders than a table has open, none of whose names is the beginning of another. */
const manySenders = Array.from({ length: 60 }, (_, index) => ({
  ...{ id: String(index), category: 'message', type: 'text', data: { text: 'moron' } },
  ...{ sender: `user-${String(index).padStart(2, '0')}`, conversationId: 'room' },
}));

const openAll = "for (const details of document.querySelectorAll('details')) details.open = true";

let browser: Browser;
let directory: string;
const file = (name: string) => join(directory, `${name}.html`);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-report-'));
  const messages = hostileMessages();
  await writeFile(file('hostile'), reportPage(reportOf(messages)));
  await writeFile(file('half'), reportPage(reportOf(messages.slice(0, 4))));
  await writeFile(file('redacted'), reportPage(reportOf(messages, { content: 'redacted' })));
  await writeFile(file('many'), reportPage(reportOf(manySenders)));
  await writeFile(file('none'), reportPage(reportOf([], { ruleSet: harmless })));
  await writeFile(file('foreign'), '<title>another page</title><script id="report-data">{}</script>');
  if (chromiumPath !== undefined) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await rm(directory, { recursive: true });
});

interface Opened {
  readonly page: Page;
  /** All that goes wrong, and every request but those of the reports themselves. */
  readonly faults: string[];
}

/** Pages by their options: making one takes longer than most of what is done in it. */
const pages = new Map<string, Opened>();
const reports = new Set<string>();

/** Opens a report anew. */
async function open(name: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const key = JSON.stringify(options);
  const opened = pages.get(key) ?? (await newPage(options));
  pages.set(key, opened);
  const { page, faults } = opened;
  await page.emulateMedia({ media: null, colorScheme: 'light' });
  await page.goto('about:blank');
  faults.length = 0;
  const url = pathToFileURL(file(name)).href;
  reports.add(url);
  await page.goto(url);
  return opened;
}

async function newPage(options: BrowserContextOptions): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 360, height: 800 }, ...options });
  page.setDefaultTimeout(0);
  const faults: string[] = [];
  page.on('request', (request) => reports.has(request.url()) || faults.push(request.url()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('dialog', (dialog) => faults.push(dialog.message()));
  page.on('console', (line) => faults.push(line.text()));
  return { page, faults };
}

describe.skipIf(chromiumPath === undefined && !mustHaveChromium)('a report in a browser', () => {
  it.each(['hostile', 'redacted', 'none'])(
    'of %s texts: no script but its own, no request, nothing wider than a telephone',
    async (name) => {
      for (const javaScriptEnabled of [true, false]) {
        const { page, faults } = await open(name, { javaScriptEnabled });
        if (name !== 'none') await page.locator('.rule > summary').first().click();
        expect(await page.locator('.rule[open]').count()).toBe(name === 'none' ? 0 : 1);
        await page.evaluate(openAll);
        expect(faults).toEqual([]);
        expect(await page.title()).toContain(name === 'none' ? 'No message was judged' : title);
        expect(await page.locator('img, iframe, object, [onerror], [onload]').count()).toBe(0);
        const [scroll, client] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        expect(scroll).toBe(client);
      }
    },
  );

  it('refuses a script that gets into it all the same', async () => {
    const text = await readFile(file('hostile'), 'utf8');
    await writeFile(
      file('injected'),
      text.replace('</main>', '<img src="x" onerror="document.title=1"><script>document.title=2</script></main>'),
    );
    const { page, faults } = await open('injected');
    expect(await page.title()).toBe(title);
    expect(faults.length).toBeGreaterThan(0);
  });

  it.each(['hostile', 'redacted', 'none'])(
    'of %s texts has no fault that axe knows, with all of it open, in light and dark colours',
    async (name) => {
      // The policy of the page refuses scripts of others, that of the test as well.
      const { page } = await open(name, { bypassCSP: true });
      await page.evaluate(openAll);
      if (name === 'hostile') await page.locator('#other').setInputFiles(file('half'));
      if (name === 'hostile') await page.locator('#comparison table').first().waitFor();
      await page.addScriptTag({ path: axe });
      const inLight = await page.evaluate(() => (globalThis as unknown as Axe).axe.run());
      await page.emulateMedia({ colorScheme: 'dark' });
      const inDark = await page.evaluate(() =>
        (globalThis as unknown as Axe).axe.run({ runOnly: ['color-contrast', 'link-in-text-block'] }),
      );
      for (const { violations, passes } of [inLight, inDark]) {
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
        expect(passes.length).toBeGreaterThan(0);
      }
      expect(inLight.passes.length).toBeGreaterThan(10);
    },
  );

  it.each(['hostile', 'many'])(
    'of %s texts on paper is all open, also without script, and has no tools',
    async (name) => {
      const { page } = await open(name, { javaScriptEnabled: false });
      const example = page.locator('.rule mark').first();
      expect(await example.isVisible()).toBe(false);
      await page.emulateMedia({ media: 'print' });
      expect(await example.evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }))).toBe(true);
      expect(
        await page.locator('mark, td').evaluateAll((all) => all.every((each) => each.getClientRects().length > 0)),
      ).toBe(true);
      const tools = page.locator('#filter, #other, nav, #compare, .more > summary');
      expect(await tools.filter({ visible: true }).count()).toBe(0);
    },
  );

  it('filters rules, terms, senders and conversations, and hides the sections that have none', async () => {
    const { page } = await open('hostile');
    const kinds = ['rule', 'example', 'term', 'sender', 'conversation'];
    const shown = () =>
      Promise.all(kinds.map((kind) => page.locator(`[data-row=${kind}]`).filter({ visible: true }).count()));
    const words = () => page.locator('#shown').textContent();
    const all = await shown();
    expect(all).toEqual([4, 0, 7, 2, 1]);
    await page.locator('#filter').fill('MORON');
    expect([await shown(), await words()]).toEqual([[2, 2, 1, 0, 0], '“MORON”: 2 rules, 2 examples, 1 term']);
    expect(await page.locator('#senders').isVisible()).toBe(false);
    await page.locator('#filter').fill('"sender"');
    expect([await shown(), await words()]).toEqual([[3, 4, 0, 1, 0], '“"sender"”: 3 rules, 4 examples, 1 sender']);
    expect(await page.locator('#terms').isVisible()).toBe(false);
    for (const [typed, found] of [
      ['NEVER', '1 unmatched list, 1 unmatched term'],
      ['<!--', '1 unmatched rule'],
      ['keyword  list', '1 note'],
      ['rejected-pattern', '1 issue'],
    ] as const) {
      await page.locator('#filter').fill(typed);
      expect(await words()).toBe(`“${typed}”: ${found}`);
      const hits = page.locator('[data-row]').filter({ visible: true, hasText: typed });
      expect(await hits.count()).toBeGreaterThan(0);
    }
    await page.locator('#filter').fill('nobody wrote this');
    expect([await shown(), await words()]).toEqual([[0, 0, 0, 0, 0], '“nobody wrote this”: no row of this report']);
    await page.locator('#filter').fill('');
    expect([await shown(), await words()]).toEqual([all, '']);
    expect(await page.locator('.rule[open]').count()).toBe(0);
  });

  it('finds rows that are folded away, and folds them again', async () => {
    const { page } = await open('many');
    const more = page.locator('#senders .more');
    const row = page.getByRole('rowheader', { name: 'user-59' });
    expect(await row.isVisible()).toBe(false);
    await page.locator('#filter').fill('user-59');
    expect(await row.isVisible()).toBe(true);
    expect(await page.locator('#senders table:visible').count()).toBe(1);
    await page.locator('#filter').fill('user-1');
    expect(await page.locator('#shown').textContent()).toBe('“user-1”: 10 senders');
    await page.locator('#filter').fill('');
    expect(await more.getAttribute('open')).toBe(null);
    await more.locator('summary').click();
    await page.locator('#filter').fill('user-59');
    await page.locator('#filter').fill('');
    expect(await more.getAttribute('open')).toBe('');
  });

  it('shows what differs from a report that is chosen or dropped on it', async () => {
    const { page, faults } = await open('half');
    const rows = () => page.locator('#comparison table').first().locator('tbody tr').allTextContents();
    await page.locator('#other').setInputFiles(file('hostile'));
    await page.locator('#comparison table').first().waitFor();
    const expected = ['messages84−4', 'stopped64−2', 'blocked31−2', 'dropped33±0'];
    expect(await rows()).toEqual(expected);
    const words = await page.locator('#comparison').innerText();
    expect(words).toContain('Both are of the same rules.');
    expect(words).toContain('Stopped by rule');
    const dropped = await page.evaluateHandle(droppedFile(await readFile(file('half'), 'utf8')));
    await page.dispatchEvent('body', 'drop', { dataTransfer: dropped });
    await page.getByText('no difference').first().waitFor();
    await page.locator('#other').setInputFiles(file('foreign'));
    await page.getByText('This file holds no report').waitFor();
    expect(await page.title()).toContain('4 of 4 messages were stopped (100.0 %)');
    expect(faults).toEqual([]);
  });
});
