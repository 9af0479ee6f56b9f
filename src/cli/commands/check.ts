/** `sluice check`: the command, its options and its exit codes. */
import { scoresFromTable } from '../../audit/source/scores.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { stops } from '../../engine/compile/verdicts.js';
import { UsageError } from '../../foundation/errors.js';
import { parseJson } from '../../foundation/files/json.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { WhyNot } from '../../review/why-not/answer.js';
import type { CheckResult } from '../check/result.js';
import { checkScreen } from '../check/screen.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import type { Group } from '../document/document.js';
import { commonExits, exitCode } from '../exit-code.js';
import { readWholeText, standardInput } from '../input-files.js';
import type { Io } from '../io.js';
import { Sources } from '../open-sources.js';
import { printOutcome } from '../outcome.js';
import { errorWords, noteIdle } from '../rule-errors.js';
import { type EngineInput, engineOptions, noteScale, ruleOfOption, rulesOptions } from '../sources.js';
import { unchecked } from '../unchecked.js';

const options = {
  ...optionGroup('what to judge', {
    message: { type: 'string', value: 'FILE', help: 'one message as JSON instead of a text, `-` for standard input' },
  }),
  ...rulesOptions,
  ...engineOptions,
  ...optionGroup('what to do with the answer', {
    verbose: {
      type: 'boolean',
      help: `show revisions, conditions, transforms and places too, and each condition that ${unchecked}`,
    },
    'why-not': {
      type: 'string',
      optional: true,
      value: 'RULE',
      help: 'say why the rule did not match, condition by condition, and what would with another reading; all rules without RULE',
    },
    json: { type: 'boolean', help: 'print the decision as JSON instead of words' },
    add: {
      type: 'string',
      value: 'FILE',
      writes: 'own',
      help: 'append message, verdict and rules to a file of cases for `sluice test`, with the text',
    },
    quiet: { type: 'boolean', help: 'print errors only, and the JSON of --json' },
  }),
};

type Values = OptionValues<typeof options>;

/** `sluice check`: judges one text or message, and explains the decision. */
export const checkCommand: Command<typeof options> = {
  name: 'check',
  description:
    'Judges one text, or one message as JSON with all its fields, and marks in place what was found: the term or ' +
    'the pattern, its list, and the rule that it is for.',
  examples: [
    'sluice check --demo "you idiot"',
    'sluice check --rules rules.json --message message.json --scores scores.json',
    'sluice check --rules rules.json --why-not spam "you idiot"',
    'sluice check --rules rules.json --json - < text.txt | jq .verdict',
    'sluice check --rules rules.json "you idiot" --add cases.ndjson',
    'printf %s "$TEXT" | sluice check --rules rules.json --quiet - && send',
  ],
  operand: { title: 'TEXT|-', noun: 'text' },
  options,
  exits: { done: 'the message is allowed', findings: 'the message is not allowed', ...commonExits },
  run,
};

async function run(values: Values, context: RunContext, given: string | undefined): Promise<number> {
  // If there is no other argument, a value after the option is the text.
  const isText = given === undefined && values.message === undefined && values['why-not'] !== '';
  const text = isText ? values['why-not'] : given;
  const asked = isText && values['why-not'] !== undefined ? '' : values['why-not'];
  if (text !== undefined && values.message !== undefined) {
    throw new UsageError('a text and `--message` are two different things to judge; give one of them');
  }
  await using sources = new Sources(values, context, ['rules']);
  const message = await readSubject(text, values.message, context);
  const input = await sources.engine();
  context.reporter.end();
  const media = scoresFromTable(message, input.scores);
  const decision = input.engine.explain(message, media);
  const reasons = asked === undefined ? undefined : await whyNotOf(asked, { ...input, message, media });
  await noteScale(input.scores, context);
  await noteIdle(context, input.engine);
  const result = { ...input, decision, message, media, isTextAlone: text !== undefined, showErrors: true };
  const errors = errorWords(errorsOf(input.engine));
  const code = await printOutcome(context, values, {
    json: reasons === undefined ? decision : { ...decision, whyNot: reasons },
    screen: values.json || values.quiet ? [] : await screenOf(result, values, asked, reasons),
    ...(errors && { warnings: [errors] }),
    code: stops(decision.verdict) ? exitCode.findings : exitCode.done,
  });
  if (values.add !== undefined) {
    const { addCase } = await import('../check/add-case.js');
    const checked = { message, media, decision, name: undefined };
    await context.reporter.note(await addCase(values.add, checked, context));
  }
  return code;
}

/**
 * Returns the screen of a decision. It also says why rules did not match, or which filters kept
 * them from matching.
 */
async function screenOf(
  result: CheckResult & EngineInput,
  { verbose = false }: Values,
  asked: string | undefined,
  reasons: readonly WhyNot[] | undefined,
): Promise<readonly Group[]> {
  const screen = checkScreen(result, { verbose });
  const isFiltered = result.ruleSet.rules.some(({ filters = [] }) => filters.length > 0);
  if (reasons === undefined && (stops(result.decision.verdict) || !isFiltered)) return screen;
  // The explanation of reasons is seldom needed, so it is loaded here.
  const { whyNotBlocks, filteredBlocks } = await import('../check/why-not.js');
  if (reasons !== undefined) return [...screen, whyNotBlocks(reasons, result, { whole: verbose || asked !== '' })];
  return [...screen.slice(0, -1), [...screen.at(-1)!, ...filteredBlocks(result, result.semantics)]];
}

/**
 * Returns why the given rule, or each rule, did not match. Throws `UsageError` if the rule does not
 * exist.
 */
async function whyNotOf(
  asked: string,
  { ruleSet, semantics, message, media }: EngineInput & Pick<CheckResult, 'message' | 'media'>,
): Promise<readonly WhyNot[]> {
  const { whyNot } = await import('../../review/why-not/why-not.js');
  const ruleId = asked === '' ? undefined : ruleOfOption('why-not', asked, ruleSet).id;
  return whyNot(ruleSet, message, { semantics, ruleId, scores: media });
}

async function readSubject(text: string | undefined, file: string | undefined, io: Io): Promise<MessageDraft> {
  if (file !== undefined) {
    // A message in place of a file name is not repeated in the error, as the name of a missing file
    // would be.
    if (file.trimStart().startsWith('{')) {
      throw new UsageError(
        '`--message` takes the name of a file; give the message itself on standard input, with `--message -`',
      );
    }
    const { parseDraft } = await import('../../audit/source/message-row.js');
    const source = file === '-' ? standardInput : file;
    const expected = 'must be one message as json (`sluice audit` takes many)';
    return parseDraft(parseJson(await readWholeText(file, io), source, expected), source);
  }
  if (text === undefined) {
    throw new UsageError('nothing to judge; give a text in quotes, or `-` for standard input, or `--message FILE`');
  }
  // The line feed that `echo` adds does not belong to the text.
  return { data: { text: text === '-' ? (await readWholeText('-', io)).replace(/\r?\n$/, '') : text } };
}
