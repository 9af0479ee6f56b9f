/** A headless Chromium, when this machine has one, and a page in it that reports back. */
import { accessSync, constants } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Path of the browser: Debian's, or the first one on the path. */
export const chromiumPath: string | undefined = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find(isExecutable);

/** The parts of axe that are used in a page. */
interface Axe {
  readonly axe: {
    run(options?: { readonly runOnly: readonly string[] }): Promise<{
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
      readonly passes: readonly unknown[];
    }>;
  };
}
const axeScript = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/**
 * Returns what axe finds in a page, in light and in dark colours. Throws when axe looked at too
 * little.
 */
export async function faultsOfAxe(page: Page): Promise<readonly (readonly string[])[]> {
  await page.addScriptTag({ path: axeScript });
  const inLight = await page.evaluate(() => (globalThis as unknown as Axe).axe.run());
  await page.emulateMedia({ colorScheme: 'dark' });
  const inDark = await page.evaluate(() =>
    (globalThis as unknown as Axe).axe.run({ runOnly: ['color-contrast', 'link-in-text-block'] }),
  );
  if (inLight.passes.length <= 10 || inDark.passes.length === 0) throw new Error('axe looked at too little');
  return [inLight, inDark].flatMap(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]),
  );
}

/** Set where a missing browser is a failure. */
export const mustHaveChromium = process.env.SLUICE_REQUIRE_CHROMIUM === '1';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Files of a site, by path: type and content. */
export type Site = Readonly<Record<string, { readonly type: string; readonly body: string }>>;

/**
 * What the page posts to `/answers`. Rejects with the first error of the page, and when nothing
 * comes in time.
 */
export async function answersOfPage(site: Site, timeoutMs: number): Promise<unknown> {
  let answer: (body: string) => void = () => undefined;
  let fail: (reason: Error) => void = () => undefined;
  const posted = new Promise<string>((resolve, reject) => {
    answer = resolve;
    fail = reject;
  });
  posted.catch(() => undefined);
  const server = createServer((request, response) => void serve(site, request, response, answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await launchChromium();
  const timer = setTimeout(() => fail(new Error('the page did not answer in time')), timeoutMs);
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => fail(error));
    page.on('console', (line) => line.type() === 'error' && fail(new Error(line.text())));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { timeout: 0 });
    return JSON.parse(await posted);
  } finally {
    clearTimeout(timer);
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

/** Starts the browser; only where there is one. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath!, args: [...args], timeout: 0 });
}

/** A profile of its own comes with each launch. Nothing but loopback can be reached. */
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** No inline script, no `eval`, no other origin: what a careful application allows is enough. */
const policy = "default-src 'none'; script-src 'self'; connect-src 'self'";

async function serve(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
  onAnswers: (body: string) => void,
): Promise<void> {
  if (request.method === 'POST') {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.writeHead(204).end();
    onAnswers(Buffer.concat(chunks).toString('utf8'));
    return;
  }
  const file = site[request.url ?? ''];
  if (file === undefined) response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end();
  else response.writeHead(200, { 'content-type': file.type, 'content-security-policy': policy }).end(file.body);
}
