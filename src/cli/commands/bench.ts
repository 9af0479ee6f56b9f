import { benchRuleSet, type RuleSetBench } from '../../bench/bench-rule-set.js';
import { describeMachine } from '../../bench/machine.js';
import { fullEffort, quickEffort } from '../../bench/measure.js';
import { failuresOf } from '../../bench/record.js';
import type { MessageDraft } from '../../contract/message-draft.js';
import { UsageError } from '../../errors.js';
import { type AuditInput, auditInputOptions, openInput, planInput } from '../audit-input.js';
import { benchScreen } from '../bench-screen.js';
import type { Command, OptionTable, OptionValues } from '../command.js';
import { exitCode } from '../exit-code.js';
import { readSemanticsFile } from '../input-files.js';
import { type Io, print } from '../io.js';
import { canvasOf } from '../terminal/canvas.js';
import { counted } from '../terminal/format.js';
import { wrapWords } from '../terminal/wrap.js';
import { createVoice, type Voice } from '../voice.js';

const group = 'how to measure';
const { scores: _scores, engine: _engine, ...inputOptions } = auditInputOptions;

const options = {
  ...inputOptions,
  quick: { type: 'boolean', help: 'fewer messages and rounds: to see that it works, not to quote', group },
  json: { type: 'boolean', help: 'print the record as JSON instead of tables', group },
  quiet: { type: 'boolean', help: 'say nothing but errors, and the results', group },
} as const satisfies OptionTable;

type Values = OptionValues<typeof options>;

/** Messages that are measured over: beyond, time is all that grows. */
const most = { full: 20_000, quick: 500 } as const;

/** `sluice bench`: how fast the engine is on a user's own rules and messages, beside other ways to do the same. */
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
  const plan = planInput(values, io.env);
  const voice = createVoice(io, { quiet: values.quiet === true });
  try {
    const semantics = await readSemanticsFile(values.semantics);
    const input = await openInput(plan, values, io, voice);
    try {
      const messages = await collect(input, values.quick ? most.quick : most.full, voice);
      const tell = (words: string) => void voice.step(words);
      const bench = await benchRuleSet(
        input.ruleSet,
        messages,
        semantics,
        values.quick ? quickEffort : fullEffort,
        tell,
      );
      voice.end();
      await show(bench, values, io, voice);
      return failuresOf(bench.results).length > 0 ? exitCode.findings : exitCode.done;
    } finally {
      await input.close();
    }
  } finally {
    voice.end();
  }
}

async function collect({ source, label }: AuditInput, limit: number, voice: Voice): Promise<MessageDraft[]> {
  await voice.step(`reading messages of ${label}`);
  const messages: MessageDraft[] = [];
  for await (const message of source.messages) {
    messages.push(message);
    if (messages.length === limit) break;
  }
  if (messages.length === 0)
    throw new UsageError('there are no messages to measure with; give some with `--messages FILE`');
  return messages;
}

async function show({ results, leftOut }: RuleSetBench, values: Values, io: Io, voice: Voice): Promise<void> {
  const machine = describeMachine();
  if (values.json) {
    await print(
      io.stdout,
      `${JSON.stringify({ format: 1, mode: values.quick ? 'quick' : 'full', machine, results, leftOut })}\n`,
    );
  } else {
    const canvas = canvasOf(io);
    const { cpu, node, load, cores } = machine;
    const where = `on ${cpu}, node ${node.slice(1)}, load ${load.toFixed(1)} on ${counted(cores, 'core')}`;
    const tables = results.map((result) => benchScreen(result, canvas).join('\n'));
    await print(io.stdout, `${[...tables, wrapWords(where, canvas.width).join('\n')].join('\n\n')}\n`);
  }
  const { texts, terms, patterns } = leftOut;
  if (texts + terms + patterns > 0) {
    const what = [counted(texts, 'text'), counted(terms, 'term'), counted(patterns, 'pattern')].join(', ');
    await voice.note(`words and patterns leave out ${what} that not every engine reads alike`);
  }
  for (const failure of failuresOf(results)) await voice.note(`failed: ${failure}`);
}
