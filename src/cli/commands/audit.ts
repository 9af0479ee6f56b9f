import { audit } from '../../audit/audit.js';
import type { AuditSummary } from '../../audit/audit-summary.js';
import { createSummary } from '../../audit/summary.js';
import { SluiceError } from '../../errors.js';
import { type AuditInput, auditInputOptions, openInput, planInput } from '../audit-input.js';
import { buildReport } from '../audit-report.js';
import { auditScreen, partialWords } from '../audit-screen.js';
import { writtenLine } from '../closing-lines.js';
import type { Command, OptionTable, OptionValues } from '../command.js';
import { exitCode } from '../exit-code.js';
import { type Io, print } from '../io.js';
import { type OutDirectory, openOutDirectory } from '../out-directory.js';
import { canvasOf } from '../terminal/canvas.js';
import { createVoice, type Voice } from '../voice.js';

const group = 'what to do with the answers';

const options = {
  ...auditInputOptions,
  out: { type: 'string', value: 'DIR', help: 'write decisions.ndjson and summary.json there', group },
  all: { type: 'boolean', help: 'with --out: a row for every message, also those plainly allowed', group },
  json: { type: 'boolean', help: 'print the content of summary.json instead of the tables', group },
  quiet: { type: 'boolean', help: 'print nothing but errors, and the JSON when asked for', group },
} as const satisfies OptionTable;

type Values = OptionValues<typeof options>;

/** `sluice audit`: judges every message that the sources give, says what the rules did, and why if it is to be kept. */
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
  run,
};

async function run(values: Values, io: Io): Promise<number> {
  const plan = planInput(values, io.env);
  const out = values.out === undefined ? undefined : await openOutDirectory(values.out, { all: values.all === true });
  const voice = createVoice(io, { quiet: values.quiet === true });
  try {
    const input = await openInput(plan, values, io, voice);
    try {
      return await auditInput(input, out, values, io, voice);
    } finally {
      await input.close();
    }
  } finally {
    voice.end();
    await out?.discard();
  }
}

async function auditInput(
  input: AuditInput,
  out: OutDirectory | undefined,
  values: Values,
  io: Io,
  voice: Voice,
): Promise<number> {
  await voice.step(`judging messages of ${input.label}`);
  const { summary, tookMs, stopped } = await judgeAll(input, out, io, voice);
  voice.end();
  // Nothing was judged, so nothing true can be said, and the files of an earlier run are worth more than empty ones.
  if (stopped !== undefined && summary.messages === 0) throw stopped.reason;
  const report = buildReport(summary, input.engine, input.ruleSet, stopped !== undefined);
  const written = await out?.finish(report);
  const occasion = {
    label: input.label,
    interrupted: io.interrupted.aborted,
    tookMs,
    written,
    hasScores: input.hasScores,
  };
  if (values.json) {
    await print(io.stdout, `${JSON.stringify(report, undefined, 2)}\n`);
    if (report.partial) await voice.note(partialWords(report, occasion));
    if (written !== undefined) await voice.note(writtenLine(written));
  } else if (!values.quiet) {
    await print(io.stdout, `${auditScreen(report, occasion, canvasOf(io)).join('\n')}\n`);
  }
  if (stopped === undefined) return exitCode.done;
  if (io.interrupted.aborted) return exitCode.interrupted;
  throw stopped.reason;
}

interface Judged {
  readonly summary: AuditSummary;
  readonly tookMs: number;
  /** Why it ended before the source did: interrupted, or the source failed. */
  readonly stopped?: { readonly reason: unknown };
}

async function judgeAll(
  { source, engine, media }: AuditInput,
  out: OutDirectory | undefined,
  io: Io,
  voice: Voice,
): Promise<Judged> {
  const startedAt = io.now();
  const summary = createSummary();
  const judged = (): Judged => ({ summary: summary.toJSON(), tookMs: io.now() - startedAt });
  let count = 0;
  voice.progress(count, undefined);
  try {
    for await (const entry of audit(source.messages, engine, { media, signal: io.interrupted })) {
      summary.add(entry);
      const writing = out?.add(entry);
      if (writing !== undefined) await writing;
      count += 1;
      voice.progress(count, source.share(entry.message));
    }
    return judged();
  } catch (reason) {
    if (!io.interrupted.aborted && !(reason instanceof SluiceError)) throw reason;
    return { ...judged(), stopped: { reason } };
  }
}
