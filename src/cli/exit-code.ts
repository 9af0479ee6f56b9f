import { endpoints, type Operation, operationLabel } from '../contract/endpoints.js';
import {
  HttpError,
  NetworkError,
  RuleSetError,
  ShapeError,
  type SluiceError,
  TimeoutError,
  UsageError,
} from '../errors.js';
import { OutputError } from './io.js';
import { escapeText } from './terminal/text.js';

/** The exit codes of all commands. */
export const exitCode = {
  done: 0,
  /** A check did not allow its message, or contenders of a bench differ in counts. */
  findings: 1,
  usage: 2,
  /** Rules or data could not be used, or results not be written. */
  data: 3,
  /** The platform failed. */
  platform: 4,
  /** A bug in sluice; not 1, the code of findings. */
  bug: 70,
  interrupted: 130,
} as const;

const operations = new Set(Object.keys(endpoints).map((name) => operationLabel(name as Operation)));

/** The end of a command by an error that is part of the interface. */
export interface Failure {
  readonly code: number;
  /** One line for standard error. */
  readonly words: string;
}

/** The failure that an error stands for; `undefined` for an error that is none of the interface, which is a bug. */
export function failureOf(error: unknown): Failure | undefined {
  const code = exitCodeOf(error);
  if (code === undefined) return undefined;
  return { code, words: `sluice: ${escapeText((error as SluiceError).message)}\n` };
}

/** Another path would do as badly. */
function isDiskFault(cause: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof UsageError) return isDiskFault(error.cause) ? exitCode.data : exitCode.usage;
  if (error instanceof RuleSetError || error instanceof OutputError) return exitCode.data;
  if (error instanceof ShapeError) return operations.has(error.source) ? exitCode.platform : exitCode.data;
  if (error instanceof NetworkError || error instanceof TimeoutError || error instanceof HttpError) {
    return exitCode.platform;
  }
  return undefined;
}
