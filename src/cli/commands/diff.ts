import { UsageError } from '../../foundation/errors.js';
import { type ClosedGate, closedGates, type Gates, isClosedByErrors } from '../../review/compare/gates.js';
import { limitOptions, readLimit } from '../change-limits.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { type CompareOptions, compareSides } from '../diff/compare.js';
import { diffDocument, sideErrorClauses } from '../diff/document.js';
import { areReadingsAssumed, type DiffInput, diffInputOptions, planDiff, withDiffInput } from '../diff/plan.js';
import { printResult } from '../document/print.js';
import { commonExits, exitCode } from '../exit-code.js';
import { printErrorWords } from '../rule-errors.js';
import { readRowOptions, runOptions, takeDirectory } from '../run-messages.js';
import { noteScale, refuseLostLists } from '../sources.js';
import { formatCount } from '../terminal/text.js';

const options = {
  ...diffInputOptions,
  ...runOptions,
  ...optionGroup('what to keep', {
    out: {
      type: 'string',
      value: 'DIR',
      writes: 'own',
      help: 'write diff.json and differences.ndjson there; the same command goes on where a stopped one ended',
    },
    force: { type: 'boolean', needs: ['out'], help: 'start over, and replace the diff that is there' },
  }),
  ...optionGroup('when to fail', {
    'max-newly-stopped': { type: 'string', value: 'N|P%', help: 'exit with 1 when more messages are newly stopped' },
    'max-released': { type: 'string', value: 'N|P%', help: 'exit with 1 when more messages are released' },
    'fail-on-change': { type: 'boolean', help: 'exit with 1 when rules, lists or readings differ at all' },
  }),
  ...optionGroup('what to print', {
    top: { type: 'string', integer: { min: 1 }, help: 'causes shown of newly stopped, of released and so on (8)' },
    json: { type: 'boolean', excludes: ['markdown'], help: 'print everything as JSON' },
    markdown: { type: 'boolean', help: 'print a comment for a pull request, without text of messages' },
    'with-text': { type: 'boolean', needs: ['markdown'], excludes: ['redact'], help: 'show the text of examples' },
    redact: { type: 'boolean', help: 'print nothing of the text of messages, only where the match is' },
    quiet: { type: 'boolean', help: 'print errors only, and the output of --json or --markdown' },
  }),
};

type Values = OptionValues<typeof options>;

/** `sluice diff`: what another rule set would do with the same messages, and why. */
export const diffCommand: Command<typeof options> = {
  name: 'diff',
  summary: 'say what a change of rules would do with your messages',
  description:
    'Judges every message by two rule sets in one pass: which would be newly stopped, released, or treated differently, and by ' +
    'which rule, list, term, pattern or threshold; and says in words what changed between the rule sets. "Only this" ' +
    'counts the messages that have no other cause. Examples are messages with one cause first, then those with the smallest ' +
    'digest of their id: the same in every run, and spread over all messages. Without messages, platform and --demo only ' +
    'the words are printed. The same input gives the same bytes.',
  examples: [
    'sluice diff --demo',
    'sluice diff --rules new.json --against live.json --messages may.ndjson',
    'sluice diff --rules new.json --live --base-url https://host/v3 --markdown',
    'sluice diff --rules r.json --semantics new.json --against-semantics old.json',
  ],
  options,
  exits: {
    done: 'the rule sets were compared',
    findings: 'a gate closed',
    ...commonExits,
    data: 'with a gate: the new rules have errors that the old ones have not (with --max-released: the old ones others too); or rules or data cannot be used',
  },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  const plan = planDiff(values, context.env);
  const settings = readSettings(values);
  if (plan.messages === undefined && settings.gates.limits.length > 0) {
    throw new UsageError(`\`${gateOf(settings.gates)}\` needs messages; add \`--messages FILE\` or a platform`);
  }
  const rows = readRowOptions(values, plan.messages === undefined || plan.messages.messageFiles !== undefined);
  if (values.out !== undefined && plan.messages === undefined) {
    throw new UsageError('`--out` keeps what was judged; add `--messages FILE` or a platform, or leave it out');
  }
  const gate = gateOf(settings.gates);
  if (gate !== undefined && areReadingsAssumed(values)) {
    throw new UsageError(
      `\`${gate}\` with \`--semantics\` alone would judge the old rules by the new readings; add \`--against-semantics FILE\`, ` +
        'the readings of the old rules ({} for those that they bring), or `--against-semantics same` when they are the same',
    );
  }
  const directory = values.out === undefined ? undefined : await takeDirectory(values.out, { kind: 'diff' }, context);
  try {
    return await withDiffInput(plan, values, context, (input) =>
      diffInput(input, { ...settings, ...rows, directory }, values, context),
    );
  } finally {
    await directory?.close();
  }
}

async function diffInput(
  input: DiffInput,
  settings: Settings & Pick<CompareOptions, 'directory' | 'threads' | 'onBadRow'>,
  values: Values,
  context: RunContext,
): Promise<number> {
  const isAssumed = areReadingsAssumed(values);
  if (settings.directory !== undefined && input.live !== undefined) {
    refuseLostLists(input.live, `\`--${values.rules === undefined ? 'rules' : 'against'}\` in place of \`--live\``);
  }
  await noteScale(input.scores, context);
  // A comment shows no texts by itself; what is kept has them unless they are not wanted anywhere.
  const kept = { redact: values.redact === true, force: values.force === true };
  const diff = await compareSides(input, { ...settings, ...kept }, context);
  context.reporter.end();
  const gates = closedGates(diff, settings.gates);
  const closed = gates.map(gateWords);
  const report = { diff, rules: input.rules, against: input.against, closed, isAssumed, ...settings };
  const { groups, last } = diffDocument(report);
  await printResult(context, values, diff, groups, last);
  if (values.json || values.markdown || values.quiet) {
    for (const words of sideErrorClauses(diff.errors)) await printErrorWords(context, words);
  }
  if (values.json || values.markdown) for (const words of closed) await context.reporter.note(`closed: ${words}`);
  if (isClosedByErrors(gates)) return exitCode.data;
  return closed.length > 0 ? exitCode.findings : exitCode.done;
}

interface Settings {
  readonly gates: Gates;
  readonly top: number;
  readonly redact: boolean;
}

function readSettings(values: Values): Settings {
  const limits = (['newlyStopped', 'released'] as const).flatMap(
    (kind) => readLimit(kind, values[limitOptions[kind]]) ?? [],
  );
  return {
    gates: { limits, isChangeRefused: values['fail-on-change'] === true },
    top: values.top ?? 8,
    redact: values.redact === true || (values.markdown === true && values['with-text'] !== true),
  };
}

/** Returns the first option that may fail the command; undefined without one. */
function gateOf({ limits: [first], isChangeRefused }: Gates): string | undefined {
  if (first !== undefined) return `--${limitOptions[first.kind]}`;
  return isChangeRefused ? '--fail-on-change' : undefined;
}

function gateWords(closed: ClosedGate): string {
  switch (closed.code) {
    case 'errors-added':
      return 'the new rules have errors that the old ones have not, so no gate can be open';
    case 'errors-removed':
      return `the old rules have errors that the new ones have not, so --${limitOptions.released} counts too little`;
    case 'nothing-judged':
      return 'no message was judged, so no gate can be open';
    case 'over-limit': {
      const { kind, most } = closed.limit;
      const limit = 'percent' in most ? `${most.percent}%` : most.messages;
      return `${formatCount(closed.messages)} ${kind === 'released' ? 'released' : 'newly stopped'} is over --${limitOptions[kind]} ${limit}`;
    }
    case 'rules-differ':
      return 'the rule sets differ (--fail-on-change)';
  }
}
