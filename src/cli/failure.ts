/**
 * Converts the errors of the public interface to the wording and exit codes of the command line.
 */
import {
  type AdviceCode,
  HttpError,
  isUnreachable,
  joinMessage,
  type MessageWords,
  NetworkError,
  RuleSetError,
  ShapeError,
  type SluiceError,
  TimeoutError,
  UsageError,
} from '../foundation/errors.js';
import { endpoints, type Operation, operationLabel } from '../platform/contract/endpoints.js';
import { inputDifferenceWords } from './audit/other-inputs.js';
import { exitCode } from './exit-code.js';
import { OutputError } from './io.js';
import { escapeText } from './terminal/text.js';

const operations = new Set(Object.keys(endpoints).map((name) => operationLabel(name as Operation)));

/** The message and the exit code with which an error ends a command. */
interface Failure {
  readonly code: number;
  /** One line for standard error. */
  readonly words: string;
}

/**
 * Returns the failure for an error, or `undefined` for an error that is not part of the interface,
 * which is a bug.
 */
export function failureOf(error: unknown): Failure | undefined {
  const code = exitCodeOf(error);
  if (code === undefined) return undefined;
  return { code, words: `sluice: ${escapeText(messageWords(error as SluiceError) + remedyOf(error))}\n` };
}

/** The options of the command line that correspond to options of the library. */
const optionNames: Readonly<Record<string, string>> = {
  baseUrl: '`--base-url`',
  apiKey: 'the api key',
  'auth.basic.username': 'the user of SLUICE_BASIC',
  'auth.basic.password': 'the password of SLUICE_BASIC',
  'auth.bearer': 'the token, of `--token-file` or SLUICE_TOKEN,',
};

const versionedAddress = '; the base url should end in `/v3`';

/** The advice at the end of error messages, in terms of the command line. */
const adviceWords: Readonly<Record<AdviceCode, string>> = {
  'acting-user': ": pass that user's uid with `--on-behalf-of`",
  'allow-http': ': use https',
  'check-base-url': ': check `--base-url`',
  'key-apart': ': leave them out and set SLUICE_API_KEY',
  'replace-results': '; choose another directory, or add `--force` to replace it',
};

const wording: MessageWords = {
  option: (name) => optionNames[name] ?? `\`${name}\``,
  difference: inputDifferenceWords,
  advice: (code) => adviceWords[code],
};

/** Returns the message of an error, with options and advice as the command line has them. */
export function messageWords({ message, parts }: SluiceError): string {
  return parts === undefined ? message : joinMessage(parts, wording);
}

/**
 * Returns advice on a failure of the platform for the end of its message. Empty if there is none.
 */
function remedyOf(error: unknown): string {
  if (error instanceof HttpError) {
    if (error.status === 401) return '; check SLUICE_API_KEY, or the file of `--api-key-file`';
    // Every platform has the paths that contain no id.
    return error.status === 404 && !error.operation.includes('{') ? versionedAddress : '';
  }
  const hasNoAnswer =
    (error instanceof TimeoutError && error.phase === 'connect') ||
    (error instanceof NetworkError && isUnreachable(codeOf(error.cause)));
  return hasNoAnswer ? '; check `--base-url` or SLUICE_BASE_URL' : '';
}

function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException | undefined)?.code;
}

/** Reports whether the disk is at fault, so that another path would not help. */
function isDiskFault(cause: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'].includes(codeOf(cause) ?? '');
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
