import { endpoints, type Operation, operationLabel } from '../contract/endpoints.js';
import { HttpError, NetworkError, RuleSetError, ShapeError, TimeoutError, UsageError } from '../errors.js';

/** What a command's exit code says. */
export const exitCode = {
  done: 0,
  /** A check did not allow, a lint found an error, a gate closed; never an audit, which is done when it is done. */
  findings: 1,
  usage: 2,
  /** Rules or data could not be used. */
  data: 3,
  /** The platform failed. */
  platform: 4,
  /** Our own fault; not 1, which a gate would read as findings. */
  bug: 70,
  interrupted: 130,
} as const;

const operations = new Set(Object.keys(endpoints).map((name) => operationLabel(name as Operation)));

/** The exit code of an error that Sluice throws on purpose; `undefined` for anything else, which is a bug. */
export function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof UsageError) return exitCode.usage;
  if (error instanceof RuleSetError) return exitCode.data;
  if (error instanceof ShapeError) return operations.has(error.source) ? exitCode.platform : exitCode.data;
  if (error instanceof NetworkError || error instanceof TimeoutError || error instanceof HttpError) {
    return exitCode.platform;
  }
  return undefined;
}
