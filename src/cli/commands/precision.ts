import { Labels } from '../../audit/sample/label.js';
import { labelsFileOf } from '../../audit/sample/labels.js';
import { readSample } from '../../audit/sample/sample-file.js';
import { UsageError } from '../../foundation/errors.js';
import { isMissing } from '../../foundation/files/file-reason.js';
import { estimate } from '../../review/precision/estimate.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { printResult } from '../document/print.js';
import { commonExits, exitCode } from '../exit-code.js';
import { readLabelRows } from '../input-files.js';
import { isClosed, precisionBlocks, readShare } from '../precision/words.js';

const options = {
  ...optionGroup('what is labelled', {
    labels: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'the labels (SAMPLE.labels.ndjson beside the sample), or those of `sluice pull --reviewed`; may be given several times',
    },
  }),
  ...optionGroup('what to print', {
    'min-precision': {
      type: 'string',
      value: 'SHARE',
      help: 'end with 1 when the whole interval of a rule lies below, such as 0.9',
    },
    json: { type: 'boolean', excludes: ['markdown'], help: 'print everything as JSON' },
    markdown: { type: 'boolean', help: 'print a table as Markdown' },
    quiet: { type: 'boolean', help: 'print errors only, and the JSON of --json' },
  }),
};

type Values = OptionValues<typeof options>;

/** `sluice precision`: how right each rule is, by the labels of a sample. */
export const precisionCommand: Command<typeof options> = {
  name: 'precision',
  summary: 'say how right each rule is, by the labels of a sample',
  description:
    'Says of each rule which share of what it stopped was stopped rightly, with the interval of 95 % that the labels of a random sample ' +
    'give, and how many more it takes to know it within five points to either side; the same of all that was stopped; and how much ' +
    'was missed at the most. Bounds count labels that say unsure as either. Labels of reviewers of a platform have columns of their own. docs/precision.md says what the numbers mean.',
  examples: [
    'sluice precision sample.ndjson',
    'sluice precision sample.ndjson --min-precision 0.9 --json',
    'sluice precision sample.ndjson --labels other.ndjson --markdown',
    'sluice precision --labels reviewed.ndjson',
  ],
  operand: { title: 'SAMPLE', noun: 'file of a sample' },
  options,
  exits: {
    done: 'the labels were counted',
    findings: 'with --min-precision: the whole interval of a rule lies below it',
    usage: commonExits.usage,
    data: 'the sample or its labels cannot be used',
  },
  run,
};

async function run(values: Values, context: RunContext, path?: string): Promise<number> {
  if (path === undefined && values.labels === undefined)
    throw new UsageError('no sample; give its file, as `sluice sample --out FILE` writes it');
  const minPrecision = readShare('min-precision', values['min-precision']);
  const rows = await readLabelRows(values.labels ?? [labelsFileOf(path!)], context).catch((error: unknown) => {
    if (values.labels !== undefined || !(error instanceof UsageError && isMissing(error.cause))) throw error;
    throw new UsageError(`the sample has no labels yet; make them with \`sluice label ${path}\``);
  });
  // Without a sample there are the labels of reviewers.
  const report = estimate(path === undefined ? [] : await readSample(path), new Labels(rows));
  await printResult(context, values, report, [precisionBlocks(report, minPrecision)]);
  return report.rules.some((rule) => isClosed(rule, minPrecision)) ? exitCode.findings : exitCode.done;
}
