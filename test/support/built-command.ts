import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
let built: Promise<string> | undefined;

/**
 * The path of the command line, for tests that need a process: a build of its own, made once, so
 * that `dist` is not touched.
 */
export function builtCommand(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  // Each of the processes that run tests makes its own.
  const directory = join(root, `node_modules/.cache/sluice-cli-test-${process.env.VITEST_POOL_ID ?? '0'}`);
  await mkdir(directory, { recursive: true });
  await copyFile(join(root, 'package.json'), join(directory, 'package.json'));
  // Where the package has them: `lint` reads everyday texts, and the demo its data.
  await rm(join(directory, 'fixtures'), { force: true });
  await symlink(join(root, 'fixtures'), join(directory, 'fixtures'));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  // The next file of tests compiles only what has changed since.
  const kept = ['--incremental', '--tsBuildInfoFile', join(directory, 'compiled.json')];
  const args = [tsc, '-p', join(root, 'tsconfig.json'), '--outDir', join(directory, 'dist'), ...kept];
  await promisify(execFile)(process.execPath, args);
  return join(directory, 'dist/cli/bin.js');
}
