import { UsageError } from '../errors.js';

/** The code of what is not there. */
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

/** Why a file operation failed, in words, or its code where there are none. `undefined` for errors that are no file errors. */
export function fileReason(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' && syscall ? (reasons[code] ?? code) : undefined;
}

/** Whether an error of the file system says that something is not there. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === missing;
}

/** For `catch`: takes an error of the file system with one of the codes for undefined; others pass. */
export function unless(...codes: readonly string[]) {
  return (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

/** For `catch`: undefined for what is not there. */
export const unlessMissing = unless(missing);

/** For `catch`: undefined for what is not there, and for an error with one of the codes. */
export function unlessMissingOr(...codes: readonly string[]) {
  return unless(missing, ...codes);
}

/** The error of a file operation in words: "cannot read `x`: no such file or directory". */
export function fileError(verb: string, path: string, cause: unknown): UsageError {
  return new UsageError(`cannot ${verb} \`${path}\`: ${fileReason(cause) ?? 'unknown fault'}`, { cause });
}

/**
 * Runs work on a file. An error of the file system becomes a `UsageError` as `fileError` makes it; other errors pass.
 */
export async function withFileErrors<Result>(verb: string, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw fileReason(error) === undefined ? error : fileError(verb, path, error);
  }
}
