import { ShapeError } from '../errors.js';
import type { LoadedRows } from './load.js';
import { indexFrom } from './message-order.js';
import type { ConversationRecord, Store } from './store.js';

/** How far everyone has read. A marker is the position of the last message read; -1 when nothing is. */
export interface ReadMarkers {
  /** Moves a reader's marker forward to `position`, never back (§4.5). */
  readonly advance: (conversation: ConversationRecord, uid: string, position: number) => void;
  /** Moves a reader's marker back to `position`, never forward (§4.6). */
  readonly retreat: (conversation: ConversationRecord, uid: string, position: number) => void;
  /**
   * Whether the message at `position` is unread for `reader`, who takes part in its conversation; without one, whether any recipient has not read it. Actions and
   * deleted messages never are, nor is what the reader sent.
   */
  readonly isUnread: (position: number, reader: string | undefined) => boolean;
  /** How many messages of a conversation are unread for `reader`. */
  readonly countUnread: (conversation: ConversationRecord, reader: string) => number;
}

/** Markers of one conversation: by uid, and the two furthest behind, which answer "has everyone but the sender read it". */
interface Markers {
  readonly byUid: Map<string, number>;
  behind: { readonly uid: string; readonly first: number; readonly second: number } | undefined;
}

/**
 * Read markers over a store (§4.5, §4.6), starting from the `readUpTo` of group members. Whoever has none starts at their
 * own last message of the conversation: to have written there is to have read what came before. Throws `ShapeError` for a
 * `readUpTo` that is no message of the group.
 */
export function createReadMarkers(store: Store, rows: LoadedRows): ReadMarkers {
  const markersOf = markerTable(store, storedMarkers(store, rows));
  const markerOf = (conversation: ConversationRecord, uid: string): number =>
    markersOf(conversation).byUid.get(uid) ?? -1;
  const place = (conversation: ConversationRecord, uid: string, position: number): void => {
    const of = markersOf(conversation);
    of.byUid.set(uid, position);
    of.behind = undefined;
  };
  const isUnreadByAnyone = (conversation: ConversationRecord, position: number, sender: string): boolean => {
    const of = markersOf(conversation);
    of.behind ??= furthestBehind(conversation, of.byUid);
    return (of.behind.uid === sender ? of.behind.second : of.behind.first) < position;
  };
  const isUnread = (position: number, reader: string | undefined): boolean => {
    const { sender, category, deletedAt } = store.messages[position]!;
    if (category === 'action' || deletedAt !== undefined || sender === reader) return false;
    const conversation = store.conversationAt[position]!;
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
  for (const position of positions) byUid.set(store.messages[position]!.sender, position);
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

function storedMarkers(store: Store, { groups, groupSources }: LoadedRows): StoredMarkers {
  const stored = new Map<string, Map<string, number>>();
  for (const [row, group] of groups.entries()) {
    const conversation = store.groups.get(group.guid)!.conversationId;
    const byUid = new Map<string, number>();
    for (const [index, { uid, readUpTo }] of (group.members ?? []).entries()) {
      if (readUpTo === undefined) continue;
      const position = store.positionOf.get(readUpTo);
      if (position === undefined || store.messages[position]!.conversationId !== conversation) {
        throw new ShapeError(
          groupSources[row]!,
          `members[${index}].readUpTo`,
          'should be the id of a message of the group',
        );
      }
      byUid.set(uid, position);
    }
    stored.set(conversation, byUid);
  }
  return stored;
}
