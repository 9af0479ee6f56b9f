import { serveMessage } from './embed.js';
import type { ServiceState } from './operation-call.js';
import type { UserRecord } from './parties.js';
import type { ConversationRecord } from './store.js';

/**
 * A one-to-one conversation as an acting user sees it (§2.3): what they have not read, and the other party. It was created
 * with its first message and updated with its last one or with its tags. Times in seconds since the epoch.
 */
export function conversationView(
  conversation: ConversationRecord,
  actor: UserRecord,
  other: UserRecord,
  { store, markers, tags: allTags }: ServiceState,
): object {
  const { id, positions } = conversation;
  const { tags, changedAt = 0 } = allTags.of(id);
  const { sentAt } = store.messages.columns;
  const last = positions.at(-1)!;
  return {
    conversationId: id,
    conversationType: 'user',
    unreadMessageCount: String(markers.countUnread(conversation, actor.uid)),
    createdAt: sentAt[positions[0]!]!,
    updatedAt: Math.max(sentAt[last]!, changedAt),
    tags,
    lastMessage: serveMessage(store.messages.read(last), { actor }, store),
    conversationWith: { ...other.wire, conversationId: id },
  };
}
