/** Judging the messages of an audit: in this thread or in several, all of them or what an earlier run left. */
import { availableParallelism } from 'node:os';
import { audit } from '../../audit/audit.js';
import type { AuditSummary } from '../../audit/count/audit-summary.js';
import { type CauseExamples, createExamples } from '../../audit/count/examples.js';
import {
  type AlternativeReading,
  alternativeReadings,
  createPlatformCounter,
  type PlatformComparison,
} from '../../audit/count/platform.js';
import { createSummary, type SummaryOptions } from '../../audit/count/summary.js';
import { type BadRow, badRowsKept, type Judged, type JudgedBlock, type LineOptions } from '../../audit/judge-lines.js';
import { judgeHere, judgeInOrder } from '../../audit/judge-shards.js';
import type { AuditDirectory, BadRows } from '../../audit/keep/audit-directory.js';
import { canJudgeInThreads, createJudgePool } from '../../audit/pool.js';
import type { JudgeShard } from '../../audit/source/shards.js';
import { compileEngine, type Engine } from '../../engine.js';
import { SluiceError } from '../../errors.js';
import type { RunContext } from '../command.js';
import type { MessageInput } from '../message-source.js';
import type { Workers } from './workers.js';

/** How messages are judged and counted. */
export interface RunOptions extends Pick<LineOptions, 'onBadRow' | 'withText' | 'examples'> {
  /** A row for every message; else for those that are not plainly allowed. */
  readonly all: boolean;
  readonly summary: SummaryOptions;
  /** Threads that judge beside this one; those of the machine for large files, when absent. */
  readonly threads?: number | undefined;
  /** Where results are kept; absent when they are not. */
  readonly directory: AuditDirectory | undefined;
  /** What judges the messages on other machines; this process does without. */
  readonly workers?: Workers | undefined;
}

/** What was judged. */
export interface AuditRun {
  readonly summary: AuditSummary;
  /** Of what matched; empty where none are kept. */
  readonly examples: readonly CauseExamples[];
  readonly bad: BadRows;
  /** Messages that an earlier run had judged. */
  readonly resumed: number;
  /** What was judged of a shard that is not whole, and not kept. */
  readonly rest?: Judged | undefined;
  /** Why judging ended before the last message: an interruption, or a failure of the source. */
  readonly stopped: { readonly reason: unknown } | undefined;
}

/** Files from this size on are judged in threads: below it, these take longer to start than to judge. */
const threadsFromBytes = 64 << 20;

/**
 * How many threads judge beside the one that reads, which judges too. With two cores none does by itself: it would save a tenth of the
 * time and take half as much memory again.
 */
function threadsFor({ source }: MessageInput, threads: number | undefined): number {
  if (!canJudgeInThreads) return 0;
  const isLarge = (source.bytes ?? 0) >= threadsFromBytes;
  const cores = availableParallelism();
  return threads ?? (isLarge && cores > 2 ? Math.min(8, cores - 1) : 0);
}

/** Judges messages to the end of the source, or until it is stopped. */
export async function judgeMessages(
  input: MessageInput,
  { directory, threads, all, workers, ...options }: RunOptions,
  { reporter, interrupted }: RunContext,
): Promise<AuditRun> {
  const { source, scores } = input;
  const summary = createSummary(options.summary);
  const examples = options.examples && createExamples(options.examples);
  const resumed = directory?.summary().messages ?? 0;
  const rows = rowsOf(directory, all);
  const lines: LineOptions = { ...options, rows, source: input.messagesName, selection: input.facts, scores };
  const first: BadRow[] = [];
  let [count, badCount] = [resumed, 0];
  let stopped: AuditRun['stopped'];
  let rest: JudgedBlock | undefined;
  reporter.progress(count, undefined);
  await withJudge(input, lines, workers?.judge ?? threadsFor(input, threads), async (judge, width) => {
    const shards = (workers?.source ?? source.shards(directory && { until: directory.end })).shards(
      directory?.position,
    );
    try {
      for await (const { shard, judged } of judgeInOrder(shards, judge, { width, signal: interrupted })) {
        const isKept = directory !== undefined && shard.end !== undefined && judged.fault === undefined;
        if (isKept) await directory.add(judged, shard.end);
        else if (directory !== undefined) rest = judged;
        else summary.merge(judged.summary);
        if (judged.fault !== undefined) throw judged.fault;
        first.push(...judged.bad.slice(0, badRowsKept - first.length));
        badCount += judged.badCount;
        count += judged.summary.messages;
        reporter.progress(count, shard.share);
      }
    } catch (reason) {
      if (!interrupted.aborted && !(reason instanceof SluiceError)) throw reason;
      stopped = { reason };
    }
  });
  const bad = directory?.badRows ?? { first, count: badCount };
  if (directory !== undefined) {
    summary.merge(directory.summary());
    examples?.merge(directory.examples());
  }
  if (rest !== undefined) {
    summary.merge(rest.summary);
    examples?.merge(rest.examples ?? []);
  }
  return { summary: summary.toJSON(), examples: examples?.toJSON() ?? [], bad, resumed, stopped, rest };
}

/** Which messages have a row. */
export function rowsOf(directory: AuditDirectory | undefined, all: boolean): LineOptions['rows'] {
  return directory === undefined ? 'none' : all ? 'all' : 'findings';
}

/** Makes what judges shards, unless it is given, and how many shards it should have at once, for the time of `use`. */
async function withJudge<Result>(
  { engine, ruleSet, semantics }: MessageInput,
  lines: LineOptions,
  threads: number | JudgeShard,
  use: (judge: JudgeShard, width: number) => Promise<Result>,
): Promise<Result> {
  if (typeof threads === 'function') return use(threads, 1);
  const here = judgeHere(engine, lines);
  if (threads === 0) return use(here, 1);
  const { engine: patterns, ...readings } = semantics;
  const patternEngine = patterns.name === 're2-wasm' ? 're2-wasm' : 're2js';
  const pool = createJudgePool(threads, { ruleSet, semantics: readings, patternEngine, options: lines }, here);
  try {
    return await use(pool.judge, 2 * threads + 2);
  } finally {
    await pool.close();
  }
}

/** An audit beside what the platform decided: message by message, with an engine for each other reading. */
export async function judgeBesidePlatform(
  { source, engine, media, ruleSet, semantics }: MessageInput,
  options: SummaryOptions,
  { reporter, interrupted }: RunContext,
): Promise<AuditRun & { readonly platform: PlatformComparison }> {
  const alternatives: (AlternativeReading & { readonly engine: Engine })[] = [];
  const summary = createSummary(options);
  let count = 0;
  let stopped: AuditRun['stopped'];
  try {
    for (const { reading, value } of alternativeReadings(semantics))
      alternatives.push({ reading, value, engine: await compileEngine(ruleSet, { ...semantics, [reading]: value }) });
    const comparer = createPlatformCounter(alternatives);
    reporter.progress(count, undefined);
    try {
      for await (const entry of audit(source.messages, engine, { media, signal: interrupted })) {
        summary.add(entry);
        comparer.add({ ...entry, scores: media(entry.message) });
        count += 1;
        reporter.progress(count, source.share(entry.message));
      }
    } catch (reason) {
      if (!interrupted.aborted && !(reason instanceof SluiceError)) throw reason;
      stopped = { reason };
    }
    const bad = { first: [], count: 0 };
    return { summary: summary.toJSON(), examples: [], bad, resumed: 0, stopped, platform: comparer.toJSON() };
  } finally {
    for (const { engine: other } of alternatives) other.close();
  }
}
