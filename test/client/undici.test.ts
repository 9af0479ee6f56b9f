/** Which features of undici the client may use, and the oldest version that is known to be safe. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const atLeast = ([major, minor]: readonly [number, number], version: string) => {
  const [, found, below] = /^\^?(\d+)\.(\d+)\./.exec(version)!.map(Number);
  return found! > major || (found === major && below! >= minor);
};

it('undici is no older than its last security release', () => {
  const { dependencies } = JSON.parse(read('package.json'));
  const { version } = JSON.parse(read('node_modules/undici/package.json'));
  expect(atLeast([7, 29], dependencies.undici)).toBe(true);
  expect(atLeast([7, 29], version)).toBe(true);
  expect(atLeast([7, 29], '7.28.9')).toBe(false);
});

it('the client uses only pools of undici: its retries splice responses, its redirects and `fetch` send the key to other hosts', () => {
  const sources = readdirSync(new URL('src/platform/client/', root)).map((name) => read(`src/platform/client/${name}`));
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
