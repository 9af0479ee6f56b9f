import { type MessageView, partyEntities, serveMessage } from './embed.js';
import { flag } from './message-flags.js';
import type { Store } from './store.js';

/** Gives the message at a position as served, as JSON. */
export type MessageWriter = (position: number) => string;

/**
 * Writes messages as `serveMessage` gives them, most of them by putting the parties into the line as it stands, which takes
 * a third of the time of reading and writing each: a page costs no more than its JSON.stringify would. What has to be changed otherwise is read. For one page: the parties
 * are written once for all messages of the same sender and conversation.
 */
export function messageWriter(view: MessageView, store: Store): MessageWriter {
  const { has, lineAt, read } = store.messages;
  const asksOfMentions = view.mentionsWithBlockedInfo === true || view.mentionsWithTagInfo === true;
  const mustBeRead =
    flag.escaped |
    flag.action |
    flag.entities |
    (view.withTags === true ? 0 : flag.tags) |
    (asksOfMentions ? flag.mentions : 0);
  const entitiesAt = entitiesWriter(view, store);
  const namedAt = (position: number, line: string): string => {
    if (!has(position, flag.unnamed)) return line;
    const id = JSON.stringify(store.conversationAt(position).id);
    return line.replace('{', () => `{"conversationId":${id},`);
  };
  return (position) => {
    const line = has(position, mustBeRead) ? undefined : namedAt(position, lineAt(position));
    const at = line === undefined ? undefined : insideData(line);
    if (line === undefined || at === undefined) return JSON.stringify(serveMessage(read(position), view, store));
    return at === -1 ? line : `${line.slice(0, at)}${entitiesAt(position)}${line.slice(at)}`;
  };
}

/** `"entities":{…},` for the beginning of `data`. */
function entitiesWriter(view: MessageView, store: Store): MessageWriter {
  const { columns, conversations, senders } = store.messages;
  const written = new Map<number, string>();
  return (position) => {
    const conversation = columns.conversation[position]!;
    const number = columns.sender[position]!;
    const key = conversation * senders.list.length + number;
    const known = written.get(key);
    if (known !== undefined) return known;
    const { id, receiverType, one, other } = conversations[conversation]!;
    const sender = senders.list[number]!;
    const receiver = receiverType === 'user' && sender !== one ? one : other;
    const entities = partyEntities({ sender, receiver, receiverType, conversationId: id }, view, store);
    const text = `"entities":${JSON.stringify(entities)},`;
    written.set(key, text);
    return text;
  };
}

/**
 * Where the fields of `data` begin in a line without a backslash; -1 when it has no `data`, undefined when that takes parsing.
 * The word stands there once, and its brace is the first one inside the message: then it is the field of the message, since
 * quotes without a backslash divide strings from what is no string.
 */
function insideData(line: string): number | undefined {
  const word = line.indexOf('"data"');
  if (word === -1) return -1;
  const brace = line.indexOf('{', line.indexOf('{') + 1);
  const isField =
    line.startsWith(':', word + 6) && (brace === word + 7 || (brace === word + 8 && line[word + 7] === ' '));
  const isOnly = line.indexOf('"data"', word + 6) === -1;
  // An empty one needs no comma behind what is put in.
  return isField && isOnly && line[brace + 1] === '"' ? brace + 1 : undefined;
}
