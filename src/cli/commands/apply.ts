/** `sluice apply`: the command, its options and its exit codes. */
import { abortable } from '../../audit/source/abortable.js';
import { createEngine } from '../../engine/engine.js';
import { canonicalJson, digest } from '../../foundation/digest.js';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { lostLists, type RuleSet } from '../../platform/contract/rule-set.js';
import { readRuleSetFile, renewPulled } from '../../platform/loader/rule-set-file.js';
import { afterWrites, pulledFrom, rulesBefore } from '../../review/apply/before.js';
import { perform } from '../../review/apply/perform.js';
import { type Plan, planApply } from '../../review/apply/plan.js';
import { compareErrors } from '../../review/compare/rule-errors.js';
import {
  type BeforeFile,
  type BeforeFiles,
  closeBeforeFiles,
  findBeforeFiles,
  writeBeforeFile,
} from '../apply/before-file.js';
import { partStoreOf, readLiveParts } from '../apply/live-parts.js';
import { planDocument, refusalWords, stoppedWords } from '../apply/wording.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { printWords } from '../io.js';
import { printOutcome } from '../outcome.js';
import { openPlatform, type Platform, planPlatform, platformOptions } from '../sources.js';
import { counted } from '../terminal/text.js';

const options = {
  ...platformOptions,
  ...optionGroup('what to apply', {
    delete: { type: 'boolean', help: 'delete what was pulled and is gone from RULES' },
    overwrite: { type: 'boolean', help: 'go on over changes of others' },
    before: {
      type: 'string',
      value: 'FILE',
      writes: 'own',
      help: 'keep the rules of the platform there, as they were; beside RULES without it',
    },
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

/** `sluice apply`: gives a platform the rules of a file or folder. */
export const applyCommand: Command<typeof options> = {
  name: 'apply',
  description:
    'Compares RULES, a file or a folder as `sluice pull` writes it, with the platform, prints the plan, and writes it once that is ' +
    'confirmed: in an order that leaves no gap, each part read before it is written and read back afterwards. A change that someone ' +
    'else made since RULES was pulled stops it before the first write. The rules of the platform as they were are kept in ' +
    'RULES.before-TIME.json: `sluice apply` of that file with --delete is the way back. A stopped apply goes on by the same command.',
  examples: [
    'sluice apply rules/ --base-url https://host/v3 --dry-run',
    'sluice apply rules/ --yes',
    'sluice apply rules.before-2026-11-24T101500.json --delete --yes',
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

interface Task {
  readonly rules: string;
  readonly ruleSet: RuleSet;
  readonly live: RuleSet;
  readonly plan: Plan;
  readonly refused: readonly string[];
  readonly befores: BeforeFiles;
  /**
   * Digest of the platform and of what it is to become. With it, a continued apply finds the file
   * of its first attempt.
   */
  readonly target: string;
}

async function run(values: Values, context: RunContext, rules?: string): Promise<number> {
  if (rules === undefined) throw new UsageError('`apply` needs RULES, a file or a folder');
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
    const task = await planOfRules(rules, values, platform, context);
    context.reporter.end();
    return await carryOut(task, values, platform, context);
  } finally {
    await platform.close();
  }
}

async function planOfRules(rules: string, values: Values, { client }: Platform, context: RunContext): Promise<Task> {
  const ruleSet = await readRuleSetFile(rules);
  if (values.delete && (ruleSet.truncated || lostLists(ruleSet).length > 0)) {
    throw new RuleSetError(`${rules}: is not whole, so \`--delete\` would delete too much; pull it again`);
  }
  const befores = await findBeforeFiles(rules, values.before);
  const target = digest([client.id, ruleSet.revision, values.delete === true]);
  const ids = [...ruleSet.lists.map(({ id }) => id), ...Object.keys(ruleSet.pulled?.lists ?? {})];
  const live = await readLiveParts(client, ids, context.interrupted);
  const plan = planApply(ruleSet, live, {
    base: ruleSet.pulled,
    between: { ...ruleSet.before?.between, ...openOf(befores, target)?.ruleSet.before.between },
    isDeleting: values.delete,
    isOverwriting: values.overwrite,
  });
  // Rules that take an apply back may have errors: the platform had them before.
  const refused = ruleSet.before === undefined ? newErrors(ruleSet, live) : [];
  return { rules, ruleSet, live, plan, refused, befores, target };
}

/** Returns the file that the first attempt of this apply wrote. */
function openOf({ open }: BeforeFiles, target: string): BeforeFile | undefined {
  return open.find(({ ruleSet }) => ruleSet.before.target === target);
}

/** Returns the errors of the rules that the rules of the platform do not have. */
function newErrors(ruleSet: RuleSet, live: RuleSet): string[] {
  const judged = (rules: Pick<RuleSet, 'rules' | 'lists'>) => {
    const engine = createEngine(rules);
    engine.close();
    return { ruleSet: rules, issues: engine.issues };
  };
  return compareErrors(judged(ruleSet), judged(live)).added.map(({ ruleId, listId, detail }) => {
    const subject = ruleId === undefined ? `list \`${listId}\`` : `rule \`${ruleId}\``;
    return `${subject}: ${detail}, an error that the rules of the platform do not have`;
  });
}

async function carryOut(task: Task, values: Values, platform: Platform, context: RunContext): Promise<number> {
  const { plan } = task;
  const refused = [...plan.refusals.map(refusalWords), ...task.refused];
  const value = { platform: platform.client.id, ...plan, errors: task.refused };
  await printOutcome(context, values, {
    json: value,
    screen: planDocument(plan, task.ruleSet, task.live, platform.label),
  });
  for (const reason of refused) await context.reporter.note(`refused: ${reason}`);
  if (refused.length > 0) return exitCode.data;
  if (plan.writes.length === 0) {
    if (!values['dry-run']) await complete(task);
    return exitCode.done;
  }
  if (values['dry-run']) return exitCode.findings;
  if (!values.yes && !(await isConfirmed(context))) {
    await context.reporter.note('nothing was written');
    return exitCode.done;
  }
  return write(task, platform, context);
}

/** Asks for confirmation on the terminal. Only `y` and `yes` confirm. */
async function isConfirmed(context: RunContext): Promise<boolean> {
  await printWords(context, 'Apply? [y/N] ');
  let answer = '';
  for await (const bytes of abortable(context.stdin(), context.interrupted)) {
    answer += Buffer.from(bytes).toString('utf8');
    if (answer.includes('\n')) break;
  }
  return /^\s*y(?:es)?\s*$/i.test(answer.split('\n')[0] ?? '');
}

async function write(task: Task, { client }: Platform, context: RunContext): Promise<number> {
  const { plan, live } = task;
  const { reporter, interrupted } = context;
  const first = openOf(task.befores, task.target)?.path;
  const before = first ?? task.befores.path;
  if (first === undefined) await writeBeforeFile(before, rulesBefore(plan.writes, live, task.target));
  await reporter.note(
    `the rules of the platform as they were${first === undefined ? '' : ' at the first attempt'}: ${before}`,
  );
  const all = plan.writes.length;
  const outcome = await perform(plan.writes, partStoreOf(client), {
    interrupted,
    onDone: (done) => reporter.progress(done, done / all, 'written'),
  });
  reporter.end();
  const back = `; the way back: sluice apply ${before} --delete`;
  if (outcome.stopped !== undefined) {
    await reporter.note(`${stoppedWords(outcome, all)}${back}`);
    interrupted.throwIfAborted();
    return outcome.stopped.why === 'changed' ? exitCode.data : exitCode.platform;
  }
  await reporter.note(`${counted(all, 'write')} done, read back and compared${back}`);
  await complete({ ...task, live: { ...live, ...afterWrites(plan.writes, live) } });
  return exitCode.done;
}

/**
 * Notes in RULES what the platform has now, so that the next change is accepted, and that this one
 * is complete.
 */
async function complete({ rules, ruleSet, live, befores }: Task): Promise<void> {
  await closeBeforeFiles(befores);
  const pulled = pulledFrom(live, ruleSet);
  if (canonicalJson(pulled) !== canonicalJson(ruleSet.pulled)) await renewPulled(rules, { ...ruleSet, pulled });
}
