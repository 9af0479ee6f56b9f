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

/**
 * Runs work on a file and puts a failure of the file system into words: `UsageError` of the form "cannot read `x`: no
 * such file or directory". Other errors pass.
 */
export async function withFileWords<Result>(what: string, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    if (typeof code !== 'string' || !(error as NodeJS.ErrnoException).syscall) throw error;
    throw new UsageError(`cannot ${what} \`${path}\`: ${reasons[code] ?? code}`, { cause: error });
  }
}
