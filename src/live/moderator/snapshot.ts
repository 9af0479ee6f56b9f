/** Keeps the last good rules in a file. */
import type { Stats } from 'node:fs';
import { readFile, stat, utimes } from 'node:fs/promises';
import { semanticsOf } from '../../engine/semantics.js';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { fileReason, unlessMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { jsonFault } from '../../foundation/files/json-fault.js';
import { writeFileAtomically } from '../../foundation/files/replace-file.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { parseRuleSetText, serializeRuleSet } from '../../platform/loader/rule-set-file.js';
import type { StoppingGroup } from '../../review/compare/stopped-texts.js';

/** The content of a snapshot. */
interface SavedRules {
  readonly ruleSet: RuleSet;
  /** The time of the last whole answer of the source, in milliseconds since the epoch. */
  readonly confirmedAt: number;
  /**
   * Everything that could stop a message since a person last accepted a rule set, and cannot with
   * this one.
   */
  readonly lost: readonly StoppingGroup[];
  /**
   * The revisions that the canary held since then: after a restart it has no messages to judge by.
   */
  readonly held: readonly string[];
}

/** The section that only snapshots have. Those of earlier versions have a source alone. */
interface Own {
  readonly source?: string;
  /** In base64, so that a search for a term finds it in the rules alone. */
  readonly lost?: string;
  readonly held?: readonly string[];
}

function encodeLost(lost: readonly StoppingGroup[]): string {
  const plain = lost.map((group) => ({ ...group, entries: [...group.entries] }));
  return lost.length === 0 ? '' : Buffer.from(JSON.stringify(plain)).toString('base64');
}

function decodeLost(text: string): readonly StoppingGroup[] {
  const plain = text === '' ? [] : (JSON.parse(Buffer.from(text, 'base64').toString()) as readonly StoppingGroup[]);
  return plain.map((group) => ({ ...group, entries: new Map(group.entries) }));
}

/** Milliseconds by which the clocks of two machines may differ. */
const CLOCK_DRIFT = 60_000;

/** A file at the path of a snapshot: a snapshot, or a file that may be replaced by one. */
interface Found {
  readonly stats: Stats;
  /** Absent for a file that is empty or damaged, and for anything but a regular file. */
  readonly content?: { readonly text: string; readonly ruleSet: RuleSet; readonly own: Own };
}

/**
 * The file with the last accepted rule set, and beside it, as `FILE.previous`, the one before. Its
 * content changes only with what is accepted or held; its modification time is the time at which
 * the source last answered, so that the age of the rules outlives the process. It is a rule set
 * file with a section `snapshot` that its digest covers. Any other JSON file belongs to someone
 * else and is never replaced.
 */
export class Snapshot {
  /** The error of the last `keep`; retried by the next one. */
  error: unknown;
  /**
   * The reason why the file could not be used when it was read; absent if there was no file, and
   * once one was kept.
   */
  unread: string | undefined;
  readonly #path: string | undefined;
  readonly #sourceId: string | undefined;
  #saved: SavedRules | undefined;
  /**
   * The identity of the file as it was left: another process or a person may have replaced, edited
   * or cut it since.
   */
  #left: string | undefined;

  constructor(path: string | undefined, sourceId: string | undefined) {
    this.#path = path;
    this.#sourceId = sourceId;
  }

  /**
   * Resolves to the saved rules, to those before them if their file is damaged, or to `undefined`.
   * Rejects with `UsageError` for a file that is not a snapshot, that was edited, or that belongs
   * to another source.
   */
  async read(): Promise<SavedRules | undefined> {
    if (this.#path === undefined) return undefined;
    const saved = await this.#read(this.#path);
    return saved === undefined && this.unread !== undefined ? this.#read(previousOf(this.#path)) : saved;
  }

  async #read(path: string): Promise<SavedRules | undefined> {
    const unread = (why: string): undefined => {
      this.unread ??= `the snapshot \`${path}\` ${why}`;
    };
    const found = await this.#find(path).catch((error: unknown) => {
      if (error instanceof UsageError) throw error;
      return unread(`could not be read: ${fileReason(error) ?? 'unknown error'}`);
    });
    if (found === undefined) return undefined;
    const { stats, content } = found;
    if (content === undefined) return unread(stats.isFile() ? 'is empty or damaged' : 'is not a regular file');
    // A time in the future was set by a clock that ran ahead, so the age is unknown.
    const confirmedAt = stats.mtimeMs > Date.now() + CLOCK_DRIFT ? 0 : stats.mtimeMs;
    const { ruleSet, own } = content;
    try {
      semanticsOf(ruleSet);
      return { ruleSet, confirmedAt, lost: decodeLost(own.lost ?? ''), held: own.held ?? [] };
    } catch (error) {
      return unread(`cannot be used: ${error instanceof RuleSetError ? error.message : 'it is damaged'}`);
    }
  }

  /**
   * Writes the rules unless the file has them, and sets the time of their confirmation. Leaves a
   * failure in `error`.
   */
  async keep(saved: SavedRules): Promise<void> {
    if (this.#path === undefined) return;
    const path = this.#path;
    try {
      await withFileErrors('keep the snapshot', path, () => this.#keep(path, saved));
      this.#left = identityOf(await stat(path));
      this.#saved = saved;
      this.error = undefined;
      this.unread = undefined;
    } catch (error) {
      this.#saved = undefined;
      this.error = error;
    }
  }

  async #keep(path: string, saved: SavedRules): Promise<void> {
    const { ruleSet, confirmedAt, lost, held } = saved;
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile() === false) throw new UsageError(`the snapshot \`${path}\` is not a regular file`);
    const isLeft = stats !== undefined && identityOf(stats) === this.#left;
    if (isLeft && isEqual(this.#saved, saved) && (await touch(path, confirmedAt))) return;
    const text = serializeRuleSet(path, ruleSet, { source: this.#sourceId, lost: encodeLost(lost), held });
    const found = await this.#find(path);
    if (found?.content?.text === text && (await touch(path, confirmedAt))) return;
    if (found?.content !== undefined && !isSameRules(found.content.ruleSet, ruleSet)) {
      await this.#find(previousOf(path));
      await writeFileAtomically(previousOf(path), found.content.text);
      await touch(previousOf(path), found.stats.mtimeMs);
    }
    await writeFileAtomically(path, text);
    await touch(path, confirmedAt);
  }

  /**
   * Finds the file. Rejects with `UsageError` if it must not be replaced, and with the error of the
   * file system.
   */
  async #find(path: string): Promise<Found | undefined> {
    const stats = await stat(path).catch(unlessMissing);
    // Reading a device or a pipe may never end.
    if (stats === undefined || !stats.isFile()) return stats && { stats };
    const bytes = await readFile(path);
    const text = textOf(bytes);
    if (text === undefined || !isSomething(text)) return { stats };
    const content = contentOf(path, text);
    if (content === undefined) {
      throw new UsageError(
        `\`snapshotFile\`: \`${path}\` is not as a moderator wrote it, so it is left alone; name a ` +
          'file for the snapshot alone, such as `rules.snapshot.json`, or delete this one if it is not needed',
      );
    }
    const { source } = content.own;
    if (source !== undefined && this.#sourceId !== undefined && source !== this.#sourceId) {
      throw new UsageError(
        `\`snapshotFile\`: \`${path}\` has the rules of ${source}, and \`source\` is ${this.#sourceId}; name a file for each source, ` +
          'or delete this one if the rules have moved',
      );
    }
    return { stats, content };
  }
}

/** Decodes UTF-8; returns `undefined` for other bytes. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reports whether a text is JSON with content; a text that was cut off or overwritten is not. */
function isSomething(text: string): boolean {
  const json = text.replace(/^\ufeff/, '');
  return /^\s*[[{]\s*[^\s\]}]/.test(json) && jsonFault(json) === undefined;
}

/** Parses a snapshot; returns `undefined` unless the text is one, byte for byte. */
function contentOf(path: string, text: string): Found['content'] {
  try {
    const { ruleSet, snapshot } = parseRuleSetText(path, text);
    const isOwn = typeof snapshot === 'object' && snapshot !== null;
    return isOwn && text === serializeRuleSet(path, ruleSet, snapshot) ? { text, ruleSet, own: snapshot } : undefined;
  } catch {
    return undefined;
  }
}

function previousOf(path: string): string {
  return `${path}.previous`;
}

/**
 * Sets the modification time of a file; returns `false` on failure, such as for a file that was
 * removed.
 */
async function touch(path: string, time: number): Promise<boolean> {
  try {
    await utimes(path, new Date(time), new Date(time));
    return true;
  } catch {
    return false;
  }
}

/** Identifies a file and its content: a changed identity means a changed file. */
function identityOf({ ino, size, birthtimeMs, mtimeMs }: Stats): string {
  return [ino, size, birthtimeMs, mtimeMs].join(' ');
}

function isEqual(saved: SavedRules | undefined, { ruleSet, lost, held }: SavedRules): boolean {
  return saved !== undefined && isSameRules(saved.ruleSet, ruleSet) && saved.lost === lost && isSame(saved.held, held);
}

function isSameRules(left: RuleSet, right: RuleSet): boolean {
  const rest = ({ revision, truncated, missing, semantics }: RuleSet) => [revision, truncated, missing, semantics];
  return isSame(rest(left), rest(right));
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
