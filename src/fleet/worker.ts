/** A worker of an audit on many machines: takes windows off the queue and judges them by the audit's plan, until the audit is finished. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engines, openEngines } from '../audit/engines.js';
import { manifestName, readManifest } from '../audit/keep/manifest.js';
import type { MessageFilters } from '../audit/source/message-selection.js';
import type { ListMessages } from '../audit/source/time-windows.js';
import { isRefusal, SluiceError, UsageError } from '../errors.js';
import { withFileErrors } from '../files/file-reason.js';
import { type OnFleetEvent, openReportingQueue } from './events.js';
import { judgeWindow } from './judge-window.js';
import { digestOfPlan, type FleetPlan, type FoundPlan, readPlan } from './plan.js';
import { checkQueue } from './queue.js';
import { WindowResults } from './results.js';
import type { WindowBounds } from './windows.js';

/** What a worker needs besides the plan, which it finds in the directory. */
export interface WorkerOptions {
  /** The directory of the audit. */
  readonly out: string;
  /** The address of the queue. */
  readonly url: string;
  /** Windows that are fetched and judged at once. */
  readonly concurrency: number;
  /** Of Sluice: a plan of another one is refused. */
  readonly version: string;
  /** Opens the platform, once the queue is known to answer: the digest of its name, and how its messages are listed. */
  readonly openPlatform: () => Promise<WorkerPlatform>;
  readonly signal: AbortSignal;
  readonly onEvent: OnFleetEvent;
}

/** The platform whose messages a worker judges. */
export interface WorkerPlatform {
  /** As `source` of the inputs of an audit; a plan of another one is refused. */
  readonly source: string;
  readonly list: (filters: MessageFilters, signal: AbortSignal) => ListMessages;
  close(): Promise<void>;
}

/** The longest wait after windows that could not be judged, one after the other. */
const longestWaitMs = 60_000;
/** How often the directory is looked at for a plan, or for its end. */
const pollMs = 500;

/**
 * Judges windows until the audit is finished. Throws the reason of an interruption; `UsageError` for a queue without its packages, for a plan
 * that this worker cannot follow exactly and a directory that cannot be read or written; `NetworkError` for a queue that cannot be
 * reached, and the permanent errors of the platform.
 */
export async function workOnAudit(options: WorkerOptions): Promise<void> {
  await checkQueue(options.url);
  const platform = await options.openPlatform();
  try {
    // The plan goes with the audit's parts: when it is finished, and also when it is begun anew.
    for (;;) {
      const found = await waitForPlan(options);
      if (found === undefined) return;
      refuseOtherPlan(found.plan, options, platform);
      await follow(found, platform, options);
    }
  } finally {
    await platform.close();
  }
}

/** The plan of the audit in a directory, once there is one; undefined when the audit is finished. Throws the reason of an interruption. */
async function waitForPlan({ out, signal, onEvent }: WorkerOptions): Promise<FoundPlan | undefined> {
  for (let waits = 0; ; waits++) {
    signal.throwIfAborted();
    const found = await withFileErrors('read', out, () => readPlan(out));
    if (found !== undefined) return found;
    const manifest = await withFileErrors('read', out, () => readManifest(`${out}/${manifestName}`));
    if (manifest?.results !== undefined) return undefined;
    if (waits === 0) onEvent({ kind: 'waiting' });
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Throws `UsageError` for a plan that this worker cannot follow exactly. */
function refuseOtherPlan({ inputs }: FleetPlan, { version }: WorkerOptions, { source }: WorkerPlatform): void {
  if (inputs.version !== version) {
    const fact = `the audit is one of sluice ${inputs.version}, this is ${version}; run the same version on all machines`;
    throw new UsageError(fact);
  }
  if (inputs.source !== source) {
    throw new UsageError({ fact: 'the audit is of another platform', advice: 'same-platform' });
  }
}

/** Judges windows of a plan until it is gone. Throws the reason of an interruption, and what makes another attempt vain. */
async function follow(found: FoundPlan, platform: WorkerPlatform, options: WorkerOptions): Promise<void> {
  const { url, concurrency, onEvent } = options;
  const { ruleSet, semantics, patternEngine, options: judging } = found.plan;
  const engines = await openEngines({ ruleSet, semantics, patternEngine, readings: judging.counts.platform });
  try {
    if (engines.engine.revision !== found.plan.inputs.engine) {
      throw new UsageError({ fact: 'the rules of the plan are not those of the audit', advice: 'begin-anew' });
    }
    const queue = await openReportingQueue(url, found.digest, onEvent);
    try {
      const work = createJudging(found, engines, platform, options);
      onEvent({ kind: 'judging' });
      const worker = queue.work(work.judge, { concurrency });
      try {
        await work.untilEnded();
      } finally {
        work.end();
        await worker.close();
      }
    } finally {
      await queue.close();
    }
  } finally {
    engines.close();
  }
}

/** Judges windows of a plan, until the plan is gone, a failure or an interruption ends it. */
function createJudging(
  { plan, digest }: FoundPlan,
  engines: Engines,
  platform: WorkerPlatform,
  { out, signal: interrupted, onEvent }: WorkerOptions,
) {
  const results = new WindowResults(out, digest);
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, interrupted]);
  const messages = platform.list(plan.inputs, signal);
  let [failures, failure]: [number, unknown] = [0, undefined];
  let said: string | undefined;
  const isPlanned = async () => (await withFileErrors('read', out, () => digestOfPlan(out))) === digest;

  async function judge(window: WindowBounds): Promise<void> {
    if (await results.has(window)) return;
    const judged = await judgeWindow(messages, window, engines, plan.options);
    await withFileErrors('write into', out, () => results.write(window, judged));
    failures = 0;
    onEvent({ kind: 'judged', messages: judged.messages });
  }

  /** Puts a window off that could not be judged, and waits a while; ends the work when another attempt would be vain. */
  async function putOff(reason: unknown): Promise<void> {
    // What a plan that is gone makes impossible is no failure.
    if (signal.aborted || !(await isPlanned())) return;
    if (!(reason instanceof SluiceError) || isFinal(reason)) throw reason;
    if (said !== reason.message) onEvent({ kind: 'put-back', reason });
    said = reason.message;
    const waitMs = Math.min(longestWaitMs, 1000 * 2 ** failures++);
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }

  const end = () => ending.abort();
  return {
    end,
    async untilEnded(): Promise<void> {
      while (!signal.aborted && (await isPlanned())) await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      interrupted.throwIfAborted();
      if (failure !== undefined) throw failure;
    },
    judge: (window: WindowBounds): Promise<void> =>
      judge(window).catch(async (reason: unknown) => {
        await putOff(reason).catch((final: unknown) => {
          failure ??= final;
          end();
        });
        // The queue keeps the words of an error; those of this one are in an event.
        throw new Error('not judged');
      }),
  };
}

/** Whether another attempt would end as this one did: a wrong key, a directory that cannot be written. */
function isFinal(reason: SluiceError): boolean {
  return reason instanceof UsageError || isRefusal(reason);
}
