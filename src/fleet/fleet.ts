/**
 * An audit on many machines: the one entry of this folder, with an end for the audit (`withWorkers`) and one for workers (`workOnAudit`).
 * What happens on the way are events with fields, which others word.
 */
import type { AuditDirectory } from '../audit/keep/audit-directory.js';
import type { Workers } from '../audit/run.js';
import type { JudgeShard, ShardSource } from '../audit/source/shards.js';
import { UsageError } from '../errors.js';
import { withFileErrors } from '../files/file-reason.js';
import { coordinateWindows } from './coordinator.js';
import { type OnFleetEvent, openReportingQueue } from './events.js';
import { digestOfPlan, type FleetPlan, writePlan } from './plan.js';
import { checkQueue } from './queue.js';
import { WindowResults } from './results.js';
import { nameOfWindow, type WindowBounds, type WindowQueue } from './windows.js';

export type { FleetEvent } from './events.js';
export type { FleetPlan } from './plan.js';
export { workOnAudit } from './worker.js';

/** An audit whose messages workers judge. */
export interface FleetAudit {
  /** The address of the queue. */
  readonly url: string;
  readonly plan: FleetPlan;
  /** Where the audit keeps its parts, which workers share. */
  readonly directory: Pick<AuditDirectory, 'directory' | 'position' | 'start'>;
  /** The messages as windows of time; undefined where they are none of a platform. */
  readonly source: ShardSource | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: OnFleetEvent;
}

/**
 * Puts the messages of an audit on a queue for the time of `use`. Afterwards a finished audit has no queue; one that was stopped keeps it,
 * and workers go on meanwhile. Throws `UsageError` and `NetworkError` for a queue that cannot be opened, before anything is written.
 */
export async function withWorkers<Result>(
  { url, plan, directory, source, signal, onEvent }: FleetAudit,
  use: (workers: Workers) => Promise<Result>,
): Promise<Result> {
  if (source === undefined) throw new UsageError('a queue is for messages of a platform; leave it out');
  const path = directory.directory;
  const windows: WindowBounds[] = [];
  for await (const shard of source.shards(directory.position)) if (shard.kind === 'window') windows.push(shard.window);
  if (!(await areJudged(windows, path, await digestOfPlan(path)))) await checkQueue(url);
  await directory.start();
  const digest = await withFileErrors('write into', path, () => writePlan(path, plan));
  const queue = createLazyQueue(() => openReportingQueue(url, digest, onEvent), onEvent);
  try {
    if (!(await areJudged(windows, path, digest))) await queue.open();
    onEvent({ kind: 'queued', windows: windows.length, seconds: windows[0]?.seconds ?? 0 });
    const coordinator = coordinateWindows(windows, queue, new WindowResults(path, digest), {
      signal,
      onTaken: (isTaken) => onEvent({ kind: isTaken ? 'taken' : 'untaken' }),
      onIdle: (obstacles) => onEvent({ kind: 'idle', ...obstacles }),
    });
    try {
      const judge: JudgeShard = (shard) =>
        withFileErrors('read results in', path, async () => coordinator.judge(shard));
      const result = await use({ source, judge });
      await coordinator.close();
      if (!signal.aborted) await queue.remove().catch(() => undefined);
      return result;
    } finally {
      await coordinator.close();
    }
  } finally {
    await queue.close();
  }
}

/** Whether the results of all windows under a plan are there: then nothing needs a queue. */
async function areJudged(
  windows: readonly WindowBounds[],
  directory: string,
  digest: string | undefined,
): Promise<boolean> {
  if (digest === undefined) return false;
  const judged = await new WindowResults(directory, digest).names().catch(() => new Set<string>());
  return windows.every((window) => judged.has(nameOfWindow(window)));
}

/** A queue that is opened when it is needed. Why it cannot be opened is said once. */
function createLazyQueue(openIt: () => Promise<WindowQueue>, onEvent: OnFleetEvent) {
  let opening: Promise<WindowQueue> | undefined;
  let said: string | undefined;
  const open = (): Promise<WindowQueue> => {
    opening ??= openIt().catch((reason: unknown) => {
      opening = undefined;
      throw reason;
    });
    return opening;
  };
  const opened = () =>
    open().catch((reason: Error) => {
      if (said !== reason.message) onEvent({ kind: 'queue-refused', reason });
      said = reason.message;
      throw reason;
    });
  return {
    open,
    add: async (windows: readonly WindowBounds[]) => (await opened()).add(windows),
    pending: async () => (await opened()).pending(),
    taken: async () => (await opened()).taken(),
    obstacles: async () => (await opened()).obstacles(),
    remove: async () => (await opening)?.remove(),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
