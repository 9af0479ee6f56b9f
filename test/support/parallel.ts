/** GNU parallel on this machine; another program has the same name. */
import { execFileSync } from 'node:child_process';

/** Whether the tests with GNU parallel can run. Throws where it must be there. */
export const hasParallel = (() => {
  try {
    return execFileSync('parallel', ['--version'], { encoding: 'utf8' }).includes('GNU parallel');
  } catch {
    return false;
  }
})();
if (!hasParallel && process.env.SLUICE_REQUIRE_PARALLEL === '1')
  throw new Error('no GNU parallel: `apt-get install parallel`');
