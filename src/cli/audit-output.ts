import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { AuditEntry } from '../audit/audit.js';
import { decisionRow, isPlainlyAllowed } from '../audit/decision-row.js';
import { ndjsonLine, safeJson } from '../audit/ndjson.js';
import { UsageError } from '../errors.js';
import { withFileErrors } from '../file-reason.js';
import { replaceFile } from '../loader/write-file-atomically.js';
import type { AuditReport, WrittenFiles } from './audit-report.js';
import type { InputFacts, MessageInput } from './message-source.js';

const summaryOfInputs = z.looseObject({
  revision: z.string(),
  ruleSet: z.looseObject({ revision: z.string() }),
  input: z
    .looseObject({ source: z.string() })
    .transform((input) => input as InputFacts)
    .default({ source: 'unknown' }),
});

/**
 * Throws `UsageError` when a directory holds an audit of other inputs, going by its `summary.json`. A file that is no summary
 * is left to be replaced.
 */
export async function refuseOtherInputs(directory: string, { engine, ruleSet, facts }: MessageInput): Promise<void> {
  const path = join(directory, 'summary.json');
  const { data: old } = summaryOfInputs.safeParse(await withFileErrors('read', path, () => jsonOf(path)));
  if (old === undefined) return;
  const short = (revision: string) => revision.slice(0, 12);
  const differences: string[] = [];
  if (old.ruleSet.revision !== ruleSet.revision) {
    differences.push(`other rules (${short(old.ruleSet.revision)}, now ${short(ruleSet.revision)})`);
  } else if (old.revision !== engine.revision) differences.push('other semantics');
  if (old.input.source !== facts.source) differences.push('messages of another source');
  for (const name of ['conversation', 'since', 'until', 'onBehalfOf'] as const) {
    const [was, is] = [old.input[name], facts[name]];
    if (was !== is) differences.push(`${was === undefined ? `no ${name}` : `${name} ${was}`}, now ${is ?? 'none'}`);
  }
  if (old.input.scores !== facts.scores) differences.push('other scores');
  if (differences.length === 0) return;
  throw new UsageError(
    `\`${directory}\` holds an audit of other inputs: ${differences.join('; ')}; choose another directory, or add \`--force\` to replace it`,
  );
}

/** The value of a JSON file; `undefined` when there is none, or no JSON in it. A pipe is not read: nobody may write to it. */
async function jsonOf(path: string): Promise<unknown> {
  try {
    const found = await stat(path);
    return found.isFile() || found.isDirectory() ? JSON.parse(await readFile(path, 'utf8')) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The files of `audit --out DIR`; what they held before stands until `finish`. */
export interface OutDirectory {
  /** Appends the row of an entry, if it has one; returns a promise only when the buffer is flushed. */
  add(entry: AuditEntry): Promise<void> | undefined;
  /** Puts both files in the place of those of an earlier run. */
  finish(report: AuditReport): Promise<WrittenFiles>;
  /** Removes what was written; no effect after `finish`. */
  discard(): Promise<void>;
}

const flushAtCharacters = 1 << 16;

/**
 * Opens a directory for `decisions.ndjson` and `summary.json`, and creates it when it is missing. Rows are written for
 * decisions that are not plainly allowed, or for all. Throws `UsageError` when the directory cannot be written.
 */
export async function openOutDirectory(directory: string, { all }: { readonly all: boolean }): Promise<OutDirectory> {
  const paths = { decisions: join(directory, 'decisions.ndjson'), summary: join(directory, 'summary.json') };
  const writing = <Result>(work: () => Promise<Result>) => withFileErrors('write into', directory, work);
  const decisions = await writing(async () => {
    await makeDirectory(directory);
    return replaceFile(paths.decisions);
  });
  let buffered = '';
  let rows = 0;
  const flush = () => {
    const text = buffered;
    buffered = '';
    return writing(() => decisions.append(text));
  };
  return {
    add(entry) {
      if (!all && isPlainlyAllowed(entry.decision)) return undefined;
      buffered += ndjsonLine(decisionRow(entry));
      rows += 1;
      return buffered.length < flushAtCharacters ? undefined : flush();
    },
    async finish(report) {
      await flush();
      const summary = await writing(() => replaceFile(paths.summary));
      try {
        await writing(async () => {
          await summary.append(`${safeJson(report, 2)}\n`);
          await decisions.flush();
          await summary.flush();
          // INVARIANT: a summary belongs to the decisions beside it, so the old one is removed first.
          await summary.removeOld();
          await decisions.commit();
          await summary.commit();
        });
      } finally {
        await summary.discard();
      }
      return { ...paths, rows };
    },
    discard: () => decisions.discard(),
  };
}

/** Makes a directory and its parents. `recursive` of Node 20 never returns where none can be made (`/proc`). */
async function makeDirectory(path: string): Promise<void> {
  const failure = await mkdir(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(failure instanceof Error) || failure.code === 'EEXIST') return;
  const parent = dirname(path);
  if (failure.code !== 'ENOENT' || parent === path) throw failure;
  await makeDirectory(parent);
  await mkdir(path);
}
