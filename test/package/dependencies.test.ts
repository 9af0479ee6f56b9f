import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest, root } from './packed.js';

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
}

const lock = JSON.parse(readFileSync(posix.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
const production = locked.filter(([, { dev }]) => dev !== true);

describe('the lock file', () => {
  // One missing platform of one tool makes `npm ci` refuse everywhere, and `npm install` neither
  // says so nor mends it.
  it('holds every dependency of everything in it, for other platforms too', () => {
    const isLocked = (from: string, name: string): boolean =>
      lock.packages[posix.join(from, 'node_modules', name)] !== undefined ||
      (from !== '' && isLocked(parentOf(from), name));
    const missing = Object.entries(lock.packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !isLocked(path, name))
        .map((name) => `${name}, of ${path}`),
    );
    expect(missing).toEqual([]);
    expect(locked.filter(([, { version }]) => version === undefined)).toEqual([]);
  });
});

/** The package in whose `node_modules` a package lies; '' is the root. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/')));
}

describe('what is installed with the package', () => {
  it('is the dependencies it names, and what those need', () => {
    const names = production.map(([path]) => path.replace('node_modules/', ''));
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    expect(names.length).toBeLessThanOrEqual(13);
  });

  it('runs no script at its installation', () => {
    const scripted = (entries: typeof locked) =>
      entries.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path);
    expect(scripted(production)).toEqual([]);
    expect(scripted(locked), 'the lock file tells of install scripts').toContain('node_modules/esbuild');
    expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  });

  it('has no native add-on', () => {
    const files = production.flatMap(([path]) =>
      readdirSync(posix.join(root, path), { recursive: true, encoding: 'utf8' }).map((name) => posix.join(path, name)),
    );
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((name) => /\.node$|binding\.gyp$/.test(name))).toEqual([]);
  });

  it('runs on every version of Node that the package promises', () => {
    const rank = ([major = 0, minor = 0, patch = 0]: readonly number[]) => (major * 1000 + minor) * 1000 + patch;
    /** Whether a version is in a range of `>=1.2.3` and `^1.2.3`, divided by `||`. */
    const admits = (range: string, version: readonly number[]) =>
      range.split('||').some((part) => {
        const [, sign, ...least] = /^\s*(>=|\^)\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?\s*$/.exec(part) ?? [];
        const numbers = least.map((number) => Number(number ?? 0));
        return sign !== undefined && rank(version) >= rank(numbers) && (sign === '>=' || version[0] === numbers[0]);
      });
    const promised = [
      [20, 19, 0],
      [20, 99, 99],
      [22, 0, 0],
      [24, 0, 0],
      [26, 0, 0],
    ];
    expect(promised.filter((version) => !admits(manifest.engines.node, version))).toEqual([]);
    expect(
      [
        [20, 18, 9],
        [21, 7, 0],
      ].filter((version) => admits(manifest.engines.node, version)),
    ).toEqual([]);
    const needing = production.filter(([, { engines }]) =>
      promised.some((version) => !admits(engines?.node ?? '>=0', version)),
    );
    expect(needing.map(([path, { engines }]) => `${path} ${engines?.node}`)).toEqual([]);
  });
});
