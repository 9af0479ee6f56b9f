/** The manifest of an audit: what went in, and once it is finished what came out. `manifest.json` in its directory. */
import * as z from 'zod';
import { type Difference, ShapeError } from '../../foundation/errors.js';
import { readOwn } from '../../foundation/files/own-entries.js';
import { writeOwn } from '../../foundation/files/replace-file.js';
import { beyondBounds, mostValues } from '../../foundation/json-bounds.js';
import { byName } from '../../platform/contract/fields.js';
import { parse } from '../../platform/contract/parse.js';
import { filterFields, type MessageFilters } from '../source/message-selection.js';
import { tableFormats } from '../tables/write-tables.js';
import { judgedFields } from './parts.js';
import { tableFilePattern } from './table-files.js';

const fileDigest = z.object({ bytes: z.number(), sha256: z.string() });

/** The schema of `AuditInputs`. */
export const inputsSchema = z.object({
  kind: z.enum(['audit', 'diff']),
  /** Of Sluice. */
  version: z.string(),
  /** Digest of rules and lists. */
  rules: z.string(),
  /** Digest of rules, lists and semantics together. */
  engine: z.string(),
  /** The same of the old rules; only of a diff. */
  against: z.string().optional(),
  /** Digest of the name of the source. */
  source: z.string(),
  /** Which columns of a file were taken for what, `text=body,id=id`; absent for messages as a platform has them. */
  columns: z.string().optional(),
  // As they were asked for: `until` is absent for a query without an end.
  ...filterFields,
  /** Digest of the scores. */
  scores: z.string().optional(),
  /** Digest of the labels: what they say of a sample in the report of an audit, or of the messages of a diff. */
  labels: z.string().optional(),
  /** Examples of a cause, and whether they go without texts; only of a diff. */
  examples: z.number().optional(),
  redact: z.boolean().optional(),
  /** Whether the decisions of the platform are counted beside; only of an audit. */
  platform: z.boolean().optional(),
  /** What the summary counts by, besides rules. */
  by: z.string().optional(),
  /** Whether there is a row for every message. */
  all: z.boolean(),
  /** Whether rows of messages that are not allowed have their text. */
  withText: z.boolean().optional(),
  /** Whether there is a report, and whether it holds texts of messages. */
  report: z.enum(['text', 'redacted']).optional(),
  onBadRow: z.enum(['stop', 'skip']),
  /** The format of the tables beside the decisions; absent without tables. */
  format: z.enum(tableFormats).optional(),
});

/** All that an audit's results depend on, as digests and plain values: with equal inputs, results are equal. */
export type AuditInputs = Readonly<z.infer<typeof inputsSchema>>;

/** Those of them that are not of rules, readings or Sluice itself: where messages come from, which they are, and their scores. */
export type InputFacts = Pick<AuditInputs, 'source' | 'columns' | 'scores' | keyof MessageFilters>;

/** Of manifest and parts: another one when something in a directory is kept otherwise, so that what an older version kept is refused. */
export const keptFormat = 5;

const manifestSchema = z.object({
  format: z.literal(keptFormat),
  inputs: inputsSchema,
  /** The end of a query without one, taken at its first start: the last second that is judged. */
  end: z.number().optional(),
  /** Made up when the audit begins, and kept by all runs that go on with it: its parts have it. Absent once it is finished. */
  run: z.string().optional(),
  /** The command line that goes on with it, with placeholders for names of files and machines; absent once it is finished. */
  command: z.string().optional(),
  /**
   * Names of files in the directory that are results of the audit, or were given to it to be replaced; `tables` for all of its tables. A
   * name is here before the file is written. Absent once the audit is finished: then `results` has them.
   */
  written: z.array(z.string()).readonly().optional(),
  /** Absent while the audit is not finished. */
  results: z
    .object({
      /** Rows of `decisions.ndjson`. */
      rows: z.number(),
      badRows: z.object({
        count: z.number(),
        first: judgedFields.bad,
      }),
      /** Bytes, lines and digest of a file that was read. */
      messages: z.object({ bytes: z.number(), lines: z.number(), sha256: z.string() }).optional(),
      decisions: fileDigest,
      summary: fileDigest,
      /** Only of an audit. */
      counters: fileDigest.optional(),
      /** By name of the file, without a folder. */
      tables: byName(fileDigest)
        .refine((tables) => Object.keys(tables).every((name) => tableFilePattern.test(name)))
        .optional(),
      report: fileDigest.optional(),
    })
    .optional(),
});

export type Manifest = z.infer<typeof manifestSchema>;

export const manifestName = 'manifest.json';

/** Reads a manifest; undefined when there is none. Throws `ShapeError` for a file that is none, `UsageError` for what is no file. */
export async function readManifest(path: string): Promise<Manifest | undefined> {
  const text = await readOwn(path);
  if (text === undefined) return undefined;
  const excess = beyondBounds(text, { values: mostValues });
  if (excess !== undefined) throw new ShapeError(path, 'the whole value', excess);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ShapeError(path, 'the whole value', 'must be the manifest of an audit');
  }
  return parse(manifestSchema, value, path);
}

/** Writes a manifest: whole or not at all. */
export function writeManifest(path: string, manifest: Manifest): Promise<void> {
  // INVARIANT: fields are in the order of the schema, as in a manifest that was read, so that equal ones have equal bytes.
  return writeOwn(path, `${JSON.stringify(manifestSchema.parse(manifest), null, 2)}\n`);
}

/** An input that differs, by its name in the manifest. */
export interface InputDifference extends Difference {
  readonly name: keyof AuditInputs;
}

/** What differs between the inputs of an audit that was begun and those of now; empty when nothing does. */
export function differencesOf(was: AuditInputs, is: AuditInputs): readonly InputDifference[] {
  const names = Object.keys(inputsSchema.shape) as (keyof AuditInputs)[];
  return (
    names
      .filter((name) => was[name] !== is[name])
      // The digest of the engine has that of the rules in it.
      .filter((name) => name !== 'engine' || was.rules === is.rules)
      .map((name) => ({ name, was: was[name], is: is[name] }))
  );
}
