import { scoresFromTable } from '../../audit/source/scores.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { UsageError } from '../../foundation/errors.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { rewriteRuleSetFile } from '../../platform/loader/rule-set-file.js';
import { filesOfRuleSet, rewriteRuleSetFolder } from '../../platform/loader/rule-set-folder.js';
import type { TestCase } from '../../review/cases/test-case.js';
import { ruleIdsOf } from '../../review/cases/test-rules.js';
import type { TunedRules } from '../../review/tune/report.js';
import { tuning } from '../../review/tune/tune.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { printResult } from '../document/print.js';
import { commonExits, exitCode } from '../exit-code.js';
import { readLabelRows, readSemanticsFile } from '../input-files.js';
import {
  type MessageInput,
  type MessagePlan,
  messageOptions,
  openMessages,
  planMessages,
  withMessages,
} from '../message-source.js';
import { readShare } from '../precision/words.js';
import { printErrors } from '../rule-errors.js';
import { readScores } from '../sources.js';
import { counted } from '../terminal/text.js';
import { createCaseReader } from '../test/files.js';
import { openRows } from '../test/row-files.js';
import { tuneDocument } from '../tune/screen.js';

const options = {
  ...optionGroup('what is labelled, and what has to hold', {
    labels: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'what people found, as `sluice label` and `sluice pull --reviewed` write it; may be given several times',
    },
    cases: { type: 'string', value: 'FILE', help: 'golden cases that no proposal may break' },
  }),
  ...messageOptions,
  ...optionGroup('what to propose', {
    precision: {
      type: 'string',
      value: 'SHARE',
      help: 'the precision that a threshold has to reach, such as 0.95, though it lose what is right (the best that loses nothing)',
    },
    'new-scores': {
      type: 'string',
      value: 'FILE',
      needs: ['scores'],
      help: 'scores of another scorer: say which thresholds on them take the place of those on --scores',
    },
    eager: { type: 'boolean', help: 'propose also what changes a single labelled message' },
    holdout: { type: 'string', value: 'SHARE', help: 'share of 30 labels or more that proposals are held to (0.3)' },
    seed: { type: 'string', integer: {}, help: 'another seed keeps other labels aside (1)' },
  }),
  ...optionGroup('what to print and write', {
    write: {
      type: 'string',
      multiple: true,
      integer: { min: 1 },
      needs: ['rules'],
      help: 'write the proposal of this number to the rules; may be given several times',
    },
    json: { type: 'boolean', excludes: ['markdown'], help: 'print everything as JSON' },
    markdown: { type: 'boolean', help: 'print the proposals as Markdown, for a pull request' },
    quiet: { type: 'boolean', help: 'print nothing but errors, and the JSON or Markdown when asked for' },
  }),
} as const;

type Values = OptionValues<typeof options>;

/** `sluice tune`: proposes changes of rules by labels. */
export const tuneCommand: Command<typeof options> = {
  name: 'tune',
  summary: 'propose changes of the rules, by labels of people',
  description:
    'Proposes changes that free messages which were stopped wrongly, or find those that were missed: exceptions, other readings, word ' +
    'edges, terms to take out, thresholds. Each was tried: it changes at least two labelled messages, loses none that was judged rightly ' +
    'and breaks no case. Of 30 labels or more a share is kept aside, and a proposal has to hold there too, more than by chance. ' +
    'Shows the curve of each threshold, and what each proposal would do to all messages.',
  examples: [
    'sluice tune --demo --labels sample.labels.ndjson',
    'sluice tune --rules rules/ --messages m.ndjson --labels l.ndjson --write 1',
    'sluice tune --demo --labels l.ndjson --scores old.json --new-scores new.json',
  ],
  options,
  exits: {
    done: 'whatever was proposed, or it was written',
    findings: 'with --write: together the proposals lose what is right, or break a case; nothing was written',
    ...commonExits,
  },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  if (values.labels === undefined) throw new UsageError('no labels; add `--labels FILE`, as `sluice label` writes it');
  const precision = readShare('precision', values.precision);
  const holdout = values.holdout === '0' ? 0 : readShare('holdout', values.holdout);
  const plan = planMessages(values, context.env);
  const labels = await readLabelRows(values.labels, context);
  return withMessages(plan, values, context, async (input) => {
    const { ruleSet, scores: table, semantics: readings } = input;
    await printErrors(context, errorsOf(input.engine));
    const given = await readSemanticsFile(values.semantics);
    const newTable = values['new-scores'] && (await readScores({ ...values, scores: values['new-scores'] }, undefined));
    await context.reporter.step('trying changes of the rules');
    const tuned = await tuning({
      rules: ruleSet,
      messages: messagesOf(plan, input, context),
      labels,
      cases: await readCases(values.cases, ruleSet, context),
      semantics: values.shadow ? { ...given, shadow: readings.shadow } : given,
      scores: (message) => scoresFromTable(message, table),
      newScores: newTable ? (message) => scoresFromTable(message, newTable) : undefined,
      precision,
      holdout,
      eager: values.eager,
      seed: values.seed,
      signal: context.interrupted,
    });
    context.reporter.end();
    const { proposals, set } = tuned.report;
    const plain = { ...tuned.report, proposals: proposals.map(withoutRules), set: set && withoutRules(set) };
    await printResult(context, values, plain, tuneDocument(tuned.report));
    return values.write ? write(values.write, tuned, values, input, context) : exitCode.done;
  });
}

/** Returns a result as it is printed: without the whole rule sets. */
function withoutRules<Tuned extends TunedRules>({ ruleSet: _, semantics: __, ...rest }: Tuned) {
  return rest;
}

/** Tries proposals together and writes them to the rules, with a comment where an entry is added. */
async function write(
  numbers: readonly number[],
  { report: { proposals }, together }: Awaited<ReturnType<typeof tuning>>,
  { rules: path, semantics }: Values,
  { ruleSet: { revision } }: MessageInput,
  { reporter }: RunContext,
): Promise<number> {
  const chosen = numbers.map((number) => proposals[number - 1]);
  const missing = chosen.indexOf(undefined);
  if (missing !== -1)
    throw new UsageError(`\`--write ${numbers[missing]}\`: there are ${counted(proposals.length, 'proposal')}`);
  const { effect, breaksCase, parts } = await together(
    numbers.map((number) => number - 1),
    (index) => `frees ${proposals[index]!.freed} messages that labels called wrong (sluice tune)`,
  );
  const mayLose = chosen.reduce((sum, one) => sum + one!.lost, 0);
  if (breaksCase || effect.lost.length > mayLose) {
    const why = breaksCase ? 'break a case' : 'lose what is right';
    await reporter.note(`together they ${why}; nothing was written`);
    return exitCode.findings;
  }
  const ruleSet = parts.ruleSet as RuleSet;
  if ((await filesOfRuleSet(path!))[0] === path) await rewriteRuleSetFile(path!, ruleSet, revision);
  else await rewriteRuleSetFolder(path!, ruleSet);
  const other = semantics === undefined ? '' : `; readings of ${semantics} go before those of the rules`;
  await reporter.note(`${counted(numbers.length, 'change')} written to ${path}${other}`);
  return exitCode.done;
}

/** Returns the messages: a function that opens them again for each pass, or a stream where that is not possible. */
function messagesOf(plan: MessagePlan, { source, platform }: MessageInput, context: RunContext) {
  if (plan.messageFiles?.includes('-')) return source.messages;
  const silent = { ...context, reporter: Object.create(context.reporter, { note: { value: async () => {} } }) };
  let isFirst = true;
  async function* open() {
    const opened = isFirst ? source : await openMessages(plan, platform, silent);
    const isOwn = !isFirst;
    isFirst = false;
    try {
      yield* opened.messages;
    } finally {
      if (isOwn) await opened.close?.();
    }
  }
  return open;
}

async function readCases(path: string | undefined, ruleSet: RuleSet, context: RunContext): Promise<TestCase[]> {
  if (path === undefined) return [];
  const reader = createCaseReader([await openRows(path, context)], ruleIdsOf(ruleSet));
  await reader.check();
  const cases: TestCase[] = [];
  for await (const one of reader.cases()) cases.push(one);
  return cases;
}
