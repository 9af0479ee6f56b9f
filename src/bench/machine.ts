import { execFileSync } from 'node:child_process';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';

/** Where and on what a record was made: figures of two machines are never compared, ratios with care. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
  readonly v8: string;
  /** Processes that wanted a core, averaged over the minute before; above the number of cores the figures are noise. */
  readonly load: number;
}

/** This machine, now. */
export function describeMachine(): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryBytes: totalmem(),
    system: `${platform()} ${release()}`,
    node: process.version,
    v8: process.versions.v8,
    load: loadavg()[0] ?? Number.NaN,
  };
}

/** The commit of a work tree, with `+` when it was changed since; nothing outside of one. */
export function currentCommit(folder: string): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') && '+');
  } catch {
    return undefined;
  }
}
