/** Comparing two rule sets on the messages that a command names, and keeping what came out where it has a directory. */
import { auditCounting, type CountOptions } from '../../audit/count/counters.js';
import { refuseUnreadTexts } from '../../audit/count/texts.js';
import { openEngines } from '../../audit/engines.js';
import type { AuditDirectory } from '../../audit/keep/audit-directory.js';
import type { AuditInputs } from '../../audit/keep/manifest.js';
import { digest } from '../../foundation/digest.js';
import { version } from '../../foundation/version.js';
import { acceptanceRevision } from '../../review/compare/acceptance-revision.js';
import { describeChange } from '../../review/compare/describe-change.js';
import {
  diffOf,
  enginesPlanOf,
  errorsOfSides,
  type RuleSetDiff,
  receiptOf,
} from '../../review/compare/diff-rule-sets.js';
import type { ComparedRuleSets } from '../../review/compare/gates.js';
import type { RunContext } from '../command.js';
import { noteLeftOut } from '../message-source.js';
import { endOf, type RowOptions, refuseOtherMessages, runMessages } from '../run-messages.js';
import { counted } from '../terminal/text.js';
import type { DiffInput, DiffMessages } from './plan.js';

/** Examples of each cause. */
const examples = 3;

/** How messages are compared. */
export interface CompareOptions extends RowOptions {
  readonly redact: boolean;
  /** The directory of the results; absent without `--out`. */
  readonly directory: AuditDirectory | undefined;
  /** Whether to start over, whatever diff the directory holds. */
  readonly force: boolean;
}

/** Compares the rule sets of a diff on its messages. Throws `SluiceError`, and the reason of an interruption: a part of a diff is not a diff. */
export async function compareSides(
  input: DiffInput,
  options: CompareOptions,
  context: RunContext,
): Promise<ComparedRuleSets> {
  const { rules, against, semantics, againstSemantics, messages, scores, outcomes } = input;
  const { directory, redact, onBadRow, threads } = options;
  const { reporter, interrupted: signal } = context;
  const sides = { rules, against, semantics, againstSemantics };
  const plan = enginesPlanOf(sides);
  const engines = await openEngines(plan, undefined, signal);
  try {
    const errors = errorsOfSides(sides, engines);
    if (messages === undefined) {
      const revision = await acceptanceRevision(rules, signal);
      return { changes: describeChange(sides), errors, revision, receipt: await receiptOf(sides, signal) };
    }
    const { source, name } = messages;
    const counts: CountOptions = { differences: { examples, redact, outcomes } };
    const revisions = { engine: engines.engine.revision, against: engines.against?.revision ?? '' };
    const inputs = inputsOf(input, messages, revisions, options);
    await directory?.begin({ inputs, force: options.force, counts, end: endOf(source) });
    if (directory?.results !== undefined) {
      await reporter.step(`reading messages of ${name}`);
      await refuseOtherMessages(source, name, directory);
      return (await directory.readResults()) as RuleSetDiff;
    }
    await reporter.step('judging messages by two rule sets');
    const rows = directory === undefined ? ('none' as const) : ('differences' as const);
    const run = await runMessages(
      {
        messages: { ...messages, scores },
        engines,
        plan,
        counting: auditCounting(counts),
        kept: { rows },
        onBadRow,
        threads,
        directory,
      },
      context,
    );
    // INVARIANT: a run counts what its options name.
    const differences = run.counts.differences!;
    if (run.stopped !== undefined) {
      if (signal.aborted) await reporter.note(stoppedWords(differences.messages, directory));
      throw run.stopped.reason;
    }
    refuseUnreadTexts(differences);
    const diff = await diffOf(differences, sides, errors, signal);
    await directory?.finish({ summary: diff }, source.read?.());
    reporter.end();
    await noteLeftOut(name, { selected: diff.messages, undated: diff.undated ?? 0, bad: run.bad }, context);
    return diff;
  } finally {
    engines.close();
  }
}

function stoppedWords(messages: number, directory: AuditDirectory | undefined): string {
  const stopped = `stopped after ${counted(messages, 'message')}; a part of them is not a diff`;
  if (directory === undefined || directory.kept.messages === 0) return stopped;
  return `${stopped}; ${counted(directory.kept.messages, 'message')} kept: the same command goes on behind them`;
}

/** Returns all that the results of a diff depend on. */
function inputsOf(
  { rules, outcomes }: DiffInput,
  { facts }: DiffMessages,
  revisions: { readonly engine: string; readonly against: string },
  { redact, onBadRow }: CompareOptions,
): AuditInputs {
  const inputs = {
    kind: 'diff',
    version,
    rules: rules.revision,
    engine: revisions.engine,
    against: revisions.against,
    ...facts,
    labels: outcomes && digest(Object.fromEntries(outcomes)),
    examples,
    redact,
    all: false,
    onBadRow,
  };
  return JSON.parse(JSON.stringify(inputs));
}
