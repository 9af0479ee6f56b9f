/** An audit whose messages are judged by `sluice worker` on other machines: this end has the plan, the queue and the results. */
import type { AuditDirectory } from '../batch/audit-directory.js';
import type { JudgeOptions } from '../batch/judge-lines.js';
import type { AuditInputs } from '../batch/manifest.js';
import type { JudgeShard, ShardSource } from '../batch/shards.js';
import { coordinateSpans } from '../batch/span-coordinator.js';
import { writeSpanPlan } from '../batch/span-plan.js';
import { SpanResults } from '../batch/span-results.js';
import type { Span } from '../batch/spans.js';
import { UsageError } from '../errors.js';
import { withFileErrors } from '../files/file-reason.js';
import { checkQueue } from '../queue/span-queue.js';
import type { RunContext } from './command.js';
import type { MessageInput, MessagePlan } from './message-source.js';
import { openQueue, readQueueUrl } from './queue-option.js';
import { counted, formatCount } from './terminal/text.js';

/** What judges the messages in place of this process: shards, and how the result of each is had. */
export interface Workers {
  readonly source: ShardSource;
  readonly judge: JudgeShard;
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
  await checkQueue(url);
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
  const source = await input.source.spans?.({ until: directory.end });
  if (source === undefined) throw new UsageError('a queue is for messages of a platform; leave it out');
  const { engine: patterns, ...semantics } = input.semantics;
  const plan = { inputs, ruleSet: input.ruleSet, semantics, patternEngine: patterns.name, options };
  await directory.start();
  const digest = await withFileErrors('write into', directory.directory, () =>
    writeSpanPlan(directory.directory, plan),
  );
  const spans: Span[] = [];
  for await (const shard of source.shards(directory.position)) if (shard.kind === 'span') spans.push(shard.span);
  const queue = await openQueue(url, digest, context);
  try {
    await reporter.note(
      `${counted(spans.length, 'span')} of ${formatCount(spans[0]?.seconds ?? 0)} s on the queue, for \`sluice worker --out ${directory.directory}\``,
    );
    const onIdle = () =>
      void reporter.note(
        'nothing was judged for half a minute; where workers run, their standard error says why, and where none does, start one',
      );
    const coordinator = coordinateSpans(spans, queue, new SpanResults(directory.directory, digest), { signal, onIdle });
    try {
      const judge: JudgeShard = (shard) =>
        withFileErrors('read results in', directory.directory, async () => coordinator.judge(shard));
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
