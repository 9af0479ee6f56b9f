import { UsageError } from '../errors.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
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

/**
 * Runs work on a file. An error of the file system becomes a `UsageError` of the form "cannot read `x`: no such file or
 * directory"; other errors pass.
 */
export async function withFileErrors<Result>(verb: string, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new UsageError(`cannot ${verb} \`${path}\`: ${reason}`, { cause: error });
  }
}
