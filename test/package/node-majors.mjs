/**
 * Runs the whole suite on every version of Node that Sluice promises: `npm run test:nodes`, or `… -- 22 26` for some.
 * Each binary comes through the registry, from the package that carries it for this platform, into a folder that is
 * removed afterwards; programs that tests start find it first on their path. Ends with a table, and with 1 on a failure.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const floor = manifest.engines.node.replace(/^>=\s*/, '');
const onWindows = process.platform === 'win32';

/** The floor itself, and the newest of each major that is maintained or was until this year. */
const versions = process.argv.length > 2 ? process.argv.slice(2) : [floor, '20', '22', '24', '26'];

/** Installs a version of Node and answers the path of its binary. */
function install(version, folder) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const name = `node-${onWindows ? 'win' : process.platform}-${process.arch}`;
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // A floor such as 20.19 is one version, not the newest of its kind.
  const exact = /^\d+\.\d+$/.test(version) ? `${version}.0` : version;
  const { status } = spawnSync('npm', ['install', `${name}@${exact}`, ...options], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: onWindows,
  });
  if (status !== 0) throw new Error(`npm could not install ${name}@${exact}`);
  return join(folder, 'node_modules', name, 'bin', onWindows ? 'node.exe' : 'node');
}

/** Runs the suite and answers a row of the table, with the names of what failed. */
function runSuite(version, folder) {
  const node = install(version, folder);
  const exact = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  console.log(`\nNode ${exact}`);
  const report = join(folder, 'report.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--silent', '--reporter=json', `--outputFile.json=${report}`];
  const started = performance.now();
  const { status } = spawnSync(node, [vitest, 'run', '--config', 'test/vitest.config.ts', ...reporters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap((file) => {
    const tests = file.assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0 && file.status === 'failed') return [`${file.name} did not run: ${firstLine(file.message)}`];
    return tests.map((test) => `${test.fullName}: ${firstLine(test.failureMessages[0])}`);
  });
  const row = { node: exact, passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests, seconds };
  return { row, failed, good: status === 0 };
}

const firstLine = (text = '') => text.split('\n', 1)[0];

const rows = [];
let allGood = true;
for (const version of versions) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-node-'));
  try {
    const { row, failed, good } = runSuite(version, folder);
    rows.push(row);
    allGood &&= good;
    for (const name of failed) console.log(`${row.node} failed: ${name}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.table(rows);
process.exitCode = allGood ? 0 : 1;
