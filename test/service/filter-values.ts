import { expect } from 'vitest';
import type { Query } from './call.js';
import type { InProcess } from './in-process.js';
import { select } from './naive-listing.js';

/** Every filter of §4.2 with values of which some select something, and some nothing. */
const values: Readonly<Record<string, readonly Query[string][]>> = {
  searchKey: ['hello', 'HELLO', 'see', 'οδοσ', '.', 'e(', '.*', '['],
  hideMessagesFromBlockedUsers: [true, false],
  hasAttachments: [true, false],
  attachmentTypes: ['image', 'video', 'audio', 'file'],
  hasMentions: [true, false],
  mentionedUids: [['carol'], ['bob', 'alice'], ['nobody']],
  hasReactions: [true, false],
  hasLinks: [true, false],
  receiverType: ['user', 'group'],
  category: ['message', 'action', 'custom'],
  type: ['text', 'location', 'image', 'none'],
  sender: ['alice', 'bob', 'dave', 'carol', 'nobody'],
  hideDeleted: [true, false],
  onlyDeleted: [true, false],
  hideReplies: [true, false],
  conversationId: ['group_team', 'group_open', 'alice_user_bob', 'nowhere'],
  tags: [['urgent'], ['later', 'other'], ['other']],
  categories: [['message', 'action'], ['custom'], ['custom', 'action']],
  types: [['text', 'location'], ['groupMember']],
  sentAt: [1100, 0, 1205, 9999],
  fromTimestamp: [1205, 0, 1100, 9999],
  toTimestamp: [1205, 0, 1200, 9999],
};
export const filters = Object.entries(values);
export const actors = [undefined, 'alice', 'bob', 'carol', 'dave', 'zoë'];

/** Compares with a naive listing what a service selects, and returns how many messages that are. */
export function agrees(service: InProcess, query: Query, actor: string | undefined): number {
  const expected = select(query, actor).map(({ id }) => id);
  expect(service.ids(query, actor), JSON.stringify([query, actor])).toEqual(expected);
  return expected.length;
}
