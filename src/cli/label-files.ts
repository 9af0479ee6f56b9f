/** Samples and labels of files: what people found of messages. */
import type { Outcome } from '../audit/count/diff-causes.js';
import { type Label, outcomesByMessage } from '../audit/sample/label.js';
import { parseLabels } from '../audit/sample/labels.js';
import {
  decodeSpreadsheet,
  isSampleCsv,
  type JudgedSample,
  labelsOfSample,
  readSampleCsv,
} from '../audit/sample/sample-file.js';
import { decodeText } from '../foundation/files/json.js';
import { readWhole, sourceName } from './input-files.js';
import type { Io } from './io.js';

/**
 * Reads the sample that a spreadsheet saved, `-` for standard input. Throws `UsageError` for a file that
 * cannot be read, and `ShapeError` for one that is not a sample as it was drawn.
 */
export async function readSample(path: string, io: Io): Promise<JudgedSample> {
  return readSampleCsv(decodeSpreadsheet(await readWhole(path, io)), sourceName(path));
}

/**
 * Reads labels, `-` for standard input: a sample with its outcomes, or rows. Throws `UsageError` for a
 * file that cannot be read, and `ShapeError` for another row.
 */
export async function readLabels(path: string, io: Io): Promise<readonly Label[]> {
  const bytes = await readWhole(path, io);
  const table = decodeSpreadsheet(bytes);
  if (isSampleCsv(table)) return labelsOfSample(readSampleCsv(table, sourceName(path)));
  return parseLabels(decodeText(bytes, sourceName(path)), sourceName(path));
}

/** Reads what labels of a file say of whole messages, as `readLabels` reads them. */
export async function readOutcomes(path: string, io: Io): Promise<ReadonlyMap<string, Outcome>> {
  return outcomesByMessage(await readLabels(path, io));
}
