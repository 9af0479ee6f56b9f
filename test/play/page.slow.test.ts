import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenWhile } from '../cli/terminal.js';
import { chromiumPath, faultsOfAxe, launchChromium, mustHaveChromium } from '../package/chromium.js';
import { temporaryFolder } from '../support/folder.js';

/**
 * The page of `sluice play` in a browser, from disk and served, with the demo and with hostile
 * files.
 */

/** The parts of a page that functions read which run in it; the types of tests have none. */
interface PageElement {
  readonly textContent: string | null;
  readonly tagName: string;
  readonly className: string;
  readonly scrollWidth: number;
  readonly clientWidth: number;
  dispatchEvent(event: unknown): void;
}
declare const document: {
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): readonly PageElement[];
  readonly documentElement: PageElement;
  readonly activeElement: PageElement | null;
};
declare class DataTransfer {
  setData(type: string, data: string): void;
}
declare class ClipboardEvent {
  constructor(type: string, options: object);
}
declare const location: { readonly hash: string };

const evil = '"><img src=x onerror=document.title=1><script>document.title=2</script>\u202egnol\u202c {{7*7}}';
const long = 'a moron '.repeat(125_000);

/** A rule set with the same hostile text in every place that the page shows. */
const hostileRules = {
  rules: [
    {
      id: evil,
      name: evil,
      action: ['blockMessage', evil],
      revisionId: evil,
      conditions: [
        { id: 1, operand: 'text', isKeywordsReferencePresent: true, value: [evil] },
        { id: 2, operand: 'text', category: 'pattern', value: ['<im.', '(['] },
        {
          id: 3,
          operand: 'image',
          value: [`${evil}_greaterThan_50`, 'toString_greaterThan_1', '__proto___greaterThan_2'],
        },
        { id: 4, operand: evil, value: [evil] },
      ],
    },
    {
      id: 'constructor',
      name: evil,
      action: ['dropMessage'],
      conditions: [{ id: 1, operand: 'text', value: [`${evil} not here`] }],
    },
  ],
  lists: [{ id: evil, name: evil, searchTerms: [evil, 'moron', evil], revisionId: evil }],
  semantics: { exceptions: [`a ${evil}`] },
};
const hostileMessages = [evil, `a ${evil}`, `x ${evil} y`, long, `${long.slice(0, 50)}`, ''].map((text, index) => ({
  ...{ id: `${evil}${index}`, sender: evil, sentAt: index * 86_400, data: { text } },
}));

let browser: Browser;
const directory = temporaryFolder();
let disk: string;
const file = (name: string) => join(directory, name);

beforeAll(async () => {
  const script = fileURLToPath(new URL('../../src/play/build.mjs', import.meta.url));
  await promisify(execFile)(process.execPath, [script, directory]);
  disk = pathToFileURL(file('index.html')).href;
  await writeFile(file('rules.json'), JSON.stringify(hostileRules));
  await writeFile(file('messages.ndjson'), hostileMessages.map((row) => `${JSON.stringify(row)}\n`).join(''));
  if (chromiumPath !== undefined) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
});

/**
 * Opens the page, and waits until all messages are judged. Whatever goes wrong, and every request
 * but the page's own, is a fault.
 */
async function open(url = disk, options: { readonly width?: number; readonly bypassCSP?: boolean } = {}) {
  const { width = 1280, bypassCSP = false } = options;
  const context = await browser.newContext({ viewport: { width, height: 900 }, bypassCSP, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(0);
  const faults: string[] = [];
  const own = new URL(url).origin;
  page.on('request', (request) => {
    const isOwn = own === 'null' ? request.url().split('#')[0] === disk : request.url().startsWith(own);
    if (!isOwn && !request.url().startsWith('blob:')) faults.push(request.url());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('dialog', (dialog) => faults.push(dialog.message()));
  page.on('console', (line) => faults.push(line.text()));
  await page.goto(url);
  await judged(page);
  return { page, faults, context };
}

/** Waits until the title says `words`, or else until messages are judged. */
async function judged(
  page: Page,
  words: RegExp = /messages? (?:are|is) stopped|newly stopped|released|otherwise|Drop messages/,
) {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('h1')?.textContent ?? ''),
    words.source,
  );
}

const editor = (page: Page) => page.locator('.editor textarea:not([hidden])');

/** Writes behind the text that is edited. */
async function append(page: Page, text: string) {
  await editor(page).focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(text);
}

async function openFiles(page: Page, names: readonly string[]) {
  await page.locator('input[multiple]').setInputFiles(names.map(file));
}

const widthOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe.skipIf(chromiumPath === undefined && !mustHaveChromium)('the page of `sluice play`', () => {
  it('from disk: a term that is typed shows at once what it would have done, and is undone', async () => {
    const { page, faults, context } = await open();
    expect(await page.textContent('h1')).toMatch(/^\d+ of 3,000 messages are stopped$/);
    await append(page, 'trade\nyou');
    await judged(page, /newly stopped/);
    const causes = page.locator('.causes.newlyStopped li summary');
    expect(await causes.first().textContent()).toMatch(/“you” scam-phrases → .+\d+$/);
    expect(await page.locator('.causes mark').first().textContent()).toMatch(/^you$/i);
    await page.locator('.causes .link').first().click();
    await page.waitForFunction(() => document.querySelector('.messages [role=status]')?.textContent?.includes('“you”'));
    expect(await page.locator('.rows li').count()).toBeGreaterThan(3);
    await editor(page).focus();
    await page.selectOption('.change select', 'rules');
    await page.selectOption('.change select', 'list:scam-phrases');
    await editor(page).focus();
    await page.keyboard.press('Control+Z');
    await judged(page, /are stopped/);
    await page.keyboard.press('Control+Shift+Z');
    await judged(page, /newly stopped/);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('tries a text: verdict, marks, chain, scores, and why another rule does not match', async () => {
    const { page, faults, context } = await open();
    await page.locator('#tried').fill('Oh you Moron, buy  now');
    await page.waitForFunction(() => document.querySelectorAll('.try mark').length === 2);
    expect(await page.locator('.try mark').allTextContents()).toEqual(['Moron', 'buy  now']);
    expect(await page.locator('.try .result').textContent()).toContain('blocked');
    expect(await page.locator('.chain').first().textContent()).toMatch(/condition 1 → profanity-list@\d+ → “moron”/);
    const rule = page.locator('.why select');
    await rule.selectOption({ index: 3 });
    await page.locator('.why li').first().waitFor();
    await page.locator('#tried').fill('hello');
    await page.waitForFunction(() => document.querySelector('.try .result')?.textContent?.includes('allowed'));
    await page.locator('.sliders summary').click();
    for (let times = 0; times < 100; times++) await page.locator('.sliders input').first().press('ArrowRight');
    await page.waitForFunction(() => !document.querySelector('.try .result')?.textContent?.includes('allowed'));
    expect(faults).toEqual([]);
    await context.close();
  });

  it('adds a rule of a new list, one of a pattern, and a list, by forms of three fields', async () => {
    const { page, faults, context } = await open();
    const press = (words: string) => page.locator('.change button', { hasText: words }).first().click();
    await press('New rule');
    await page.fill('.new input[name=name]', 'Swaps & trades');
    await page.selectOption('.new select[name=action]', 'dropMessage');
    await press('Add rule');
    await page.waitForFunction(() => location.hash.includes('doc=list%3Aswaps-trades'));
    expect(await editor(page).inputValue()).toBe('# name: Swaps & trades\n# category: word\n');
    await append(page, 'trade\n');
    await judged(page, /newly stopped/);
    expect(await page.locator('.causes.newlyStopped li summary').first().textContent()).toContain('Swaps & trades');
    await press('New rule');
    await page.fill('.new input[name=name]', 'Swaps & trades');
    await page.selectOption('.new label:nth-of-type(3) select', 'pattern');
    await page.fill('.new input[name=pattern]', '(?i)\\btrades?\\b');
    await press('Add rule');
    await page.selectOption('.change select', 'rules');
    const rules = JSON.parse(await editor(page).inputValue()) as readonly Record<string, unknown>[];
    const condition = { id: 1, operand: 'text', operator: 'contains' };
    expect(rules.slice(-2)).toEqual([
      {
        ...{ id: 'swaps-trades', name: 'Swaps & trades', enabled: true, action: ['dropMessage'] },
        conditions: [{ ...condition, category: 'word', isKeywordsReferencePresent: true, value: ['swaps-trades'] }],
      },
      {
        ...{ id: 'swaps-trades-2', name: 'Swaps & trades', enabled: true, action: ['blockMessage'] },
        conditions: [{ ...condition, category: 'pattern', value: ['(?i)\\btrades?\\b'] }],
      },
    ]);
    await press('New list');
    await page.fill('.new input[name=name]', '日本');
    await press('Add list');
    await page.waitForFunction(() => location.hash.includes('doc=list'));
    expect(await editor(page).inputValue()).toContain('# name: 日本');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('says in place what is wrong, and goes on with the last good state', async () => {
    const { page, faults, context } = await open();
    await append(page, '"x');
    const alert = page.locator('.change [role=alert]');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/^line \d+: the line must be a term/);
    await page.selectOption('.change select', 'rules');
    await editor(page).fill('[\n  { "id": 1, }\n]');
    await page.waitForFunction(() =>
      document.querySelector('.change [role=alert]')?.textContent?.startsWith('line 2: '),
    );
    await page.selectOption('.change select', 'readings');
    await editor(page).fill('{ "words": "substring" }');
    await judged(page, /newly stopped/);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('shows findings of lint beside their lines, with witness', async () => {
    const { page, faults, context } = await open();
    await append(page, 'claim your prize now\n');
    const finding = page.locator('.findings li', { hasText: 'claim your prize now' });
    await finding.waitFor({ state: 'attached' });
    await page.locator('.findings summary').click();
    expect(await finding.textContent()).toMatch(/covered[\s\S]*“claim your prize now”/);
    expect(await page.locator('.margin').textContent()).toContain('covered');
    await finding.locator('button').click();
    const selected = await editor(page).evaluate(
      (element: { value: string; selectionStart: number; selectionEnd: number }) =>
        element.value.slice(element.selectionStart, element.selectionEnd),
    );
    expect(selected).toBe('claim your prize now');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('keeps rules as a file that opens again, a golden case, and a command line', async () => {
    const { page, faults, context } = await open();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => undefined);
    await append(page, '# from the team\ntrade\n');
    await judged(page, /newly stopped/);
    const changed = await page.textContent('h1');
    const coming = page.waitForEvent('download');
    await page.locator('.tools button', { hasText: 'Download rules' }).click();
    await (await coming).saveAs(file('a.json'));
    const again = await open();
    await openFiles(again.page, ['a.json']);
    await again.page.waitForFunction(() => document.querySelector('.brand')?.textContent?.includes('a.json'));
    await judged(again.page, /are stopped/);
    expect(changed).toContain(`→ ${(await again.page.textContent('h1'))!.split(' ')[0]} stopped`);
    await again.context.close();
    await page.locator('.engineers summary').click();
    await page.locator('.tools button', { hasText: 'golden case' }).click();
    await page.waitForFunction(() =>
      /golden case|blockMessage/.test(document.querySelector('.status')?.textContent ?? ''),
    );
    expect(faults).toEqual([]);
    await context.close();
  });

  it.each([360, 1440])(
    'holds hostile files in every place, %i pixels wide: no script, no request, nothing too wide',
    async (width) => {
      const { page, faults, context } = await open(disk, { width });
      await openFiles(page, ['rules.json', 'messages.ndjson']);
      await page.waitForFunction(() => document.querySelector('.brand')?.textContent?.includes('rules.json'));
      await judged(page, /of 6 messages/);
      await append(page, 'another\n');
      await page.locator('#tried').fill(`${evil} a ${evil}`);
      await page.waitForFunction(() => document.querySelectorAll('.try mark').length > 0);
      await page.locator('.why select').selectOption({ index: 1 });
      await page.locator('.why li').first().waitFor();
      for (const view of ['all', 'stopped', 'allowed']) await page.selectOption('.messages select', view);
      await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
      await page.locator('.findings li').first().waitFor();
      expect(await page.locator('img, iframe, object, [onerror], [onload]').count()).toBe(0);
      expect(await page.title()).toBe('sluice play');
      expect(await widthOf(page)).toBe(0);
      expect(faults).toEqual([]);
      // A line of 1 MB.
      await page.evaluate((pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text', pasted);
        const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('#tried')?.dispatchEvent(paste);
      }, long);
      await page.waitForFunction(() =>
        (document.querySelector('.try')?.textContent ?? '').includes('more matches than are listed'),
      );
      expect((await page.locator('.try blockquote').textContent())!.length).toBeLessThan(5_000);
      expect(await widthOf(page)).toBe(0);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  it.each([360, 768, 1440])(
    'has nothing that axe finds, %i pixels wide, in light and dark colours, with all of it open',
    async (width) => {
      const { page, context } = await open(disk, { width, bypassCSP: true });
      await append(page, 'trade\nclaim your prize now\n');
      await page.locator('.findings li').first().waitFor({ state: 'attached' });
      await append(page, '"x');
      await page.locator('.change [role=alert]').waitFor();
      await page.locator('.findings li').first().waitFor({ state: 'attached' });
      await page.locator('.why select').selectOption({ index: 2 });
      await page.locator('.why li').first().waitFor();
      await page.selectOption('.change select', 'rules');
      await page.locator('.change button', { hasText: 'New rule' }).click({ force: true });
      await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
      expect(await widthOf(page)).toBe(0);
      expect(await faultsOfAxe(page)).toEqual([]);
      await context.close();
    },
  );

  it('is used by the keyboard alone', async () => {
    const { page, context } = await open();
    const reached = new Set<string>();
    for (let times = 0; times < 60; times++) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate(() => {
          const { tagName, className } = document.activeElement!;
          return `${tagName} ${className}`.trim();
        }),
      );
    }
    for (const place of ['TEXTAREA', 'SELECT', 'BUTTON', 'SUMMARY', 'DIV rows', 'INPUT'])
      expect([...reached]).toContain(place);
    await context.close();
  });

  it('refuses a script that gets into it all the same', async () => {
    const html = await readFile(file('index.html'), 'utf8');
    await writeFile(
      file('injected.html'),
      html.replace('</body>', '<img src=x onerror="document.title=1"><script>document.title=2</script></body>'),
    );
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(pathToFileURL(file('injected.html')).href);
    await judged(page);
    expect(await page.title()).toBe('sluice play');
    await context.close();
  });

  it('opens a folder, and keeps the view but no text in the address', async () => {
    const conditions = [{ operand: 'text', isKeywordsReferencePresent: true, value: ['words'] }];
    const rules = { rules: [{ id: 'r', action: 'blockMessage', conditions }] };
    await mkdir(file('r/lists'), { recursive: true });
    await writeFile(file('r/rules.json'), JSON.stringify(rules));
    await writeFile(file('r/lists/words.txt'), '# category: word\nmoron  # since May\n');
    const { page, faults, context } = await open();
    await page.setInputFiles('input[webkitdirectory]', file('r'));
    await page.waitForFunction(() => document.querySelector('.brand')?.textContent?.includes('rules of r/'));
    expect(await editor(page).inputValue()).toContain('moron  # since May');
    await page.locator('input[type=search]').fill('secret words');
    await page.locator('#tried').fill('secret text');
    await page.selectOption('.messages select', 'allowed');
    await page.waitForFunction(() => location.hash.includes('allowed'));
    expect(await page.evaluate(() => location.hash)).toBe('#doc=list%3Awords&view=allowed');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('lets the columns be chosen where none is known for the text', async () => {
    await writeFile(file('m.csv'), 'what was said,who\na moron,ana\nhello,bo\n');
    const { page, faults, context } = await open(disk, { bypassCSP: true });
    await openFiles(page, ['m.csv']);
    await page.locator('select[name=text]').selectOption('what was said');
    await page.locator('select[name=sender]').selectOption('who');
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.locator('form button', { hasText: 'Open' }).click();
    await judged(page, /^1 of 2 messages are stopped$/);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('served: has the rules and messages of the command, and says so when it has ended', async () => {
    await listenWhile(
      ['play', '--json', '--rules', file('rules.json'), '--messages', file('messages.ndjson')],
      async (printed) => {
        const { url } = JSON.parse(printed) as { readonly url: string };
        const { page, faults, context } = await open(url);
        expect(await page.textContent('h1')).toContain('of 6 messages');
        expect(faults).toEqual([]);
        await context.close();
        const other = await browser.newContext();
        const without = await other.newPage();
        await without.goto(url.replace(/#.*/, '#token=wrong'));
        await without.waitForFunction(() =>
          document.querySelector('.status')?.textContent?.includes('the token of the address is missing or wrong'),
        );
        await other.close();
      },
    );
  });
});
