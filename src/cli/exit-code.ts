import { endpoints, type Operation, operationLabel } from '../contract/endpoints.js';
import { HttpError, NetworkError, RuleSetError, ShapeError, TimeoutError, UsageError } from '../errors.js';

/** The exit codes of all commands. */
export const exitCode = {
  done: 0,
  /** A check did not allow its message, or contenders of a bench differ in counts. */
  findings: 1,
  usage: 2,
  /** Rules or data could not be used. */
  data: 3,
  /** The platform failed. */
  platform: 4,
  /** A bug in sluice; not 1, the code of findings. */
  bug: 70,
  interrupted: 130,
} as const;

const operations = new Set(Object.keys(endpoints).map((name) => operationLabel(name as Operation)));

/** The exit code of an error that is part of the interface; `undefined` for any other, which is a bug. */
export function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof UsageError) return exitCode.usage;
  if (error instanceof RuleSetError) return exitCode.data;
  if (error instanceof ShapeError) return operations.has(error.source) ? exitCode.platform : exitCode.data;
  if (error instanceof NetworkError || error instanceof TimeoutError || error instanceof HttpError) {
    return exitCode.platform;
  }
  return undefined;
}
