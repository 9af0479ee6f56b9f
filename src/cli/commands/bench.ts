import { benchRuleSet, type RuleSetBench } from '../../bench/bench-rule-set.js';
import { fullEffort, quickEffort } from '../../bench/measure.js';
import { describeMachine, failuresOf } from '../../bench/record.js';
import type { MessageDraft } from '../../contract/message-draft.js';
import { UsageError } from '../../errors.js';
import { benchScreen } from '../bench-screen.js';
import { type Command, type OptionValues, optionGroup } from '../command.js';
import { exitCode } from '../exit-code.js';
import { readSemanticsFile } from '../input-files.js';
import { type Io, print } from '../io.js';
import { type MessageInput, messageOptions, planMessages, withMessages } from '../message-source.js';
import { createReporter, type Reporter } from '../terminal/progress.js';
import { outputOf } from '../terminal/style.js';
import { counted, wrapWords } from '../terminal/text.js';

const { scores: _scores, engine: _engine, ...inputOptions } = messageOptions;

const options = {
  ...inputOptions,
  ...optionGroup('how to measure', {
    quick: { type: 'boolean', help: 'fewer messages and rounds: to see that it works, not to quote' },
    json: { type: 'boolean', help: 'print the record as JSON instead of tables' },
    quiet: { type: 'boolean', help: 'say nothing but errors, and the results' },
  }),
};

type Values = OptionValues<typeof options>;

/** Messages measured; more only add time. */
const mostMessages = { full: 20_000, quick: 500 } as const;

/** `sluice bench`: measures the engine and other engines on the rules and messages of a user. */
export const benchCommand: Command<typeof options> = {
  name: 'bench',
  summary: 'measure your own rules on your own messages',
  description:
    'Measures how long decisions take on your rules and messages, and how long other engines take to find the ' +
    'same terms and patterns. All contenders take turns, and one that counts differently is not timed. Figures ' +
    'are good for ratios on this machine, and nothing else. Exits with 1 when a contender counted differently.',
  examples: [
    'sluice bench --demo --quick',
    'sluice bench --rules rules.json --messages log.ndjson',
    'sluice bench --rules rules.json --messages log.ndjson --json > record.json',
  ],
  options,
  run,
};

async function run(values: Values, io: Io): Promise<number> {
  const plan = planMessages(values, io.env);
  const reporter = createReporter(io, { quiet: values.quiet === true });
  try {
    const semantics = await readSemanticsFile(values.semantics);
    return await withMessages(plan, values, io, reporter, async (input) => {
      const messages = await collect(input, values.quick ? mostMessages.quick : mostMessages.full, reporter);
      const effort = values.quick ? quickEffort : fullEffort;
      const step = (text: string) => void reporter.step(text);
      const bench = await benchRuleSet(input.ruleSet, messages, semantics, effort, step);
      reporter.end();
      await show(bench, values, io, reporter);
      return failuresOf(bench.results).length > 0 ? exitCode.findings : exitCode.done;
    });
  } finally {
    reporter.end();
  }
}

async function collect({ source, label }: MessageInput, limit: number, reporter: Reporter): Promise<MessageDraft[]> {
  await reporter.step(`reading messages of ${label}`);
  const messages: MessageDraft[] = [];
  for await (const message of source.messages) {
    messages.push(message);
    if (messages.length === limit) break;
  }
  if (messages.length === 0) {
    throw new UsageError('there are no messages to measure with; give some with `--messages FILE`');
  }
  return messages;
}

async function show({ results, leftOut }: RuleSetBench, values: Values, io: Io, reporter: Reporter): Promise<void> {
  const machine = describeMachine();
  if (values.json) {
    const record = { format: 1, mode: values.quick ? 'quick' : 'full', machine, results, leftOut };
    await print(io.stdout, `${JSON.stringify(record)}\n`);
  } else {
    const output = outputOf(io);
    const { cpu, node, load, cores } = machine;
    const where = `on ${cpu}, node ${node.slice(1)}, load ${load.toFixed(1)} on ${counted(cores, 'core')}`;
    const tables = results.map((result) => benchScreen(result, output).join('\n'));
    await print(io.stdout, `${[...tables, wrapWords(where, output.width).join('\n')].join('\n\n')}\n`);
  }
  const { texts, terms, patterns } = leftOut;
  if (texts + terms + patterns > 0) {
    const what = [counted(texts, 'text'), counted(terms, 'term'), counted(patterns, 'pattern')].join(', ');
    await reporter.note(`words and patterns leave out ${what} that not every engine reads alike`);
  }
  for (const failure of failuresOf(results)) await reporter.note(`failed: ${failure}`);
}
