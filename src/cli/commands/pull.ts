import type { RuleSet } from '../../contract/rule-set.js';
import { UsageError } from '../../errors.js';
import { loadRuleSet } from '../../loader/load-rule-set.js';
import { writeRuleSetFile } from '../../loader/rule-set-file.js';
import type { Command, OptionTable, OptionValues } from '../command.js';
import { exitCode } from '../exit-code.js';
import { type Io, print } from '../io.js';
import { maybeTruncated } from '../rule-set-words.js';
import { openPlatform, type PlatformPlan, planPlatform, platformOptions } from '../sources.js';
import { counted } from '../terminal/format.js';
import { createVoice, type Voice } from '../voice.js';

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

/** `sluice pull`: fetches the rules and every keyword list that they name, as one file that `--rules` takes. */
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
  run,
};

async function run(values: Values, io: Io): Promise<number> {
  const plan = planPlatform(values, io.env);
  if (plan === undefined) {
    throw new UsageError('no platform to pull from; give `--base-url URL` with SLUICE_API_KEY set, or `--demo`');
  }
  const target = values.out ?? (values.json ? '-' : undefined);
  if (target === undefined)
    throw new UsageError('nowhere to put the rules; give `--out FILE`, or `--out -` to print them');
  const voice = createVoice(io, { quiet: values.quiet === true });
  try {
    const ruleSet = await pull(plan, values, io, voice);
    voice.end();
    if (target === '-') await print(io.stdout, `${JSON.stringify(ruleSet, undefined, 2)}\n`);
    else await writeRuleSetFile(target, ruleSet);
    await describe(ruleSet, target, voice);
    return exitCode.done;
  } finally {
    voice.end();
  }
}

async function pull(plan: PlatformPlan, values: Values, io: Io, voice: Voice): Promise<RuleSet> {
  if (plan.kind === 'demo') await voice.step('starting the bundled demo');
  const platform = await openPlatform(plan, values, io.env);
  try {
    await voice.step(`pulling rules from ${platform.label}`);
    return await loadRuleSet(platform.client, { signal: io.interrupted });
  } finally {
    await platform.close();
  }
}

async function describe(ruleSet: RuleSet, target: string, voice: Voice): Promise<void> {
  const { rules, lists, missing, truncated, revision } = ruleSet;
  const terms = lists.reduce((sum, { searchTerms }) => sum + searchTerms.length, 0);
  const what = `${counted(rules.length, 'rule')} and ${counted(lists.length, 'keyword list')} with ${counted(terms, 'term')}`;
  await voice.note(`pulled ${what}, revision ${revision.slice(0, 12)}${target === '-' ? '' : `, into ${target}`}`);
  for (const { listId, reason } of missing) await voice.note(`warning: no keyword list \`${listId}\`: ${reason}`);
  if (truncated) await voice.note(`warning: ${maybeTruncated}`);
}
