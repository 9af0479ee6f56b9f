import type { RuleSet } from '../../contract/rule-set.js';
import { UsageError } from '../../errors.js';
import { writeRuleSetFile } from '../../loader/rule-set-file.js';
import type { Command, OptionTable, OptionValues, RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { printJson } from '../io.js';
import { maybeTruncated, openPlatform, planPlatform, platformOptions, pullRuleSet } from '../sources.js';
import type { Reporter } from '../terminal/progress.js';
import { counted } from '../terminal/text.js';

const options = {
  ...platformOptions,
  out: {
    type: 'string',
    value: 'FILE',
    help: 'write the rule set there, whole or not at all; `-` for standard output',
  },
  json: { type: 'boolean', help: 'print the rule set on standard output when there is no --out' },
  quiet: { type: 'boolean', help: 'say nothing but errors' },
} as const satisfies OptionTable;

type Values = OptionValues<typeof options>;

/** `sluice pull`: fetches the rules and every keyword list that they reference, as one file for `--rules`. */
export const pullCommand: Command<typeof options> = {
  name: 'pull',
  summary: 'fetch rules and keyword lists into one file',
  description:
    'Fetches the moderation rules and every keyword list that they name, and writes them as one JSON file for ' +
    '--rules. A list that cannot be had does not stop it: the file and the words on standard error say which ' +
    'one and why.',
  examples: [
    'sluice pull --base-url https://host/v3 --out rules.json',
    'sluice pull --demo --out - | jq ".lists[].id"',
  ],
  options,
  exits: { done: 'the rules were fetched, also without a list that is missing', ...commonExits },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  const plan = planPlatform(values, context.env);
  if (plan === undefined) {
    throw new UsageError('no platform to pull from; give `--base-url URL` with SLUICE_API_KEY set, or `--demo`');
  }
  const target = values.out ?? (values.json ? '-' : undefined);
  if (target === undefined) {
    throw new UsageError('nowhere to put the rules; give `--out FILE`, or `--out -` to print them');
  }
  const platform = await openPlatform(plan, values, context);
  const ruleSet = await pullRuleSet(platform, context).finally(() => platform.close());
  context.reporter.end();
  if (target === '-') await printJson(context, ruleSet);
  else await writeRuleSetFile(target, ruleSet);
  await report(ruleSet, target, context.reporter);
  return exitCode.done;
}

async function report(ruleSet: RuleSet, target: string, reporter: Reporter): Promise<void> {
  const { rules, lists, missing, truncated, revision } = ruleSet;
  const terms = lists.reduce((sum, { searchTerms }) => sum + searchTerms.length, 0);
  const what = `${counted(rules.length, 'rule')} and ${counted(lists.length, 'keyword list')} with ${counted(terms, 'term')}`;
  await reporter.note(`pulled ${what}, revision ${revision.slice(0, 12)}${target === '-' ? '' : `, into ${target}`}`);
  for (const { listId, reason } of missing) await reporter.note(`warning: no keyword list \`${listId}\`: ${reason}`);
  if (truncated) await reporter.note(`warning: ${maybeTruncated}`);
}
