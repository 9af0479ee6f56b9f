/** Appends the message of `sluice check --add` to a file of golden cases. */
import { open } from 'node:fs/promises';
import { ShapeError, UsageError } from '../../foundation/errors.js';
import { isMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { type CheckedMessage, caseOf, isCaseOf } from '../../review/cases/new-case.js';
import type { TestCase } from '../../review/cases/test-case.js';
import type { Io } from '../io.js';
import { openRows } from '../test/row-files.js';

/**
 * Appends a message as a golden case to a file of NDJSON: with its scores, its verdict, and the
 * rules that determine the verdict. A new file can be read only by its owner, since it contains the
 * text. If the file already has this case, nothing is written. Returns a description of what was
 * done.
 *
 * Throws `ShapeError` if the file expects another verdict for the same message or is not NDJSON,
 * and `UsageError` if it cannot be written.
 */
export async function addCase(path: string, checked: CheckedMessage, io: Io): Promise<string> {
  const count = await findCase(path, checked, io);
  if (typeof count === 'string') return count;
  const testCase = caseOf(checked, count + 1);
  await withFileErrors('write', path, () => appendLine(path, ndjsonLine(testCase)));
  return `added case "${testCase.name}" to ${path}`;
}

/**
 * Resolves to the number of cases in a file, which is 0 if it does not exist. If the same case is
 * in it, resolves to a text that says where.
 */
async function findCase(path: string, checked: CheckedMessage, io: Io): Promise<number | string> {
  if (path === '-') throw new UsageError('`--add` needs the name of a file');
  const file = await openRows(path, io).catch((error: unknown) => {
    if (error instanceof UsageError && isMissing(error.cause)) return undefined;
    throw error;
  });
  if (file?.isArray) {
    throw new ShapeError(
      path,
      'the whole file',
      'must be ndjson, one case a line, and is an array, to which no line can be added',
    );
  }
  const { verdict } = checked.decision;
  let count = 0;
  for await (const { value, line } of file?.rows() ?? []) {
    count += 1;
    const testCase = (value ?? {}) as Partial<TestCase>;
    if (testCase.message === undefined) {
      const reason = 'must be there in a golden case; nothing was added, since the file seems to hold something else';
      throw new ShapeError(`${path}:${line}`, 'message', reason);
    }
    if (!isCaseOf(testCase, checked)) continue;
    if (testCase.verdict === verdict)
      return `case "${testCase.name}" at ${path}:${line} has this message and verdict already`;
    throw new ShapeError(
      `${path}:${line}`,
      'verdict',
      `is \`${testCase.verdict}\` for the same message, which now gets \`${verdict}\`; nothing was added: change that case, or take it out`,
    );
  }
  return count;
}

/**
 * Appends a line in one write, and ends a last line without a newline first. If the line was not
 * written completely, it is removed again.
 */
async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = size === 0 ? undefined : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
    await file.appendFile(last === undefined || last === 0x0a ? line : `\n${line}`).catch(async (error: unknown) => {
      await file.truncate(size).catch(() => undefined);
      throw error;
    });
  } finally {
    await file.close();
  }
}
