/** Says in words why a file could not be opened, read or written. */
import { UsageError } from '../errors.js';

/** The code of a missing file. */
const missing = 'ENOENT';

const reasons: Readonly<Record<string, string>> = {
  [missing]: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it exists and is not a directory',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many open files',
  EIO: 'the device failed',
};

/**
 * Describes why a file operation failed, or returns its code; `undefined` for errors of another
 * kind.
 */
export function fileReason(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' && syscall ? (reasons[code] ?? code) : undefined;
}

/** Reports whether an error says that a file does not exist. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === missing;
}

/**
 * Returns a handler for `catch` that maps errors with one of the codes to undefined; others pass.
 */
export function unless(...codes: readonly string[]) {
  return (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

/** Maps the error of a missing file to undefined, for `catch`. */
export const unlessMissing = unless(missing);

/**
 * Maps the error of a missing file, and errors with one of the codes, to undefined, for `catch`.
 */
export function unlessMissingOr(...codes: readonly string[]) {
  return unless(missing, ...codes);
}

/** Makes the error of a file operation: "cannot read `x`: no such file or directory". */
export function fileError(verb: string, path: string, cause: unknown): UsageError {
  return new UsageError(`cannot ${verb} \`${path}\`: ${fileReason(cause) ?? 'unknown error'}`, { cause });
}

/**
 * Runs work on a file. An error of the file system becomes the `UsageError` of `fileError`; other
 * errors pass.
 */
export async function withFileErrors<Result>(verb: string, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw fileReason(error) === undefined ? error : fileError(verb, path, error);
  }
}
