/** How far everyone has read (§4.5, §4.6). A marker is the position of the last message read; -1 when nothing is. */
import { ShapeError } from '../../foundation/errors.js';
import type { LoadedRows } from './data-directory.js';
import type { Conversation, Store } from './store.js';

/** The markers of a service. */
export type ReadMarkers = ReturnType<typeof createReadMarkers>;

/** Markers of one conversation: by uid, and the two furthest behind, which answer "has everyone but the sender read it". */
interface Markers {
  readonly byUid: Map<string, number>;
  behind?: { readonly uid: string; readonly first: number; readonly second: number } | undefined;
}

/**
 * Read markers over a store, starting from what a service before it saved, or from the `readUpTo` of group members. Whoever has
 * none starts at their own last message of the conversation: to have written there is to have read what came before. Throws
 * `ShapeError` for a `readUpTo` that is no message of the conversation.
 */
export function createReadMarkers(store: Store, rows: Pick<LoadedRows, 'groups' | 'conversations'>) {
  const { messages, conversations } = store;
  const stored = storedMarkers(store, rows);
  const made = new Map<string, Markers>();
  const moved = new Set(rows.conversations.filter(({ row }) => row.readUpTo).map(({ row }) => row.conversationId));

  let steps = 0;
  /** Made when they are first needed. */
  const markersOf = ({ id, positions }: Conversation): Markers => {
    let markers = made.get(id);
    if (markers === undefined) {
      const byUid = new Map<string, number>();
      for (const position of positions) byUid.set(messages[position]!.sender, position);
      steps += positions.length;
      for (const [uid, position] of stored.get(id) ?? []) byUid.set(uid, position);
      markers = { byUid };
      made.set(id, markers);
    }
    return markers;
  };
  const move = (conversation: Conversation, uid: string, position: (marker: number) => number): void => {
    const markers = markersOf(conversation);
    markers.byUid.set(uid, position(markers.byUid.get(uid) ?? -1));
    markers.behind = undefined;
    moved.add(conversation.id);
  };
  return {
    /** Moves a reader's marker forward to `position`, never back (§4.5). */
    advance: (conversation: Conversation, uid: string, position: number): void =>
      move(conversation, uid, (marker) => Math.max(marker, position)),
    /** Moves a reader's marker back to `position`, never forward (§4.6). */
    retreat: (conversation: Conversation, uid: string, position: number): void =>
      move(conversation, uid, (marker) => Math.min(marker, position)),
    /**
     * Whether the message at `position` is unread for `reader`, who takes part in its conversation; without one, whether any
     * recipient has not read it. Actions and deleted messages never are, nor is what the reader sent.
     */
    isUnread: (position: number, reader: string | undefined): boolean => {
      const { sender, category, deletedAt, conversationId } = messages[position]!;
      if (category === 'action' || deletedAt !== undefined || sender === reader) return false;
      // INVARIANT: the store has a conversation for every message.
      const conversation = conversations.get(conversationId)!;
      const markers = markersOf(conversation);
      if (reader !== undefined) return (markers.byUid.get(reader) ?? -1) < position;
      if (markers.behind === undefined) {
        markers.behind = furthestBehind(conversation, markers.byUid);
        steps += conversation.participants.size;
      }
      const { uid, first, second } = markers.behind;
      return (uid === sender ? second : first) < position;
    },
    /** How many messages and participants were ever walked through to know markers: the work of a call that is more than a look. */
    steps: (): number => steps,
    /** The markers, by uid, of every conversation in which one was ever moved, with its id. */
    changed: (): [string, ReadonlyMap<string, number>][] =>
      [...moved].map((id) => [id, markersOf(conversations.get(id)!).byUid]),
  };
}

function furthestBehind({ participants }: Conversation, byUid: ReadonlyMap<string, number>) {
  let behind = { uid: '', first: Number.POSITIVE_INFINITY, second: Number.POSITIVE_INFINITY };
  for (const uid of participants) {
    const marker = byUid.get(uid) ?? -1;
    if (marker < behind.first) behind = { uid, first: marker, second: behind.first };
    else if (marker < behind.second) behind = { ...behind, second: marker };
  }
  return behind;
}

/** By conversation id, by uid. Those of a conversation go before those of the members of its group. */
function storedMarkers(store: Store, { groups, conversations }: Pick<LoadedRows, 'groups' | 'conversations'>) {
  const stored = new Map<string, Map<string, number>>();
  const place = (conversationId: string, uid: string, id: string | null, source: string, field: string): void => {
    const position = id === null ? -1 : store.positionOf(id);
    if (position === undefined || (position >= 0 && store.messages[position]!.conversationId !== conversationId)) {
      throw new ShapeError(source, field, 'must be the id of a message of the conversation');
    }
    stored.set(conversationId, (stored.get(conversationId) ?? new Map()).set(uid, position));
  };
  for (const { row, source } of groups) {
    const { conversationId } = store.groups.get(row.guid)!;
    for (const [index, { uid, readUpTo }] of (row.members ?? []).entries()) {
      if (readUpTo !== undefined) place(conversationId, uid, readUpTo, source, `members[${index}].readUpTo`);
    }
  }
  for (const { row, source } of conversations) {
    for (const [uid, id] of Object.entries(row.readUpTo ?? {})) {
      place(row.conversationId, uid, id, source, `readUpTo.${uid}`);
    }
  }
  return stored;
}
