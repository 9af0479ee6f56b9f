import { readFile } from 'node:fs/promises';
import { UsageError } from '../errors.js';
import { withFileErrors } from '../files/file-reason.js';
import { codeOfQueueFailure, openWindowQueue } from '../fleet/queue.js';
import type { WindowQueue } from '../fleet/windows.js';
import { type OptionValues, optionGroup, type RunContext } from './command.js';
import type { Io } from './io.js';

/** The option of every command with a queue. Never the address itself: it may hold a password, and arguments can be read by others. */
export const queueOptions = optionGroup('many machines', {
  'queue-file': {
    type: 'string',
    value: 'FILE',
    help: 'file with the address of the queue of `sluice worker`, redis://… or postgres://…; or set SLUICE_QUEUE',
  },
});

/** The address of the queue that options or environment name, if any; the option overrides. Throws `UsageError`. */
export async function readQueueUrl(
  { 'queue-file': path }: OptionValues<typeof queueOptions>,
  env: Io['env'],
): Promise<string | undefined> {
  const text = path === undefined ? env.SLUICE_QUEUE : await withFileErrors('read', path, () => readFile(path, 'utf8'));
  const url = text?.trim() ?? '';
  if (url !== '') return url;
  if (path === undefined) return undefined;
  throw new UsageError(`\`${path}\` holds no address of a queue, like \`redis://host:6379\``);
}

/** Opens the queue of a plan. Says when it fails, and when it works again. */
export async function openQueue(url: string, digest: string, { reporter }: RunContext): Promise<WindowQueue> {
  let isAway = false;
  const onFailure = (reason: unknown) => {
    if (isAway) return;
    isAway = true;
    const code = codeOfQueueFailure(reason);
    const words = `the queue does not answer${code === undefined ? '' : ` (${code})`}`;
    void reporter.note(`${words}; nothing is lost, and work goes on when it is back`);
  };
  const onAnswer = () => {
    if (isAway) void reporter.note('the queue is back');
    isAway = false;
  };
  let isForeignSaid = false;
  const onForeignJob = () => {
    if (!isForeignSaid) void reporter.note('a job on the queue is none of sluice; such jobs are taken off, not judged');
    isForeignSaid = true;
  };
  return openWindowQueue({ url, name: digest, onFailure, onAnswer, onForeignJob });
}
