import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AuditEntry } from '../audit/audit.js';
import { decisionRow, isPlainlyAllowed } from '../audit/decision-row.js';
import { ndjsonLine } from '../audit/ndjson.js';
import type { AuditReport } from './audit-report.js';
import { withFileWords } from './file-error.js';

/** The files of `audit --out DIR`. Nothing under a final name is touched before `finish`. */
export interface OutDirectory {
  /** Keeps the row of an entry, if it has one; a promise only when the disk has to catch up. */
  add(entry: AuditEntry): Promise<void> | undefined;
  /** Puts both files in place. */
  finish(report: AuditReport): Promise<Written>;
  /** Removes what is unfinished; nothing after `finish`. */
  discard(): Promise<void>;
}

/** The files that an audit left behind, and the rows of the first. */
export interface Written {
  readonly decisions: string;
  readonly rows: number;
  readonly summary: string;
}

const flushAtCharacters = 1 << 16;

/**
 * Opens a directory for `decisions.ndjson` and `summary.json`, making it when it is missing. Rows are written for every
 * decision that is not plainly allowed, or for all. Throws `UsageError` when the directory cannot be written.
 */
export async function openOutDirectory(directory: string, { all }: { readonly all: boolean }): Promise<OutDirectory> {
  const decisions = join(directory, 'decisions.ndjson');
  const summary = join(directory, 'summary.json');
  const decisionsUnfinished = unfinished(directory, 'decisions.ndjson');
  const summaryUnfinished = unfinished(directory, 'summary.json');
  const writing = <Result>(work: () => Promise<Result>) => withFileWords('write into', directory, work);
  const file = await writing(async () => {
    await makeDirectory(directory);
    return open(decisionsUnfinished, 'wx');
  });
  let kept = '';
  let rows = 0;
  const flush = () => {
    const text = kept;
    kept = '';
    return writing(async () => void (await file.appendFile(text)));
  };
  return {
    add(entry) {
      if (!all && isPlainlyAllowed(entry.decision)) return undefined;
      kept += ndjsonLine(decisionRow(entry));
      rows += 1;
      return kept.length < flushAtCharacters ? undefined : flush();
    },
    async finish(report) {
      await flush();
      await writing(async () => {
        await closeSynced(file);
        const other = await open(summaryUnfinished, 'wx');
        await other.writeFile(`${JSON.stringify(report, undefined, 2)}\n`);
        await closeSynced(other);
        // A summary that is there must belong to the decisions beside it, so the old one goes first.
        await rm(summary, { force: true });
        await rename(decisionsUnfinished, decisions);
        await rename(summaryUnfinished, summary);
      });
      return { decisions, rows, summary };
    },
    async discard() {
      await file.close().catch(() => undefined);
      await rm(decisionsUnfinished, { force: true });
      await rm(summaryUnfinished, { force: true });
    },
  };
}

/** Makes a directory and its parents. Not `recursive`: Node 20 never returns from that where nobody can make one (`/proc`). */
async function makeDirectory(path: string): Promise<void> {
  const failure = await mkdir(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(failure instanceof Error) || failure.code === 'EEXIST') return;
  const parent = dirname(path);
  if (failure.code !== 'ENOENT' || parent === path) throw failure;
  await makeDirectory(parent);
  await mkdir(path);
}

function unfinished(directory: string, name: string): string {
  return join(directory, `.${name}.${randomUUID()}.unfinished`);
}

async function closeSynced(file: FileHandle): Promise<void> {
  await file.sync();
  await file.close();
}
