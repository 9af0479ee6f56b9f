/**
 * The read markers of all users (§4.5, §4.6). A marker is the position of the last message read; -1
 * if no message was read.
 */
import { ShapeError } from '../../foundation/errors.js';
import type { LoadedRows } from './data-directory.js';
import type { Conversation, Store } from './store.js';

/** The positions of markers by uid. */
type Markers = Map<string, number>;

/**
 * Read markers over a store, from the `readUpTo` of group members. Other markers start at the last
 * message that the user wrote in the conversation: who writes has read what came before. Throws
 * `ShapeError` for a `readUpTo` that is not a message of the conversation.
 */
export class ReadMarkers {
  readonly #store: Store;
  readonly #stored: ReadonlyMap<string, Markers>;
  readonly #made = new Map<string, Markers>();

  constructor(store: Store, groups: LoadedRows['groups']) {
    this.#store = store;
    this.#stored = storedMarkers(store, groups);
  }

  /** Moves a reader's marker forward to `position`, never back (§4.5). */
  advance(conversation: Conversation, uid: string, position: number): void {
    const markers = this.#markersOf(conversation);
    markers.set(uid, Math.max(markers.get(uid) ?? -1, position));
  }

  /** Moves a reader's marker back to `position`, never forward (§4.6). */
  retreat(conversation: Conversation, uid: string, position: number): void {
    const markers = this.#markersOf(conversation);
    markers.set(uid, Math.min(markers.get(uid) ?? -1, position));
  }

  /**
   * Reports whether the message at `position` is unread for `reader`, who takes part in its
   * conversation; without a reader, whether any recipient has not read it. Actions, deleted
   * messages and messages of the reader are never unread.
   */
  isUnread(position: number, reader: string | undefined): boolean {
    const { sender, category, deletedAt, conversationId } = this.#store.messages[position]!;
    if (category === 'action' || deletedAt !== undefined || sender === reader) return false;
    // INVARIANT: the store has a conversation for every message.
    const conversation = this.#store.conversations.get(conversationId)!;
    const markers = this.#markersOf(conversation);
    const isBehind = (uid: string) => (markers.get(uid) ?? -1) < position;
    if (reader !== undefined) return isBehind(reader);
    for (const uid of conversation.participants) if (uid !== sender && isBehind(uid)) return true;
    return false;
  }

  /** Returns the markers of a conversation, made when they are first needed. */
  #markersOf({ id, positions }: Conversation): Markers {
    const known = this.#made.get(id);
    if (known !== undefined) return known;
    const sent = positions.map((position) => [this.#store.messages[position]!.sender, position] as const);
    const markers: Markers = new Map([...sent, ...(this.#stored.get(id) ?? [])]);
    this.#made.set(id, markers);
    return markers;
  }
}

/** Returns stored markers by conversation id. */
function storedMarkers(store: Store, groups: LoadedRows['groups']): ReadonlyMap<string, Markers> {
  const stored = new Map<string, Markers>();
  for (const { row, source } of groups) {
    const { conversationId } = store.groups.get(row.guid)!;
    const markers: Markers = new Map();
    for (const [index, { uid, readUpTo }] of (row.members ?? []).entries()) {
      if (readUpTo === undefined) continue;
      const position = store.positionOf(readUpTo);
      if (position === undefined || store.messages[position]!.conversationId !== conversationId)
        throw new ShapeError(source, `members[${index}].readUpTo`, 'must be the id of a message of the conversation');
      markers.set(uid, position);
    }
    stored.set(conversationId, markers);
  }
  return stored;
}
