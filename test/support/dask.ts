/** Dask on this machine: its commands, and the Python that has it. */
import { execFileSync } from 'node:child_process';

function runs(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The interpreter that has `distributed`: that of the path, or else of the system, for which Debian's package is. */
export const pythonWithDask = ['python3', '/usr/bin/python3'].find((python) =>
  runs(python, '-c', 'import distributed'),
);

/** Whether the tests with Dask can run. Throws where it must be there. */
export const hasDask = pythonWithDask !== undefined && runs('dask-scheduler', '--version');
if (!hasDask && process.env.SLUICE_REQUIRE_DASK === '1')
  throw new Error('no Dask: `apt-get install python3-distributed`');
