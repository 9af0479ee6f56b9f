/**
 * List messages (§4.2) written a second time, by filtering arrays, from the interface document and
 * the readings alone.
 */
import type { MessageRow } from '../../src/platform/service/index.js';
import type { Query } from './call.js';
import { groups, messages, users } from './sample-data.js';

/** Ascending by time, then by id as a number. */
export const ordered: readonly MessageRow[] = [...messages].sort(
  (one, other) => one.sentAt - other.sentAt || Number(one.id) - Number(other.id),
);

export function conversationOf({ sender, receiver, receiverType }: MessageRow): string {
  return receiverType === 'group' ? `group_${receiver}` : [sender, receiver].sort().join('_user_');
}

/** Whoever takes part in the conversation of a message. */
export function participantsOf(message: MessageRow): readonly string[] {
  if (message.receiverType === 'user') return [message.sender, message.receiver];
  const members = groups.find(({ guid }) => guid === message.receiver)?.members;
  if (members) return members.map(({ uid }) => uid);
  const written = messages.filter(({ receiver, category }) => receiver === message.receiver && category !== 'action');
  return [...new Set(written.map(({ sender }) => sender))];
}

type Holds = (message: MessageRow, asked: string, actor: string | undefined) => boolean;

const startsWith = (prefix: string) => (type: string | undefined) => type?.startsWith(prefix) === true;
const kinds: Readonly<Record<string, (type: string | undefined) => boolean>> = {
  image: startsWith('image/'),
  video: startsWith('video/'),
  audio: startsWith('audio/'),
  file: (type) => !['image/', 'video/', 'audio/'].some((prefix) => startsWith(prefix)(type)),
};
const anyOf = (asked: string, values: readonly (string | undefined)[]) =>
  asked.split(',').some((one) => values.includes(one));
const flag = (holds: (message: MessageRow, actor: string | undefined) => boolean): Holds => {
  return (message, asked, actor) => asked !== 'true' || holds(message, actor);
};

const filters: Readonly<Record<string, Holds>> = {
  searchKey: ({ data }, key) => data?.text?.toUpperCase().includes(key.toUpperCase()) === true,
  hideMessagesFromBlockedUsers: flag(({ sender }, actor) => {
    return users.find(({ uid }) => uid === actor)?.blocked?.includes(sender) !== true;
  }),
  hasAttachments: flag(({ data }) => (data?.attachments ?? []).length > 0),
  attachmentTypes: ({ data }, kind) => (data?.attachments ?? []).some(({ mimeType }) => kinds[kind]!(mimeType)),
  hasMentions: flag(({ data }) => Object.keys(data?.mentions ?? {}).length > 0),
  mentionedUids: ({ data }, uids) => anyOf(uids, Object.keys(data?.mentions ?? {})),
  hasReactions: flag(({ data }) => (data?.reactions ?? []).length > 0),
  hasLinks: flag(({ data }) => /https?:\/\/|www\./.test(data?.text ?? '')),
  receiverType: ({ receiverType }, asked) => receiverType === asked,
  category: ({ category }, asked) => category === asked,
  type: ({ type }, asked) => type === asked,
  sender: (message, asked, actor) =>
    message.sender === asked && (actor === undefined || participantsOf(message).includes(asked)),
  hideDeleted: flag(({ deletedAt }) => deletedAt === undefined),
  onlyDeleted: flag(({ deletedAt }) => deletedAt !== undefined),
  hideReplies: flag(({ parentId }) => parentId === undefined),
  conversationId: (message, asked) => conversationOf(message) === asked,
  tags: ({ tags }, asked) => anyOf(asked, [...(tags ?? [])]),
  categories: ({ category }, asked) => anyOf(asked, [category]),
  types: ({ type }, asked) => anyOf(asked, [type]),
  sentAt: ({ sentAt }, asked) => sentAt > Number(asked),
  fromTimestamp: ({ sentAt }, asked) => sentAt >= Number(asked),
};

/** Every message that a query selects, in order. */
export function select(query: Query, actor?: string): readonly MessageRow[] {
  const asked = Object.entries(query).map(([name, value]) => [name, String(value)] as const);
  return ordered.filter((message) => {
    if (actor !== undefined && !participantsOf(message).includes(actor)) return false;
    if ('toTimestamp' in query && 'fromTimestamp' in query && message.sentAt > Number(query.toTimestamp)) return false;
    return asked.every(([name, value]) => filters[name]?.(message, value, actor) ?? true);
  });
}
