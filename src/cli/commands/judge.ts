/** `sluice judge`: the command, its options and its exit codes. */
import { errorsOf } from '../../engine/compile/issue.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { answerLines, createAnswer } from '../judge/answer-lines.js';
import { lineReaders } from '../judge/line-reader.js';
import { Sources } from '../open-sources.js';
import { noteIdle, printErrors } from '../rule-errors.js';
import { engineOptions, noteScale, rulesOptions } from '../sources.js';

const lineFormats = Object.keys(lineReaders) as (keyof typeof lineReaders)[];

const options = {
  ...optionGroup('what comes in, and goes out', {
    in: {
      type: 'string',
      choices: lineFormats,
      help: 'what a line is: a message or its text as JSON, a text as it is, or the first of values that tabs separate (messages)',
    },
    out: {
      type: 'string',
      choices: ['verdict', 'decision'],
      help: 'what a line gives: one word, `allow?` where scores or other parts are missing, `error` for a line that is not a message; or JSON (decision)',
    },
    quiet: { type: 'boolean', help: 'print errors only' },
  }),
  ...rulesOptions,
  ...engineOptions,
};

type Values = OptionValues<typeof options>;

/** `sluice judge`: answers each input line with one output line, until the input ends. */
export const judgeCommand: Command<typeof options> = {
  name: 'judge',
  description:
    'Reads messages from standard input, one a line, and writes a line for each, in order: how a data engine runs the ' +
    'rules where the data is. What has come in goes out whenever the input pauses, so that a process which stays can ' +
    'be handed some lines and waited for. No line ends it, and each has its answer: an empty one too.',
  examples: [
    'sluice judge --rules rules.json < messages.ndjson > decisions.ndjson',
    'sluice judge --rules rules.json --in text --out verdict < texts.txt | uniq -c',
    'cut -f 2 table.tsv | sluice judge --rules rules.json --in tsv',
    'parallel --pipe --keep-order sluice judge --rules rules.json < messages.ndjson',
  ],
  options,
  exits: { done: 'the input ended, or the output has no reader any more', ...commonExits },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  const { in: format = 'messages', out = 'decision' } = values;
  await using sources = new Sources(values, context, ['rules']);
  const input = await sources.engine();
  context.reporter.end();
  await printErrors(context, errorsOf(input.engine));
  await noteIdle(context, input.engine);
  await noteScale(input.scores, context);
  const answer = createAnswer(input, lineReaders[format](), out);
  await answerLines(answer, context);
  return exitCode.done;
}
