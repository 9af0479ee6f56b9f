/** What undici would do if it were let, and the versions that are known to be safe. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const atLeast = ([major, minor]: readonly [number, number], version: string) => {
  const [, found, below] = /^\^?(\d+)\.(\d+)\./.exec(version)!.map(Number);
  return found! > major || (found === major && below! >= minor);
};

it('is no older than the last release that mended a hole', () => {
  const { dependencies } = JSON.parse(read('package.json'));
  const { version } = JSON.parse(read('node_modules/undici/package.json'));
  expect(atLeast([7, 29], dependencies.undici)).toBe(true);
  expect(atLeast([7, 29], version)).toBe(true);
  expect(atLeast([7, 29], '7.28.9')).toBe(false);
});

it('lends a pool alone: its retries splice answers, its redirects and `fetch` carry the key to other hosts', () => {
  const sources = readdirSync(new URL('src/client/', root)).map((name) => read(`src/client/${name}`));
  expect(sources.length).toBeGreaterThan(10);
  const imported = sources.flatMap((source) =>
    [...source.matchAll(/import (?:type )?\{([^}]*)\} from 'undici'/g)].flatMap(([, names]) => names!.split(',')),
  );
  expect([...new Set(imported.map((name) => name.replace('type ', '').trim()))].sort()).toEqual([
    'Agent',
    'Dispatcher',
  ]);
  const code = sources.join('\n').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  expect(code).not.toMatch(/\bfetch\(|maxRedirections|RetryAgent|interceptors|setGlobalDispatcher/);
});
