import { pageLimit } from '../../contract/message-query.js';
import { UsageError } from '../../errors.js';
import { judgeWindows, queueOptions, readQueueUrl } from '../audit/workers.js';
import { type Command, type OptionValues, optionGroup, type RunContext, readWholeNumber } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { planPlatform, platformOptions } from '../sources.js';

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

const defaultConcurrency = 4;
const mostConcurrency = 64;

async function run(values: Values, context: RunContext): Promise<number> {
  const { out } = values;
  if (out === undefined) throw new UsageError('no directory; add `--out DIR`, the one of the audit');
  const platform = planPlatform(values, context.env);
  if (platform?.kind !== 'platform') {
    throw new UsageError(
      'no platform to fetch from; give `--base-url URL`, or set SLUICE_BASE_URL, with SLUICE_API_KEY set',
    );
  }
  const most = { min: 1, max: mostConcurrency };
  const concurrency = readWholeNumber('concurrency', values.concurrency, most) ?? defaultConcurrency;
  const limit = readWholeNumber('page-size', values['page-size'], pageLimit) ?? pageLimit.max;
  const url = await readQueueUrl(values, context.env);
  if (url === undefined) throw new UsageError('no queue; set SLUICE_QUEUE, or give `--queue-file FILE`');
  await judgeWindows({ out, url, platform, limit, concurrency }, values, context);
  return exitCode.done;
}
