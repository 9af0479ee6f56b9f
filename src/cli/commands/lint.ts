/** `sluice lint`: the command, its options and its exit codes. */
import { UsageError } from '../../foundation/errors.js';
import type { IgnoredFinding } from '../../review/lint/finding.js';
import { lintRuleSet } from '../../review/lint/lint-rule-set.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { placesInFiles } from '../lint/file-lines.js';
import { lintDocument } from '../lint/wording.js';
import { Sources } from '../open-sources.js';
import type { Outcome } from '../outcome.js';
import { engineOptions, rulesOptions } from '../sources.js';
import { counted } from '../terminal/text.js';

const { scores: _scores, 'scores-scale': _scale, ...readingOptions } = engineOptions;

const options = {
  ...rulesOptions,
  ...readingOptions,
  ...optionGroup('what to find', {
    ignore: {
      type: 'string',
      multiple: true,
      value: 'ID',
      help: 'leave out findings of this id; those of one place stand in `lint` of the rules; may be given several times',
    },
    'max-warnings': {
      type: 'string',
      integer: {},
      help: 'exit with 1 for more warnings than this, not for errors alone',
    },
  }),
  ...optionGroup('what to print', {
    json: { type: 'boolean', excludes: ['markdown'], help: 'print the findings as JSON' },
    markdown: { type: 'boolean', help: 'print the findings as Markdown, for a pull request' },
    verbose: { type: 'boolean', help: 'show all findings of each id, not the first ten' },
    quiet: { type: 'boolean', help: 'print errors only, and the output of --json or --markdown' },
  }),
};

type Values = OptionValues<typeof options>;

/** `sluice lint`: shows what is wrong with a rule set. */
export const lintCommand: Command<typeof options> = {
  name: 'lint',
  description:
    'Looks through rules, keyword lists and readings for what cannot be evaluated, never fires, is covered by something else, or stops ' +
    'what people write every day. A finding has a text that shows it where there is one. ' +
    'RULES is a file or a folder, as of --rules.',
  examples: [
    'sluice lint rules.json',
    'sluice lint --demo',
    'sluice lint rules/ --verbose',
    'sluice lint rules/ --max-warnings 0 --markdown > lint.md',
  ],
  operand: { title: 'RULES', noun: 'file or folder of rules' },
  options,
  exits: {
    done: 'no errors, and no more warnings than --max-warnings',
    findings: 'errors, or too many warnings',
    ...commonExits,
  },
  run,
};

async function run(given: Values, context: RunContext, path?: string): Promise<Outcome> {
  if (path !== undefined && given.rules !== undefined) {
    throw new UsageError('RULES and `--rules` are the same thing; give one of them');
  }
  const values = path === undefined ? given : { ...given, rules: path };
  const maxWarnings = values['max-warnings'];
  await using sources = new Sources(values, context, ['rules']);
  // Rules that are refused completely have findings too.
  const { ruleSet, semantics, engine } = await sources.engine({ broken: 'skip' });
  await context.reporter.step('looking for findings');
  const ignore = (values.ignore ?? []).map((id) => ({ id }) as IgnoredFinding);
  const report = await lintRuleSet(ruleSet, { semantics, ignore });
  context.reporter.end();
  const tooMany = maxWarnings !== undefined && report.counts.warning > maxWarnings;
  if (tooMany)
    await context.reporter.note(`${counted(report.counts.warning, 'warning')}, over --max-warnings ${maxWarnings}`);
  const most = values.verbose ? Number.POSITIVE_INFINITY : 10;
  const lineOf = values.rules === undefined ? () => undefined : await placesInFiles(values.rules);
  return {
    json: report,
    screen: lintDocument({ report, engine, most, lineOf }),
    code: report.counts.error > 0 || tooMany ? exitCode.findings : exitCode.done,
  };
}
