import { audit } from '../../audit/audit.js';
import { createSummary } from '../../audit/summary.js';
import { ShapeError, SluiceError } from '../../errors.js';
import { buildReport, type OutDirectory, openOutDirectory, refuseOtherInputs } from '../audit-output.js';
import { auditScreen, partialWords, writtenLine } from '../audit-screen.js';
import { createAuditTally } from '../audit-tally.js';
import { type Command, type OptionValues, optionGroup, type RunContext, readWholeNumber } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { printJson, printLines } from '../io.js';
import { type MessageInput, messageOptions, planMessages, withMessages } from '../message-source.js';
import { outputOf } from '../terminal/style.js';
import { formatCount } from '../terminal/text.js';

const options = {
  ...messageOptions,
  ...optionGroup('what to do with the answers', {
    out: { type: 'string', value: 'DIR', help: 'write decisions.ndjson and summary.json there' },
    force: { type: 'boolean', help: 'with --out: replace what is there, also of other rules, messages or filters' },
    all: { type: 'boolean', help: 'with --out: a row for every message, also those plainly allowed' },
    top: { type: 'string', value: 'N', help: 'rows of the table of rules (12)' },
    issues: {
      type: 'boolean',
      help: 'list what is wrong with the rule set, and each condition that was not evaluated',
    },
    json: { type: 'boolean', help: 'print the content of summary.json instead of the tables' },
    quiet: { type: 'boolean', help: 'print nothing but errors, and the JSON when asked for' },
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
    'sluice audit --base-url https://host/v3 --since 2026-03-01 --out march',
    'sluice audit --rules rules.json --messages log.ndjson --json',
  ],
  options,
  exits: { done: 'all messages were judged, also when some were stopped', ...commonExits },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  const plan = planMessages(values, context.env);
  readTop(values);
  const out = values.out === undefined ? undefined : await openOutDirectory(values.out, { all: values.all === true });
  try {
    return await withMessages(plan, values, context, (input) => auditInput(input, out, values, context));
  } finally {
    await out?.discard();
  }
}

/** Rows shown of the table of rules. */
const defaultTop = 12;

function readTop({ top }: Values): number {
  return readWholeNumber('top', top, { min: 1 }) ?? defaultTop;
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
  const startedAt = now();
  const { summary, tally, stopped } = await judgeAll(input, out, context);
  const tookMs = now() - startedAt;
  reporter.end();
  // Without a judged message there is nothing to report, and the files of an earlier run are not replaced.
  if (stopped !== undefined && summary.messages === 0) throw stopped.reason;
  const report = buildReport(summary, input, stopped !== undefined);
  const written = await out?.finish(report);
  const run = { interrupted: interrupted.aborted, tookMs, written, tally };
  const facts = { ...input, ...run, top: readTop(values), showIssues: values.issues === true };
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

/** Judges messages to the end of the source, or until it is `stopped` by an interruption or a failure of the source. */
async function judgeAll(
  { source, engine, media }: MessageInput,
  out: OutDirectory | undefined,
  { reporter, interrupted }: RunContext,
) {
  const summary = createSummary();
  const tally = createAuditTally();
  let count = 0;
  let stopped: { readonly reason: unknown } | undefined;
  reporter.progress(count, undefined);
  try {
    for await (const entry of audit(source.messages, engine, { media, signal: interrupted })) {
      summary.add(entry);
      tally.add(entry);
      const writing = out?.add(entry);
      if (writing !== undefined) await writing;
      count += 1;
      reporter.progress(count, source.share(entry.message));
    }
  } catch (reason) {
    if (!interrupted.aborted && !(reason instanceof SluiceError)) throw reason;
    stopped = { reason };
  }
  return { summary: summary.toJSON(), tally, stopped };
}
