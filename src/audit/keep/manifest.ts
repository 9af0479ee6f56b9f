/**
 * The state of an audit, `manifest.json` in its directory: the inputs, how far an unfinished audit
 * has come, and the results of a finished one. It is replaced whole.
 */
import * as z from 'zod';
import { type Difference, ShapeError } from '../../foundation/errors.js';
import { readOwn } from '../../foundation/files/own-entries.js';
import { writeOwn } from '../../foundation/files/replace-file.js';
import { parse } from '../../platform/contract/parse.js';
import type { Counts } from '../count/counters.js';
import { position } from '../source/blocks.js';
import { filterFields, type MessageFilters } from '../source/message-selection.js';
import { tableFormats } from '../tables/write-tables.js';

/** The schema of `AuditInputs`. */
export const inputsSchema = z.object({
  /** Version of Sluice. */
  version: z.string(),
  /** Digest of rules and lists. */
  rules: z.string(),
  /** Digest of rules, lists and semantics together. */
  engine: z.string(),
  /** Digest of the name of the source. */
  source: z.string(),
  /**
   * The columns of a file by field, `text=body,id=id`; absent for messages in the platform's form.
   */
  columns: z.string().optional(),
  // The filters as given: `until` is absent for a query without an end.
  ...filterFields,
  /** How texts of the files were decoded. */
  decode: z.string().optional(),
  /** Digest of the scores. */
  scores: z.string().optional(),
  /** Whether the decisions of the platform are counted too. */
  platform: z.boolean().optional(),
  /** The origin by which the summary counts, besides rules. */
  by: z.string().optional(),
  /** Whether there is a row for every message. */
  all: z.boolean(),
  /** Whether rows of messages that are not allowed have their text. */
  withText: z.boolean().optional(),
  /** The kind of the report, with texts of messages or without; absent without a report. */
  report: z.enum(['text', 'redacted']).optional(),
  onBadRow: z.enum(['stop', 'skip']),
  /** The format of the tables; absent without tables. */
  format: z.enum(tableFormats).optional(),
});

/**
 * Everything that the results of an audit depend on, as digests and plain values: equal inputs give
 * equal results.
 */
export type AuditInputs = Readonly<z.infer<typeof inputsSchema>>;

/**
 * The inputs other than rules, readings and version: source and selection of the messages, and
 * their scores.
 */
export type InputFacts = Pick<AuditInputs, 'source' | 'columns' | 'decode' | 'scores' | keyof MessageFilters>;

/**
 * The format of a directory. It changes with every change of the files; directories of other
 * formats are refused.
 */
const keptFormat = 8;

const badRows = z.object({
  first: z.array(z.object({ file: z.string().optional(), line: z.number(), reason: z.string() })).readonly(),
  count: z.number(),
});

/** Bad rows of an audit: the first ones, and their number. */
export type BadRows = Readonly<z.infer<typeof badRows>>;

const kept = z.object({
  messages: z.number(),
  /** Messages that the filters left out. */
  leftOut: z.number(),
  rows: z.number(),
  /** Bytes of the rows. */
  bytes: z.number(),
  bad: badRows,
  /** The beginning of the next block; absent at the beginning of the messages. */
  position: z.unknown().optional(),
});

/** Sums of the kept blocks, and the position after them. */
export type Kept = Readonly<z.infer<typeof kept>>;

const manifestSchema = z.object({
  format: z.literal(keptFormat),
  inputs: inputsSchema,
  /** The last second of a query without an end, set when the audit begins. */
  end: z.number().optional(),
  /** Names of files of an earlier audit that are to be removed. */
  old: z.array(z.string()).readonly().optional(),
  /** The blocks whose rows are on the disk, and their counts; absent in a finished audit. */
  kept: kept.extend({ counts: z.custom<Counts>() }).optional(),
  /** Absent in an unfinished audit. */
  results: z
    .object({
      rows: z.number(),
      badRows,
      /** Bytes, lines and digest of the files that were read. */
      messages: position.omit({ rows: true }).optional(),
      /** Names of the files of the results. */
      files: z.array(z.string()).readonly(),
    })
    .optional(),
});

export type Manifest = Readonly<Omit<z.infer<typeof manifestSchema>, 'format'>>;

export const manifestName = 'manifest.json';

/**
 * Reads a manifest; undefined if there is no file. Throws `ShapeError` if the file is not a
 * manifest, and `UsageError` if it is not a file.
 */
export async function readManifest(path: string): Promise<Manifest | undefined> {
  const text = await readOwn(path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ShapeError(path, 'the whole value', 'must be the manifest of an audit');
  }
  const { format } = Object(value) as { readonly format?: unknown };
  if (typeof format === 'number' && format !== keptFormat) {
    const fault = `is ${format}, which another version of sluice writes; this one reads ${keptFormat}`;
    throw new ShapeError(path, 'format', fault);
  }
  return parse(manifestSchema, value, path);
}

/**
 * Writes a manifest, whole or not at all, for its owner alone: counts of an unfinished audit may
 * have texts. Equal manifests have equal bytes.
 */
export function writeManifest(path: string, { inputs, end, old, kept, results }: Manifest): Promise<void> {
  const state = { format: keptFormat, inputs: inputsSchema.parse(inputs), end, old, kept, results };
  const text = JSON.stringify(state, undefined, kept === undefined ? 2 : undefined);
  return writeOwn(path, `${text}\n`, { mode: 0o600, most: 0o600 });
}

/** An input that differs, by its name in the manifest. */
interface InputDifference extends Difference {
  readonly name: keyof AuditInputs;
}

/** Returns the differences between the inputs of an earlier audit and the current ones. */
export function differencesOf(was: AuditInputs, is: AuditInputs): readonly InputDifference[] {
  const names = Object.keys(inputsSchema.shape) as (keyof AuditInputs)[];
  return (
    names
      .filter((name) => was[name] !== is[name])
      // The digest of the engine covers the rules.
      .filter((name) => name !== 'engine' || was.rules === is.rules)
      .map((name) => ({ name, was: was[name], is: is[name] }))
  );
}
