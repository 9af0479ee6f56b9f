/** The manifest of an audit: what went in, and once it is finished what came out. `manifest.json` in its directory. */
import * as z from 'zod';
import { byName } from '../../contract/fields.js';
import { parse } from '../../contract/parse.js';
import { ShapeError } from '../../errors.js';
import { readOwn } from '../../files/own-entries.js';
import { writeOwn } from '../../files/replace-file.js';
import { beyondBounds, mostValues } from '../../json-bounds.js';
import { tableFormats } from '../../tables/write-tables.js';
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
  against: z.object({ rules: z.string(), engine: z.string() }).optional(),
  /** Digest of the name of the source. */
  source: z.string(),
  conversation: z.string().optional(),
  since: z.number().optional(),
  /** As it was asked for; absent for a query without an end. */
  until: z.number().optional(),
  onBehalfOf: z.string().optional(),
  /** Digest of the scores. */
  scores: z.string().optional(),
  /** Digest of the outcomes of review; only of a diff. */
  outcomes: z.string().optional(),
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

const manifestSchema = z.object({
  format: z.literal(3),
  inputs: inputsSchema,
  /** The end of a query without one, taken at its first start: the last second that is judged. */
  end: z.number().optional(),
  /** Made up when the audit begins, and kept by all runs that go on with it: its parts have it. Absent once it is finished. */
  run: z.string().optional(),
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
        first: z.array(z.object({ line: z.number(), reason: z.string() })).readonly(),
      }),
      /** Bytes, lines and digest of a file that was read. */
      messages: z.object({ bytes: z.number(), lines: z.number(), sha256: z.string() }).optional(),
      decisions: fileDigest,
      summary: fileDigest,
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

/** What differs between the inputs of an audit that was begun and those of now, in words; empty when nothing does. */
export function differencesOf(was: AuditInputs, is: AuditInputs): readonly string[] {
  const differences: string[] = [];
  const short = (digest: string) => digest.slice(0, 12);
  if (was.version !== is.version) differences.push(`another version of sluice (${was.version}, now ${is.version})`);
  if (was.rules !== is.rules) differences.push(`other rules (${short(was.rules)}, now ${short(is.rules)})`);
  else if (was.engine !== is.engine) differences.push('other semantics');
  if (was.against?.engine !== is.against?.engine) differences.push('other old rules');
  if (was.source !== is.source) differences.push('messages of another source');
  for (const name of ['conversation', 'since', 'until', 'onBehalfOf', 'by', 'format', 'report'] as const) {
    if (was[name] === is[name]) continue;
    differences.push(changeOf(optionOf[name], was[name], is[name]));
  }
  if (was.scores !== is.scores) differences.push('other scores');
  if (was.outcomes !== is.outcomes) differences.push('other outcomes');
  if (was.platform !== is.platform)
    differences.push(`it was begun ${was.platform ? 'with' : 'without'} \`--compare-platform\``);
  if (was.examples !== is.examples || was.redact !== is.redact) differences.push('other examples');
  if (was.all !== is.all) differences.push(was.all ? 'it was begun with `--all`' : 'it was begun without `--all`');
  if (was.withText !== is.withText)
    differences.push(`it was begun ${was.withText ? 'with' : 'without'} \`--with-text\``);
  if (was.onBadRow !== is.onBadRow) differences.push(`bad rows ${was.onBadRow === 'stop' ? 'stop it' : 'skipped'}`);
  return differences;
}

/** Options of the command line, by the input that they are. */
const optionOf = {
  conversation: '--conversation',
  since: '--since',
  until: '--until',
  onBehalfOf: '--on-behalf-of',
  by: '--by',
  format: '--format',
  report: '--report',
} as const;

/** A changed option in words. Times are seconds, as they stand in the manifest, and days as people write them. */
function changeOf(option: string, was: string | number | undefined, is: string | number | undefined): string {
  if (option === '--report')
    return `it was begun ${was === undefined ? 'without' : 'with'} \`--report${was === 'redacted' ? ' --redact' : ''}\``;
  const words = (value: string | number) =>
    typeof value === 'number' ? new Date(value * 1000).toISOString().replace(/:00\.000Z$|\.000Z$/, 'Z') : value;
  if (was === undefined) return `it was begun without \`${option}\``;
  return `it was begun with \`${option} ${words(was)}\`${is === undefined ? '' : `, now ${words(is)}`}`;
}
