/** Fetches the rules and messages that `sluice play` serves to its page. */
import type { Scores } from '../../engine/evaluate/scores.js';
import { UsageError } from '../../foundation/errors.js';
import { decodeText } from '../../foundation/files/json.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { ServedLine, ServedRules } from '../handler.js';
import type { Opened } from './protocol.js';
import { readBytes } from './read-files.js';

/**
 * Fetches the rules and messages of the command that serves the page. Throws `UsageError` when it
 * has ended.
 */
export async function openServed({ url, token }: { readonly url: string; readonly token: string }): Promise<Opened> {
  const fetched = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/${path}`, { headers, cache: 'no-store' }).catch(() => undefined);
    if (response?.ok && response.body !== null)
      return decodeText(await readBytes(response.body as ReadableStream<Uint8Array>, path), path);
    const detail =
      response === undefined ? 'it has ended' : ((await response.json()) as { readonly error?: string }).error;
    throw new UsageError(
      `\`sluice play\` does not answer: ${detail}; start it again, and open the address that it prints`,
    );
  };
  const { rules, rulesName, messagesName } = JSON.parse(await fetched('rules')) as ServedRules;
  if (messagesName === undefined) return { rules, rulesName };
  const [messages, scores]: [MessageDraft[], (readonly Scores[])[]] = [[], []];
  let note: string | undefined;
  for (const line of (await fetched('messages')).split('\n')) {
    if (line === '') continue;
    const row = JSON.parse(line) as ServedLine;
    if ('error' in row) {
      note = `messages are missing: ${row.error}`;
      break;
    }
    messages.push(row[0]);
    scores.push(row[1] ?? []);
  }
  return { rules, rulesName, messages, scores, messagesName, note };
}
