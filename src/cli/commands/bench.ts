import type { RuleSetBench } from '../../bench/bench-rule-set.js';
import { busyWords, describeMachine, failuresOf } from '../../bench/machine.js';
import { fullEffort, quickEffort } from '../../bench/measure.js';
import { UsageError } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { benchBlocks } from '../bench-screen.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { paragraph } from '../document/document.js';
import { printScreen } from '../document/print.js';
import { commonExits, exitCode } from '../exit-code.js';
import { printJson } from '../io.js';
import { type MessageInput, messageOptions, planMessages, withMessages } from '../message-source.js';
import { counted } from '../terminal/text.js';

const { scores: _scores, 'scores-scale': _scale, shadow: _shadow, ...inputOptions } = messageOptions;

const options = {
  ...inputOptions,
  ...optionGroup('how to measure', {
    quick: { type: 'boolean', help: 'fewer messages and rounds: to see that it works, not to quote' },
    json: { type: 'boolean', help: 'print the record as JSON instead of tables' },
    quiet: { type: 'boolean', help: 'print errors and results only' },
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
    'are good for ratios on this machine, and nothing else.',
  examples: [
    'sluice bench --demo --quick',
    'sluice bench --rules rules.json --messages log.ndjson',
    'sluice bench --rules rules.json --messages log.ndjson --json > record.json',
  ],
  options,
  exits: {
    done: 'every contender counted alike',
    findings: 'a contender counted differently or failed',
    ...commonExits,
  },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  const { reporter } = context;
  return withMessages(planMessages(values, context.env), values, context, async (input) => {
    const messages = await collect(input, values.quick ? mostMessages.quick : mostMessages.full, context);
    const effort = values.quick ? quickEffort : fullEffort;
    const step = (text: string) => void reporter.step(text);
    // Other engines come with it, one of which allocates a heap at once.
    const { benchRuleSet } = await import('../../bench/bench-rule-set.js');
    const bench = await benchRuleSet(input.ruleSet, messages, input.semantics, effort, step);
    reporter.end();
    await show(bench, values, context);
    return failuresOf(bench.results).length > 0 ? exitCode.findings : exitCode.done;
  });
}

async function collect({ source, label }: MessageInput, limit: number, { reporter }: RunContext) {
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

async function show({ results, leftOut }: RuleSetBench, values: Values, context: RunContext): Promise<void> {
  const { reporter } = context;
  const machine = describeMachine();
  if (values.json) {
    const record = { format: 1, mode: values.quick ? 'quick' : 'full', machine, results, leftOut };
    await printJson(context, record, 0);
  } else {
    const { cpu, node, load, cores } = machine;
    const where = `on ${cpu}, node ${node.slice(1)}, load ${load.toFixed(1)} on ${counted(cores, 'core')}`;
    await printScreen(context, [...results.map(benchBlocks), [paragraph(where)]]);
  }
  const busy = busyWords(results, machine);
  if (busy !== undefined) {
    await reporter.note(`the machine was too busy to believe these figures: ${busy}; run it again when it is idle`);
  }
  const { texts, terms, patterns } = leftOut;
  if (texts + terms + patterns > 0) {
    const what = [counted(texts, 'text'), counted(terms, 'term'), counted(patterns, 'pattern')].join(', ');
    await reporter.note(`words and patterns leave out ${what} that not every engine reads alike`);
  }
  for (const failure of failuresOf(results)) await reporter.note(`failed: ${failure}`);
}
