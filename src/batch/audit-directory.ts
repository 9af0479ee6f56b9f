/**
 * The directory of `audit --out`: a manifest, parts while the audit runs, and at its end `decisions.ndjson` and `summary.json`. Whatever
 * happens to the process, the same audit goes on from the parts; another one is refused.
 */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AuditSummary } from '../audit/audit-summary.js';
import { safeJson } from '../audit/ndjson.js';
import { createSummary } from '../audit/summary.js';
import { type LockPurpose, lockDirectory, type Unlock } from '../directory-lock.js';
import { UsageError } from '../errors.js';
import { withFileErrors } from '../file-reason.js';
import { writeFileAtomically } from '../loader/write-file-atomically.js';
import type { BadRow, JudgedBlock } from './judge-lines.js';
import type { LinePosition } from './line-blocks.js';
import {
  type AuditInputs,
  differencesOf,
  type Manifest,
  manifestName,
  readManifest,
  writeManifest,
} from './manifest.js';
import { digestFile, Parts } from './parts.js';

/** How to open a directory. */
export interface OpenOptions {
  /** Begin anew, whatever the directory holds. */
  readonly force: boolean;
  /** The last second of a query without an end, taken when the audit begins. */
  readonly end?: (() => Promise<number>) | undefined;
}

/** Bad rows of an audit: the first ones, and how many. */
export interface BadRows {
  readonly first: readonly BadRow[];
  readonly count: number;
}

const purpose: LockPurpose = { verb: 'audit into', owner: 'audit' };
const shownBadRows = 20;

export class AuditDirectory {
  readonly paths: { readonly decisions: string; readonly summary: string };
  readonly #directory: string;
  readonly #parts: Parts;
  readonly #unlock: Unlock;
  #manifest: Manifest;
  #summary = createSummary();
  #rows = 0;
  #position: unknown;
  #bad: BadRow[] = [];
  #badCount = 0;

  private constructor(directory: string, manifest: Manifest, unlock: Unlock) {
    this.paths = { decisions: join(directory, 'decisions.ndjson'), summary: join(directory, 'summary.json') };
    this.#directory = directory;
    this.#parts = new Parts(directory);
    this.#manifest = manifest;
    this.#unlock = unlock;
  }

  /**
   * Takes a directory, made when it is missing, for an audit of these inputs: begins it, or goes on with what was begun. Throws
   * `UsageError` when it holds an audit of other inputs, or results of which nobody knows the inputs, when another process audits into it, and when it
   * cannot be written.
   */
  static async open(directory: string, inputs: AuditInputs, { force, end }: OpenOptions): Promise<AuditDirectory> {
    return withFileErrors('write into', directory, async () => {
      await makeDirectory(directory);
      const unlock = await lockDirectory(directory, undefined, purpose);
      try {
        const found = force ? undefined : await findManifest(directory, inputs);
        const manifest = found ?? { format: 1, inputs, ...(end && { end: await end() }) };
        const opened = new AuditDirectory(directory, manifest, unlock);
        await opened.#begin(found === undefined);
        return opened;
      } catch (error) {
        await unlock();
        throw error;
      }
    });
  }

  async #begin(isNew: boolean): Promise<void> {
    if (isNew) {
      // The parts of another audit go before its manifest does: without the one, the other would count as its own.
      await this.#parts.remove();
      await writeManifest(join(this.#directory, manifestName), this.#manifest);
    }
    if (this.#manifest.results !== undefined) return this.#parts.remove();
    for await (const { summary, rowCount, end, bad, badCount } of this.#parts.open()) {
      this.#take({ summary, rowCount, bad, badCount }, end);
    }
  }

  #take({ summary, rowCount, bad, badCount }: Omit<JudgedBlock, 'rows'>, end: unknown): void {
    this.#summary.merge(summary);
    this.#rows += rowCount;
    this.#position = end;
    this.#bad.push(...bad.slice(0, shownBadRows - this.#bad.length));
    this.#badCount += badCount;
  }

  /** What came out, when the audit is finished. */
  get results(): Manifest['results'] {
    return this.#manifest.results;
  }

  /** The last second of the audit, of a query without an end. */
  get end(): number | undefined {
    return this.#manifest.end;
  }

  /** Where the next shard begins; undefined at the beginning. */
  get position(): unknown {
    return this.#position;
  }

  get parts(): number {
    return this.#parts.count;
  }

  get rows(): number {
    return this.#rows;
  }

  get badRows(): BadRows {
    return { first: this.#bad, count: this.#badCount };
  }

  /** The summary of all parts. */
  summary(): AuditSummary {
    return this.#summary.toJSON();
  }

  /** Keeps a shard that was judged, the one behind those that are kept. */
  async add(judged: JudgedBlock, end: unknown): Promise<void> {
    await withFileErrors('write into', this.#directory, () => this.#parts.add(judged, end));
    this.#take(judged, end);
  }

  /** Puts the results together: all rows, and the report as `summary.json`; then takes the parts away. */
  async finish(report: unknown, messages: LinePosition | undefined): Promise<void> {
    const { decisions, summary } = this.paths;
    await withFileErrors('write into', this.#directory, async () => {
      // INVARIANT: a summary belongs to the decisions beside it, so an old one is removed first.
      const isFile = await stat(summary)
        .then((found) => found.isFile())
        .catch(() => false);
      if (isFile) await rm(summary);
      const shards = this.#parts.count;
      const merged = await this.#parts.merge(decisions);
      await writeFileAtomically(summary, `${safeJson(report, 2)}\n`);
      const written = await digestFile(summary);
      const results = { shards, decisions: merged, summary: written ?? { bytes: 0, sha256: '' } };
      this.#manifest = { ...this.#manifest, results: { ...results, ...(messages && { messages }) } };
      await writeManifest(join(this.#directory, manifestName), this.#manifest);
      await this.#parts.remove();
    });
  }

  /** The content of `summary.json` of a finished audit. Throws `UsageError` when the results are not as they were written. */
  async readResults(): Promise<unknown> {
    const { decisions, summary } = this.paths;
    return withFileErrors('read', this.#directory, async () => {
      for (const [path, written] of [
        [decisions, this.results?.decisions],
        [summary, this.results?.summary],
      ] as const) {
        const found = await digestFile(path);
        if (found?.sha256 === written?.sha256) continue;
        const what = found === undefined ? 'is gone' : 'is not as the audit wrote it';
        throw new UsageError(`\`${path}\` ${what}; add \`--force\` to audit anew, or choose another directory`);
      }
      return JSON.parse(await readFile(summary, 'utf8'));
    });
  }

  /** Lets the directory go; what is in it stays. */
  close(): Promise<void> {
    return this.#unlock();
  }
}

/** The manifest of an audit of these inputs; undefined in a directory without results. Throws `UsageError` for all others. */
async function findManifest(directory: string, inputs: AuditInputs): Promise<Manifest | undefined> {
  const anew = 'choose another directory, or add `--force` to begin anew there';
  const manifest = await readManifest(join(directory, manifestName));
  if (manifest === undefined) {
    for (const name of ['decisions.ndjson', 'summary.json']) {
      const found = await stat(join(directory, name)).catch(() => undefined);
      if (found?.isFile() && found.size > 0) {
        throw new UsageError(`\`${directory}\` holds \`${name}\` of an audit without a manifest; ${anew}`);
      }
    }
    return undefined;
  }
  const differences = differencesOf(manifest.inputs, inputs);
  if (differences.length === 0) return manifest;
  throw new UsageError(`\`${directory}\` holds an audit of other inputs: ${differences.join('; ')}; ${anew}`);
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
