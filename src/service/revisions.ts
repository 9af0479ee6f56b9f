import { UsageError } from '../errors.js';
import type { Moderation } from './moderation.js';
import { type RevisionTable, readRevisions } from './read-revisions.js';

/** The dated rule sets of a service, and which of them it serves. */
export interface Revisions {
  /** All there are, oldest first; empty when the service was started without. */
  readonly names: readonly string[];
  /** The one that requests get from now on; absent when the service was started without. */
  readonly current: string | undefined;
  /**
   * Serves another one, from the next request on; a request that has begun sees the old one to its end. Stays in force over
   * `reread`. Throws `UsageError` for a name that there is not.
   */
  readonly use: (name: string) => void;
  /**
   * Reads the directory again, all of it before anything changes. Serves the newest, or the one that was chosen. Rejects as
   * `startService` does, or when the one that was chosen is gone, and all stays as it was.
   */
  readonly reread: () => Promise<void>;
}

/** Revisions, and the rules and lists of the one that is served. */
export interface ServedRevisions extends Revisions {
  readonly moderation: () => Moderation;
}

/** Reads the revisions of a directory and serves the newest, or the one that is named. Throws as `readRevisions` does. */
export async function openRevisions(directory: string, named: string | undefined): Promise<ServedRevisions> {
  let chosen = named;
  let served = choose(await readRevisions(directory), chosen);
  let reading: Promise<void> = Promise.resolve();
  const read = async (): Promise<void> => {
    const table = await readRevisions(directory);
    served = choose(table, chosen);
  };
  return {
    get names() {
      return [...served.table.keys()];
    },
    get current() {
      return served.name;
    },
    use: (name) => {
      served = choose(served.table, name);
      chosen = name;
    },
    reread: () => {
      // One after the other: of two at once, the one that began first could end last and bring old files back.
      const next = reading.then(read);
      reading = next.catch(() => {});
      return next;
    },
    moderation: () => served.moderation,
  };
}

/** What `Service.revisions` is without a directory. */
export const noRevisions: Revisions = {
  names: [],
  current: undefined,
  use: () => refuse(),
  reread: async () => refuse(),
};

function refuse(): never {
  throw new UsageError('the service has no revisions: start it with the option `revisions`, a directory of them');
}

interface Served {
  readonly table: RevisionTable;
  readonly name: string;
  readonly moderation: Moderation;
}

function choose(table: RevisionTable, chosen: string | undefined): Served {
  const names = [...table.keys()];
  const name = chosen ?? names.at(-1) ?? '';
  const moderation = table.get(name);
  if (moderation !== undefined) return { table, name, moderation };
  throw new UsageError(`there is no revision of that name; there are ${names.map((one) => `\`${one}\``).join(', ')}`);
}
