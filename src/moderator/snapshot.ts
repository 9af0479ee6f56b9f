import type { Stats } from 'node:fs';
import { stat, utimes } from 'node:fs/promises';
import type { RuleSet } from '../contract/rule-set.js';
import { UsageError } from '../errors.js';
import { readRuleSetFile, writeRuleSetFile } from '../loader/rule-set-file.js';

/** A rule set as it was read from a snapshot, and when the source had it last, in milliseconds since the epoch. */
export interface SavedRuleSet {
  readonly ruleSet: RuleSet;
  readonly confirmedAt: number;
}

/** Clocks of two machines may differ by so many milliseconds. */
const CLOCK_DRIFT = 60_000;

/**
 * The file with the last good rule set. Its content changes with the rule set alone; the time of its last change is the time
 * at which the source last confirmed it, so that the age of the rules outlives the process.
 */
export class Snapshot {
  /** Why the file does not hold the last good rule set; retried by every `keep`. */
  error: unknown;
  readonly #path: string | undefined;
  #saved: RuleSet | undefined;
  /** The file as it was left: another process, or a person, may replace or cut it. */
  #left: string | undefined;

  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** The saved rule set; `undefined` when there is none, or its file is damaged in any byte. */
  async read(): Promise<SavedRuleSet | undefined> {
    if (this.#path === undefined) return undefined;
    try {
      // A device or a pipe may be read without end.
      const file = await stat(this.#path);
      if (!file.isFile()) return undefined;
      const ruleSet = await readRuleSetFile(this.#path, { verify: true });
      this.#saved = ruleSet;
      this.#left = identityOf(file);
      // A time to come was set by a clock that ran ahead: nobody knows how old such a file is.
      return { ruleSet, confirmedAt: file.mtimeMs > Date.now() + CLOCK_DRIFT ? 0 : file.mtimeMs };
    } catch {
      return undefined;
    }
  }

  /** Writes the rule set unless the file holds it, and sets the time of its confirmation. A failure is left in `error`. */
  async keep(ruleSet: RuleSet, confirmedAt: number): Promise<void> {
    if (this.#path === undefined) return;
    try {
      const file = await stat(this.#path).catch(() => undefined);
      if (file?.isFile() === false) throw new UsageError(`the snapshot \`${this.#path}\` is not a regular file`);
      const isLeft = file !== undefined && identityOf(file) === this.#left;
      const isThere = isLeft && isSaved(this.#saved, ruleSet) && (await touch(this.#path, confirmedAt));
      if (!isThere) {
        await writeRuleSetFile(this.#path, ruleSet);
        await touch(this.#path, confirmedAt);
        this.#left = identityOf(await stat(this.#path));
      }
      this.#saved = ruleSet;
      this.error = undefined;
    } catch (error) {
      this.#saved = undefined;
      this.error = error;
    }
  }
}

/** Sets the time of a file's last change; `false` when that fails, as for a file that was removed. */
async function touch(path: string, time: number): Promise<boolean> {
  try {
    await utimes(path, new Date(time), new Date(time));
    return true;
  } catch {
    return false;
  }
}

/** What another identity shows to be another file or content; not its time of change, which each confirmation sets. */
function identityOf({ ino, size, birthtimeMs }: Stats): string {
  return [ino, size, birthtimeMs].join(' ');
}

function isSaved(saved: RuleSet | undefined, { revision, missing, truncated }: RuleSet): boolean {
  if (saved === undefined) return false;
  const isEqual = saved.revision === revision && saved.truncated === truncated;
  return isEqual && JSON.stringify(saved.missing) === JSON.stringify(missing);
}
