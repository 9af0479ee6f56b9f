/** Reads files of labels; the last row for a message and a rule counts. */
import * as z from 'zod';
import { parseJson } from '../../foundation/files/json.js';
import { readNdjson } from '../../foundation/files/lines.js';
import { parse } from '../../platform/contract/parse.js';
import { type Label, outcomes } from './label.js';

const labelSchema = z.object({
  messageId: z.string(),
  ruleId: z.string().nullish(),
  outcome: z.enum(outcomes),
  source: z.string().nullish(),
  ruleRevision: z.string().nullish(),
});

/**
 * Resolves to the labels of a text, in its order: one object a line, or an array of them. Throws
 * `ShapeError` that names the row, never its content.
 */
export async function parseLabels(text: string, path: string): Promise<Label[]> {
  const read = (value: unknown, where: string): Label => {
    const { messageId, outcome, ruleId, source, ruleRevision } = parse(labelSchema, value, where);
    const noted = { ...(source && { source }), ...(ruleRevision && { ruleRevision }) };
    return { messageId, ruleId: ruleId ?? undefined, outcome, ...noted };
  };
  if (text.trimStart().startsWith('[')) {
    const values = parse(z.array(z.unknown()), parseJson(text, path), path);
    return values.map((value, index) => read(value, `${path}[${index}]`));
  }
  const labels: Label[] = [];
  for await (const { value, line } of readNdjson([Buffer.from(text)], path))
    labels.push(read(value, `${path}:${line}`));
  return labels;
}
