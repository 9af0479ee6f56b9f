import { UsageError } from '../errors.js';
import { fileReason } from '../file-reason.js';

/**
 * Runs work on a file and puts a failure of the file system into words: `UsageError` of the form "cannot read `x`: no
 * such file or directory". Other errors pass.
 */
export async function withFileWords<Result>(what: string, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new UsageError(`cannot ${what} \`${path}\`: ${reason}`, { cause: error });
  }
}
