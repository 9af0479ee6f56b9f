/** Merges finished parts of an audit: joins their rows, and adds up their counts. */
import { realpath } from 'node:fs/promises';
import { canonicalJson, digest } from '../../foundation/digest.js';
import { UsageError } from '../../foundation/errors.js';
import { unlessMissing } from '../../foundation/files/file-reason.js';
import type { AuditDirectory } from '../keep/audit-directory.js';
import { type AuditInputs, differencesOf, type InputDifference } from '../keep/manifest.js';
import { resultNames } from '../keep/result-files.js';
import { joinedPosition, type LinePosition } from '../source/line-blocks.js';
import { filterFields } from '../source/message-selection.js';
import { type FinishedPart, type KeptCounters, readCounters, rowsOfPart, textOf } from './finished-part.js';

/** At least one part. */
export type FinishedParts = readonly [FinishedPart, ...FinishedPart[]];

/** Inputs in which parts of one audit may differ: the selection of messages, and the files beside the rows. */
const ofPart = ['source', 'columns', 'labels', 'report', 'format', ...Object.keys(filterFields)] as const;

/**
 * Throws `UsageError` if parts do not belong to one audit: they have other rules, readings, scores or options, or come from another version of
 * Sluice than the given one, which may count differently.
 */
export function refuseOtherParts([first, ...others]: FinishedParts, version: string): void {
  if (first.inputs.version !== version) {
    const { version: was } = first.inputs;
    throw new UsageError(`the audit in \`${first.directory}\` is one of sluice ${was}, and this is ${version}`);
  }
  for (const part of others) {
    const differences: readonly InputDifference[] = differencesOf(first.inputs, part.inputs).filter(
      ({ name }) => !ofPart.some((own) => own === name),
    );
    const isCountedAlike = canonicalJson(first.kept.options) === canonicalJson(part.kept.options);
    if (differences.length === 0 && isCountedAlike) continue;
    const report = { name: 'report', was: first.kept.options.examples, is: part.kept.options.examples };
    throw new UsageError({
      fact: `\`${part.directory}\` is not a part of the audit in \`${first.directory}\``,
      differences: differences.length === 0 ? [report] : differences,
    });
  }
}

/** Rejects with `UsageError` if the directory of the result is that of a part. */
export async function refusePartAsResult(parts: FinishedParts, directory: string): Promise<void> {
  const written = await realpath(directory).catch(unlessMissing);
  for (const part of parts) {
    if (written === undefined || (await realpath(part.directory)) !== written) continue;
    throw new UsageError(`\`${directory}\` is one of the parts; choose another directory for the result`);
  }
}

/** Returns the inputs of a merged audit: the common inputs of its parts, with all parts as its source. */
export function mergedInputs(parts: FinishedParts, { report }: Pick<AuditInputs, 'report'>): AuditInputs {
  const [{ inputs }, ...others] = parts;
  const own = ofPart.filter((name) =>
    others.some((part) => part.inputs[name as keyof AuditInputs] !== inputs[name as keyof AuditInputs]),
  );
  const shared = Object.fromEntries(Object.entries(inputs).filter(([name]) => !own.some((other) => other === name)));
  const source = digest(
    parts.map(({ results }) => [...Object.values(resultNames.audit).map((name) => results.files[name])]),
  );
  const asked = { source, report, format: undefined, labels: undefined };
  return JSON.parse(JSON.stringify({ ...shared, ...asked })) as AuditInputs;
}

/** Returns bytes and lines of the files of all parts; undefined if one of them was not read from a file. */
export function mergedMessages(parts: FinishedParts): LinePosition | undefined {
  const read = parts.flatMap(({ results }) => results.messages ?? []);
  return read.length < parts.length ? undefined : joinedPosition(read);
}

/** Returns the content of `counters.json` of a merged audit: that of the first part, with the counts and the ends of all. */
export function mergedCounters(
  first: KeptCounters,
  parts: FinishedParts,
  counts: KeptCounters['counts'],
): KeptCounters {
  return { ...first, counts, ends: parts.flatMap(({ kept }) => kept.ends) };
}

/** A position in the parts: the part whose counts were added, and how far its rows were. */
interface MergePosition {
  readonly part: number;
  readonly read?: LinePosition | undefined;
}

/**
 * Adds parts to a directory in which the audit of `mergedInputs` was begun, after those that it has. Rejects with the reason of `signal`, and as
 * `rowsOfPart` does; parts that were added are kept.
 */
export async function mergeParts(
  parts: FinishedParts,
  directory: AuditDirectory,
  {
    signal,
    onProgress,
  }: { readonly signal: AbortSignal; readonly onProgress: (messages: number, share: number) => void },
): Promise<void> {
  const position = directory.kept.position as MergePosition | undefined;
  let linesBefore = 0;
  for (const [index, part] of parts.entries()) {
    const { results } = part;
    if (position === undefined || index > position.part) {
      const { first, count } = results.badRows;
      const { counts } = await readCounters(part);
      const bad = first.map((row) => (row.file === undefined ? { ...row, line: row.line + linesBefore } : row));
      const messages = counts.summary?.messages ?? 0;
      const judged = { rows: '', rowCount: 0, messages, leftOut: 0, undated: 0, counts, bad, badCount: count };
      await directory.add(judged, { part: index } satisfies MergePosition);
    }
    linesBefore += results.messages?.lines ?? 0;
    if (position !== undefined && index < position.part) continue;
    for await (const { bytes, end } of rowsOfPart(part, index === position?.part ? position.read : undefined)) {
      signal.throwIfAborted();
      const rows = textOf(bytes);
      const rowCount = rows.split('\n').length - 1;
      const judged = { rows, rowCount, messages: 0, leftOut: 0, undated: 0, counts: {}, bad: [], badCount: 0 };
      await directory.add(judged, { part: index, read: end } satisfies MergePosition);
    }
    onProgress(directory.kept.messages, (index + 1) / parts.length);
  }
}
