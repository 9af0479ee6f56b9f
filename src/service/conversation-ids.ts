import { ShapeError } from '../errors.js';
import type { GroupRow, MessageRow } from './data.js';

/** A message that knows its conversation. */
export type StoredMessage = MessageRow & { readonly conversationId: string };

/** Where a row came from, put into words only when it has to be named. */
export type Source = () => string;

/** A conversation as its messages tell it: a group's, or one between two users, who may be one. */
export interface ConversationParties {
  readonly id: string;
  readonly receiverType: 'user' | 'group';
  /** Sender of the first row, for users. */
  readonly one: string;
  /** Receiver of the first row: a uid or a guid. */
  readonly other: string;
}

/** The conversations of messages, by number in the order in which they came. */
export interface Conversations {
  /** The number of the conversation of a message. Throws `ShapeError` that names the source. */
  readonly of: (row: MessageRow, source: Source) => number;
  readonly list: readonly ConversationParties[];
}

/** What the last rows of one sender to one receiver led to: a conversation that they named, and one that they did not. */
interface Known {
  named?: number;
  unnamed?: number;
}

/**
 * Gives messages their conversations (§2.3), with an id derived where a row has none. A conversation is between the same
 * parties in all its messages and a group has one conversation, or who may see what would hang on the order of rows.
 */
export function assignConversations(groups: readonly GroupRow[]): Conversations {
  const list: ConversationParties[] = [];
  const numbers = new Map<string, number>();
  const ofGroup = new Map<string, string>();
  for (const { guid, conversationId } of groups) {
    if (conversationId !== undefined) ofGroup.set(guid, conversationId);
  }

  const find = (row: MessageRow, source: Source): number => {
    const { sender, receiver, receiverType, conversationId } = row;
    const isGroup = receiverType === 'group';
    const id =
      conversationId ?? (isGroup ? (ofGroup.get(receiver) ?? groupConversationId(receiver)) : pairId(sender, receiver));
    if (isGroup) {
      const known = ofGroup.get(receiver) ?? id;
      if (known !== id)
        throw new ShapeError(source(), 'conversationId', `should be \`${known}\`, the one of its group`);
      ofGroup.set(receiver, id);
    }
    const number = numbers.get(id);
    if (number === undefined) {
      numbers.set(id, list.length);
      return list.push({ id, receiverType, one: sender, other: receiver }) - 1;
    }
    if (!isBetween(list[number]!, row)) {
      throw new ShapeError(source(), 'conversationId', `names a conversation of other parties, \`${id}\``);
    }
    return number;
  };

  const knownOf = createKnown();
  const of = (row: MessageRow, source: Source): number => {
    const { conversationId } = row;
    const known = knownOf(row);
    if (conversationId === undefined) {
      known.unnamed ??= find(row, source);
      return known.unnamed;
    }
    if (known.named === undefined || list[known.named]!.id !== conversationId) known.named = find(row, source);
    return known.named;
  };
  return { of, list };
}

/** By receiver, and by sender for users: the ids of a million rows need not be made and looked up again. */
function createKnown(): (row: MessageRow) => Known {
  const groups = new Map<string, Known>();
  const senders = new Map<string, Map<string, Known>>();
  return ({ sender, receiver, receiverType }) => {
    let receivers = receiverType === 'group' ? groups : senders.get(sender);
    if (receivers === undefined) {
      receivers = new Map();
      senders.set(sender, receivers);
    }
    let known = receivers.get(receiver);
    if (known === undefined) {
      known = {};
      receivers.set(receiver, known);
    }
    return known;
  };
}

/** The conversation id of a group that names none (§2.3). */
export function groupConversationId(guid: string): string {
  return `group_${guid}`;
}

function pairId(one: string, other: string): string {
  return one < other ? `${one}_user_${other}` : `${other}_user_${one}`;
}

function isBetween({ receiverType, one, other }: ConversationParties, row: MessageRow): boolean {
  if (receiverType !== row.receiverType) return false;
  if (receiverType === 'group') return other === row.receiver;
  return (one === row.sender && other === row.receiver) || (one === row.receiver && other === row.sender);
}
