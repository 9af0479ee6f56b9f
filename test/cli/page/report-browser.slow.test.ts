import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportPage } from '../../../src/cli/page/page.js';
import { chromiumPath, faultsOfAxe, launchChromium, mustHaveChromium } from '../../package/chromium.js';
import { temporaryFolder } from '../../support/folder.js';
import { harmless, hostileMessages, reportOf } from './hostile-world.js';

/** Reports in a browser, opened as files, as those who get one do. */

const title = '6 of 8 messages were stopped (75.0 %) · "><img src=x onerror=document.title="attribute">';
/** More senders than a table has open, none of whose names is the beginning of another. */
const manySenders = Array.from({ length: 60 }, (_, index) => ({
  ...{ id: String(index), category: 'message', type: 'text', data: { text: 'moron' } },
  ...{ sender: `user-${String(index).padStart(2, '0')}`, conversationId: 'room' },
}));

const openAll = "for (const details of document.querySelectorAll('details')) details.open = true";

let browser: Browser;
const directory = temporaryFolder();
const file = (name: string) => join(directory, `${name}.html`);

beforeAll(async () => {
  const messages = hostileMessages();
  await writeFile(file('hostile'), reportPage(reportOf(messages)));
  await writeFile(file('redacted'), reportPage(reportOf(messages, { content: 'redacted' })));
  await writeFile(file('many'), reportPage(reportOf(manySenders)));
  await writeFile(file('none'), reportPage(reportOf([], { ruleSet: harmless })));
  if (chromiumPath !== undefined) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
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
    'of %s texts: no script, no request, nothing wider than a telephone',
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
      expect(await faultsOfAxe(page)).toEqual([]);
    },
  );

  it.each(['hostile', 'many'])('of %s texts on paper is all open, and has no links to its sections', async (name) => {
    const { page } = await open(name, { javaScriptEnabled: false });
    const example = page.locator('.rule mark').first();
    expect(await example.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await example.evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }))).toBe(true);
    expect(
      await page.locator('mark, td').evaluateAll((all) => all.every((each) => each.getClientRects().length > 0)),
    ).toBe(true);
    const tools = page.locator('nav, .more > summary');
    expect(await tools.filter({ visible: true }).count()).toBe(0);
  });
});
