import type { MessageDraft } from './contract/message-draft.js';
import type { RuleSet } from './contract/rule-set.js';
import { createEngine, type Engine } from './engine.js';
import { RuleSetError, SluiceError, UsageError } from './errors.js';
import type { Decision, Verdict } from './evaluate/decision.js';
import type { MediaScores } from './evaluate/media.js';
import { loadRuleSet } from './loader/load-rule-set.js';
import { readRuleSetFile, writeRuleSetFile } from './loader/rule-set-file.js';
import type { RuleSource } from './loader/rule-source.js';
import type { Semantics } from './semantics.js';

/** Options of `createModerator`. */
export interface ModeratorOptions {
  /** Where rules and lists come from; a client is one. */
  readonly source: RuleSource;
  /** Interval between refreshes, in milliseconds. Absent: rules are fetched again only when `refresh` is called. */
  readonly refreshMs?: number | undefined;
  /** A file in which the last good rule set is saved; read at the start when the source cannot be reached. */
  readonly snapshotFile?: string | undefined;
  readonly semantics?: Partial<Semantics> | undefined;
  /** Aborts the first load; the moderator itself is ended by `close`. */
  readonly signal?: AbortSignal | undefined;
}

/** How current the rules of a moderator are. Times are milliseconds since the epoch. */
export interface ModeratorStatus {
  /** `fresh`: the last refresh succeeded. `stale`: it failed, and the last good rules are in use. `closed`: after `close`. */
  readonly state: 'fresh' | 'stale' | 'closed';
  /** Where the rules in use came from. */
  readonly origin: 'source' | 'snapshot';
  /** When the rules in use were last fetched from the source; absent for a snapshot that was never confirmed. */
  readonly confirmedAt?: number;
  /** Failed refreshes since the last successful one. */
  readonly failures: number;
  /** Why the last refresh failed, or its snapshot could not be written; no key and no message text. */
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: number };
}

/** An engine that keeps its rules current. */
export interface Moderator {
  /** As `Engine.decide`, with the current rules. Throws `UsageError` after `close`. */
  decide(message: string | MessageDraft, media?: readonly MediaScores[]): Verdict;
  /** As `Engine.explain`, with the current rules; `decision.revision` identifies them. Throws `UsageError` after `close`. */
  explain(message: string | MessageDraft, media?: readonly MediaScores[]): Decision;
  /**
   * Fetches the rules now, compiles them and replaces the current ones in one step; resolves to whether they changed. Rejects
   * when they could not be fetched or compiled, and the last good ones stay in use. Overlapping calls share one refresh.
   */
  refresh(): Promise<boolean>;
  /** Revision of the engine in use. */
  readonly revision: string;
  /** Issues of the rules in use. */
  readonly issues: Engine['issues'];
  readonly status: ModeratorStatus;
  /** Stops refreshing, aborts a refresh under way, frees the engine. */
  close(): Promise<void>;
}

interface Loaded {
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
}

/**
 * Loads the rules and keeps them current. Rejects with the source's own error when the first load fails and there is no
 * readable snapshot, and with `RuleSetError` or `UsageError` as `createEngine` throws them.
 */
export async function createModerator(options: ModeratorOptions): Promise<Moderator> {
  const { source, refreshMs, snapshotFile, semantics } = options;
  if (refreshMs !== undefined && !(Number.isFinite(refreshMs) && refreshMs >= 1)) {
    throw new UsageError('`refreshMs` must be a number of milliseconds, 1 or more');
  }
  const closing = new AbortController();
  const first = await firstLoad(options);
  let current: Loaded = first.loaded;
  let status: ModeratorStatus = first.status;
  let underway: Promise<boolean> | undefined;

  const load = async (): Promise<boolean> => {
    try {
      const ruleSet = await loadRuleSet(source, { signal: closing.signal });
      refuseLoss(current.ruleSet, ruleSet);
      const changed = ruleSet.revision !== current.ruleSet.revision;
      if (changed) {
        const next = { ruleSet, engine: createEngine(ruleSet, semantics) };
        closing.signal.throwIfAborted();
        const old = current;
        current = next;
        old.engine.close();
      }
      const next = await confirmed(ruleSet, changed || status.origin === 'snapshot' ? snapshotFile : undefined);
      if (!closing.signal.aborted) status = next;
      return changed;
    } catch (error) {
      if (!closing.signal.aborted) status = failed(status, error);
      throw error;
    }
  };
  const refresh = async (): Promise<boolean> => {
    refuseClosed(status);
    underway ??= load().finally(() => {
      underway = undefined;
    });
    return underway;
  };
  const timer = refreshMs === undefined ? undefined : setInterval(() => refresh().catch(() => {}), refreshMs);
  timer?.unref();

  return {
    decide: (message, media) => {
      refuseClosed(status);
      return current.engine.decide(message, media);
    },
    explain: (message, media) => {
      refuseClosed(status);
      return current.engine.explain(message, media);
    },
    refresh,
    get revision() {
      return current.engine.revision;
    },
    get issues() {
      return current.engine.issues;
    },
    get status() {
      return status;
    },
    close: async () => {
      if (status.state === 'closed') return;
      clearInterval(timer);
      status = { ...status, state: 'closed' };
      closing.abort();
      await underway?.catch(() => {});
      current.engine.close();
    },
  };
}

/** The first rules: from the source, else from the snapshot. */
async function firstLoad({
  source,
  snapshotFile,
  semantics,
  signal,
}: ModeratorOptions): Promise<{ loaded: Loaded; status: ModeratorStatus }> {
  let failure: unknown;
  try {
    const ruleSet = await loadRuleSet(source, { signal });
    const loaded = { ruleSet, engine: createEngine(ruleSet, semantics) };
    return { loaded, status: await confirmed(ruleSet, snapshotFile) };
  } catch (error) {
    if (snapshotFile === undefined || error instanceof UsageError || signal?.aborted === true) throw error;
    failure = error;
  }
  const ruleSet = await readRuleSetFile(snapshotFile, { verify: true }).catch(() => undefined);
  if (ruleSet === undefined) throw failure;
  const status = failed({ state: 'stale', origin: 'snapshot', failures: 0 }, failure);
  return { loaded: { ruleSet, engine: createEngine(ruleSet, semantics) }, status };
}

/** The status after a successful load: `fresh` also when the snapshot could not be written, which is in `lastError`. */
async function confirmed(ruleSet: RuleSet, snapshotFile: string | undefined): Promise<ModeratorStatus> {
  const status: ModeratorStatus = { state: 'fresh', origin: 'source', confirmedAt: Date.now(), failures: 0 };
  try {
    if (snapshotFile !== undefined) await writeRuleSetFile(snapshotFile, ruleSet);
    return status;
  } catch (error) {
    return { ...status, lastError: errorStatus(error) };
  }
}

/**
 * Throws `RuleSetError` when a list of the current rule set could not be fetched again for another reason than not existing.
 * That is a fault of the platform, not a changed rule set: without the list, no rule that refers to it would match.
 */
function refuseLoss(before: RuleSet, after: RuleSet): void {
  const had = new Set(before.lists.map((list) => list.id));
  const lost = after.missing.find(
    ({ listId, reason }) => had.has(listId) && !/\b404\b|not a keyword list/.test(reason),
  );
  if (lost !== undefined) {
    throw new RuleSetError(
      `keyword list \`${lost.listId}\` could not be fetched again (${lost.reason}); the last good rules stay`,
    );
  }
}

function failed(status: ModeratorStatus, error: unknown): ModeratorStatus {
  return { ...status, state: 'stale', failures: status.failures + 1, lastError: errorStatus(error) };
}

/** Code and text of an error; those of errors that are not ours may quote content, and are replaced. */
function errorStatus(error: unknown): NonNullable<ModeratorStatus['lastError']> {
  const known = error instanceof SluiceError ? error : new SluiceError('unexpected', 'the rules could not be loaded');
  return { code: known.code, message: known.message, at: Date.now() };
}

function refuseClosed({ state }: ModeratorStatus): void {
  if (state === 'closed') throw new UsageError('the moderator is closed; make another one');
}
