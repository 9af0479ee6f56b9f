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

/** The names of exit codes. */
export type ExitName = keyof typeof exitCode;

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

/** The exit codes of every command with rules or messages, in words for its help. */
export const commonExits = {
  usage: 'the command line is wrong, or a file cannot be read',
  data: 'rules or data cannot be used, or results cannot be written',
  platform: 'the platform failed',
  interrupted: 'interrupted',
} as const satisfies Partial<Record<ExitName, string>>;

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
  const { message } = error as SluiceError;
  return { code, words: `sluice: ${escapeText(inWordsOfOptions(message, error) + remedyOf(error))}\n` };
}

/** What the library says of its own options, as the option of the command line. */
const wordsOfOptions: readonly (readonly [library: string, commandLine: string])[] = [
  ['raise `concurrency`, or ask for less at a time', 'ask for less at a time with `--page-size`'],
  [', see `maxResponseBytes`', '; ask for less at a time with `--page-size`'],
  ["pass that user's uid as `onBehalfOf`", "pass that user's uid with `--on-behalf-of`"],
  [', or set `allowHttp: true`', ''],
  ['serve it with `data`', 'serve it with `--data`'],
  ['pass the key as `apiKey`', 'set SLUICE_API_KEY'],
  ['`apiKey`', 'the api key'],
  ['`baseUrl`', '`--base-url`'],
];

function inWordsOfOptions(message: string, error: unknown): string {
  const said = isUnreachable(error) ? message.replace('got no whole answer from', 'could not connect to') : message;
  return wordsOfOptions.reduce((words, [library, commandLine]) => words.replace(library, commandLine), said);
}

const checkAddress = '; check `--base-url` or SLUICE_BASE_URL';
const versionedAddress = '; the base url should end in `/v3`';

/** Codes of the system for an address that nobody answers at. */
const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function isUnreachable(error: unknown): boolean {
  return (
    error instanceof NetworkError && unreachable.has(String((error.cause as { code?: unknown } | undefined)?.code))
  );
}

/** How the user can mend a failure of the platform, as the end of its message; empty where nothing is known to help. */
function remedyOf(error: unknown): string {
  if (error instanceof HttpError) {
    if (error.status === 401) return '; check SLUICE_API_KEY, or the file of `--api-key-file`';
    // A path without an id is there on every platform.
    return error.status === 404 && !error.operation.includes('{') ? versionedAddress : '';
  }
  if (isUnreachable(error)) return checkAddress;
  if (error instanceof TimeoutError) return error.phase === 'connect' ? checkAddress : '';
  const isForeign = error instanceof ShapeError && operations.has(error.source) && error.path === 'the whole value';
  return isForeign && error.message.includes('must be JSON') ? versionedAddress : '';
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
