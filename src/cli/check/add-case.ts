import { open } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TestCase } from '../../cases/test-case.js';
import type { MessageDraft } from '../../contract/message-draft.js';
import { ShapeError, UsageError } from '../../errors.js';
import type { Decision } from '../../evaluate/decision.js';
import type { MediaScores } from '../../evaluate/media.js';
import { isMissing, withFileErrors } from '../../files/file-reason.js';
import { ndjsonLine } from '../../files/ndjson.js';
import type { Io } from '../io.js';
import { openRows } from '../test/row-files.js';

/** What `check --add` keeps of a check. */
export interface CheckedMessage {
  readonly message: MessageDraft;
  readonly media: readonly MediaScores[];
  readonly decision: Decision;
  /** Absent: the number of the case with its verdict and rules. */
  readonly name: string | undefined;
}

/**
 * Appends a golden case to a file of NDJSON: the message with its scores, its verdict, and the rules that the verdict rests on. A new file
 * is readable by its owner alone, since it holds the text. Writes nothing when the same case is there already. Throws `ShapeError` when the file
 * expects another verdict of the same message, or is no NDJSON, and `UsageError` when it cannot be written. Returns what was done, in words.
 */
export async function addCase(path: string, checked: CheckedMessage, io: Io): Promise<string> {
  const { decision, name } = checked;
  const subject = subjectOf(checked.message, checked.media);
  const rules = decision.matched.filter(({ determining }) => determining).map(({ ruleId }) => ruleId);
  const count = await findCase(path, subject, decision, io);
  if (typeof count === 'string') return count;
  const known = rules.length === 0 ? '' : `, ${rules.join(', ')}`;
  const testCase: TestCase = {
    name: name ?? `${count + 1}: ${decision.verdict}${known}`,
    ...subject,
    verdict: decision.verdict,
    ...(rules.length > 0 && { rules }),
  };
  await withFileErrors('write', path, () => appendLine(path, ndjsonLine(testCase)));
  return `added case "${testCase.name}" to ${path}`;
}

/** A message as a case has it: a text where there is nothing else. */
function subjectOf(message: MessageDraft, media: readonly MediaScores[]): Pick<TestCase, 'message' | 'media'> {
  const { data, ...others } = message;
  const isText = Object.keys(others).length === 0 && Object.keys(data ?? {}).join() === 'text';
  const text = isText && typeof data?.text === 'string' ? data.text : undefined;
  return { message: text ?? message, ...(media.length > 0 && { media }) };
}

/** How many cases a file has, 0 when there is no file; or words that say where the same case is already. */
async function findCase(
  path: string,
  subject: Pick<TestCase, 'message' | 'media'>,
  { verdict }: Decision,
  io: Io,
): Promise<number | string> {
  if (path === '-') throw new UsageError('`--add` needs the name of a file');
  const file = await openRows(path, io).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (await file?.isArray()) {
    throw new ShapeError(
      path,
      'the whole file',
      'must be ndjson, one case a line, and is an array, to which no line can be added',
    );
  }
  let count = 0;
  for await (const { value, line } of file?.rows() ?? []) {
    count += 1;
    const other = (value ?? {}) as Partial<TestCase>;
    if (other.message === undefined || !isSame(other, subject)) continue;
    if (other.verdict === verdict)
      return `case "${other.name}" at ${path}:${line} has this message and verdict already`;
    throw new ShapeError(
      `${path}:${line}`,
      'verdict',
      `is \`${other.verdict}\` for the same message, which now gets \`${verdict}\`; nothing was added: change that case, or take it out`,
    );
  }
  return count;
}

function isSame(one: Partial<TestCase>, other: Pick<TestCase, 'message' | 'media'>): boolean {
  const asDraft = ({ message }: Partial<TestCase>) =>
    typeof message === 'string' ? { data: { text: message } } : message;
  return isDeepStrictEqual(asDraft(one), asDraft(other)) && isDeepStrictEqual(one.media ?? [], other.media ?? []);
}

function isAbsent(error: unknown): boolean {
  return error instanceof UsageError && isMissing(error.cause);
}

/** Appends a line in one write, so that no other writer's line stands in it; ends a last line that has no newline first. */
async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = size === 0 ? undefined : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
    await file.write(last === undefined || last === 0x0a ? line : `\n${line}`);
  } finally {
    await file.close();
  }
}
