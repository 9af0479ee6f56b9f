/** Writes pulled messages to a file or to standard output. */
import {
  hasWindow,
  isDated,
  listCallOf,
  type MessageFilters,
  selectionOf,
} from '../../audit/source/message-selection.js';
import { messagesOfPlatform } from '../../audit/source/messages.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { type FileReplacement, replaceFile } from '../../foundation/files/replace-file.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { pageLimit } from '../../platform/contract/message-query.js';
import type { RunContext } from '../command.js';
import { print } from '../io.js';
import type { Platform } from '../sources.js';
import { counted } from '../terminal/text.js';
import { undatedWords } from '../unchecked.js';
import { blockedWords, fullWords, type ModeratedPage } from './moderated.js';

/**
 * A file, or standard output, to which lines are appended. The file keeps its old content until
 * `commit`.
 */
interface LineFile extends Pick<FileReplacement, 'commit' | 'discard'> {
  readonly path: string;
  /** Resolves to false if the output no longer has a reader. */
  append(text: string): Promise<boolean>;
}

/** The permissions of a file with texts or labels of messages: only its owner can read it. */
const privateMode = 0o600;

/** Opens a file, or standard output for `-`. Rejects with `UsageError` if it cannot be written. */
export async function openLineFile(path: string, context: RunContext): Promise<LineFile> {
  const nothing = async () => undefined;
  if (path === '-') return { path, append: (text) => print(context, text), commit: nothing, discard: nothing };
  const writing = <Result>(work: () => Promise<Result>) => withFileErrors('write', path, work);
  const file = await writing(() => replaceFile(path, { mode: privateMode }));
  return {
    path,
    append: (text) => writing(() => file.append(text)).then(() => true),
    commit: () => writing(() => file.commit()),
    discard: () => file.discard(),
  };
}

const flushAtCharacters = 1 << 16;

/**
 * Appends messages as NDJSON, followed by those of a page of blocked messages that were not among
 * them. Resolves to the lines that report this. If it fails, a note says how many messages were
 * read.
 */
export async function pullMessages(
  platform: Platform,
  filters: MessageFilters,
  file: LineFile,
  context: RunContext,
  blocked: ModeratedPage | undefined,
): Promise<readonly string[]> {
  const { reporter, interrupted: signal } = context;
  const { messages } = platform.client;
  await reporter.step(`pulling messages from ${platform.label}`);
  const { newest } = messagesOfPlatform(messages, filters, signal);
  const end = reporter.hasStatusLine ? (filters.until ?? (await newest?.())) : undefined;
  let begin: number | undefined;
  const shareOf = ({ sentAt }: MessageDraft) => {
    if (end === undefined || typeof sentAt !== 'number') return undefined;
    begin ??= sentAt;
    return end > begin ? Math.min(1, Math.max(0, (sentAt - begin) / (end - begin))) : undefined;
  };
  const { onBehalfOf: _, ...selection } = filters;
  const all = new Map(blocked?.entries.map(({ message }) => [message.id, message]));
  const selected = [...all].filter(([, message]) => selectionOf(selection, message) === 'selected');
  const added = new Map(selected);
  let buffered = '';
  let [count, undated] = [0, 0];
  const pulled = () => `pulled ${counted(count, 'message')}${file.path === '-' ? '' : `, into ${file.path}`}`;
  try {
    for await (const message of messages.iterate(...listCallOf(filters, { limit: pageLimit.max }, signal))) {
      if (hasWindow(filters) && !isDated(message)) {
        undated += 1;
        continue;
      }
      buffered += ndjsonLine(message);
      count += 1;
      added.delete(message.id ?? '');
      reporter.progress(count, shareOf(message), 'pulled');
      if (buffered.length < flushAtCharacters) continue;
      if (!(await file.append(buffered))) return [pulled()];
      buffered = '';
      signal.throwIfAborted();
    }
  } catch (error) {
    await reporter.note(`stopped after ${counted(count, 'message')}; no file was written`);
    throw error;
  }
  await file.append(buffered + [...added.values()].map(ndjsonLine).join(''));
  const counts = { added: added.size, listed: selected.length - added.size, other: all.size - selected.length };
  const full = blocked && fullWords(blocked, 'blocked messages');
  return [
    ...(undated > 0 ? [`${counted(undated, 'message')} ${undatedWords}`] : []),
    pulled(),
    ...(blocked === undefined ? [] : [blockedWords(counts)]),
    ...(full === undefined ? [] : [full]),
  ];
}
