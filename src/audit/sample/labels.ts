/** The file of labels: rows to which each label is added, of which the last one for a message and a rule counts. */
import { open } from 'node:fs/promises';
import * as z from 'zod';
import { ShapeError } from '../../foundation/errors.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { decodeText, parseJson } from '../../foundation/files/json.js';
import { readNdjson } from '../../foundation/files/lines.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { parse } from '../../platform/contract/parse.js';
import { type Label, Labels, outcomes } from './label.js';

const labelSchema = z.object({
  messageId: z.string(),
  ruleId: z.string().nullish(),
  outcome: z.enum(outcomes),
  by: z.string().nullish(),
  source: z.string().nullish(),
  ruleRevision: z.string().nullish(),
});

/**
 * Resolves to the labels of a text, in its order: one object a line, or an array of them. A last line that was written by half is left out. Throws
 * `ShapeError` that names the row, never its content.
 */
export async function parseLabels(text: string, path: string): Promise<Label[]> {
  const read = (value: unknown, where: string): Label => {
    const { messageId, outcome, ruleId, by, source, ruleRevision } = parse(labelSchema, value, where);
    const noted = { ...(source && { source }), ...(ruleRevision && { ruleRevision }) };
    return { messageId, ruleId: ruleId ?? undefined, outcome, by: by ?? undefined, ...noted };
  };
  if (text.trimStart().startsWith('[')) {
    const values = parse(z.array(z.unknown()), parseJson(text, path), path);
    return values.map((value, index) => read(value, `${path}[${index}]`));
  }
  const labels: Label[] = [];
  const whole = text.slice(0, lengthOfWhole(text));
  for await (const { value, line } of readNdjson([Buffer.from(whole)], path))
    labels.push(read(value, `${path}:${line}`));
  return labels;
}

/** Returns the length of a text without an incomplete last row: an object that does not end, or ends inside a string. */
function lengthOfWhole(text: string): number {
  const begin = text.lastIndexOf('\n') + 1;
  const last = text.slice(begin).trim().replaceAll(/\\./g, '');
  const isOpen = !last.endsWith('}') || last.split('"').length % 2 === 0;
  return last.startsWith('{') && isOpen ? begin : text.length;
}

/** The file of labels of a sample: `sample.labels.ndjson` of `sample.ndjson`. */
export const labelsFileOf = (sample: string) => `${sample.replace(/\.ndjson$/, '')}.labels.ndjson`;

/** An open file of labels. */
export interface LabelsFile {
  readonly labels: Labels;
  /** Adds labels in one write, and flushes them to the disk. */
  add(labels: readonly Label[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file to which labels are added; a new one is readable by its owner alone. A killed writer may have left an incomplete last line, which is
 * removed, but only once everything shows that the file holds labels; a last line without a newline gets one. Throws `UsageError` if the
 * file cannot be read and written, and `ShapeError` if it does not hold labels, one a line; the file is then as it was.
 */
export async function openLabels(path: string): Promise<LabelsFile> {
  const file = await withFileErrors('write', path, () => open(path, 'a+', 0o600));
  try {
    const bytes = await file.readFile();
    // Every byte as one character: a row may end in the middle of a letter.
    const whole = lengthOfWhole(bytes.toString('latin1'));
    const text = decodeText(bytes.subarray(0, whole), path);
    if (text.trimStart().startsWith('[')) {
      const refused = 'must be ndjson, one label a line, and is an array, to which no line can be added';
      throw new ShapeError(
        path,
        'the whole file',
        `${refused}; write each label on a line of its own, or give another file`,
      );
    }
    const labels = new Labels(await parseLabels(text, path));
    if (whole < bytes.length) {
      if (text.trim() === '' && !isBegunLabel(bytes.toString('latin1', whole)))
        throw new ShapeError(`${path}:1`, 'the whole line', 'must be a label, and does not end; give another file');
      await withFileErrors('write', path, () => file.truncate(whole));
    }
    let lead = text === '' || text.endsWith('\n') ? '' : '\n';
    return {
      labels,
      async add(added) {
        await withFileErrors('write', path, async () => {
          await file.appendFile(lead + added.map(ndjsonLine).join(''));
          await file.datasync();
        });
        lead = '';
        for (const label of added) labels.add(label);
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reports whether an incomplete line may be the beginning of a label as `add` writes it. */
function isBegunLabel(line: string): boolean {
  const first = '{"messageId":';
  const keys = line.replaceAll(/\\./g, '').matchAll(/"([^"]*)":/g);
  return (
    (line.startsWith(first) || first.startsWith(line)) && [...keys].every(([, key = '']) => key in labelSchema.shape)
  );
}
