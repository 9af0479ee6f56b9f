/** Random rule sets and messages: mostly valid, over few words and letters so that things match, some parts broken. */
import fc from 'fast-check';
import type { Condition, Filter, KeywordList, MediaScores, Message, Rule } from '../../src/index.js';

const words = [
  'kill',
  'skill',
  'buy now',
  "don't",
  'дура',
  'straße',
  'STRASSE',
  'k',
  '😀',
  '中',
  'spam_',
  '_',
  'e\u0301',
  '*',
  '-x-',
  ' kill',
];
const pieces = [
  ...words,
  'Kill',
  'KILL',
  ' ',
  '  ',
  '\t',
  ', ',
  '.',
  'a',
  '1',
  '12',
  '@',
  'http://x.example',
  '\ud83d',
  '\u212a',
  'ДУРА',
  'the',
  '\n',
  'ー',
  'é',
];

export const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));

/** Patterns that V8 and RE2 read alike, and some that RE2 rejects. */
const patternSource = fc.constantFrom(
  '\\d+',
  'k[a-z]+l',
  '^kill',
  'now$',
  '(?i)kill',
  'a|1',
  '[@.]',
  '\\u0434',
  '(?=k)',
  '(k)\\1',
  'x{2,3}',
  '1*2',
  '(',
);

const listIds = ['words-a', 'words-b', 'patterns-c', 'gone'];
const labels = ['violence', 'Any unsafe content', 'any_unsafe-CONTENT', 'alcohol', 'AnyOf'];
const thresholdText = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...labels), fc.constantFrom('0', '30', '70.5', '100'))
      .map((parts) => parts.join('_greaterThan_')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'violence_greaterThan_',
      '_greaterThan_30',
      'violence',
      'a_greaterThan_b_greaterThan_30',
      'violence_greaterThan_1e1',
      'violence_greaterThan_-3',
    ),
  },
);

const oneOrMany = (item: fc.Arbitrary<string>) => fc.oneof(item, fc.array(item, { maxLength: 3 }));

const condition: fc.Arbitrary<Condition> = fc
  .record({
    operand: fc.constantFrom('text', 'text', 'custom', 'image', 'video', 'audio'),
    category: fc.constantFrom('word', 'word', 'pattern', 'toxicity'),
    operator: fc.constantFrom('contains', 'contains', 'contains', 'equals', 'startsWith'),
    flag: fc.constantFrom(
      'isKeywordsReferencePresent',
      'isKeywordReferencePresent',
      'isListReferencePresent',
      undefined,
      undefined,
    ),
    wordValue: oneOrMany(fc.constantFrom(...words, '')),
    patternValue: oneOrMany(patternSource),
    listValue: oneOrMany(fc.constantFrom(...listIds)),
    scoreValue: oneOrMany(thresholdText),
  })
  .map(({ operand, category, operator, flag, wordValue, patternValue, listValue, scoreValue }) => {
    const media = operand === 'image' || operand === 'video';
    const inline = category === 'pattern' ? patternValue : wordValue;
    const value = media ? scoreValue : flag === undefined ? inline : listValue;
    return { operand, category, operator, value, ...(flag !== undefined && !media && { [flag]: true }) } as Condition;
  });

const filter: fc.Arbitrary<Filter> = fc.record({
  type: fc.constantFrom('sender', 'receiver'),
  entity: fc.constant('user'),
  operand: fc.constantFrom('uid', 'role', 'tags'),
  operator: fc.constantFrom('equals', 'not equals', 'in', 'not in', 'startsWith'),
  value: fc.constantFrom('ann', 'manager', 'ann, bob', 'vip'),
});

export const anyRuleSet = fc
  .record({
    conditions: fc.array(fc.array(condition, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
    filters: fc.array(fc.array(filter, { maxLength: 2 }), { minLength: 6, maxLength: 6 }),
    actions: fc.array(oneOrMany(fc.constantFrom('blockMessage', 'dropMessage', 'flagMessage', 'allow', 'kick')), {
      minLength: 6,
      maxLength: 6,
    }),
    flags: fc.array(
      fc.record({
        enabled: fc.constantFrom(true, true, true, false, undefined),
        active: fc.constantFrom(true, true, true, false, undefined),
      }),
      { minLength: 6, maxLength: 6 },
    ),
    filtered: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 }),
    terms: fc.array(fc.constantFrom(...words, 'Kill', '"quoted"', '" a ""b"" "', '', ' '), { maxLength: 8 }),
    isCSV: fc.boolean(),
  })
  .map(({ conditions, filters, actions, flags, filtered, terms, isCSV }) => {
    const rules = conditions.map((list, index) => ({
      id: `rule-${index}`,
      name: `Rule ${index}`,
      conditions: list.map((item, position) => ({ ...item, id: position + 1 })),
      action: actions[index]!,
      ...(filtered[index] === 0 && { filters: filters[index]! }),
      ...flags[index],
    })) as Rule[];
    const lists: KeywordList[] = [
      { id: 'words-a', searchTerms: terms, isCSV, revisionId: 'app_words-a_1' },
      { id: 'words-b', searchTerms: ['kill', 'now', '😀'] },
      { id: 'patterns-c', category: 'pattern', searchTerms: ['[0-9]{2}', 'k.ll', '[', 'now|buy'] },
    ];
    return { rules, lists };
  });

const user = fc.constantFrom(
  { uid: 'ann', role: 'manager', tags: ['vip'] },
  { uid: 'bob', role: 'default' },
  { uid: 'cat', tags: [] as string[] },
);

export const anyMessage = fc
  .record({
    category: fc.constantFrom('message', 'message', 'custom', 'action', undefined),
    type: fc.constantFrom('text', 'image', 'video', 'poll'),
    text: fc.option(anyText, { nil: undefined }),
    customData: fc.option(
      fc.oneof(anyText, fc.record({ body: fc.array(anyText, { maxLength: 3 }), 'a key': anyText, n: fc.integer() })),
      { nil: undefined },
    ),
    mimeType: fc.constantFrom('image/png', 'VIDEO/mp4', 'text/plain', undefined),
    sender: user,
    receiver: user,
    bare: fc.boolean(),
  })
  .map(({ category, type, text, customData, mimeType, sender, receiver, bare }) => {
    const entities = { sender: { entity: sender }, receiver: { entity: receiver } };
    return {
      id: '1',
      ...(category !== undefined && { category }),
      type,
      ...(!bare && { sender: sender.uid, receiver: receiver.uid, receiverType: 'user' }),
      data: {
        ...(text !== undefined && { text }),
        ...(customData !== undefined && { customData }),
        ...(mimeType !== undefined && { attachments: [{ url: 'https://media.example/1', mimeType }] }),
        ...(!bare && { entities }),
      },
    } as unknown as Message;
  });

export const anyMedia: fc.Arbitrary<MediaScores[]> = fc.array(
  fc.record({
    operand: fc.constantFrom('image' as const, 'video' as const),
    labels: fc.dictionary(
      fc.constantFrom('violence', 'Violence', 'any unsafe content', 'Alcohol', 'other'),
      fc.constantFrom(0, 30, 30.5, 71, 100),
      { maxKeys: 3 },
    ),
  }),
  { maxLength: 2 },
);

export const anySemantics = fc.record(
  {
    conditions: fc.constantFrom('any' as const, 'all' as const),
    runs: fc.constantFrom('enabled-and-active' as const, 'enabled' as const, 'all' as const),
    precedence: fc.constantFrom(
      ['dropMessage', 'blockMessage', 'allow'],
      ['blockMessage', 'dropMessage'],
      ['allow', 'dropMessage', 'blockMessage'],
      ['blockMessage'],
    ),
    words: fc.constantFrom('word' as const, 'substring' as const),
    folding: fc.constantFrom('case' as const, 'exact' as const),
    patterns: fc.constantFrom('as-written' as const, 'insensitive' as const),
    missingScores: fc.constantFrom('allow' as const, 'block' as const),
    allowTerms: fc.array(fc.constantFrom('skill', 'buy now', '😀', 'killer', ''), { maxLength: 2 }),
    shadow: fc.array(fc.constantFrom('rule-0', 'rule-1'), { maxLength: 1 }),
  },
  { requiredKeys: [] },
);
