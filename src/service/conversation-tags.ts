import { ShapeError } from '../errors.js';
import type { ConversationRow } from './data.js';
import type { Placed } from './load.js';
import type { Store } from './store.js';

/** Tags of a conversation, and when they were last set, in seconds since the epoch. */
export interface TagState {
  readonly tags: readonly string[];
  readonly changedAt?: number | undefined;
}

/** The tags of conversations (§4.1), by conversation id. */
export interface ConversationTags {
  readonly of: (conversationId: string) => TagState;
  /** Puts these tags in the place of those that were. */
  readonly replace: (conversationId: string, tags: readonly string[]) => void;
  /** All that were ever set. */
  readonly changed: () => Iterable<readonly [string, TagState]>;
}

/**
 * Keeps tags in memory, for as long as the service runs, starting from those that a service before it saved. Throws
 * `ShapeError` for tags of a conversation that there is not.
 */
export function createConversationTags(store: Store, rows: readonly Placed<ConversationRow>[]): ConversationTags {
  const states = new Map<string, TagState>();
  for (const { row, source } of rows) {
    const { conversationId, tags, tagsChangedAt } = row;
    if (!store.conversations.has(conversationId)) {
      throw new ShapeError(source, 'conversationId', 'should be the id of a conversation');
    }
    if (tags !== undefined) states.set(conversationId, { tags, changedAt: tagsChangedAt });
  }
  return {
    of: (conversationId) => states.get(conversationId) ?? { tags: [] },
    replace: (conversationId, tags) => states.set(conversationId, { tags, changedAt: Math.floor(Date.now() / 1000) }),
    changed: () => states,
  };
}
