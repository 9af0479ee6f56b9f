import { audit } from '../../audit/audit.js';
import {
  type AlternativeReading,
  alternativeReadings,
  createPlatformComparer,
  type PlatformComparer,
} from '../../audit/compare-platform.js';
import { createSummary, type Summary } from '../../audit/summary.js';
import { compileEngine, type Engine } from '../../engine.js';
import { ShapeError, SluiceError, UsageError } from '../../errors.js';
import { type OutDirectory, openOutDirectory, refuseOtherInputs } from '../audit-output.js';
import { type AuditFacts, buildReport, rankings } from '../audit-report.js';
import { auditScreen, partialWords, writtenLine } from '../audit-screen.js';
import { type Command, type OptionValues, optionGroup, type RunContext, readWholeNumber } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { printJson, printLines } from '../io.js';
import { type MessageInput, messageOptions, planMessages, withMessages } from '../message-source.js';
import { ruleOfOption } from '../sources.js';
import { outputOf } from '../terminal/style.js';
import { formatCount } from '../terminal/text.js';

const options = {
  ...messageOptions,
  ...optionGroup('what to do with the answers', {
    out: { type: 'string', value: 'DIR', help: 'write decisions.ndjson and summary.json there' },
    force: { type: 'boolean', help: 'with --out: replace what is there, also of other rules, messages or filters' },
    all: { type: 'boolean', help: 'with --out: a row for every message, also those plainly allowed' },
    json: { type: 'boolean', help: 'print the content of summary.json instead of the tables' },
    quiet: { type: 'boolean', help: 'print nothing but errors, and the JSON when asked for' },
  }),
  ...optionGroup('what to show', {
    by: { type: 'string', value: rankings.join('|'), help: 'what to rank by stopped messages (rule)' },
    rule: { type: 'string', value: 'ID', help: 'report on one rule: its terms, conditions, days and messages' },
    top: { type: 'string', value: 'N', help: 'rows of each table (12)' },
    'compare-platform': {
      type: 'boolean',
      help: 'set the verdicts beside what the platform decided, and say which other reading would agree better',
    },
    issues: {
      type: 'boolean',
      help: 'list what is wrong with the rule set, and each condition that was not evaluated',
    },
  }),
};

type Values = OptionValues<typeof options>;

/** `sluice audit`: judges every message of the sources, sums up the matches, and writes the decisions on request. */
export const auditCommand: Command<typeof options> = {
  name: 'audit',
  summary: 'judge many messages and say what the rules did',
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
  const plan = planMessages(values, context.env);
  readScreenOptions(values);
  const out = values.out === undefined ? undefined : await openOutDirectory(values.out, { all: values.all === true });
  try {
    return await withMessages(plan, values, context, (input) => auditInput(input, out, values, context));
  } finally {
    await out?.discard();
  }
}

/** Rows shown of a table. */
const defaultTop = 12;

/** The options of the screen. Throws `UsageError` for a mistake that shows without opening anything. */
function readScreenOptions({
  top,
  by,
  rule,
  out,
  'compare-platform': isCompared,
}: Values): Pick<AuditFacts, 'top' | 'by'> {
  const ranking = rankings.find((name) => name === (by ?? (rule === undefined ? 'rule' : 'term')));
  if (ranking === undefined) throw new UsageError(`\`--by\` must be one of ${rankings.join(', ')}`);
  const other = out !== undefined ? 'out' : isCompared ? 'compare-platform' : undefined;
  if (rule !== undefined && other !== undefined) {
    throw new UsageError(`\`--${other}\` is about all rules, \`--rule\` about one; leave out one of them`);
  }
  return { top: readWholeNumber('top', top, { min: 1 }) ?? defaultTop, by: ranking };
}

async function auditInput(
  input: MessageInput,
  out: OutDirectory | undefined,
  values: Values,
  context: RunContext,
): Promise<number> {
  const { reporter, interrupted, now } = context;
  if (values.out !== undefined && !values.force) await refuseOtherInputs(values.out, input);
  await reporter.step(`judging messages of ${input.label}`);
  const screen = readScreenOptions(values);
  const rule = values.rule === undefined ? undefined : ruleOfOption('rule', values.rule, input.ruleSet);
  const summary = createSummary({
    precedence: input.semantics.precedence,
    by: screen.by === 'sender' || screen.by === 'conversation' ? screen.by : undefined,
    ruleId: rule?.id,
  });
  const startedAt = now();
  const { stopped, platform } = await withComparer(values, input, async (comparer) => ({
    stopped: await judgeAll(input, { summary, out, comparer }, context),
    platform: comparer?.toJSON(),
  }));
  const tookMs = now() - startedAt;
  reporter.end();
  // Without a judged message there is nothing to report, and the files of an earlier run are not replaced.
  const counts = summary.toJSON();
  if (stopped !== undefined && counts.messages === 0) throw stopped.reason;
  const report = buildReport({ summary: counts, partial: stopped !== undefined, rule: rule?.id, platform }, input);
  const written = await out?.finish(report);
  const run = { interrupted: interrupted.aborted, tookMs, written, rule };
  const facts = { ...input, ...run, ...screen, showIssues: values.issues === true };
  if (values.json) {
    await printJson(context, report);
    if (report.partial) await reporter.note(partialWords(report, facts));
    if (written !== undefined) await reporter.note(writtenLine(written));
  } else if (!values.quiet) {
    await printLines(context, auditScreen(report, facts, outputOf(context)));
  }
  if (interrupted.aborted && stopped !== undefined) return exitCode.interrupted;
  if (stopped !== undefined) throw stopped.reason;
  const { texts, unreadable } = report;
  if (texts === 0 || unreadable < texts) return exitCode.done;
  const none = `is no string in any text message (${formatCount(texts)}), so no text was judged`;
  throw new ShapeError('messages', 'data.text', none);
}

/** Makes the comparison of `--compare-platform`, if it is asked for, with an engine for each other reading, for the time of `use`. */
async function withComparer<Result>(
  values: Values,
  { ruleSet, semantics }: MessageInput,
  use: (comparer: PlatformComparer | undefined) => Promise<Result>,
): Promise<Result> {
  const alternatives: (AlternativeReading & { readonly engine: Engine })[] = [];
  try {
    for (const { reading, value } of values['compare-platform'] ? alternativeReadings(semantics) : [])
      alternatives.push({ reading, value, engine: await compileEngine(ruleSet, { ...semantics, [reading]: value }) });
    return await use(values['compare-platform'] ? createPlatformComparer(alternatives) : undefined);
  } finally {
    for (const { engine } of alternatives) engine.close();
  }
}

/** What is made of the messages while they are judged. */
interface Outputs {
  readonly summary: Summary;
  readonly out: OutDirectory | undefined;
  readonly comparer: PlatformComparer | undefined;
}

/**
 * Judges messages to the end of the source, or until it is stopped by an interruption or a failure of the source: the reason is
 * returned then.
 */
async function judgeAll(
  { source, engine, media }: MessageInput,
  { summary, out, comparer }: Outputs,
  { reporter, interrupted }: RunContext,
): Promise<{ readonly reason: unknown } | undefined> {
  let count = 0;
  reporter.progress(count, undefined);
  try {
    for await (const entry of audit(source.messages, engine, { media, signal: interrupted })) {
      summary.add(entry);
      comparer?.add(entry, media(entry.message));
      const writing = out?.add(entry);
      if (writing !== undefined) await writing;
      count += 1;
      reporter.progress(count, source.share(entry.message));
    }
  } catch (reason) {
    if (!interrupted.aborted && !(reason instanceof SluiceError)) throw reason;
    return { reason };
  }
  return undefined;
}
