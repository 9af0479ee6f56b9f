import { refuseUnreadTexts } from '../../audit/count/texts.js';
import { openEngines } from '../../audit/engines.js';
import type { AuditDirectory } from '../../audit/keep/audit-directory.js';
import { type AuditReport, buildReport } from '../../audit/keep/audit-report.js';
import type { AuditInputs, InputFacts } from '../../audit/keep/manifest.js';
import {
  type FinishedPart,
  type KeptCounters,
  readCounters,
  readFinishedPart,
} from '../../audit/merge/finished-part.js';
import {
  type FinishedParts,
  mergedCounters,
  mergedInputs,
  mergedMessages,
  mergeParts,
  refuseOtherParts,
  refusePartAsResult,
} from '../../audit/merge/merge-parts.js';
import { refuseOverlap } from '../../audit/merge/overlap.js';
import { runs } from '../../engine/compile/compile-rule-set.js';
import type { Engine } from '../../engine/engine.js';
import { resolveSemantics } from '../../engine/semantics.js';
import { ShapeError, UsageError } from '../../foundation/errors.js';
import { version } from '../../foundation/version.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import type { AuditFacts, ScreenFacts } from '../audit/facts.js';
import { printReport, screenFacts, screenOptions } from '../audit/print-report.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { pageFile, reportPage } from '../page/page.js';
import { takeDirectory } from '../run-messages.js';
import { counted } from '../terminal/text.js';

const options = {
  ...optionGroup('what to do with the parts', {
    out: {
      type: 'string',
      value: 'DIR',
      writes: 'own',
      help: 'write the files of the whole audit there; the same command goes on where a stopped one ended',
    },
    force: { type: 'boolean', help: 'start over, and replace what is there, whatever its parts' },
    report: { type: 'boolean', help: 'also write report.html, of parts that were audited with it' },
    json: { type: 'boolean', help: 'print the content of summary.json instead of the tables' },
    quiet: { type: 'boolean', help: 'print errors only, and the JSON of --json' },
  }),
  ...screenOptions,
};

type Values = OptionValues<typeof options>;

/** `sluice merge`: makes one audit of the directories of audits of its parts. */
export const mergeCommand: Command<typeof options> = {
  name: 'merge',
  summary: 'make one audit of audits of its parts',
  description:
    'Adds up what `sluice audit --out DIR` wrote for parts of the messages, wherever each part was judged: the rows in the order in which ' +
    'the parts are given, and all counts. The files are those of one audit over the same messages in that order, but for `input` in ' +
    'summary.json, when messages have ids. Refuses parts of other rules, readings or versions, unfinished ones, and parts that overlap.',
  examples: ['sluice merge part-1 part-2 part-3 --out march', 'sluice merge parts/* --out march --report'],
  operand: { title: 'DIR…', noun: 'directory of a part', many: true },
  options,
  exits: {
    done: 'the parts were merged',
    usage: 'the command line is wrong, or the parts do not belong together',
    data: 'a part is not as its audit wrote it, or results cannot be written',
    interrupted: commonExits.interrupted,
  },
  run,
};

async function run(values: Values, context: RunContext, ...directories: readonly string[]): Promise<number> {
  const { out } = values;
  if (out === undefined) throw new UsageError('no directory for the result; add `--out DIR`');
  const screen = screenFacts(values, 'rule');
  const { reporter, interrupted: signal } = context;
  await reporter.step(`reading ${counted(directories.length, 'part')}`);
  const parts: FinishedPart[] = [];
  for (const directory of directories) {
    signal.throwIfAborted();
    parts.push(await readFinishedPart(directory));
  }
  const [first, ...others] = parts;
  if (first === undefined) throw new UsageError('no parts; name the directories of `sluice audit --out DIR`, in order');
  const all: FinishedParts = [first, ...others];
  refuseOtherParts(all, version);
  await refusePartAsResult(all, out);
  await refuseOverlap(all, signal);
  if (values.report && first.kept.options.examples === undefined) {
    throw new UsageError('the parts have no examples for a report; audit them with `--report`, or leave it out');
  }
  const { by = [] } = first.kept.options.summary ?? {};
  if ((screen.by === 'sender' || screen.by === 'conversation') && !by.includes(screen.by)) {
    throw new UsageError(`the parts have no counts by ${screen.by}; audit them with \`--by ${screen.by}\``);
  }
  const directory = await takeDirectory(out, { kind: 'audit', page: pageFile }, context);
  try {
    return await mergeInto(directory, all, { ...values, screen }, context);
  } finally {
    await directory.close();
  }
}

async function mergeInto(
  directory: AuditDirectory,
  parts: FinishedParts,
  { screen, ...values }: Omit<Values, 'by' | 'top' | 'issues'> & { readonly screen: ScreenFacts },
  context: RunContext,
): Promise<number> {
  const { interrupted: signal, now } = context;
  const startedAt = now();
  const counters = await readCounters(parts[0]);
  const { options: counts, engine: plan } = counters;
  const inputs = mergedInputs(parts, { report: values.report ? counts.examples : undefined });
  await directory.begin({ inputs, force: values.force === true, counts, command: commandWords(values) });
  const isOld = directory.results !== undefined;
  if (!isOld) {
    await mergeParts(parts, directory, { signal, onProgress: context.reporter.progress });
    const engines = await openEngines(plan, undefined, signal);
    try {
      if (engines.engine.revision !== inputs.engine)
        throw new ShapeError(parts[0].directory, 'counters.json', 'holds other rules than the audit had');
      await finish(directory, { parts, counters, inputs, engine: engines.engine, values });
    } finally {
      engines.close();
    }
  }
  context.reporter.end();
  const report = (await directory.readResults()) as AuditReport;
  const semantics = resolveSemantics(plan.semantics);
  const ruleSet = plan.ruleSet as RuleSet;
  const { rows: decisions, summary } = directory.paths;
  const reportFile = values.report ? directory.paths.report : undefined;
  const facts: AuditFacts = {
    ruleSet,
    semantics,
    runningRules: ruleSet.rules.filter((rule) => runs(rule, semantics)),
    rule: undefined,
    label: counted(parts.length, 'part'),
    scores: new Map(inputs.scores === undefined ? [] : [['', {}]]),
    written: { decisions, summary, report: reportFile, rows: directory.results?.rows ?? 0, tables: [], isOld },
    ...screen,
    interrupted: false,
    tookMs: now() - startedAt,
    judged: 0,
  };
  await printReport(report, facts, values, context);
  refuseUnreadTexts(report);
  return exitCode.done;
}

interface Merged {
  readonly parts: FinishedParts;
  readonly counters: KeptCounters;
  readonly inputs: AuditInputs;
  readonly engine: Engine;
  readonly values: Values;
}

/** Writes the results of a directory to which all parts were added. */
async function finish(directory: AuditDirectory, { parts, counters, inputs, engine, values }: Merged): Promise<void> {
  const { scoresUpToOne, options } = counters;
  // INVARIANT: the rules of an audit were parsed.
  const ruleSet = counters.engine.ruleSet as RuleSet;
  const { source, columns, scores, conversation, since, until, onBehalfOf } = inputs;
  const facts = { source, columns, scores, conversation, since, until, onBehalfOf };
  facts satisfies Readonly<Record<keyof InputFacts, unknown>>;
  const counts = directory.counts();
  const report = buildReport(
    { counts, bad: directory.kept.bad, partial: false },
    { engine, ruleSet, scoresUpToOne, facts },
  );
  const page = inputs.report && {
    audit: report,
    examples: counts.examples ?? [],
    content: options.examples ?? inputs.report,
    ruleSet,
    version,
    from: counted(parts.length, 'part'),
    command: commandWords(values),
  };
  await directory.finish(
    { summary: report, counters: mergedCounters(counters, parts, counts), page: page && reportPage(page) },
    mergedMessages(parts),
  );
}

/** Returns the command line, with placeholders for names of files. */
function commandWords({ report }: Values): string {
  return `sluice merge DIR… --out DIR${report ? ' --report' : ''}`;
}
