/** A part of an audit: the directory of a finished audit of some of the messages. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { ShapeError, UsageError } from '../../foundation/errors.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { openOwn, readOwn } from '../../foundation/files/own-entries.js';
import type { CountOptions, Counts } from '../count/counters.js';
import type { EnginesPlan } from '../engines.js';
import type { AuditReport } from '../keep/audit-report.js';
import { type AuditInputs, type Manifest, manifestName, readManifest } from '../keep/manifest.js';
import { resultNames } from '../keep/result-files.js';
import { type LineBlock, type LinePosition, lineBlocks } from '../source/line-blocks.js';

/**
 * The content of `counters.json`: the counts of an audit, which can be added to those of other parts, with everything that is needed to count
 * and to report in the same way. Plain JSON.
 */
export interface KeptCounters {
  /** Rules and readings, which determine what could have matched. */
  readonly engine: EnginesPlan;
  readonly options: CountOptions;
  readonly counts: Counts;
  /** Ids of the first and the last message of this part, or of each part that was merged into it. */
  readonly ends: readonly string[];
  readonly scoresUpToOne?: AuditReport['scoresUpToOne'];
}

/** A finished audit and its directory. */
export interface FinishedPart {
  /** The path as given. */
  readonly directory: string;
  readonly inputs: AuditInputs;
  /** The last second of a query without an end. */
  readonly end: number | undefined;
  readonly results: NonNullable<Manifest['results']>;
  /** The options of its counters, and the ids of its first and last messages. The counts are read when they are added up. */
  readonly kept: Pick<KeptCounters, 'options' | 'ends'>;
}

/** Returns the content of `counters.json` of an audit that judged messages itself. */
export function keptCounters(kept: Omit<KeptCounters, 'ends'>): KeptCounters {
  const { first, last } = kept.counts.ends ?? {};
  return { ...kept, ends: [first, last].filter((id) => id !== undefined) };
}

/**
 * Reads a finished audit. Rejects with `UsageError` if the directory holds none, or an unfinished one, and with `ShapeError` if its counters
 * were changed.
 */
export function readFinishedPart(directory: string): Promise<FinishedPart> {
  return withFileErrors('read', directory, async () => {
    const manifest = await readManifest(join(directory, manifestName));
    if (manifest === undefined) throw new UsageError(`\`${directory}\` holds no audit: it has no ${manifestName}`);
    const { inputs, end, results, command = '' } = manifest;
    if (inputs.kind !== 'audit') throw new UsageError(`\`${directory}\` holds a ${inputs.kind}, not an audit`);
    if (results === undefined) {
      const finishes = command.replace(/ DIR(?= |$)/, () => ` ${directory}`);
      throw new UsageError(`the audit in \`${directory}\` is not finished; \`${finishes}\` goes on with it`);
    }
    const { options, ends } = await readCounters({ directory, results });
    return { directory, inputs, end, results, kept: { options, ends } };
  });
}

/** Reads the counters of a part. Rejects with `ShapeError` if they were changed. */
export async function readCounters({
  directory,
  results,
}: Pick<FinishedPart, 'directory' | 'results'>): Promise<KeptCounters> {
  const path = join(directory, resultNames.audit.counters ?? '');
  const text = (await readOwn(path)) ?? '';
  if (createHash('sha256').update(text).digest('hex') !== results.files[basename(path)]?.sha256) throw changed(path);
  return JSON.parse(text) as KeptCounters;
}

/**
 * Yields the rows of a part in blocks of whole lines, from a position on that was the `end` of a block. Throws `ShapeError` after the last block
 * if the rows were changed.
 */
export async function* rowsOfPart(
  { directory, results }: FinishedPart,
  from?: LinePosition,
): AsyncGenerator<LineBlock, void, undefined> {
  const path = join(directory, resultNames.audit.rows);
  const file = await openOwn(path);
  if (file === undefined) throw changed(path);
  try {
    const chunks = file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 });
    const blocks = lineBlocks(chunks, path, { from });
    for (let step = await blocks.next(); ; step = await blocks.next()) {
      if (step.done !== true) yield step.value;
      else if (step.value.sha256 === results.files[resultNames.audit.rows]?.sha256) return;
      else throw changed(path);
    }
  } finally {
    await file.close();
  }
}

/** Returns the text of a block of rows. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function changed(path: string): ShapeError {
  return new ShapeError(path, 'the whole file', 'is not as the audit wrote it; judge that part anew');
}
