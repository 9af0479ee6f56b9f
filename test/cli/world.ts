import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import {
  type MessageRow,
  type ModerationRow,
  type ServiceData,
  startService,
} from '../../src/platform/service/index.js';

/** A small data set: valid and broken rules, and names and texts with terminal controls. */

const condition = {
  ...{ id: 1, isKeywordsReferencePresent: false, isMediaPresent: false },
  ...{ entity: 'message', operand: 'text', category: 'word', operator: 'contains' },
};

const words = { ...condition, isKeywordsReferencePresent: true, value: ['profanity-list'] };

const rules: readonly ModerationRow[] = [
  {
    id: 'profanity-filter',
    name: 'Profanity filter',
    enabled: true,
    active: true,
    conditions: [words, { ...words, id: 2, operand: 'custom' }],
    action: ['blockMessage'],
    revisionId: 'app_profanity-filter_3',
    default: true,
  },
  {
    id: 'scam',
    name: 'Scam phrases, and links that promise \u{202e}gnihton\u{202c} for \u{1b}[31mfree',
    enabled: true,
    conditions: [{ ...words, value: ['scam-list', 'lost-list'] }],
    action: ['dropMessage', 'kick'],
  },
  {
    id: 'email_filter',
    name: 'Email filter',
    conditions: [{ ...condition, category: 'pattern', value: ['[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}'] }],
    action: ['blockMessage'],
  },
  {
    id: 'gore',
    name: 'Gore in pictures',
    conditions: [{ ...condition, operand: 'image', isMediaPresent: true, value: ['gore_greaterThan_70'] }],
    action: ['blockMessage'],
  },
  {
    id: 'off',
    name: 'Switched off',
    enabled: false,
    conditions: [{ ...condition, value: ['hello'] }],
    action: ['kick'],
  },
  {
    id: 'broken',
    name: 'Broken',
    conditions: [{ ...condition, category: 'pattern', value: ['(['] }],
    action: ['kick'],
  },
];

const lists: readonly ModerationRow[] = [
  {
    id: 'profanity-list',
    category: 'word',
    searchTerms: ['heck', 'damn', '笨蛋', '👩‍🚀'],
    revisionId: 'app_profanity-list_1',
  },
  { id: 'scam-list', category: 'word', searchTerms: ['free\nmoney'] },
];

const texts = [
  ...['hello there', 'what the heck, HECK', 'send me mail at bob@example.com', 'free   money here'],
  ...['你是 笨蛋 吗', 'an 👩‍🚀 flies', 'damn', undefined],
];

/** Every eighth message is a picture; `scores` has those of two pictures. */
function message(index: number): MessageRow {
  const id = String(index + 1);
  const text = texts[index % texts.length];
  const common = {
    id,
    conversationId: index % 2 === 0 ? 'group_team' : 'alice_user_bob',
    sender: 'bob',
    receiverType: index % 2 === 0 ? ('group' as const) : ('user' as const),
    receiver: index % 2 === 0 ? 'team' : 'alice',
    category: 'message',
    sentAt: 1_772_323_200 + index * 3600,
    updatedAt: 1_772_323_200 + index * 3600,
  };
  if (text !== undefined) return { ...common, type: 'text', data: { text } };
  const attachments = [{ url: `https://media.test/${id}.jpg`, mimeType: 'image/jpeg' }];
  return { ...common, type: 'image', data: { attachments } };
}

/** `count` messages, one an hour from 2026-03-01 00:00 UTC. */
export function messages(count: number): MessageRow[] {
  return Array.from({ length: count }, (_, index) => message(index));
}

const scores = { 'https://media.test/8.jpg': { gore: 91.5 }, 'https://media.test/24.jpg': { gore: 12 } };

/** The data set for a service. */
export function world(count = 40): ServiceData {
  return {
    users: [
      { uid: 'alice', name: 'Alice' },
      { uid: 'bob', name: 'Bob' },
    ],
    groups: [{ guid: 'team', name: 'Team', members: [{ uid: 'alice' }, { uid: 'bob' }] }],
    messages: messages(count),
    rules,
    lists,
  };
}

/** What a command that prints no screen says of the errors of `rule-set.json` on standard error. */
export const errorLine =
  'sluice: 2 errors in the rules: scam#1[1] → lost-list: keyword list is missing: http 404; ' +
  'broken#1[0]: pattern was rejected: missing closing ] of a character class; more by sluice lint\n';

/** The data set as files of a directory: a rule set, messages, scores, and `data` for a service. */
export async function worldFiles(count = 40) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-cli-'));
  const file = (name: string) => join(directory, name);
  const ndjson = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const { users = [], groups = [] } = world();
  const missing = [{ listId: 'lost-list', reason: 'http 404' }];
  await writeFile(file('rule-set.json'), JSON.stringify({ rules, lists, missing }));
  await writeFile(file('messages.ndjson'), ndjson(messages(count)));
  await writeFile(file('scores.json'), JSON.stringify(scores));
  await mkdir(file('data'));
  await writeFile(file('data/users.ndjson'), ndjson(users));
  await writeFile(file('data/groups.ndjson'), ndjson(groups));
  await writeFile(file('data/messages.ndjson'), ndjson(messages(count)));
  await writeFile(file('data/rules.json'), JSON.stringify(rules));
  await writeFile(file('data/lists.json'), JSON.stringify(lists));
  return { directory, file, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** Removes the files after the last test of a file. */
export function removedAfterAll<Files extends { remove(): Promise<void> }>(files: Files): Files {
  afterAll(() => files.remove());
  return files;
}

/** The data set as files, for all tests of a file. */
export async function openFiles(count?: number) {
  return removedAfterAll(await worldFiles(count));
}

/** The data set as files and as a platform, which `env` names, for all tests of a file. */
export async function openWorld() {
  const service = await startService({ data: world() });
  afterAll(() => service.close());
  const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
  return { service, env, files: await openFiles() };
}
