/** Unpacks the bundled demo, as the build packs it: gzip in base64, the messages by columns. */
import { decodeText } from '../../foundation/files/json.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { PlayRules } from '../handler.js';
import type { Opened } from './protocol.js';
import { gunzip, readBytes } from './read-files.js';

/**
 * The demo as JSON. Ids and times are differences to the message before; senders are positions in
 * `senders`.
 */
interface PackedDemo {
  readonly rules: PlayRules;
  readonly messages: {
    readonly id: readonly number[];
    readonly sender: readonly number[];
    readonly senders: readonly string[];
    readonly time: readonly number[];
    readonly category: readonly string[];
    readonly type: readonly string[];
    readonly text: readonly string[];
  };
}

/** Unpacks the demo. */
export async function openDemo(packed: string): Promise<Opened> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const { rules, messages } = JSON.parse(
    decodeText(await readBytes(gunzip(new Blob([bytes]).stream() as never), 'demo'), 'demo'),
  ) as PackedDemo;
  let [id, sentAt] = [0, 0];
  const rows = messages.text.map((text, index): MessageDraft => {
    id += messages.id[index]!;
    sentAt += messages.time[index]!;
    return {
      id: String(id),
      sender: messages.senders[messages.sender[index]!],
      sentAt,
      category: messages.category[index] as NonNullable<MessageDraft['category']>,
      type: messages.type[index] as NonNullable<MessageDraft['type']>,
      data: { text },
    };
  });
  return { rules, rulesName: 'the demo', messages: rows, messagesName: 'the demo' };
}
