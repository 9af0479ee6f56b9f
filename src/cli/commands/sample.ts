import { type SamplePlan, sampleCounting, sampledStrata } from '../../audit/sample/sample.js';
import { sampleLines } from '../../audit/sample/sample-file.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { UsageError } from '../../foundation/errors.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { writeFileAtomically } from '../../foundation/files/replace-file.js';
import { version } from '../../foundation/version.js';
import { changedReadings } from '../../review/compare/reading-changes.js';
import { type Command, type OptionValues, optionGroup, parseWholeNumber, type RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { messageOptions, planMessages, withMessages } from '../message-source.js';
import { printErrors } from '../rule-errors.js';
import { countMessages, readRowOptions, runOptions } from '../run-messages.js';
import { ruleOfOption } from '../sources.js';
import { counted, formatCount } from '../terminal/text.js';

/** Bounds of what is drawn of one stratum. */
const mostDrawn = { min: 0, max: 100_000 } as const;

const options = {
  ...optionGroup('what to draw', {
    'per-rule': {
      type: 'string',
      multiple: true,
      value: 'N|RULE:N',
      help: 'of the messages that each rule stopped (75), or that one rule did; may be given several times',
    },
    stopped: { type: 'string', integer: mostDrawn, help: 'of all messages that were stopped (200)' },
    allowed: { type: 'string', integer: mostDrawn, help: 'of those that nothing stopped (200)' },
    by: {
      type: 'string',
      choices: ['rule', 'term'],
      help: 'draw for each rule, or for each term, pattern and label of it (rule)',
    },
    seed: { type: 'string', integer: {}, help: 'another seed draws other messages (1)' },
    out: {
      type: 'string',
      value: 'FILE',
      writes: 'whole',
      help: 'where the sample goes; has to be given',
    },
    force: { type: 'boolean', needs: ['out'], help: 'replace the file, whatever it holds' },
  }),
  ...messageOptions,
  ...runOptions,
  ...optionGroup('what to print', { quiet: { type: 'boolean', help: 'print errors only' } }),
};

type Values = OptionValues<typeof options>;

/** `sluice sample`: random messages for people to label. */
export const sampleCommand: Command<typeof options> = {
  name: 'sample',
  summary: 'draw random messages that each rule stopped, for people to label',
  description:
    'Judges every message, and draws simple random samples without replacement: of the messages that each rule determined, of all that were ' +
    'stopped, and of those that nothing stopped. The same seed, rules and messages give the same bytes; a larger sample of the same ' +
    'seed begins with the smaller one, so that labels stay. `sluice label` has the messages labelled, `sluice precision` says what follows.',
  examples: [
    'sluice sample --demo --out sample.ndjson',
    'sluice sample --demo --per-rule spam-detection:123 --out spam.ndjson',
    'sluice sample --rules rules.json --messages may.ndjson --seed 7 --out s.ndjson',
    'sluice sample --demo --by term --per-rule 20 --out terms.ndjson',
  ],
  options,
  exits: { done: 'the sample was drawn', ...commonExits },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  const { out, by = 'rule', seed = 1, stopped = 200, allowed = 200 } = values;
  if (out === undefined) throw new UsageError('no file for the sample; add `--out FILE`');
  const sizes = (values['per-rule'] ?? []).map((written) => {
    const [, rule, size = ''] = /^(?:(.*):)?(.*)$/s.exec(written)!;
    return { rule, size: parseWholeNumber('per-rule', size, mostDrawn) };
  });
  const plan: Omit<SamplePlan, 'ofRule'> = {
    by,
    seed,
    stopped,
    allowed,
    perRule: sizes.findLast(({ rule }) => rule === undefined)?.size ?? 75,
  };
  const messagePlan = planMessages(values, context.env);
  const rowOptions = readRowOptions(values, messagePlan.messageFiles !== undefined);
  return withMessages(messagePlan, values, context, async (input) => {
    const named = sizes.flatMap(({ rule, size }) =>
      rule === undefined ? [] : [[ruleOfOption('per-rule', rule, input.ruleSet).id, size] as const],
    );
    await printErrors(context, errorsOf(input.engine));
    const counting = sampleCounting({ ...plan, ofRule: new Map(named) });
    const samples = await countMessages(input, { counting, ...rowOptions }, context);
    const strata = sampledStrata(samples);
    const { revision: rules } = input.ruleSet;
    const receipt = { rules, semantics: changedReadings(input.semantics), messages: samples.messages, engine: version };
    const text = [...sampleLines({ seed: plan.seed, receipt }, strata)].join('');
    await withFileErrors('write', out, () => writeFileAtomically(out, text, { mode: 0o600 }));
    const rows = strata.reduce((sum, own) => sum + own.rows.length, 0);
    const drawn = `${counted(rows, 'message')} of ${formatCount(strata.length)} strata`;
    context.reporter.end();
    await context.reporter.note(`${drawn} drawn to ${out}; next: sluice label ${out}`);
    return exitCode.done;
  });
}
