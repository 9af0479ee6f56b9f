import { ShapeError } from '../../foundation/errors.js';
import { checkCase, type TestCase } from '../../review/cases/test-case.js';
import type { RowFile } from './row-files.js';

/** The file and line of a case. */
export interface CasePlace {
  readonly file: string;
  readonly line: number;
}

/** The golden cases of files. */
interface CaseReader {
  /** Reads all cases. Throws `ShapeError` for the first malformed one, and for a file without any. */
  check(): Promise<void>;
  /** Yields the checked cases one by one; each call reads the files again. */
  cases(): AsyncGenerator<TestCase, void, undefined>;
  /** Returns the place of a case that `cases` has yielded. */
  placeOf(testCase: TestCase): CasePlace;
}

/** Creates a reader of cases that name rules by the given ids. */
export function createCaseReader(files: readonly RowFile[], ruleIds: ReadonlySet<string>): CaseReader {
  const places = new WeakMap<TestCase, CasePlace>();
  async function* casesOf({ label, rows }: RowFile): AsyncGenerator<TestCase, void, undefined> {
    for await (const { value, line } of rows()) {
      const testCase = checkCase(value, `${label}:${line}`, ruleIds);
      places.set(testCase, { file: label, line });
      yield testCase;
    }
  }
  return {
    async check() {
      for (const file of files) {
        let isEmpty = true;
        for await (const _ of casesOf(file)) isEmpty = false;
        if (isEmpty) throw emptyFile(file, 'holds no case, so it tests nothing');
      }
    },
    async *cases() {
      for (const file of files) yield* casesOf(file);
    },
    placeOf: (testCase) => places.get(testCase) ?? { file: '', line: 0 },
  };
}

function emptyFile({ label }: RowFile, what: string): ShapeError {
  return new ShapeError(label, 'the whole file', `${what}; add one, or leave the file out`);
}
