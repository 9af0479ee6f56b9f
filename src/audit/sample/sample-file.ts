/** The file of a sample: NDJSON, a head row, then the rows of each stratum by rank. */
import * as z from 'zod';
import { ShapeError } from '../../foundation/errors.js';
import { readBytes } from '../../foundation/files/json.js';
import { readNdjson } from '../../foundation/files/lines.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { parse } from '../../platform/contract/parse.js';
import { type SampledStratum, type SampleRow, stratumKey } from './sample.js';

/** The seed of a sample, and what else it depends on: digests and versions. */
interface SampleHead {
  readonly seed: number;
  readonly receipt: Readonly<Record<string, unknown>>;
}

const threshold = z.object({ label: z.string(), greaterThan: z.number() }).optional();
const text = z.string().optional();
const cause = { ruleId: text, listId: text, term: text, pattern: text, label: text, threshold };
const stratumSchema = z.object({ kind: z.enum(['rule', 'stopped', 'allowed']), ...cause });
const count = z.number().int().min(0);
const headSchema = z.object({
  seed: z.number(),
  receipt: z.looseObject({}),
  strata: z.array(stratumSchema.extend({ ruleName: text, size: count, drawn: count })),
});
const rowSchema = z.object({
  messageId: z.string(),
  message: z.looseObject({}),
  stratum: stratumSchema,
  decision: z.looseObject({ verdict: z.string(), matched: z.array(z.looseObject({ ruleId: z.string() })) }),
});

/** Yields the lines of the file of a sample. */
export function* sampleLines(head: SampleHead, strata: readonly SampledStratum[]): Generator<string> {
  yield ndjsonLine({ ...head, strata: strata.map(({ stratum, rows }) => ({ ...stratum, drawn: rows.length })) });
  for (const { rows } of strata) for (const row of rows) yield ndjsonLine(row);
}

/** Reads a sample. Throws `UsageError` if it cannot be read, and `ShapeError` if it is not a sample, or not whole. */
export async function readSample(path: string): Promise<readonly SampledStratum[]> {
  let strata: z.infer<typeof headSchema>['strata'] | undefined;
  const rowsOf = new Map<string, SampleRow[]>();
  for await (const { value, line } of readNdjson([await readBytes(path)], path)) {
    if (strata === undefined) {
      strata = parse(headSchema, value, `${path}:${line}`).strata;
      for (const stratum of strata) rowsOf.set(stratumKey(stratum), []);
      continue;
    }
    const row = parse(rowSchema, value, `${path}:${line}`);
    const rows = rowsOf.get(stratumKey(row.stratum));
    if (rows === undefined) throw new ShapeError(`${path}:${line}`, 'stratum', 'is not one of those in the first line');
    // Messages and decisions are as this program wrote them: no more is checked than what estimates rest on.
    rows.push(row as unknown as SampleRow);
  }
  if (strata === undefined)
    throw new ShapeError(path, 'the first line', 'must be that of a sample, and the file is empty');
  return strata.map(({ drawn, ...stratum }) => {
    const rows = rowsOf.get(stratumKey(stratum))!;
    if (rows.length === drawn && drawn <= stratum.size) return { stratum, rows };
    throw new ShapeError(path, 'the whole file', `must have ${drawn} rows of a stratum, and has ${rows.length}`);
  });
}
