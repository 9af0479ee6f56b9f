/**
 * Judges the messages of a command, in this thread or in several: all of them, or those that an
 * earlier run left.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Counting } from '../audit/count/counter.js';
import { type Engines, type EnginesPlan, openEngines } from '../audit/engines.js';
import type { BlockOptions } from '../audit/judge-block.js';
import { AuditDirectory, resultNamesIn } from '../audit/keep/audit-directory.js';
import { canJudgeInThreads } from '../audit/pool.js';
import { type RunDirectory, type RunResult, run } from '../audit/run.js';
import type { MessageSource } from '../audit/source/messages.js';
import { UsageError } from '../foundation/errors.js';
import type { RunContext } from './command.js';
import type { RowOptions } from './message-options.js';
import { type MessageInput, noteLeftOut } from './message-source.js';
import { refuseInputs } from './output-files.js';

/**
 * The messages of a run, and how they are judged and counted. If `threads` is absent, large files
 * are judged in as many threads as the machine has.
 */
export interface MessageRun<Part> extends RowOptions {
  readonly messages: Pick<MessageInput, 'source' | 'scores' | 'facts'>;
  readonly engines: Engines;
  /** The plan from which threads create their engines. */
  readonly plan: EnginesPlan;
  readonly counting: Counting<Part>;
  /** The rows that the run keeps. If absent, it keeps none. */
  readonly kept?: Pick<BlockOptions, 'rows' | 'withText'> | undefined;
  /** The directory of the results. Absent if they are not kept. */
  readonly directory?: (RunDirectory<Part> & Pick<AuditDirectory, 'end'>) | undefined;
}

/**
 * Judges messages until the source ends or the run is stopped. Throws `ShapeError` for a file
 * without messages, if it may not be empty.
 */
export async function runMessages<Part>(
  {
    messages: { source, scores, facts },
    engines,
    plan,
    counting,
    kept,
    onBadRow,
    threads,
    directory,
  }: MessageRun<Part>,
  { reporter, interrupted: signal }: RunContext,
): Promise<RunResult<Part>> {
  const until = directory === undefined ? await source.newest?.() : directory.end;
  const result = await run({
    source: source.blocks({ until, isKept: directory !== undefined }),
    options: { scores, selection: facts, onBadRow, rows: 'none', ...kept },
    engines,
    counting,
    directory,
    signal,
    threads: { count: threadsFor(source, threads), engines: plan },
    onProgress: (messages, share) => reporter.progress(messages, share),
  });
  if (result.stopped === undefined) source.refuseEmpty?.(result.read);
  return result;
}

/** The settings of a run whose results are not kept. */
interface MessageCount<Part> extends RowOptions {
  readonly counting: Counting<Part>;
}

/**
 * Counts all messages of a command, and reports how many rows were skipped and how many messages
 * have no time. Rejects with the error that ended the source, or with the reason of an
 * interruption. It never returns incomplete counts.
 */
export async function countMessages<Part>(
  input: MessageInput,
  how: MessageCount<Part>,
  context: RunContext,
): Promise<Part> {
  const plan = { ruleSet: input.ruleSet, semantics: input.semantics };
  const engines = await openEngines(plan, input, context.interrupted);
  try {
    await context.reporter.step(`judging messages of ${input.label}`);
    const { stopped, counts, messages, undated, bad } = await runMessages(
      { ...how, messages: input, engines, plan },
      context,
    );
    if (stopped !== undefined) throw stopped.reason;
    await noteLeftOut(input.name, { selected: messages, undated, bad }, context);
    return counts;
  } finally {
    engines.close();
  }
}

/**
 * Opens the directory of `--out`, and reports if it must wait for another run. Rejects with
 * `UsageError`, or with the reason of an interruption.
 */
export async function takeDirectory(
  out: string,
  page: string,
  { reporter, interrupted: signal, inputs }: RunContext,
): Promise<AuditDirectory> {
  const paths = (await resultNamesIn(out, page)).map((name) => join(out, name));
  await refuseInputs('--out', paths, inputs);
  return AuditDirectory.take(out, page, {
    signal,
    onWait: ({ pid, atMostMs }) =>
      void reporter.note(
        `process ${pid} of another container or machine audits into ${out}, or was killed; ` +
          `waiting up to ${atMostMs / 1000} s for a sign that it still runs`,
      ),
  });
}

/**
 * Throws `UsageError` if the results in a directory are for other messages, from a file of the same
 * name.
 */
export async function refuseOtherMessages(
  source: MessageSource,
  messagesName: string,
  { results }: AuditDirectory,
): Promise<void> {
  if (results?.messages === undefined) return;
  const all = source.blocks({ until: undefined, isKept: true });
  for await (const _ of all.blocks(undefined)) void _;
  if (all.read?.sha256 === results.messages.sha256) return;
  throw new UsageError(
    `the audit was of other messages of ${messagesName}; choose another directory, or add \`--force\` to replace it`,
  );
}

/**
 * Size from which a file is judged in several threads. For smaller files, starting threads takes
 * longer than judging.
 */
const threadsFromBytes = 64 << 20;

/**
 * Returns the number of threads that judge besides the reading one, which judges too. With two
 * cores, the default is none: a thread would save a tenth of the time and take half as much memory
 * again.
 */
function threadsFor({ bytes = 0 }: MessageSource, threads: number | undefined): number {
  if (!canJudgeInThreads) return 0;
  const cores = availableParallelism();
  return threads ?? (bytes >= threadsFromBytes && cores > 2 ? Math.min(8, cores - 1) : 0);
}
