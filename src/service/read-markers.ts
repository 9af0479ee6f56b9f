import { ShapeError } from '../errors.js';
import type { LoadedRows } from './load.js';
import { flag } from './message-flags.js';
import { indexFrom } from './message-order.js';
import type { ConversationRecord, Store } from './store.js';

/** How far everyone has read. A marker is the position of the last message read; -1 when nothing is. */
export interface ReadMarkers {
  /** Moves a reader's marker forward to `position`, never back (§4.5). */
  readonly advance: (conversation: ConversationRecord, uid: string, position: number) => void;
  /** Moves a reader's marker back to `position`, never forward (§4.6). */
  readonly retreat: (conversation: ConversationRecord, uid: string, position: number) => void;
  /**
   * Whether the message at `position` is unread for `reader`, who takes part in its conversation; without one, whether any
   * recipient has not read it. Actions and deleted messages never are, nor is what the reader sent.
   */
  readonly isUnread: (position: number, reader: string | undefined) => boolean;
  /** How many messages of a conversation are unread for `reader`. */
  readonly countUnread: (conversation: ConversationRecord, reader: string) => number;
  /** The markers, by uid, of every conversation in which one was ever moved, with its id. */
  readonly changed: () => Iterable<readonly [string, ReadonlyMap<string, number>]>;
}

/** Markers of one conversation: by uid, and the two furthest behind, which answer "has everyone but the sender read it". */
interface Markers {
  readonly byUid: Map<string, number>;
  behind: { readonly uid: string; readonly first: number; readonly second: number } | undefined;
}

/**
 * Read markers over a store (§4.5, §4.6), starting from what a service before it saved, or from the `readUpTo` of group members.
 * Whoever has none starts at their own last message of the conversation: to have written there is to have read what came
 * before. Throws `ShapeError` for a `readUpTo` that is no message of the group.
 */
export function createReadMarkers(store: Store, rows: LoadedRows): ReadMarkers {
  const markersOf = markerTable(store, storedMarkers(store, rows));
  const moved = new Set(rows.conversations.filter(({ row }) => row.readUpTo).map(({ row }) => row.conversationId));
  const markerOf = (conversation: ConversationRecord, uid: string): number =>
    markersOf(conversation).byUid.get(uid) ?? -1;
  const place = (conversation: ConversationRecord, uid: string, position: number): void => {
    const of = markersOf(conversation);
    of.byUid.set(uid, position);
    of.behind = undefined;
    moved.add(conversation.id);
  };
  const isUnreadByAnyone = (conversation: ConversationRecord, position: number, sender: string): boolean => {
    const of = markersOf(conversation);
    of.behind ??= furthestBehind(conversation, of.byUid);
    return (of.behind.uid === sender ? of.behind.second : of.behind.first) < position;
  };
  const { messages } = store;
  const isUnread = (position: number, reader: string | undefined): boolean => {
    if (messages.has(position, flag.action | flag.deleted)) return false;
    const sender = messages.senderAt(position);
    if (sender === reader) return false;
    const conversation = store.conversationAt(position);
    if (reader === undefined) return isUnreadByAnyone(conversation, position, sender);
    return markerOf(conversation, reader) < position;
  };

  return {
    advance: (conversation, uid, position) => place(conversation, uid, Math.max(markerOf(conversation, uid), position)),
    retreat: (conversation, uid, position) => place(conversation, uid, Math.min(markerOf(conversation, uid), position)),
    isUnread,
    countUnread: (conversation, reader) => {
      const { positions } = conversation;
      const after = positions.subarray(indexFrom(positions, markerOf(conversation, reader) + 1));
      return after.reduce((count, position) => count + (isUnread(position, reader) ? 1 : 0), 0);
    },
    changed: () =>
      [...moved].map((id): [string, ReadonlyMap<string, number>] => [
        id,
        markersOf(store.conversations.get(id)!).byUid,
      ]),
  };
}

/** Markers of each conversation, made when it is first asked about. */
function markerTable(store: Store, stored: StoredMarkers): (conversation: ConversationRecord) => Markers {
  const markers = new Map<ConversationRecord, Markers>();
  return (conversation) => {
    const known = markers.get(conversation);
    if (known !== undefined) return known;
    const fresh: Markers = { byUid: startingMarkers(conversation, store, stored), behind: undefined };
    markers.set(conversation, fresh);
    return fresh;
  };
}

function startingMarkers(
  { id, positions }: ConversationRecord,
  store: Store,
  stored: StoredMarkers,
): Map<string, number> {
  const byUid = new Map<string, number>();
  for (const position of positions) byUid.set(store.messages.senderAt(position), position);
  for (const [uid, position] of stored.get(id) ?? []) byUid.set(uid, position);
  return byUid;
}

function furthestBehind({ participants }: ConversationRecord, byUid: ReadonlyMap<string, number>) {
  let behind = { uid: '', first: Number.POSITIVE_INFINITY, second: Number.POSITIVE_INFINITY };
  for (const uid of participants) {
    const marker = byUid.get(uid) ?? -1;
    if (marker < behind.first) behind = { uid, first: marker, second: behind.first };
    else if (marker < behind.second) behind = { ...behind, second: marker };
  }
  return behind;
}

type StoredMarkers = ReadonlyMap<string, ReadonlyMap<string, number>>;

function storedMarkers(store: Store, { groups, conversations }: LoadedRows): StoredMarkers {
  const stored = new Map<string, Map<string, number>>();
  const place = (conversationId: string, uid: string, position: number): void => {
    const byUid = stored.get(conversationId) ?? new Map<string, number>();
    stored.set(conversationId, byUid.set(uid, position));
  };
  for (const { row, source } of groups) {
    const { conversationId } = store.groups.get(row.guid)!;
    for (const [index, { uid, readUpTo }] of (row.members ?? []).entries()) {
      if (readUpTo === undefined) continue;
      const position = positionIn(conversationId, readUpTo, store);
      if (position === undefined) {
        throw new ShapeError(source, `members[${index}].readUpTo`, 'should be the id of a message of the group');
      }
      place(conversationId, uid, position);
    }
  }
  for (const { row, source } of conversations) {
    for (const [uid, id] of Object.entries(row.readUpTo ?? {})) {
      const position = id === null ? -1 : positionIn(row.conversationId, id, store);
      if (position === undefined) {
        throw new ShapeError(source, 'readUpTo', 'should hold ids of messages of the conversation');
      }
      place(row.conversationId, uid, position);
    }
  }
  return stored;
}

function positionIn(conversationId: string, id: string, store: Store): number | undefined {
  const position = store.messages.positionOf(id);
  return position !== undefined && store.conversationAt(position).id === conversationId ? position : undefined;
}
