/** Reads samples and labels, which contain what people found about messages. */
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
 * Reads a sample as a spreadsheet saved it, from standard input for `-`. Throws `UsageError` if it
 * cannot be read, and `ShapeError` if it is not a sample that was drawn.
 */
export async function readSample(path: string, io: Io): Promise<JudgedSample> {
  return readSampleCsv(decodeSpreadsheet(await readWhole(path, io)), sourceName(path));
}

/**
 * Reads labels, from standard input for `-`: a sample with its outcomes, or rows. Throws
 * `UsageError` if they cannot be read, and `ShapeError` for an invalid row.
 */
export async function readLabels(path: string, io: Io): Promise<readonly Label[]> {
  const bytes = await readWhole(path, io);
  const table = decodeSpreadsheet(bytes);
  if (isSampleCsv(table)) return labelsOfSample(readSampleCsv(table, sourceName(path)));
  return parseLabels(decodeText(bytes, sourceName(path)), sourceName(path));
}

/** Reads the outcomes that labels give for whole messages. Throws the errors of `readLabels`. */
export async function readOutcomes(path: string, io: Io): Promise<ReadonlyMap<string, Outcome>> {
  return outcomesByMessage(await readLabels(path, io));
}
