/**
 * The words and options of an audit that `sluice worker` judges on other machines, for both of its ends. The one file of the command line that
 * imports `fleet/`.
 */
import { plainPlan } from '../../audit/engines.js';
import type { JudgeOptions } from '../../audit/judge.js';
import type { AuditDirectory } from '../../audit/keep/audit-directory.js';
import type { AuditInputs } from '../../audit/keep/manifest.js';
import type { Workers } from '../../audit/run.js';
import { listCallOf } from '../../audit/source/message-selection.js';
import { SluiceError, UsageError } from '../../errors.js';
import { type FleetEvent, withWorkers as inFleet, workOnAudit } from '../../fleet/fleet.js';
import { version } from '../../version.js';
import { type OptionValues, optionGroup, type RunContext } from '../command.js';
import { messageWords } from '../exit-code.js';
import { readSecret } from '../input-files.js';
import type { Io } from '../io.js';
import { digestOfPlatform, type MessageInput, type MessagePlan } from '../message-source.js';
import { openPlatform, type PlatformPlan, type platformOptions } from '../sources.js';
import { counted, formatCount } from '../terminal/text.js';

/** The option of every command with a queue. Never the address itself: it may hold a password, and arguments can be read by others. */
export const queueOptions = optionGroup('many machines', {
  'queue-file': {
    type: 'string',
    value: 'FILE',
    help: 'file with the address of the queue of `sluice worker`, redis://… or postgres://…; or set SLUICE_QUEUE',
  },
});

/** The address of the queue that options or environment name, if any; the option overrides. Throws `UsageError`. */
export function readQueueUrl(
  { 'queue-file': path }: OptionValues<typeof queueOptions>,
  env: Io['env'],
): Promise<string | undefined> {
  return readSecret(path, env.SLUICE_QUEUE, 'address of a queue, like `redis://host:6379`');
}

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

/** Puts the messages of an audit on a queue for the time of `use`, and says what becomes of it. Throws as the end of the fleet does. */
export async function withWorkers<Result>(
  url: string,
  input: MessageInput,
  {
    directory,
    inputs,
    ...options
  }: JudgeOptions & { readonly directory: AuditDirectory; readonly inputs: AuditInputs },
  { reporter, interrupted: signal }: RunContext,
  use: (workers: Workers) => Promise<Result>,
): Promise<Result> {
  const source = await input.source.windows?.({ until: directory.end });
  const plan = { ...plainPlan({ ruleSet: input.ruleSet, semantics: input.semantics }), inputs, options };
  const onEvent = (event: FleetEvent) => {
    const isState = event.kind === 'untaken' || event.kind === 'taken';
    void (isState ? reporter.step : reporter.note)(eventWords(event, directory.directory));
  };
  return inFleet({ url, plan, directory, source, signal, onEvent }, use);
}

/** What a worker is told. */
export interface WorkSettings {
  /** The directory of the audit. */
  readonly out: string;
  /** The address of the queue. */
  readonly url: string;
  readonly platform: PlatformPlan;
  /** Messages of a request, and windows that are judged at once. */
  readonly limit: number;
  readonly concurrency: number;
}

/** Judges windows of an audit until it is finished, and says how many when it ends. Throws as the end of the fleet does. */
export async function judgeWindows(
  { out, url, platform, limit, concurrency }: WorkSettings,
  values: OptionValues<typeof platformOptions>,
  context: RunContext,
): Promise<void> {
  const { reporter, interrupted } = context;
  let [windows, messages] = [0, 0];
  let isWhole = false;
  const onEvent = (event: FleetEvent) => {
    if (event.kind === 'waiting' || event.kind === 'judging') void reporter.step(eventWords(event, out));
    else if (event.kind !== 'judged') void reporter.note(eventWords(event, out));
    else {
      windows += 1;
      messages += event.messages;
      reporter.progress(messages, undefined);
    }
  };
  try {
    await workOnAudit({
      ...{ out, url, concurrency, version, signal: interrupted, onEvent },
      openPlatform: async () => {
        const { client, close } = await openPlatform(platform, values, context);
        return {
          source: digestOfPlatform(platform),
          list: (filters, signal) => (window) =>
            client.messages.iterate(...listCallOf(filters, { ...window, limit }, signal)),
          close,
        };
      },
    });
    isWhole = true;
  } finally {
    reporter.end();
    const done = windows === 0 ? [] : [`judged ${counted(messages, 'message')} in ${counted(windows, 'window')}`];
    const words = [...done, ...(isWhole ? [`the audit in ${out} is finished`] : [])];
    if (words.length > 0) await reporter.note(words.join('; '));
  }
}

/** What happens to an audit in `out`, in words. */
function eventWords(event: FleetEvent, out: string): string {
  switch (event.kind) {
    case 'queue-away':
      return `the queue does not answer${event.code === undefined ? '' : ` (${event.code})`}; nothing is lost, and work goes on when it is back`;
    case 'queue-back':
      return 'the queue is back';
    case 'queue-refused':
      return event.reason instanceof SluiceError ? messageWords(event.reason) : event.reason.message;
    case 'foreign-job':
      return 'a job on the queue is none of sluice; such jobs are taken off, not judged';
    case 'queued': {
      const size = formatCount(event.seconds);
      return `${counted(event.windows, 'window')} of ${size} s on the queue, for \`sluice worker --out ${out}\``;
    }
    case 'untaken':
      return `no worker has taken a window yet; start \`sluice worker --out ${out}\` on as many machines as you like`;
    case 'taken':
      return 'a worker has taken a window';
    case 'idle':
      return `nothing was judged for half a minute${idleWords(event)}`;
    case 'waiting':
      return `waiting for an audit in ${out}`;
    case 'judging':
      return `judging windows of the audit in ${out}`;
    case 'judged':
      return `judged ${counted(event.messages, 'message')}`;
    case 'put-back':
      return `a window is put back, to be judged later: ${messageWords(event.reason)}`;
  }
}

/** Why nothing is judged, as far as the queue knows. */
function idleWords({ isPaused, foreign }: Extract<FleetEvent, { readonly kind: 'idle' }>): string {
  if (isPaused) return ': the queue is paused; resume it';
  const others = foreign > 0 ? ` (${counted(foreign, 'job')} on the queue are none of sluice; take them off)` : '';
  return `${others}; where workers run, their standard error says why, and where none does, start one`;
}
