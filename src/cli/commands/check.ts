import { type CheckInput, checkInputOptions, openCheck, planCheck } from '../check-input.js';
import { checkScreen } from '../check-screen.js';
import type { Command, OptionTable, OptionValues } from '../command.js';
import { exitCode } from '../exit-code.js';
import { type Io, print } from '../io.js';
import { redactDecision } from '../redact-decision.js';
import { canvasOf } from '../terminal/canvas.js';
import { createVoice } from '../voice.js';

const group = 'what to do with the answer';

const options = {
  ...checkInputOptions,
  json: { type: 'boolean', help: 'print the decision as JSON instead of words', group },
  redact: { type: 'boolean', help: 'print nothing of the text itself, only where and how long', group },
  quiet: { type: 'boolean', help: 'print nothing but errors, and the JSON when asked for', group },
} as const satisfies OptionTable;

type Values = OptionValues<typeof options>;

/** `sluice check`: judges one text or message and says exactly why. */
export const checkCommand: Command<typeof options> = {
  name: 'check',
  summary: 'judge one text or message and say exactly why',
  description:
    'Judges one text, or one message as JSON with all its fields, and shows every rule that matched: which ' +
    'condition, which list, which term or pattern, and where in the text. Exits with 0 when the message is ' +
    'allowed and with 1 when it is not.',
  examples: [
    'sluice check --demo "you idiot"',
    'sluice check --rules rules.json --message message.json --scores scores.json',
    'sluice check --rules rules.json --json - < text.txt | jq .verdict',
    'sluice check --base-url https://host/v3 --quiet "$TEXT" && send',
  ],
  operand: { title: 'TEXT|-', noun: 'text' },
  options,
  run,
};

async function run(values: Values, io: Io, text: string | undefined): Promise<number> {
  const plan = planCheck(values, text, io.env);
  const voice = createVoice(io, { quiet: values.quiet === true });
  try {
    const input = await openCheck(plan, values, io, voice);
    voice.end();
    try {
      return await check(input, values, io);
    } finally {
      await input.close();
    }
  } finally {
    voice.end();
  }
}

async function check(input: CheckInput, values: Values, io: Io): Promise<number> {
  const explained = input.engine.explain(input.message, input.media);
  const decision = values.redact ? redactDecision(explained) : explained;
  if (values.json) await print(io.stdout, `${JSON.stringify(decision, undefined, 2)}\n`);
  else if (!values.quiet) {
    const lines = checkScreen({ decision, input, redact: values.redact === true }, canvasOf(io));
    await print(io.stdout, `${lines.join('\n')}\n`);
  }
  return decision.verdict === 'allow' ? exitCode.done : exitCode.findings;
}
