/** `sluice audit`: the command, its options and its exit codes. */
import { auditCounting, type CountOptions, type Counts } from '../../audit/count/counters.js';
import type { ExampleContent } from '../../audit/count/examples.js';
import { alternativeReadings } from '../../audit/count/platform.js';
import { refuseUnreadTexts } from '../../audit/count/texts.js';
import { openEngines } from '../../audit/engines.js';
import type { AuditDirectory } from '../../audit/keep/audit-directory.js';
import { type AuditReport, buildReport } from '../../audit/keep/audit-report.js';
import type { AuditInputs } from '../../audit/keep/manifest.js';
import type { RunResult } from '../../audit/run.js';
import { countUpToOne } from '../../audit/source/scores.js';
import { tableFormats } from '../../audit/tables/write-tables.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { version } from '../../foundation/version.js';
import { commandWords } from '../audit/command-line.js';
import { type AuditFacts, rankings, type WrittenFiles, writtenLine } from '../audit/facts.js';
import { auditScreen, partialWords } from '../audit/screen.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { refuseLostLists } from '../lost-lists.js';
import { messageOptions, type RowOptions, runOptions } from '../message-options.js';
import { type MessageInput, noteLeftOut } from '../message-source.js';
import { Sources } from '../open-sources.js';
import { printOutcome } from '../outcome.js';
import { pageName, reportPage } from '../page/page.js';
import { errorWords, noteIdle } from '../rule-errors.js';
import { type MessageRun, refuseOtherMessages, runMessages, takeDirectory } from '../run-messages.js';
import { counted } from '../terminal/text.js';
import { unchecked } from '../unchecked.js';

const options = {
  ...messageOptions,
  ...runOptions,
  ...optionGroup('what to do with the answers', {
    out: {
      type: 'string',
      value: 'DIR',
      writes: 'own',
      help: 'write decisions.ndjson and summary.json there; the same command goes on where a stopped one ended',
    },
    force: { type: 'boolean', needs: ['out'], help: 'start over, and replace what is there, whatever its inputs' },
    report: {
      type: 'boolean',
      needs: ['out'],
      help: 'also write report.html, one page to read, print and hand on, with examples',
    },
    redact: { type: 'boolean', needs: ['report'], help: 'no texts of messages in it, only where the matches are' },
    'with-text': { type: 'boolean', needs: ['out'], help: 'the text of each stopped message in its row' },
    all: { type: 'boolean', needs: ['out'], help: 'a row for every message, also those plainly allowed' },
    format: {
      type: 'string',
      choices: ['ndjson', ...tableFormats],
      needs: ['out'],
      help: 'write decisions, matches and unevaluated conditions as tables too, for DuckDB or a spreadsheet (ndjson: no tables)',
    },
    json: { type: 'boolean', help: 'print the content of summary.json instead of the tables' },
    quiet: { type: 'boolean', help: 'print errors only, and the JSON of --json' },
  }),
  ...optionGroup('what to show', {
    by: { type: 'string', choices: rankings, help: 'what to rank by stopped messages (rule)' },
    top: { type: 'string', integer: { min: 1 }, help: 'rows of each table (12)' },
    verbose: {
      type: 'boolean',
      help: `list what is wrong with the rule set, and each condition that ${unchecked}`,
    },
    'compare-platform': {
      type: 'boolean',
      help: 'set the verdicts beside what the platform decided, and say which other reading would agree better',
    },
  }),
};

type Values = OptionValues<typeof options>;

/**
 * `sluice audit`: judges all messages, counts what matched, and writes the decisions on request.
 */
export const auditCommand: Command<typeof options> = {
  name: 'audit',
  description:
    'Judges every message by the rule set and sums up what happened. With --out, decisions.ndjson has one row ' +
    'for every message that is not plainly allowed: another verdict, a matched rule, a condition that could ' +
    'not be answered, or more matches than a decision lists. The same input gives the same bytes.',
  examples: [
    'sluice audit --demo',
    'sluice audit --demo --by term --top 30',
    'sluice audit --base-url https://host/v3 --since 2026-03-01 --out march',
    'sluice audit --rules rules.json --messages log.ndjson --json',
  ],
  options,
  exits: { done: 'all messages were judged, also when some were stopped', ...commonExits },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  await using sources = new Sources(values, context, ['rules', 'messages']);
  const directory = values.out === undefined ? undefined : await takeDirectory(values.out, pageName, context);
  try {
    return await auditInput(await sources.judged(), directory, values, sources.rows, context);
  } finally {
    await directory?.close();
  }
}

/** Determines what an audit counts, and the inputs that its results depend on. */
function planCounts(input: MessageInput, values: Values, { onBadRow }: RowOptions) {
  const { engine, ruleSet, facts, semantics } = input;
  const { all = false, by, report, redact, format, 'with-text': withText, 'compare-platform': isCompared } = values;
  const content: ExampleContent | undefined = report ? (redact ? 'redacted' : 'text') : undefined;
  const origin = by === 'sender' || by === 'conversation' ? by : undefined;
  const counts: CountOptions = {
    summary: { precedence: semantics.precedence, by: report ? ['sender', 'conversation'] : origin },
    examples: content,
    platform: isCompared ? alternativeReadings(semantics) : undefined,
  };
  const inputs: AuditInputs = {
    ...facts,
    version,
    rules: ruleSet.revision,
    engine: engine.revision,
    onBadRow,
    all,
    withText,
    by: origin,
    report: content,
    format: format === 'ndjson' ? undefined : format,
    platform: isCompared,
  };
  // A manifest read from a file has no undefined fields.
  return { counts, inputs: JSON.parse(JSON.stringify(inputs)) as AuditInputs };
}

async function auditInput(
  input: MessageInput,
  directory: AuditDirectory | undefined,
  values: Values,
  rows: RowOptions,
  context: RunContext,
): Promise<number> {
  const { reporter, interrupted, now } = context;
  const { by = 'rule', top = 12, verbose = false } = values;
  const { counts, inputs } = planCounts(input, values, rows);
  const scoresUpToOne = countUpToOne(input.scores);
  if (directory !== undefined) {
    if (values.rules === undefined) refuseLostLists(input.ruleSet);
    await directory.begin({ inputs, force: values.force === true, counts, end: input.source.newest });
  }
  const startedAt = now();
  const isFinished = directory?.results !== undefined;
  await reporter.step(`${isFinished ? 'reading' : 'judging'} messages of ${input.label}`);
  const rowKind = directory === undefined ? 'none' : inputs.all ? 'all' : 'findings';
  const kept: MessageRun<Counts>['kept'] = { rows: rowKind, withText: inputs.withText };
  const run = isFinished ? undefined : await judge(input, counts, { ...rows, kept, directory }, context);
  if (directory !== undefined && isFinished) await refuseOtherMessages(input.source, input.name, directory);
  const stopped = run?.stopped;
  const tookMs = now() - startedAt;
  reporter.end();
  // If no message was judged, there is nothing to report, and the files of an earlier run are kept.
  if (stopped !== undefined && run?.counts.summary?.messages === 0) throw stopped.reason;
  const report =
    run === undefined
      ? ((await directory?.readResults()) as AuditReport)
      : buildReport({ ...run, partial: stopped !== undefined }, { ...input, scoresUpToOne });
  if (run !== undefined && directory !== undefined) {
    const what = { report, content: inputs.report, command: commandWords(options, values) };
    await keepResults(directory, run, what, input);
  }
  const facts: AuditFacts = {
    ...input,
    by,
    top,
    verbose,
    written: directory && writtenFiles(directory, run, values),
    interrupted: interrupted.aborted,
    tookMs,
    judged: run === undefined ? 0 : report.messages - run.resumed,
  };
  await noteIdle(context, input.engine);
  const errors = report.partial ? undefined : errorWords(errorsOf(report.ruleSet));
  const screen = auditScreen(report, facts);
  await printOutcome(context, values, { json: report, screen, ...(errors && { warnings: [errors] }) });
  if (values.json && report.partial) await reporter.note(partialWords(report, facts));
  if (values.json && facts.written !== undefined) await reporter.note(writtenLine(facts.written));
  if (stopped !== undefined) return endStopped(stopped, directory, context);
  // The screen already shows them.
  const undated = values.json || values.quiet ? (report.undated.leftOut ?? 0) : 0;
  await noteLeftOut(input.name, { selected: report.messages, undated }, context);
  refuseUnreadTexts(report);
  return exitCode.done;
}

function writtenFiles(directory: AuditDirectory, run: RunResult | undefined, { report }: Values): WrittenFiles {
  return {
    decisions: directory.paths.rows,
    summary: directory.paths.summary,
    report: report ? directory.paths.report : undefined,
    tables: directory.tables,
    rows: (directory.results ?? directory.kept).rows,
    isOld: run === undefined,
  };
}

/**
 * Ends an audit that did not reach the last message. Returns the exit code for an interruption, and
 * throws any other reason.
 */
async function endStopped(
  stopped: NonNullable<RunResult['stopped']>,
  directory: AuditDirectory | undefined,
  { reporter, interrupted }: RunContext,
): Promise<number> {
  const messages = directory?.kept.messages ?? 0;
  if (messages > 0) await reporter.note(`${counted(messages, 'message')} kept: the same command goes on behind them`);
  if (interrupted.aborted) return exitCode.interrupted;
  throw stopped.reason;
}

/** Writes the results of a run, even if it was interrupted. */
async function keepResults(
  directory: AuditDirectory,
  { counts, stopped }: RunResult,
  { report, content, command }: { report: AuditReport; content: ExampleContent | undefined; command: string },
  { source, ruleSet, title: from, rulesTitle: rulesFrom }: MessageInput,
): Promise<void> {
  const messages = stopped === undefined ? source.read?.() : undefined;
  const examples = counts.examples ?? [];
  const page =
    content && reportPage({ audit: report, examples, content, ruleSet, rulesFrom, version, messages, from, command });
  if (stopped === undefined) await directory.finish({ summary: report, page }, messages);
  else await directory.writePartly({ summary: report, page });
}

async function judge(
  input: MessageInput,
  counts: CountOptions,
  settings: Pick<MessageRun<Counts>, 'kept' | 'onBadRow' | 'threads' | 'directory'>,
  context: RunContext,
): Promise<RunResult> {
  const { ruleSet, semantics } = input;
  const plan = { ruleSet, semantics, readings: counts.platform };
  const engines = await openEngines(plan, input, context.interrupted);
  try {
    return await runMessages({ ...settings, messages: input, engines, plan, counting: auditCounting(counts) }, context);
  } finally {
    engines.close();
  }
}
