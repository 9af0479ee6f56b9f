import { ShapeError } from '../../foundation/errors.js';
import { checkCase, type TestCase } from '../../review/cases/test-case.js';
import type { RowFile } from './row-files.js';

/** The file and the line of a case. */
export interface CasePlace {
  readonly file: string;
  readonly line: number;
}

/**
 * Reads the golden cases of files, each with its file and line. `ruleIds` are the rules that they
 * may name. Throws `ShapeError` for the first malformed case, and for a file without cases.
 */
export async function readCases(
  files: readonly RowFile[],
  ruleIds: ReadonlySet<string>,
): Promise<ReadonlyMap<TestCase, CasePlace>> {
  const cases = new Map<TestCase, CasePlace>();
  for (const { label, rows } of files) {
    const before = cases.size;
    for await (const { value, line } of rows())
      cases.set(checkCase(value, `${label}:${line}`, ruleIds), { file: label, line });
    if (cases.size > before) continue;
    throw new ShapeError(label, 'the whole file', 'holds no case, so it tests nothing; add one, or leave the file out');
  }
  return cases;
}
