import { setTimeout as sleep } from 'node:timers/promises';
import { judgeSpan } from '../../batch/judge-span.js';
import { manifestName, readManifest } from '../../batch/manifest.js';
import { digestOfSpanPlan, type FoundPlan, readSpanPlan, type SpanPlan } from '../../batch/span-plan.js';
import { SpanResults } from '../../batch/span-results.js';
import type { Span } from '../../batch/spans.js';
import type { ListMessages } from '../../batch/time-windows.js';
import { pageLimit } from '../../contract/message-query.js';
import { createEngine, type Engine } from '../../engine.js';
import { HttpError, SluiceError, UsageError } from '../../errors.js';
import { withFileErrors } from '../../file-reason.js';
import { version } from '../../version.js';
import { type Command, type OptionValues, optionGroup, type RunContext, readWholeNumber } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { engineNamed } from '../input-files.js';
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
    concurrency: { type: 'string', value: 'N', help: 'spans of time that are fetched and judged at once (4)' },
    'page-size': { type: 'string', value: 'N', help: 'messages per request, 1 to 1000 (1000)' },
    quiet: { type: 'boolean', help: 'say nothing but errors' },
  }),
};

type Values = OptionValues<typeof options>;

/** `sluice worker`: judges spans of an audit that another process puts together. */
export const workerCommand: Command<typeof options> = {
  name: 'worker',
  summary: 'judge a share of an audit that runs on many machines',
  description:
    'Takes spans of time off the queue of `sluice audit --out DIR`, fetches their messages, judges them and writes ' +
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

/** How often the directory is looked at for a plan, or for its end. */
const pollMs = 500;
const defaultConcurrency = 4;
const mostConcurrency = 64;

async function run(values: Values, context: RunContext): Promise<number> {
  const { env, reporter, interrupted } = context;
  const { out } = values;
  if (out === undefined) throw new UsageError('no directory; add `--out DIR`, the one of the audit');
  const platformPlan = planPlatform(values, env);
  if (platformPlan?.kind !== 'platform') {
    throw new UsageError('no platform to fetch from; give `--base-url URL` with SLUICE_API_KEY set');
  }
  const concurrency = readWholeNumber('concurrency', values.concurrency, { min: 1, max: mostConcurrency });
  const limit = readWholeNumber('page-size', values['page-size'], pageLimit) ?? pageLimit.max;
  const url = await readQueueUrl(values, env);
  if (url === undefined) throw new UsageError('no queue; set SLUICE_QUEUE, or give `--queue-file FILE`');
  const found = await waitForPlan(out, context);
  if (found === undefined) {
    await reporter.note(`the audit in ${out} is finished`);
    return exitCode.done;
  }
  const { plan, digest } = found;
  refuseOtherPlan(plan, digestOfPlatform(platformPlan));
  const engine = await engineOf(plan);
  const platform = await openPlatform(platformPlan, values, context);
  const queue = await openQueue(url, digest, context);
  try {
    const list = listOf(platform, plan, limit, interrupted);
    const judging = createJudging(out, found, engine, list, context);
    await reporter.step(`judging spans of the audit in ${out}`);
    const worker = queue.work(judging.judge, { concurrency: concurrency ?? defaultConcurrency });
    try {
      await untilEnded(judging, context);
    } finally {
      await worker.close();
      reporter.end();
    }
    const { spans, messages, failure } = judging.state();
    const done = `judged ${counted(messages, 'message')} in ${counted(spans, 'span')}`;
    await reporter.note(interrupted.aborted || failure ? done : `${done}; the audit is finished`);
    if (interrupted.aborted) return exitCode.interrupted;
    if (failure !== undefined) throw failure;
    return exitCode.done;
  } finally {
    await queue.close();
    await platform.close();
    engine.close();
  }
}

/** The plan of the audit in a directory, once there is one; undefined when the audit is finished. Throws the reason of an interruption. */
async function waitForPlan(out: string, { reporter, interrupted }: RunContext): Promise<FoundPlan | undefined> {
  for (let waits = 0; ; waits++) {
    interrupted.throwIfAborted();
    const found = await withFileErrors('read', out, () => readSpanPlan(out));
    if (found !== undefined) return found;
    const manifest = await withFileErrors('read', out, () => readManifest(`${out}/${manifestName}`));
    if (manifest?.results !== undefined) return undefined;
    if (waits === 0) await reporter.step(`waiting for an audit in ${out}`);
    await sleep(pollMs, undefined, { signal: interrupted }).catch(() => undefined);
  }
}

/** Throws `UsageError` for a plan that this worker cannot follow exactly. */
function refuseOtherPlan({ inputs }: SpanPlan, source: string): void {
  if (inputs.version !== version) {
    throw new UsageError(
      `the audit is one of sluice ${inputs.version}, this is ${version}; run the same version on all machines`,
    );
  }
  if (inputs.source !== source) {
    throw new UsageError('the audit is of another platform; give the `--base-url` that it was begun with');
  }
}

/** The engine of a plan. Throws `UsageError` when it is another one than the audit's. */
async function engineOf({ ruleSet, semantics, patternEngine, inputs }: SpanPlan): Promise<Engine> {
  const engine = createEngine(ruleSet, { ...semantics, ...(await engineNamed(patternEngine, '`--engine`')) });
  if (engine.revision === inputs.engine) return engine;
  engine.close();
  throw new UsageError('the rules of the plan are not those of the audit; begin it anew with `--force`');
}

/** Lists messages under the filters of the audit. */
function listOf({ client }: Platform, { inputs }: SpanPlan, limit: number, signal: AbortSignal): ListMessages {
  const { conversation: conversationId, onBehalfOf } = inputs;
  return (span) => client.messages.iterate({ ...span, conversationId, limit }, { onBehalfOf, signal });
}

/** The longest wait after spans that could not be judged, one after the other. */
const longestWaitMs = 60_000;

/** Judges spans, and keeps what came of it. */
function createJudging(
  out: string,
  { plan, digest }: FoundPlan,
  engine: Engine,
  list: ListMessages,
  { reporter, interrupted }: RunContext,
) {
  const results = new SpanResults(out);
  const ended = new AbortController();
  let [spans, messages, failures] = [0, 0, 0];
  let failure: unknown;
  let said: string | undefined;
  /** Whether the plan is still that of the audit: it goes with the parts. */
  const isPlanned = async () => (await digestOfSpanPlan(out).catch(() => undefined)) === digest;

  async function judge(span: Span): Promise<void> {
    if (await results.has(span)) return;
    const judged = await judgeSpan(list, span, engine, plan.options);
    await withFileErrors('write into', out, () => results.write(span, judged));
    [spans, messages, failures] = [spans + 1, messages + judged.summary.messages, 0];
    reporter.progress(messages, undefined);
  }

  return {
    ended: ended.signal,
    isPlanned,
    state: () => ({ spans, messages, failure }),
    judge: async (span: Span): Promise<void> => {
      try {
        await judge(span);
      } catch (reason) {
        if (interrupted.aborted || !(await isPlanned())) ended.abort();
        else if (!(reason instanceof SluiceError) || isFinal(reason)) {
          failure ??= reason;
          ended.abort();
        } else {
          if (said !== reason.message) await reporter.note(`a span is put back, to be judged later: ${reason.message}`);
          said = reason.message;
          const waitMs = Math.min(longestWaitMs, 1000 * 2 ** failures++);
          await sleep(waitMs, undefined, { signal: AbortSignal.any([ended.signal, interrupted]) }).catch(
            () => undefined,
          );
        }
        // The queue keeps the words of an error; those of this one are on the screen.
        throw new Error('not judged');
      }
    },
  };
}

/** Whether another attempt would end as this one did: a wrong key, a directory that cannot be written. */
function isFinal(reason: SluiceError): boolean {
  if (reason instanceof UsageError) return true;
  return reason instanceof HttpError && reason.status < 500 && reason.status !== 408 && reason.status !== 429;
}

/** Waits until the audit is finished, a failure ends the worker, or it is interrupted. */
async function untilEnded(
  { ended, isPlanned }: Pick<ReturnType<typeof createJudging>, 'ended' | 'isPlanned'>,
  { interrupted }: Pick<RunContext, 'interrupted'>,
): Promise<void> {
  const signal = AbortSignal.any([ended, interrupted]);
  while (!signal.aborted && (await isPlanned())) {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}
