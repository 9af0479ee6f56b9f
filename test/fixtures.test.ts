import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { end, start } from '../fixtures/calendar.js';
import { defaultSeed, generate } from '../fixtures/generate.js';
import type { MessageRow } from '../fixtures/rows.js';
import { serialise } from '../fixtures/serialise.js';
import { groupSchema } from '../src/platform/contract/group.js';
import { messageSchema } from '../src/platform/contract/message.js';
import { userSchema } from '../src/platform/contract/user.js';
import { messageRowSchema } from '../src/platform/service/rows.js';

/**
 * What `fixtures/README.md` promises about people and messages, and that the data is what the generator makes. Rules,
 * lists and verdicts: `test/fixtures/*.test.ts`.
 */
const data = generate();
const { users, groups, messages, rules, lists } = data;
const folder = new URL('../fixtures/', import.meta.url);
const uids = new Set(users.map(({ uid }) => uid));
const guids = new Set(groups.map(({ guid }) => guid));
const byId = new Map(messages.map((message) => [message.id, message]));

const textOf = ({ data }: MessageRow): string => (typeof data?.text === 'string' ? data.text : '');
const texts = messages.filter(({ category }) => category === 'message').map(textOf);
const attachmentsOf = ({ data }: MessageRow) => (data?.attachments ?? []) as readonly unknown[];
const entitiesOf = ({ data }: MessageRow) => data?.entities as { by: string; on: string; for: string };
const count = <T>(items: readonly T[], holds: (item: T) => unknown): number => items.filter(holds).length;

describe('committed fixtures', () => {
  it.each(Object.entries(serialise(data)))(
    '%s equals the output of the generator (`npm run fixtures` writes it)',
    (name, made) => {
      const committed = readFileSync(new URL(`data/${name}`, folder), 'utf8').split('\n');
      const firstDifference = made.split('\n').findIndex((line, index) => line !== committed[index]);
      expect({ firstDifference, lines: committed.length }).toEqual({
        firstDifference: -1,
        lines: made.split('\n').length,
      });
    },
  );

  it('size: a few megabytes, one row per line', () => {
    const files = Object.entries(serialise(data));
    expect(files.reduce((sum, [, content]) => sum + Buffer.byteLength(content), 0)).toBeLessThan(7_850_000);
    for (const [name, content] of files) {
      expect(content).not.toMatch(/[\r\u2028\u2029\ufffd]/);
      if (!name.endsWith('.ndjson')) continue;
      for (const line of content.trimEnd().split('\n')) expect(typeof JSON.parse(line)).toBe('object');
    }
  });

  it('messages are rows as the service reads them, to the byte, so that it can take them from the generator', () => {
    const read = messages.map((message) => messageRowSchema.parse(JSON.parse(JSON.stringify(message))));
    const differing = messages.filter((message, index) => JSON.stringify(message) !== JSON.stringify(read[index]));
    expect(differing).toEqual([]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  });

  it('generator: output depends on the seed alone', () => {
    const other = generate(defaultSeed + 1);
    expect(other.messages.slice(0, 50)).not.toEqual(messages.slice(0, 50));
    expect(serialise(generate(defaultSeed + 1))).toEqual(serialise(other));
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    expect(sources.length).toBeGreaterThan(20);
    const impure = /Date\.now|new Date|Math\.random\(|toLocale|localeCompare|\bIntl\.|performance\./;
    for (const file of sources) expect(readFileSync(new URL(file, folder), 'utf8'), file).not.toMatch(impure);
  });
});

describe('fixture counts', () => {
  const conversations = new Set(messages.map(({ conversationId }) => conversationId));
  const inGroups = [...conversations].filter((id) => id.startsWith('group_')).length;

  it('users, groups, conversations and days are as documented', () => {
    expect([users.length, groups.length, inGroups, conversations.size - inGroups]).toEqual([60, 15, 15, 120]);
    expect(new Set(messages.map(({ sender }) => sender)).size).toBe(60);
    expect(messages.length).toBeGreaterThanOrEqual(25_000);
    expect(new Set(messages.map(({ sentAt }) => Math.floor((sentAt - start) / 86_400))).size).toBe(90);
    expect(count(users, ({ role }) => role === 'manager')).toBeGreaterThan(3);
    expect(new Set(groups.map(({ type }) => type))).toEqual(new Set(['public', 'private', 'password']));
    expect(count(users, ({ blocked }) => blocked)).toBeGreaterThan(3);
    expect(rules.length).toBeGreaterThanOrEqual(14);
    expect(lists.length).toBeGreaterThanOrEqual(7);
    const readme = readFileSync(new URL('README.md', folder), 'utf8');
    for (const [file, rows] of [
      ['messages.ndjson', messages],
      ['rules.json', rules],
      ['lists.json', lists],
    ] as const) {
      expect(readme.replace(/ +/g, ' ')).toContain(`\`${file}\` | ${rows.length.toLocaleString('en-US')} |`);
    }
  });

  it.each<[string, number, (message: MessageRow) => unknown]>([
    ['custom', 500, ({ category }) => category === 'custom'],
    ['image', 500, ({ type }) => type === 'image'],
    ['video', 100, ({ type }) => type === 'video'],
    ['audio', 80, ({ type }) => type === 'audio'],
    ['file', 80, ({ type }) => type === 'file'],
    ['albums', 20, (message) => attachmentsOf(message).length > 1],
    ['captions', 200, (message) => message.type === 'image' && textOf(message) !== ''],
    ['replies', 800, ({ parentId }) => parentId],
    ['mentions', 300, ({ data }) => data?.mentions],
    ['reactions', 800, ({ data }) => data?.reactions],
    ['metadata', 200, ({ data }) => data?.metadata],
    ['tags', 400, ({ tags }) => tags],
    ['edited', 200, ({ editedAt }) => editedAt],
    ['deleted', 200, ({ deletedAt }) => deletedAt],
    ['deleted with their data', 20, ({ deletedAt, data }) => deletedAt !== undefined && data !== undefined],
    ['member actions', 60, ({ category, type }) => category === 'action' && type === 'groupMember'],
    ['message actions', 300, ({ category, type }) => category === 'action' && type === 'message'],
    ['links', 400, (message) => /https?:\/\//.test(textOf(message))],
    ['empty texts', 2, ({ data }) => data?.text === ''],
    ['lone surrogates', 2, (message) => /\p{Cs}/u.test(textOf(message))],
    ['null characters', 2, (message) => textOf(message).includes('\0')],
    ['zero-width characters', 2, (message) => /[\u200b-\u200d\ufeff]/.test(textOf(message))],
    ['long texts', 5, (message) => textOf(message).length > 2000],
    ['shouting', 150, (message) => /^[A-Z' ,!?]{9,}$/.test(textOf(message))],
    [
      'the same second as the one before',
      50,
      ({ sentAt, id }) => messages[messages.indexOf(byId.get(id)!) - 1]?.sentAt === sentAt,
    ],
  ])('has %s, at least %i', (_, least, holds) => {
    expect(count(messages, holds)).toBeGreaterThanOrEqual(least);
  });

  it('messages are in many languages, and most texts are distinct', () => {
    for (const script of ['Cyrillic', 'Arabic', 'Devanagari', 'Han', 'Hiragana', 'Hangul', 'Extended_Pictographic']) {
      const property = script === 'Extended_Pictographic' ? script : `Script=${script}`;
      expect(
        count(texts, (text) => new RegExp(`\\p{${property}}`, 'u').test(text)),
        script,
      ).toBeGreaterThan(150);
    }
    for (const word of ['mañana', 'nicht', 'oui', 'amanhã', 'için']) expect(texts.join('\n')).toContain(word);
    expect(new Set(texts).size / texts.length).toBeGreaterThan(0.6);
  });
});

describe('fixture resources (§2)', () => {
  it('parse with the contract', () => {
    for (const user of users) userSchema.parse(user);
    for (const group of groups) groupSchema.parse(group);
    for (const message of messages) {
      const { entities, ...kept }: Record<string, unknown> = message.data ?? {};
      if ((entities !== undefined) !== (message.category === 'action')) expect.fail(`entities of ${message.id}`);
      messageSchema.parse(message.data === undefined ? message : { ...message, data: kept });
    }
  });

  it('messages are sorted by time and id', () => {
    const misplaced = messages.filter((message, index) => {
      const before = messages[index - 1];
      if (!/^[1-9]\d*$/.test(message.id) || message.sentAt < start || message.sentAt >= end) return true;
      return before !== undefined && !(Number(message.id) > Number(before.id) && message.sentAt >= before.sentAt);
    });
    expect(misplaced).toEqual([]);
    expect(new Set(messages.map(({ id }) => id.length)).size).toBeGreaterThan(1);
  });

  it('references refer to existing resources', () => {
    /** What is wrong with a message, by name. */
    const faultsOf = (message: MessageRow): string[] => {
      const { sender, receiver, receiverType, conversationId } = message;
      const pair = [sender, receiver].sort().join('_user_');
      const parent = message.parentId === undefined ? undefined : byId.get(message.parentId);
      const holds = {
        conversation: conversationId === (receiverType === 'group' ? `group_${receiver}` : pair),
        'sender, receiver': uids.has(sender) && (receiverType === 'group' ? guids : uids).has(receiver),
        mentions: Object.keys(message.data?.mentions ?? {}).every(
          (uid) => uids.has(uid) && textOf(message).includes(`<@uid:${uid}>`),
        ),
        parent:
          message.parentId === undefined ||
          (parent?.conversationId === conversationId &&
            parent.parentId === undefined &&
            Number(parent.id) < Number(message.id)),
        'who changed it': [message.editedBy, message.deletedBy].every((uid) => uid === undefined || uids.has(uid)),
        action: message.category !== 'action' || isOfOwnConversation(message),
      };
      return Object.entries(holds).flatMap(([name, isGood]) => (isGood ? [] : [`${name} of ${message.id}`]));
    };
    expect(messages.flatMap(faultsOf)).toEqual([]);
  });

  it('groups are consistent: members, owners, read markers, and only members as senders', () => {
    for (const { guid, owner, members } of groups) {
      const own = messages.filter(({ receiver, receiverType }) => receiverType === 'group' && receiver === guid);
      const gone = own.filter((message) => message.type === 'groupMember').map((message) => entitiesOf(message).on);
      const known = new Set([...members.map(({ uid }) => uid), ...gone]);
      expect(own.filter(({ sender }) => !known.has(sender))).toEqual([]);
      expect(new Set(members.map(({ uid }) => uid)).size).toBe(members.length);
      expect(members.find(({ uid }) => uid === owner)?.scope).toBe('admin');
      for (const { uid, readUpTo } of members) {
        expect(uids.has(uid)).toBe(true);
        expect(readUpTo === undefined || byId.get(readUpTo)?.receiver === guid).toBe(true);
      }
    }
  });
});

/** Whether an action names a known user who acts, something of its own conversation, and for whom. */
function isOfOwnConversation(message: MessageRow): boolean {
  const { by, on, for: whom } = entitiesOf(message);
  const isKnown = message.type === 'message' ? byId.get(on)?.conversationId === message.conversationId : uids.has(on);
  return uids.has(by) && isKnown && whom === message.receiver;
}
