import { dirname } from 'node:path';
import { abortable } from '../../audit/source/abortable.js';
import { createEngine } from '../../engine/engine.js';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { lostLists, type PulledDigests, type RuleSet } from '../../platform/contract/rule-set.js';
import { digestParts } from '../../platform/loader/part-form.js';
import { readRuleSetFile, renewPulled } from '../../platform/loader/rule-set-file.js';
import { keptStates, wantedOfJournal } from '../../review/apply/journal-rows.js';
import { absent, type LiveParts, nameOf, stateOf } from '../../review/apply/parts.js';
import { perform } from '../../review/apply/perform.js';
import { type Plan, planApply, planUndo } from '../../review/apply/plan.js';
import { compareErrors } from '../../review/compare/rule-errors.js';
import { createJournal, journalDirectoryOf, readJournal, rowsOfJournals } from '../apply/journal.js';
import { partStoreOf, readLiveParts } from '../apply/live-parts.js';
import { planDocument, refusalWords, stoppedWords } from '../apply/words.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { printResult } from '../document/print.js';
import { commonExits, exitCode } from '../exit-code.js';
import { printWords } from '../io.js';
import { openPlatform, type Platform, planPlatform, platformOptions } from '../sources.js';
import { counted } from '../terminal/text.js';

const options = {
  ...platformOptions,
  ...optionGroup('what to apply', {
    delete: { type: 'boolean', excludes: ['undo'], help: 'delete what was pulled and is gone from RULES' },
    overwrite: {
      type: 'boolean',
      help: 'go on over changes of others, and over a window in which messages are let through',
    },
    undo: { type: 'string', value: 'JOURNAL', help: 'take back what an apply wrote' },
  }),
  ...optionGroup('whether to apply it', {
    'dry-run': {
      type: 'boolean',
      excludes: ['yes'],
      help: 'print the plan alone; exit with 1 when there is something to do',
    },
    yes: { type: 'boolean', help: 'do not ask for confirmation; needed without a terminal' },
    json: { type: 'boolean', help: 'print the plan as JSON' },
  }),
} as const;

type Values = OptionValues<typeof options>;

/** `sluice apply`: brings the rules of a platform to those of a file or folder, and takes that back. */
export const applyCommand: Command<typeof options> = {
  name: 'apply',
  summary: 'send a change of rules to the platform, or take it back',
  description:
    'Compares RULES, a file or a folder as `sluice pull` writes it, with the platform, prints the plan, and writes it once that is confirmed: in an ' +
    'order that leaves no gap, each part read before it is written and read back afterwards. A change that someone else made since RULES was ' +
    'pulled stops it before the first write. A journal beside RULES has each part as it was: `--undo JOURNAL` takes the writes back. ' +
    'A stopped apply goes on by the same command.',
  examples: [
    'sluice apply rules/ --base-url https://host/v3 --dry-run',
    'sluice apply rules/ --yes',
    'sluice apply --undo rules/apply-2026-11-24T101500.ndjson --yes',
  ],
  options,
  operand: { title: 'RULES', noun: 'rule set' },
  exits: {
    done: 'the platform has the rules, or had them',
    findings: 'with --dry-run: there is something to do',
    ...commonExits,
    data: 'refused before the first write, or stopped by a change that someone else made; or rules cannot be used',
    platform: 'the platform failed, perhaps between two writes',
  },
  run,
};

/** The work to do, and its place. */
interface Task {
  readonly plan: Plan;
  readonly live: LiveParts;
  /** Folder of the journal. */
  readonly directory: string;
  /** The rules that are applied; an undo has none. */
  readonly ruleSet: RuleSet | undefined;
  readonly refused: readonly string[];
}

async function run(values: Values, context: RunContext, rules?: string): Promise<number> {
  if ((rules === undefined) === (values.undo === undefined)) {
    throw new UsageError('`apply` needs RULES, a file or a folder, or `--undo JOURNAL`, and not both');
  }
  const isTerminal = context.stdout.isTTY === true && context.stdin().isTTY === true;
  if (!values['dry-run'] && !values.yes && !isTerminal) {
    throw new UsageError('`apply` writes to a platform; add `--yes`, or `--dry-run` to see the plan');
  }
  const platformPlan = planPlatform(values, context.env);
  if (platformPlan === undefined) {
    throw new UsageError('no platform to apply to; give `--base-url URL` with SLUICE_API_KEY set, or `--demo`');
  }
  const platform = await openPlatform(platformPlan, values, context);
  try {
    const task =
      rules === undefined
        ? await planOfUndo(values.undo!, values, platform, context)
        : await planOfRules(rules, values, platform, context);
    context.reporter.end();
    return await carryOut(task, rules, values, platform, context);
  } finally {
    await platform.close();
  }
}

async function planOfRules(path: string, values: Values, { client }: Platform, context: RunContext): Promise<Task> {
  const ruleSet = await readRuleSetFile(path);
  if (values.delete && (ruleSet.truncated || lostLists(ruleSet).length > 0)) {
    throw new RuleSetError(`${path}: is not whole, so \`--delete\` would delete too much; pull it again`);
  }
  const directory = await journalDirectoryOf(path);
  const written = keptStates(await rowsOfJournals(directory, client.id));
  const ids = [...ruleSet.lists.map(({ id }) => id), ...Object.keys(ruleSet.pulled?.lists ?? {})];
  const live = await readLiveParts(client, [...new Set(ids)], context.interrupted);
  const plan = planApply(ruleSet, live, {
    base: ruleSet.pulled,
    written,
    isDeleting: values.delete,
    isOverwriting: values.overwrite,
  });
  return { plan, live, directory, ruleSet, refused: newErrors(ruleSet, live) };
}

async function planOfUndo(
  path: string,
  values: Values,
  { client, label }: Platform,
  context: RunContext,
): Promise<Task> {
  const { platform, rows } = await readJournal(path);
  if (platform !== client.id)
    throw new UsageError(`\`${path}\` is the journal of an apply to ${platform}, not to ${label}`);
  const directory = dirname(path);
  const written = keptStates([...rows, ...(await rowsOfJournals(directory, client.id))]);
  const wanted = wantedOfJournal(rows);
  const ids = wanted.flatMap(({ kind, id }) => (kind === 'list' ? [id] : []));
  const live = await readLiveParts(client, ids, context.interrupted);
  const plan = planUndo(wanted, live, { written, isOverwriting: values.overwrite });
  return { plan, live, directory, ruleSet: undefined, refused: [] };
}

/** Errors of the rules that those of the platform do not have. */
function newErrors(ruleSet: RuleSet, live: LiveParts): string[] {
  const judged = (rules: Pick<RuleSet, 'rules' | 'lists'>) => {
    const engine = createEngine(rules);
    engine.close();
    return { ruleSet: rules, issues: engine.issues };
  };
  return compareErrors(judged(ruleSet), judged(live)).added.map(({ ruleId, listId, detail }) => {
    const part = ruleId === undefined ? `list \`${listId}\`` : `rule \`${ruleId}\``;
    return `${part}: ${detail}, an error that the rules of the platform do not have`;
  });
}

async function carryOut(
  task: Task,
  rules: string | undefined,
  values: Values,
  platform: Platform,
  context: RunContext,
): Promise<number> {
  const { plan, ruleSet } = task;
  const refused = [...plan.refusals.map(refusalWords), ...task.refused];
  const value = { platform: platform.client.id, ...plan, errors: task.refused };
  await printResult(context, values, value, planDocument(plan, ruleSet ?? {}, task.live, platform.label));
  for (const words of refused) await context.reporter.note(`refused: ${words}`);
  if (refused.length > 0) return exitCode.data;
  if (plan.writes.length === 0) {
    if (rules !== undefined && ruleSet !== undefined && !values['dry-run']) await renew(rules, task);
    return exitCode.done;
  }
  if (values['dry-run']) return exitCode.findings;
  if (!values.yes && !(await isConfirmed(context))) {
    await context.reporter.note('nothing was written');
    return exitCode.done;
  }
  return write(task, rules, platform, context);
}

/** Asks on the terminal; only `y` or `yes` confirms. */
async function isConfirmed(context: RunContext): Promise<boolean> {
  await printWords(context, 'Apply? [y/N] ');
  let answer = '';
  for await (const bytes of abortable(context.stdin(), context.interrupted)) {
    answer += Buffer.from(bytes).toString('utf8');
    if (answer.includes('\n')) break;
  }
  return /^\s*y(?:es)?\s*$/i.test(answer.split('\n')[0] ?? '');
}

async function write(
  task: Task,
  rules: string | undefined,
  { client }: Platform,
  context: RunContext,
): Promise<number> {
  const { plan, directory } = task;
  const { reporter, interrupted } = context;
  const journal = createJournal(directory, client.id);
  const all = plan.writes.length;
  const outcome = await perform(plan.writes, partStoreOf(client), {
    interrupted,
    note: ({ kind, id, after }, was) => journal.add({ kind, id, was: was ?? null, becomes: after ?? null }),
    onDone: (done) => reporter.progress(done, done / all, 'written'),
  }).finally(() => journal.close());
  reporter.end();
  const undo = journal.path === undefined ? '' : `; undo: sluice apply --undo ${journal.path}`;
  if (outcome.stopped !== undefined) {
    await reporter.note(`${stoppedWords(outcome, all)}${undo}`);
    interrupted.throwIfAborted();
    return outcome.stopped.why === 'changed' ? exitCode.data : exitCode.platform;
  }
  await reporter.note(`${counted(all, 'write')} done, read back and compared${undo}`);
  if (rules !== undefined) await renew(rules, task);
  return exitCode.done;
}

/** Notes in RULES what the platform has now, so that the next change goes through. */
async function renew(rules: string, { plan, live, ruleSet }: Task): Promise<void> {
  const states = new Map<string, string>();
  const now: PulledDigests = digestParts(live);
  for (const [kind, digests] of [
    ['rule', now.rules],
    ['list', now.lists],
  ] as const)
    for (const [id, digest] of Object.entries(digests)) states.set(nameOf({ kind, id }), digest);
  for (const { kind, id, after } of plan.writes) states.set(nameOf({ kind, id }), stateOf(kind, after));
  const named = (
    kind: 'rule' | 'list',
    own: readonly { readonly id: string }[],
    old: Readonly<Record<string, string>> = {},
  ) => {
    const ids = new Set([...own.map(({ id }) => id), ...Object.keys(old)]);
    const entries = [...ids].map((id) => [id, states.get(nameOf({ kind, id })) ?? absent] as const);
    return Object.fromEntries(entries.filter(([, state]) => state !== absent));
  };
  const pulled = {
    rules: named('rule', ruleSet!.rules, ruleSet!.pulled?.rules),
    lists: named('list', ruleSet!.lists, ruleSet!.pulled?.lists),
  };
  if (JSON.stringify(pulled) !== JSON.stringify(ruleSet!.pulled))
    await renewPulled(rules, { pulled, revision: ruleSet!.revision });
}
