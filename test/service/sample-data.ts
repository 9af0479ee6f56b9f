/**
 * A small world for the service to serve: every feature of §4.2 in many mixtures, made by counting
 * and not by chance.
 */
import type { GroupRow, MessageRow, ModerationRow, UserRow } from '../../src/platform/service/index.js';

export const users: readonly UserRow[] = [
  {
    ...{ uid: 'alice', name: 'Alice', status: 'offline', role: 'default' },
    ...{ createdAt: 900, tags: ['staff'], blocked: ['dave'] },
  },
  { uid: 'bob', name: 'Bob', status: 'offline', role: 'manager', createdAt: 901, blocked: ['alice'] },
  { uid: 'carol', name: 'Carol', status: 'offline', role: 'default', createdAt: 902, tags: ['vip', 'new'] },
  { uid: 'dave', name: 'Dave', status: 'offline', role: 'default', createdAt: 903 },
  { uid: 'we/ird id%?', name: 'Weird', status: 'offline', role: 'default', createdAt: 904 },
  { uid: 'zoë', name: 'Zoë', status: 'offline', role: 'default', createdAt: 905 },
];

export const groups: readonly GroupRow[] = [
  {
    guid: 'team',
    name: 'Team',
    type: 'private',
    owner: 'alice',
    createdAt: 950,
    tags: ['work'],
    members: [
      { uid: 'alice', scope: 'admin', joinedAt: 951 },
      { uid: 'bob', scope: 'participant', joinedAt: 952, readUpTo: '9' },
      { uid: 'carol', scope: 'participant', joinedAt: 953 },
    ],
  },
  { guid: 'quiet', name: 'Quiet', type: 'public', createdAt: 960, members: [{ uid: 'alice', joinedAt: 961 }] },
];

const senders = ['alice', 'bob', 'carol', 'dave'] as const;
const texts = [
  ...['hello there', 'HELLO again, see https://example.com/a', 'nothing to see', 'www.example.org has it'],
  ...['ΟΔΟΣ and straße', undefined],
];
const attachments = [
  undefined,
  undefined,
  [{ name: 'a.png', extension: 'png', size: 1, mimeType: 'image/png', url: 'https://files.test/a.png' }],
  [
    { name: 'b.mp4', extension: 'mp4', size: 2, mimeType: 'video/mp4', url: 'https://files.test/b.mp4' },
    { name: 'c.pdf', extension: 'pdf', size: 3, mimeType: 'application/pdf', url: 'https://files.test/c.pdf' },
  ],
  [{ name: 'd.mp3', extension: 'mp3', size: 4, mimeType: 'audio/mpeg', url: 'https://files.test/d.mp3' }],
  [],
];
const mentions = [
  undefined,
  { carol: { uid: 'carol', name: 'Carol' } },
  { bob: { uid: 'bob', name: 'Bob' }, dave: { uid: 'dave', name: 'Dave' } },
  undefined,
  {},
];

/** The i-th message; ids and times run apart, and times repeat, so that the order rests on both. */
function message(i: number): MessageRow {
  const sender = senders[(i * 7 + (i >> 2)) % 4]!;
  const others = senders.filter((uid) => uid !== sender);
  const group = ['team', 'open'][i % 2]!;
  const isGroup = i % 3 !== 0;
  const isCustom = i % 11 === 5;
  const reactions = i % 5 === 0 ? [{ reaction: '👍', count: 1 }] : undefined;
  return {
    id: String(i < 60 ? i + 1 : 1000 - i),
    sender,
    receiverType: isGroup ? 'group' : 'user',
    receiver: isGroup ? group : others[(i / 3) % 3]!,
    category: isCustom ? 'custom' : 'message',
    type: isCustom ? 'location' : ['text', 'image', 'text'][i % 3],
    sentAt: 1000 + (i >> 1) * 10,
    updatedAt: 1000 + (i >> 1) * 10,
    data: {
      text: texts[i % 6],
      attachments: attachments[(i * 5) % 6],
      mentions: mentions[(i * 3) % 5],
      reactions,
      metadata: { i },
    },
    ...(i % 4 === 1 ? { tags: i % 8 === 1 ? ['urgent'] : ['urgent', 'later'] } : {}),
    ...(i % 6 === 4 ? { parentId: '1' } : {}),
    ...(i % 9 === 8 ? { deletedAt: 5000 + i, deletedBy: sender, ...(i % 2 === 0 ? { data: undefined } : {}) } : {}),
    ...(i % 10 === 3 ? { editedAt: 4000 + i, editedBy: sender } : {}),
  };
}

const inTeam = { receiverType: 'group', receiver: 'team', category: 'action' } as const;
const actions: readonly MessageRow[] = [
  {
    ...{ ...inTeam, id: '500', sender: 'alice', type: 'groupMember', sentAt: 1205, updatedAt: 1205 },
    data: { action: 'unbanned', entities: { by: 'alice', on: 'carol', for: 'team' } },
  },
  {
    ...{ ...inTeam, id: '501', sender: 'bob', type: 'message', sentAt: 1206, updatedAt: 1206 },
    data: { action: 'deleted', entities: { by: 'bob', on: '9', for: 'team' } },
  },
];

/** In no order at all. */
export const messages: readonly MessageRow[] = [
  ...Array.from({ length: 90 }, (_, i) => message((i * 37) % 90)),
  ...actions,
];

export const rules: readonly ModerationRow[] = [
  { id: 'r1', name: 'words', conditions: [], action: ['blockMessage'], enabled: true, active: true },
  { id: 'broken', conditions: 'nonsense', action: 7 },
  { id: 'both', name: 'a rule', conditions: [] },
];

export const lists: readonly ModerationRow[] = [
  { id: 'l1', name: 'list', category: 'word', isCSV: false, searchTerms: ['a', 'a', 'b'] },
  { id: 'both', name: 'a list', category: 'word', searchTerms: ['x'] },
];

export const data = { users, groups, messages, rules, lists };
