import { setTimeout as sleep } from 'node:timers/promises';
import { type Engines, type OpenEngines, openEngines } from '../../audit/engines.js';
import { manifestName, readManifest } from '../../audit/keep/manifest.js';
import type { ListMessages } from '../../audit/source/time-windows.js';
import { pageLimit } from '../../contract/message-query.js';
import { HttpError, isTransientStatus, SluiceError, UsageError } from '../../errors.js';
import { withFileErrors } from '../../files/file-reason.js';
import { judgeWindow } from '../../fleet/judge-window.js';
import { digestOfPlan, type FleetPlan, type FoundPlan, readPlan } from '../../fleet/plan.js';
import { checkQueue } from '../../fleet/queue.js';
import { WindowResults } from '../../fleet/results.js';
import type { WindowBounds } from '../../fleet/windows.js';
import { version } from '../../version.js';
import { type Command, type OptionValues, optionGroup, type RunContext, readWholeNumber } from '../command.js';
import { commonExits, exitCode, messageWords } from '../exit-code.js';
import { digestOfPlatform } from '../message-source.js';
import { openQueue, queueOptions, readQueueUrl } from '../queue-option.js';
import { openPlatform, type Platform, planPlatform, platformOptions } from '../sources.js';
import { counted } from '../terminal/text.js';

const { 'base-url': baseUrl, 'api-key-file': apiKeyFile } = platformOptions;

const options = {
  'base-url': baseUrl,
  'api-key-file': apiKeyFile,
  ...queueOptions,
  ...optionGroup('what to do', {
    out: { type: 'string', value: 'DIR', help: 'the directory of `sluice audit --out`, which all machines share' },
    concurrency: { type: 'string', value: 'N', help: 'windows of time that are fetched and judged at once (4)' },
    'page-size': { type: 'string', value: 'N', help: 'messages per request, 1 to 1000 (1000)' },
    quiet: { type: 'boolean', help: 'say nothing but errors' },
  }),
};

type Values = OptionValues<typeof options>;

/** `sluice worker`: judges windows of an audit that another process puts together. */
export const workerCommand: Command<typeof options> = {
  name: 'worker',
  summary: 'judge a share of an audit that runs on many machines',
  description:
    'Takes windows of time off the queue of `sluice audit --out DIR`, fetches their messages, judges them and writes ' +
    'what came out into DIR, until the audit is finished. Any number of workers may run, anywhere, and any of them ' +
    'may die: the results are those of an audit on one machine. Waits for the audit when it has not begun.',
  examples: [
    'sluice audit --base-url https://host/v3 --since 2026-03-01 --out /shared/march',
    'sluice worker --base-url https://host/v3 --out /shared/march',
  ],
  options,
  exits: { done: 'the audit is finished', ...commonExits },
  run,
};

/** The longest wait after windows that could not be judged, one after the other. */
const longestWaitMs = 60_000;
/** How often the directory is looked at for a plan, or for its end. */
const pollMs = 500;
const defaultConcurrency = 4;
const mostConcurrency = 64;

async function run(values: Values, context: RunContext): Promise<number> {
  const { env, reporter } = context;
  const { out } = values;
  if (out === undefined) throw new UsageError('no directory; add `--out DIR`, the one of the audit');
  const platformPlan = planPlatform(values, env);
  if (platformPlan?.kind !== 'platform') {
    throw new UsageError(
      'no platform to fetch from; give `--base-url URL`, or set SLUICE_BASE_URL, with SLUICE_API_KEY set',
    );
  }
  const concurrency = readWholeNumber('concurrency', values.concurrency, { min: 1, max: mostConcurrency });
  const limit = readWholeNumber('page-size', values['page-size'], pageLimit) ?? pageLimit.max;
  const url = await readQueueUrl(values, env);
  if (url === undefined) throw new UsageError('no queue; set SLUICE_QUEUE, or give `--queue-file FILE`');
  await checkQueue(url);
  const platform = await openPlatform(platformPlan, values, context);
  const share: Share = { windows: 0, messages: 0 };
  let isWhole = false;
  try {
    // The plan goes with the audit's parts: when it is finished, and also when it is begun anew.
    for (;;) {
      const found = await waitForPlan(out, context);
      if (found === undefined) break;
      refuseOtherPlan(found.plan, digestOfPlatform(platformPlan));
      const list = listOf(platform, found.plan, limit);
      await follow(found, { out, url, list, share, concurrency: concurrency ?? defaultConcurrency }, context);
    }
    isWhole = true;
    return exitCode.done;
  } finally {
    await platform.close();
    reporter.end();
    const { windows, messages } = share;
    const done = windows === 0 ? [] : [`judged ${counted(messages, 'message')} in ${counted(windows, 'window')}`];
    const words = [...done, ...(isWhole ? [`the audit in ${out} is finished`] : [])];
    if (words.length > 0) await reporter.note(words.join('; '));
  }
}

/** What a worker has judged. */
interface Share {
  windows: number;
  messages: number;
}

/** What a worker needs besides a plan. */
interface WorkerInputs {
  readonly out: string;
  /** The address of the queue. */
  readonly url: string;
  readonly list: (signal: AbortSignal) => ListMessages;
  readonly share: Share;
  readonly concurrency: number;
}

/** Judges windows of a plan until it is gone. Throws the reason of an interruption, and what makes another attempt vain. */
async function follow(found: FoundPlan, inputs: WorkerInputs, context: RunContext): Promise<void> {
  const { out, url, concurrency } = inputs;
  const engines = await enginesOf(found.plan);
  try {
    const queue = await openQueue(url, found.digest, context);
    try {
      const judging = createJudging(found, engines, inputs, context);
      await context.reporter.step(`judging windows of the audit in ${out}`);
      const worker = queue.work(judging.judge, { concurrency });
      try {
        await judging.untilEnded();
      } finally {
        judging.end();
        await worker.close();
      }
    } finally {
      await queue.close();
    }
  } finally {
    engines.close();
  }
}

/** The plan of the audit in a directory, once there is one; undefined when the audit is finished. Throws the reason of an interruption. */
async function waitForPlan(out: string, { reporter, interrupted }: RunContext): Promise<FoundPlan | undefined> {
  for (let waits = 0; ; waits++) {
    interrupted.throwIfAborted();
    const found = await withFileErrors('read', out, () => readPlan(out));
    if (found !== undefined) return found;
    const manifest = await withFileErrors('read', out, () => readManifest(`${out}/${manifestName}`));
    if (manifest?.results !== undefined) return undefined;
    if (waits === 0) await reporter.step(`waiting for an audit in ${out}`);
    await sleep(pollMs, undefined, { signal: interrupted }).catch(() => undefined);
  }
}

/** Throws `UsageError` for a plan that this worker cannot follow exactly. */
function refuseOtherPlan({ inputs }: FleetPlan, source: string): void {
  if (inputs.version !== version) {
    throw new UsageError(
      `the audit is one of sluice ${inputs.version}, this is ${version}; run the same version on all machines`,
    );
  }
  if (inputs.source !== source) {
    throw new UsageError('the audit is of another platform; give the `--base-url` that it was begun with');
  }
}

/** The engines of a plan. Throws `UsageError` when they are others than the audit's. */
async function enginesOf({ ruleSet, semantics, patternEngine, options, inputs }: FleetPlan): Promise<OpenEngines> {
  const engines = await openEngines({ ruleSet, semantics, patternEngine, readings: options.counts.platform });
  if (engines.engine.revision === inputs.engine) return engines;
  engines.close();
  throw new UsageError('the rules of the plan are not those of the audit; begin it anew with `--force`');
}

/** Lists messages under the filters of the audit. */
function listOf({ client }: Platform, { inputs }: FleetPlan, limit: number): WorkerInputs['list'] {
  const { conversation: conversationId, onBehalfOf } = inputs;
  return (signal) => (window) => client.messages.iterate({ ...window, conversationId, limit }, { onBehalfOf, signal });
}

/** Judges windows of a plan, until the plan is gone, a failure or an interruption ends it. */
function createJudging(
  { plan, digest }: FoundPlan,
  engines: Engines,
  { out, list, share }: WorkerInputs,
  { reporter, interrupted }: RunContext,
) {
  const results = new WindowResults(out, digest);
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, interrupted]);
  const messages = list(signal);
  let [failures, failure]: [number, unknown] = [0, undefined];
  let said: string | undefined;
  const isPlanned = async () => (await withFileErrors('read', out, () => digestOfPlan(out))) === digest;

  async function judge(window: WindowBounds): Promise<void> {
    if (await results.has(window)) return;
    const judged = await judgeWindow(messages, window, engines, plan.options);
    await withFileErrors('write into', out, () => results.write(window, judged));
    share.windows += 1;
    share.messages += judged.messages;
    failures = 0;
    reporter.progress(share.messages, undefined);
  }

  /** Puts a window off that could not be judged, and waits a while; ends the work when another attempt would be vain. */
  async function putOff(reason: unknown): Promise<void> {
    // What a plan that is gone makes impossible is no failure.
    if (signal.aborted || !(await isPlanned())) return;
    if (!(reason instanceof SluiceError) || isFinal(reason)) throw reason;
    const words = messageWords(reason);
    if (said !== words) await reporter.note(`a window is put back, to be judged later: ${words}`);
    said = words;
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
        // The queue keeps the words of an error; those of this one are on the screen.
        throw new Error('not judged');
      }),
  };
}

/** Whether another attempt would end as this one did: a wrong key, a directory that cannot be written. */
function isFinal(reason: SluiceError): boolean {
  if (reason instanceof UsageError) return true;
  return reason instanceof HttpError && !isTransientStatus(reason.status);
}
