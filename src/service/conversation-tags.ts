/** Tags of a conversation, and when they were last set, in seconds since the epoch. */
export interface TagState {
  readonly tags: readonly string[];
  readonly changedAt?: number;
}

/** The tags of conversations (§4.1), by conversation id; they start empty. */
export interface ConversationTags {
  readonly of: (conversationId: string) => TagState;
  /** Puts these tags in the place of those that were. */
  readonly replace: (conversationId: string, tags: readonly string[]) => void;
}

/** Keeps tags in memory, for as long as the service runs. */
export function createConversationTags(): ConversationTags {
  const states = new Map<string, TagState>();
  return {
    of: (conversationId) => states.get(conversationId) ?? { tags: [] },
    replace: (conversationId, tags) => states.set(conversationId, { tags, changedAt: Math.floor(Date.now() / 1000) }),
  };
}
