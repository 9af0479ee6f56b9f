/** An audit whose messages are judged by `sluice worker` on other machines: this end has the plan, the queue and the results. */

import type { JudgeOptions } from '../../audit/judge.js';
import type { AuditDirectory } from '../../audit/keep/audit-directory.js';
import type { AuditInputs } from '../../audit/keep/manifest.js';
import type { JudgeShard } from '../../audit/source/shards.js';
import { UsageError } from '../../errors.js';
import { withFileErrors } from '../../files/file-reason.js';
import { coordinateWindows } from '../../fleet/coordinator.js';
import { digestOfPlan, writePlan } from '../../fleet/plan.js';
import { checkQueue } from '../../fleet/queue.js';
import { WindowResults } from '../../fleet/results.js';
import { nameOfWindow, type QueueObstacles, type WindowBounds, type WindowQueue } from '../../fleet/windows.js';
import type { RunContext } from '../command.js';
import type { MessageInput, MessagePlan } from '../message-source.js';
import { openQueue, readQueueUrl } from '../queue-option.js';
import type { Workers } from '../run-messages.js';
import { counted, formatCount } from '../terminal/text.js';

/** The address of the queue of an audit; undefined for an audit that judges by itself. Throws `UsageError`. */
export async function readAuditQueue(
  values: { readonly 'queue-file'?: string; readonly out?: string },
  { messagesFile, platform, filters }: MessagePlan,
  { env }: Pick<RunContext, 'env'>,
): Promise<string | undefined> {
  const isFit = values.out !== undefined && messagesFile === undefined && platform?.kind === 'platform';
  if (!isFit && values['queue-file'] === undefined) return undefined;
  const url = await readQueueUrl(values, env);
  if (url === undefined) return undefined;
  if (!isFit) {
    throw new UsageError(
      'a queue is for messages of a platform at an address, into a directory; add `--base-url URL` and `--out DIR`, or leave it out',
    );
  }
  if (filters.since === undefined) {
    throw new UsageError('a query that workers share needs a beginning; add `--since TIME`, or leave the queue out');
  }
  return url;
}

/**
 * Puts the messages of an audit on a queue for the time of `use`. Afterwards a finished audit has no queue; one that was stopped keeps it,
 * and workers go on meanwhile.
 */
export async function withWorkers<Result>(
  url: string,
  input: MessageInput,
  {
    directory,
    inputs,
    ...options
  }: JudgeOptions & { readonly directory: AuditDirectory; readonly inputs: AuditInputs },
  context: RunContext,
  use: (workers: Workers) => Promise<Result>,
): Promise<Result> {
  const { reporter, interrupted: signal } = context;
  const source = await input.source.windows?.({ until: directory.end });
  if (source === undefined) throw new UsageError('a queue is for messages of a platform; leave it out');
  const { engine: patterns, ...semantics } = input.semantics;
  const plan = { inputs, ruleSet: input.ruleSet, semantics, patternEngine: patterns.name, options };
  const path = directory.directory;
  const windows: WindowBounds[] = [];
  for await (const shard of source.shards(directory.position)) if (shard.kind === 'window') windows.push(shard.window);
  // A queue that refuses is said before anything is written.
  if (!(await areJudged(windows, path, await digestOfPlan(path)))) await checkQueue(url);
  await directory.start();
  const digest = await withFileErrors('write into', path, () => writePlan(path, plan));
  const queue = createLazyQueue(() => openQueue(url, digest, context), reporter);
  try {
    if (!(await areJudged(windows, path, digest))) await queue.open();
    await reporter.note(
      `${counted(windows.length, 'window')} of ${formatCount(windows[0]?.seconds ?? 0)} s on the queue, for \`sluice worker --out ${path}\``,
    );
    const onIdle = (obstacles: QueueObstacles) => void reporter.note(idleWords(obstacles));
    const coordinator = coordinateWindows(windows, queue, new WindowResults(path, digest), { signal, onIdle });
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
function createLazyQueue(openIt: () => Promise<WindowQueue>, reporter: RunContext['reporter']) {
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
      if (said !== reason.message) void reporter.note(reason.message);
      said = reason.message;
      throw reason;
    });
  return {
    open,
    add: async (windows: readonly WindowBounds[]) => (await opened()).add(windows),
    pending: async () => (await opened()).pending(),
    obstacles: async () => (await opened()).obstacles(),
    remove: async () => (await opening)?.remove(),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/** Why nothing is judged, as far as the queue knows. */
function idleWords({ isPaused, foreign }: QueueObstacles): string {
  const idle = 'nothing was judged for half a minute';
  if (isPaused) return `${idle}: the queue is paused; resume it`;
  const others = foreign > 0 ? ` (${counted(foreign, 'job')} on the queue are none of sluice; take them off)` : '';
  return `${idle}${others}; where workers run, their standard error says why, and where none does, start one`;
}
