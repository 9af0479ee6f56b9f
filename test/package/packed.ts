/**
 * The package as its users get it: built and packed from a copy of this tree, unpacked, and put
 * into an empty project.
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The root of this repository. */
export const root = resolve(import.meta.dirname, '../..');

/** `package.json`, as far as tests read it. */
interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

export interface Packed {
  /** The tarball, and its size in bytes. */
  readonly tarball: string;
  readonly bytes: number;
  /** Size in bytes of every file in it, by path. */
  readonly files: ReadonlyMap<string, number>;
  /**
   * An empty project with the package and its declared dependencies, and nothing else, in
   * `node_modules`.
   */
  readonly project: string;
  /** The package inside that project. */
  readonly installed: string;
  remove(): void;
}

/** What a run printed. Rejects when it exits with anything but 0. */
export async function node(cwd: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  // Only the path: the npm, the colours and the settings of whoever runs the tests stay out.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  return run(process.execPath, args, { cwd, env, timeout: 1_800_000, maxBuffer: 1 << 26 });
}

/** A program of a development dependency, such as `typescript/bin/tsc`. */
export const program = (path: string): string => join(root, 'node_modules', path);

/** Builds, packs and installs a copy, so that tests which run beside it keep their `dist`. */
export async function packTree(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-package-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    return { ...(await packInto(folder)), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

async function packInto(folder: string): Promise<Omit<Packed, 'remove'>> {
  const tree = join(folder, 'tree');
  copyTree(tree);
  plantLeftovers(tree);
  await npmPack(tree, folder);
  const tarball = join(folder, `sluice-${manifest.version}.tgz`);

  const project = join(folder, 'project');
  const installed = join(project, 'node_modules/sluice');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  for (const name of withWhatTheyNeed(Object.keys(manifest.dependencies)).add('@types/node')) link(name, project);
  return {
    tarball,
    bytes: statSync(tarball).size,
    files: sizesIn(installed),
    project,
    installed,
  };
}

/** Packages, and those that they need in turn. */
function withWhatTheyNeed(names: readonly string[]): Set<string> {
  const all = new Set(names);
  for (const name of all) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(program(name), 'package.json'), 'utf8'));
    for (const needed of Object.keys(dependencies)) all.add(needed);
  }
  return all;
}

function copyTree(tree: string): void {
  const left = new Set(['.git', 'coverage', 'dist', 'node_modules'].map((name) => join(root, name)));
  cpSync(root, tree, { recursive: true, filter: (path) => !left.has(path) });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'junction');
}

/** What may lie about in a tree that was worked in, and must not be shipped. */
function plantLeftovers(tree: string): void {
  for (const name of ['dist/gone.js', 'fixtures/notes.txt', 'notes.log']) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), 'left over');
  }
}

/** `npm pack` with its `prepack`, which builds; nothing is fetched. */
async function npmPack(tree: string, destination: string): Promise<void> {
  const quiet = { npm_config_offline: 'true', npm_config_update_notifier: 'false', npm_config_loglevel: 'error' };
  try {
    await run('npm', ['pack', '--pack-destination', destination], {
      cwd: tree,
      env: { ...process.env, ...quiet },
      shell: process.platform === 'win32',
      timeout: 1_800_000,
    });
  } catch (error) {
    throw new Error(`npm pack: ${(error as { stdout?: string }).stdout}`, { cause: error });
  }
}

function link(name: string, project: string): void {
  const place = join(project, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(program(name), place, 'junction');
}

function sizesIn(folder: string): Map<string, number> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  const named = paths.map((path) => [relative(folder, path).split(sep).join('/'), statSync(path).size] as const);
  return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}
