import { mediaFromScores } from '../audit/scores.js';
import type { MessageDraft } from '../contract/message-draft.js';
import { ShapeError, UsageError } from '../errors.js';
import type { MediaScores } from '../evaluate/media.js';
import type { OptionTable, OptionValues } from './command.js';
import { type EngineInput, engineOptions, openEngine } from './engine-input.js';
import type { Io } from './io.js';
import { parseDraft } from './parse-draft.js';
import { planRules, type RulesPlan, rulesOptions } from './sources.js';
import { readWholeText, standardInput } from './standard-input.js';
import type { Voice } from './voice.js';

/** Options that say what is judged and by what. */
export const checkInputOptions = {
  message: {
    type: 'string',
    value: 'FILE',
    help: 'one message as JSON instead of a text, `-` for standard input',
    group: 'what to judge',
  },
  ...rulesOptions,
  ...engineOptions,
} as const satisfies OptionTable;

/** What the command line means, before anything is opened. */
export interface CheckPlan {
  readonly rules: RulesPlan;
  readonly subject: { readonly text: string } | { readonly file: string; readonly kind: 'text' | 'message' };
}

/** Reads options and text. Throws `UsageError` for whatever can be known to be wrong without opening anything. */
export function planCheck(
  values: OptionValues<typeof checkInputOptions>,
  text: string | undefined,
  env: Io['env'],
): CheckPlan {
  const { message } = values;
  if (text !== undefined && message !== undefined) {
    throw new UsageError('a text and `--message` are two different things to judge; give one of them');
  }
  const rules = planRules(values, env);
  if (message !== undefined) return { rules, subject: { file: message, kind: 'message' } };
  if (text === undefined) {
    throw new UsageError('nothing to judge; give a text in quotes, or `-` for standard input, or `--message FILE`');
  }
  return { rules, subject: text === '-' ? { file: '-', kind: 'text' } : { text } };
}

/** Everything that a check works on. */
export interface CheckInput extends EngineInput {
  readonly message: MessageDraft;
  readonly media: readonly MediaScores[];
}

/** Reads the message, then opens the engine as the plan says. Throws `SluiceError` and the reason of an interruption. */
export async function openCheck(
  { rules, subject }: CheckPlan,
  values: OptionValues<typeof checkInputOptions>,
  io: Io,
  voice: Voice,
): Promise<CheckInput> {
  const message = await readSubject(subject, io);
  const opened = await openEngine(rules, values, io, voice);
  return { ...opened, message, media: mediaFromScores(message, opened.scores) };
}

async function readSubject(subject: CheckPlan['subject'], io: Io): Promise<MessageDraft> {
  if ('text' in subject) return { data: { text: subject.text } };
  const written = await readWholeText(subject.file, io);
  // A shell's `echo` ends what it writes with a line feed that nobody meant to send.
  if (subject.kind === 'text') return { data: { text: written.replace(/\r?\n$/, '') } };
  const source = subject.file === '-' ? standardInput : subject.file;
  return parseDraft(parseJson(written, source), source);
}

function parseJson(written: string, source: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    // The parser's own words may quote the message.
    throw new ShapeError(source, 'the whole value', 'should be one message as json; `sluice audit` takes many');
  }
}
