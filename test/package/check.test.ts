/**
 * `.ci/run`, and `npm run check`, which is its part that installs nothing: the commands that they
 * would run.
 */
import { execFile } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifest, root } from './packed.js';

/**
 * The programs that the script takes from this machine: it finds these on its path, and those of
 * the tests.
 */
const real = ['bash', 'cat', 'dirname', 'env', 'ln', 'ls', 'mkdir', 'mktemp', 'rm', 'sh'];
/** Programs that are there, and of no use to `npm test`. */
const others = ['curl', 'python3', 'xdg-open'];
const machines = ['chromium', 'parallel', 'dask-scheduler'];

const install = 'npm ci --no-audit --no-fund';
const build = 'npm run --silent build';
const apt = [
  'apt-get update -qq',
  ...['chromium', 'parallel', 'python3-distributed'].map(
    (name) => `apt-get install -y -qq --no-install-recommends ${name}`,
  ),
];
const rest = ['npm run test:slow', 'npm run --silent bench -- --quick', 'npm start --silent -- --quiet --json'];

/** Where a program of this machine is. Throws for one that it has not. */
function placeOf(name: string): string {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  const place = places.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (place === undefined) throw new Error(`the tests of .ci/run need \`${name}\` on the path`);
  return place;
}

describe.skipIf(process.platform === 'win32')('.ci/run', () => {
  let folder: string;
  const file = (name: string) => join(folder, name);
  const lines = (name: string) => readFileSync(file(name), 'utf8').trim().split('\n').filter(Boolean);
  function program(name: string, text: string): void {
    writeFileSync(file(`bin/${name}`), `#!/bin/sh\n${text}\n`);
    chmodSync(file(`bin/${name}`), 0o755);
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-check-'));
    for (const name of ['bin', 'tmp']) mkdirSync(file(name));
    for (const name of real) symlinkSync(placeOf(name), file(`bin/${name}`));
    symlinkSync(process.execPath, file('bin/node'));
    for (const name of [...others, 'npx', 'git']) program(name, 'exit 1');
    writeFileSync(file('calls'), '');
    // Notes how it is called, writes the report that it is asked for, and what `npm test` finds.
    program(
      'npm',
      `read -r failing < '${folder}/failing'
      failed=0
      case "$*" in "$failing"*) failed=1 ;; esac
      noted="npm"
      for argument in "$@"; do
        case "$argument" in
          --outputFile.json=*) echo "{\\"numPassedTests\\":3,\\"numFailedTests\\":$failed}" > "\${argument#*=}" ;;
          --reporter=*) ;;
          *) noted="$noted $argument" ;;
        esac
      done
      echo "\${noted% --}" >> '${folder}/calls'
      if [ "$1" = test ]; then env > '${folder}/variables'; ls "$PATH" > '${folder}/path'; fi
      if [ "$2" = test:slow ]; then echo "$SLUICE_REQUIRE_CHROMIUM$SLUICE_REQUIRE_PARALLEL$SLUICE_REQUIRE_DASK" > '${folder}/required'; fi
      exit $failed`,
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /**
   * Runs the script with nothing but its own programs: as which user, and with which step failing.
   */
  async function run(args: readonly string[], { uid = '0', failing = 'nothing' } = {}) {
    program('id', `echo ${uid}`);
    // What it installs is there afterwards.
    program(
      'apt-get',
      `case "$0 $*" in */parallel' '--version) echo 'GNU parallel'; exit ;; esac
      echo "apt-get $*" >> '${folder}/calls'
      case "$*" in
        *python3-distributed) ln -s "$0" '${folder}/bin/dask-scheduler' ;;
        install*) ln -s "$0" "${folder}/bin/\${*##* }" ;;
      esac`,
    );
    writeFileSync(file('failing'), `${failing}\n`);
    const env = { PATH: file('bin'), HOME: folder, TMPDIR: file('tmp'), SLUICE_API_KEY: 'not for tests' };
    const ran = promisify(execFile)(file('bin/bash'), [join(root, '.ci/run'), ...args], { env });
    const { code, stdout, stderr } = await ran.then(
      (printed) => ({ code: 0, ...printed }),
      (reason: { code: number; stdout: string; stderr: string }) => reason,
    );
    expect(readdirSync(file('tmp'))).toEqual([]);
    return { code, calls: lines('calls'), last: stdout.split('\n').at(-2), stderr };
  }

  it('installs, tests without anything, then installs machines, tests with them, and runs benchmark and demo', async () => {
    const calls = [install, 'npm test', ...apt, ...rest];
    expect(await run([])).toEqual({ code: 0, calls, last: '6 passed, 0 failed', stderr: '' });
    expect(lines('required')).toEqual(['111']);
  });

  it('runs `npm test` where Node, npm, git, a shell and the core utilities are, and nothing else', async () => {
    for (const name of machines) program(name, "echo 'GNU parallel'");
    expect((await run([])).calls).toEqual([install, 'npm test', ...rest]);
    const found = lines('path');
    expect(found).toEqual(expect.arrayContaining(['bash', 'cat', 'git', 'node', 'npm', 'npx', 'sh']));
    expect([...others, ...machines, 'apt-get'].filter((name) => found.includes(name))).toEqual([]);
    const variables = lines('variables').map((line) => line.split('=')[0]!);
    const ofShells = ['OLDPWD', 'PWD', 'SHLVL', '_'];
    expect(variables.filter((name) => !ofShells.includes(name)).sort()).toEqual(['CI', 'HOME', 'PATH']);
  });

  it('`npm run check` takes the same steps, builds in place of installing, and says what is missing', async () => {
    expect(manifest.scripts.check).toBe('bash .ci/run --no-install');
    const { code, calls, last, stderr } = await run(['--no-install']);
    expect([code, calls, last]).toEqual([0, [build, 'npm test', ...rest], '6 passed, 0 failed']);
    expect(stderr).toMatch(/^warning: no chromium; .*\nwarning: no GNU parallel; .*\nwarning: no Dask; .*\n$/);
    expect(lines('required')).toEqual([]);
  });

  it('installs no machine where it is not root', async () => {
    expect((await run([], { uid: '1000' })).calls).toEqual([install, 'npm test', ...rest]);
  });

  it('types and lint are checked before the tests', () => {
    expect(manifest.scripts.pretest).toBe('npm run typecheck && npm run lint');
  });

  it('runs the slow tests after others that fail, then ends; the last line counts both', async () => {
    const calls = [build, 'npm test', 'npm run test:slow'];
    const failed = { code: 1, calls, last: '6 passed, 1 failed', stderr: expect.any(String) };
    expect(await run(['--no-install'], { failing: 'test' })).toEqual(failed);
  });

  it.each([
    ['run --silent build', '0 passed, 1 failed'],
    ['run --silent bench', '6 passed, 1 failed'],
  ])('a step that is not a test and fails is counted: %s', async (failing, last) => {
    const ended = await run(['--no-install'], { failing });
    expect([ended.code, ended.calls.at(-1), ended.last]).toEqual([1, expect.stringContaining(failing), last]);
  });

  it('refuses an option that it has not', async () => {
    const { code, calls } = await run(['--no-instal']);
    expect([code, calls]).toEqual([2, []]);
  });
});

describe('npm test', () => {
  const texts = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => ({ name, text: readFileSync(join(root, 'test', name), 'utf8') }));

  it('looks for no browser and no data engine: tests with one are slow', () => {
    const looking = texts
      .filter(({ text }) => /\/(?:chromium|parallel)\.js'|process\.env\.SLUICE_REQUIRE/.test(text))
      .map(({ name }) => name);
    expect(looking.length).toBeGreaterThan(3);
    expect(looking.filter((name) => !name.endsWith('.slow.test.ts'))).toEqual([]);
  });

  it('says what it leaves out', async () => {
    expect(manifest.scripts.posttest).toBe('node test/left-out.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'test/left-out.mjs')]);
    const count = texts.filter(({ name }) => name.endsWith('.slow.test.ts')).length;
    const words = 'browsers, data engines, processes, what takes long';
    expect(stdout).toBe(`left out: ${count} files of \`npm run test:slow\`: ${words}\n`);
  });
});
