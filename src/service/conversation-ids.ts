import { ShapeError } from '../errors.js';
import type { GroupRow, MessageRow } from './data.js';

/** A message that knows its conversation. */
export type StoredMessage = MessageRow & { readonly conversationId: string };

/** Gives each message its conversation id. Throws `ShapeError` that names `source`. */
export type Conversations = (row: MessageRow, source: string) => StoredMessage;

/**
 * Gives messages their conversation ids (§2.3), derived where a row has none. A conversation is between the same parties in
 * all its messages and a group has one conversation, or who may see what would hang on the order of rows.
 */
export function assignConversations(groups: readonly GroupRow[]): Conversations {
  const parties = new Map<string, readonly string[]>();
  const ofGroup = new Map<string, string>();
  for (const { guid, conversationId } of groups) {
    if (conversationId !== undefined) ofGroup.set(guid, conversationId);
  }

  return (row, source) => {
    const { sender, receiver, conversationId } = row;
    const isGroup = row.receiverType === 'group';
    const id =
      conversationId ?? (isGroup ? (ofGroup.get(receiver) ?? groupConversationId(receiver)) : pairId(sender, receiver));
    if (isGroup) {
      const known = ofGroup.get(receiver) ?? id;
      if (known !== id) throw new ShapeError(source, 'conversationId', `should be \`${known}\`, the one of its group`);
      ofGroup.set(receiver, id);
    }
    const between = parties.get(id);
    if (between === undefined) parties.set(id, isGroup ? ['group', receiver] : ['user', sender, receiver]);
    else if (!isBetween(between, row)) {
      throw new ShapeError(source, 'conversationId', `names a conversation of other parties, \`${id}\``);
    }
    return conversationId === id ? (row as StoredMessage) : { ...row, conversationId: id };
  };
}

/** The conversation id of a group that names none (§2.3). */
export function groupConversationId(guid: string): string {
  return `group_${guid}`;
}

function pairId(one: string, other: string): string {
  return one < other ? `${one}_user_${other}` : `${other}_user_${one}`;
}

function isBetween([kind, one, other]: readonly string[], { receiverType, sender, receiver }: MessageRow): boolean {
  if (kind !== receiverType) return false;
  if (kind === 'group') return one === receiver;
  return (one === sender && other === receiver) || (one === receiver && other === sender);
}
