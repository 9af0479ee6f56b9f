/**
 * How far everyone has read (§4.5, §4.6). A marker is the position of the last message read; -1
 * when nothing is.
 */
import { ShapeError } from '../../foundation/errors.js';
import type { LoadedRows } from './data-directory.js';
import type { Conversation, Store } from './store.js';

type Groups = LoadedRows['groups'];

/**
 * Markers of one conversation: by uid, and the two furthest behind, which answer "has everyone but
 * the sender read it".
 */
interface Markers {
  readonly byUid: Map<string, number>;
  behind?: { readonly uid: string; readonly first: number; readonly second: number } | undefined;
}

/**
 * Read markers over a store, from the `readUpTo` of group members. Others start at their own last
 * message of the conversation: to have written there is to have read what came before. Throws
 * `ShapeError` for a `readUpTo` that is no message of the conversation.
 */
export class ReadMarkers {
  /**
   * How many messages and participants were ever walked through to know markers: the work of a call
   * that is more than a look.
   */
  steps = 0;
  readonly #store: Store;
  readonly #stored: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly #made = new Map<string, Markers>();

  constructor(store: Store, groups: Groups) {
    this.#store = store;
    this.#stored = storedMarkers(store, groups);
  }

  /** Moves a reader's marker forward to `position`, never back (§4.5). */
  advance(conversation: Conversation, uid: string, position: number): void {
    this.#move(conversation, uid, (marker) => Math.max(marker, position));
  }

  /** Moves a reader's marker back to `position`, never forward (§4.6). */
  retreat(conversation: Conversation, uid: string, position: number): void {
    this.#move(conversation, uid, (marker) => Math.min(marker, position));
  }

  /**
   * Whether the message at `position` is unread for `reader`, who takes part in its conversation;
   * without one, whether any recipient has not read it. Actions and deleted messages never are, nor
   * is what the reader sent.
   */
  isUnread(position: number, reader: string | undefined): boolean {
    const { sender, category, deletedAt, conversationId } = this.#store.messages[position]!;
    if (category === 'action' || deletedAt !== undefined || sender === reader) return false;
    // INVARIANT: the store has a conversation for every message.
    const conversation = this.#store.conversations.get(conversationId)!;
    const markers = this.#markersOf(conversation);
    if (reader !== undefined) return (markers.byUid.get(reader) ?? -1) < position;
    if (markers.behind === undefined) {
      markers.behind = furthestBehind(conversation, markers.byUid);
      this.steps += conversation.participants.size;
    }
    const { uid, first, second } = markers.behind;
    return (uid === sender ? second : first) < position;
  }

  /** Returns the markers of a conversation, made when they are first needed. */
  #markersOf({ id, positions }: Conversation): Markers {
    const known = this.#made.get(id);
    if (known !== undefined) return known;
    const own = positions.map((position) => [this.#store.messages[position]!.sender, position] as const);
    const markers = { byUid: new Map([...own, ...(this.#stored.get(id) ?? [])]) };
    this.steps += positions.length;
    this.#made.set(id, markers);
    return markers;
  }

  #move(conversation: Conversation, uid: string, position: (marker: number) => number): void {
    const markers = this.#markersOf(conversation);
    markers.byUid.set(uid, position(markers.byUid.get(uid) ?? -1));
    markers.behind = undefined;
  }
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

/** Returns stored markers by conversation id and uid. */
function storedMarkers(store: Store, groups: Groups) {
  const stored = new Map<string, Map<string, number>>();
  for (const { row, source } of groups) {
    const { conversationId } = store.groups.get(row.guid)!;
    const positions = new Map<string, number>();
    for (const [index, { uid, readUpTo }] of (row.members ?? []).entries()) {
      if (readUpTo === undefined) continue;
      const position = store.positionOf(readUpTo);
      if (position === undefined || store.messages[position]!.conversationId !== conversationId)
        throw new ShapeError(source, `members[${index}].readUpTo`, 'must be the id of a message of the conversation');
      positions.set(uid, position);
    }
    stored.set(conversationId, positions);
  }
  return stored;
}
