import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Rules, lists and messages that produce every part of the screen of `check`. */

const text = { operand: 'text', category: 'word', operator: 'contains' };
const block = { action: ['blockMessage'] };
const listed = { ...text, isKeywordsReferencePresent: true };

const candidate = { id: 'candidate', action: ['dropMessage'] };
const rules = [
  {
    id: 'profanity-filter',
    name: 'Profanity filter',
    revisionId: 'app_profanity-filter_3',
    action: ['blockMessage'],
    conditions: [
      { ...listed, id: 1, value: ['profanity-list', 'house-list'], message: ['Please be \u{1b}[31mkind'] },
      { ...listed, id: 2, operand: 'custom', value: ['profanity-list'] },
    ],
  },
  {
    id: 'scam',
    name: 'Scam phrases',
    action: ['dropMessage', 'kick'],
    conditions: [
      { ...text, id: 1, value: ['free money now', 'money now or never', 'now'] },
      { ...text, id: 2, category: 'pattern', value: ['(?i)mon\\w+ now'] },
    ],
  },
  { ...candidate, name: 'Candidate', conditions: [{ ...text, id: 1, value: ['heck', 'tomorrow'] }] },
  {
    id: 'gore',
    name: 'Gore in pictures',
    revisionId: 'app_gore_1',
    action: ['blockMessage'],
    conditions: [
      { id: 1, operand: 'image', isMediaPresent: true, value: ['gore_greaterThan_70', 'AnyOf_greaterThan_50'] },
    ],
  },
  { id: 'review', action: ['flagMessage'], conditions: [{ ...text, id: 1, value: ['lawyer'] }] },
  { id: 'off', enabled: false, action: ['kick'], conditions: [{ ...text, id: 1, value: ['hello'] }] },
];

/** A rule that is not evaluated, for the rules of `broken.json`. */
const broken = {
  ...{ id: 'broken', name: 'Broken', ...block },
  conditions: [{ ...text, id: 1, operand: 'image', category: 'pattern', value: ['(['] }],
};

const role = { type: 'sender', entity: 'user', operand: 'role', operator: 'not in', value: 'admin' };

/** Rules that do not match, for one reason each. */
const whyNot = [
  { id: 'links', name: 'Links', ...block, conditions: [{ ...text, category: 'pattern', value: ['https?://\\S+'] }] },
  { ...rules[1], filters: [] },
  {
    ...{ id: 'newcomers', name: 'Of new accounts', ...block, filters: [role] },
    conditions: [{ ...text, id: 1, value: ['free'] }],
  },
  {
    ...{ id: 'insults', ...block },
    conditions: ['profanity-list', 'gone'].map((id, at) => ({ ...listed, id: at + 1, value: [id] })),
  },
  ...rules.slice(3),
  { id: 'inactive', active: false, action: ['kick'], conditions: [{ ...text, id: 1, value: ['hello'] }] },
];

const lists = [
  {
    ...{ id: 'profanity-list', category: 'word', revisionId: 'app_profanity-list_1' },
    searchTerms: ['heck', 'damn', '笨蛋', '👩‍🚀', 'احمق'],
  },
  { id: 'house-list', category: 'word', searchTerms: ['heck', 'dummy'] },
];

export const custom = {
  category: 'custom',
  data: {
    text: 'what the heck',
    customData: { title: '你是 笨蛋 吗', 'a "key" of alice@example.com': ['fine', 'damn, HECK'], turns: 3 },
  },
};

const attachments = ['a', 'b'].map((name) => ({ url: `https://media.test/${name}.jpg`, mimeType: 'image/jpeg' }));
const picture = { category: 'message', type: 'image', sender: 'bob', data: { text: 'look', attachments } };

const scores = { 'https://media.test/a.jpg': { gore: 91.5, Blood: 60 }, 'https://media.test/b.jpg': { gore: 3 } };

const semantics = {
  shadow: ['candidate'],
  exempt: [{ type: 'sender', entity: 'user', operand: 'uid', operator: 'equals', value: 'root' }],
};

/** The rules, readings, scores and messages as files of a directory. */
export async function checkFiles() {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-check-'));
  const file = (name: string) => join(directory, name);
  const contents = {
    'rule-set.json': { rules, lists },
    'broken.json': { rules: [...rules, broken], lists },
    'semantics.json': semantics,
    'why-not-semantics.json': { ...semantics, exceptions: [{ patterns: ['https://help\\.ours\\.example\\S*'] }] },
    'scores.json': scores,
    'custom.json': custom,
    'picture.json': picture,
    'why-not.json': { rules: whyNot, lists },
    'low.json': { 'https://media.test/a.jpg': { gore: 50, Blood: 45.5 }, 'https://media.test/b.jpg': { gore: 3 } },
    'admin.json': {
      sender: 'ann',
      data: { text: 'a free tip', entities: { sender: { entityType: 'user', entity: { uid: 'ann', role: 'admin' } } } },
    },
    'root.json': { sender: 'root', data: { text: 'damn' } },
  };
  for (const [name, content] of Object.entries(contents)) await writeFile(file(name), JSON.stringify(content));
  return { directory, file, remove: () => rm(directory, { recursive: true, force: true }) };
}
