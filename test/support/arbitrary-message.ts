/** Random messages and scores: over few words and letters, so that things match. */
import fc from 'fast-check';
import type { Message, Scores } from '../../src/index.js';

export const words = [
  ...['kill', 'skill', 'buy now', "don't", 'дура', 'straße', 'STRASSE', 'k', '😀', '中', 'spam_', '_'],
  ...['e\u0301', 'wait...', '_kill_'],
];
export const oddWords = ['*', '-x-', ' kill', 'now ', '\u0301', 'ー'];
/** Terms that say by asterisks how they are read, and some that do not quite. */
export const wildWords = [
  ...['kill*', '*kill', '*kill*', '*ill*', 'k*', '*now', 'buy now*', '*中*', '**', '**k', 'k*l', '*e\u0301'],
  ...['* ', ' kill*', '*.*'],
];
const pieces = [
  ...['Kill', 'KILL', '  ', '\t', ', ', '.', 'a', '1', '12', '@', 'http://x.example', '\u212a', 'ДУРА', 'the'],
  ...['\n', 'é', 'don’t', 'wait…', '…', '__', '❤\ufe0f'],
];

const mediaUrls = ['https://media.example/1', 'https://media.example/2'];
const piece = fc.constantFrom(...words, ...words, ...words, ...oddWords, ...pieces, '\ud83d');
const gap = fc.constantFrom(' ', ' ', ' ', '', '', '  ', ', ');

/**
 * Texts made of the terms themselves, of near misses, and of what stands between words; some are
 * one word.
 */
export const anyText = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(fc.tuple(piece, gap), { maxLength: 10, size: 'max' }).map((parts) => parts.flat().join('')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('', ' '), piece, fc.constantFrom('', '\n')).map((parts) => parts.join('')),
  },
);

const user = fc.constantFrom(
  { uid: 'ann', name: 'Ann', role: 'manager', tags: ['vip'], createdAt: 1690000000 },
  { uid: 'bob', name: 'Annabel', role: 'default', createdAt: 1700000000 },
  { uid: 'cat', tags: [] as string[] },
);
const group = fc.constantFrom(
  { guid: 'ann', name: 'public', type: 'public', tags: ['vip', 'pub'], createdAt: 1710000000 },
  { guid: 'bobs', type: 'private' },
);
const customData = fc.oneof(
  anyText,
  fc.record({
    body: fc.array(anyText, { maxLength: 3 }),
    'a key': anyText,
    n: fc.integer(),
    deep: fc.record({ z: anyText }),
  }),
);

export const anyMessage = fc
  .record({
    category: fc.constantFrom('message', 'message', 'message', undefined, 'custom', 'custom', 'custom', 'action'),
    type: fc.constantFrom('text', 'image', 'video', 'audio', 'file', 'sticker', 'poll'),
    text: fc.option(anyText, { nil: undefined, freq: 6 }),
    textIsNumber: fc.constantFrom(false, false, false, false, true),
    deleted: fc.constantFrom(false, false, false, true),
    customData: fc.option(customData, { nil: undefined, freq: 6 }),
    hidden: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, {}, 'a.png', [7]),
    attachments: fc.array(
      fc.record({
        mimeType: fc.constantFrom(
          ...['image/png', 'VIDEO/mp4', 'audio/ogg', 'text/plain', 'sticker/x', '', null, undefined],
        ),
        url: fc.constantFrom(...mediaUrls, '', undefined),
      }),
      { maxLength: 3 },
    ),
    ownUrl: fc.constantFrom(undefined, undefined, '', ...mediaUrls),
    sender: user,
    receiver: fc.oneof(user, group),
    bare: fc.constantFrom(false, false, true),
    sentAt: fc.constantFrom(undefined, 1_690_100_000, 1_700_100_000, 1_730_000_000),
  })
  .map(
    ({
      category,
      type,
      text,
      textIsNumber,
      deleted,
      customData,
      hidden,
      attachments,
      ownUrl,
      sender,
      receiver,
      bare,
      sentAt,
    }) => {
      const parties = {
        sender: sender.uid,
        receiver: 'uid' in receiver ? receiver.uid : receiver.guid,
        receiverType: 'uid' in receiver ? 'user' : 'group',
      };
      return {
        id: '1',
        ...(category !== undefined && { category }),
        type,
        ...(!bare && parties),
        ...(deleted && { deletedAt: 1_720_000_000 }),
        ...(sentAt !== undefined && { sentAt }),
        data: {
          ...(text !== undefined && { text: textIsNumber ? text.length : text }),
          ...(customData !== undefined && { customData }),
          ...(attachments.length > 0 && { attachments }),
          ...(hidden !== undefined && { attachments: hidden }),
          ...(ownUrl !== undefined && { url: ownUrl }),
          ...(!bare && { entities: { sender: { entity: sender }, receiver: { entity: receiver } } }),
        },
      } as unknown as Message;
    },
  );

export const anyMedia: fc.Arbitrary<Scores[]> = fc.array(
  fc.record({
    operand: fc.constantFrom(...(['image', 'video', 'audio', 'file', 'text', 'text', 'custom', 'custom'] as const)),
    labels: fc.dictionary(
      fc.constantFrom('violence', 'Violence', 'any unsafe content', 'Alcohol', 'a greaterThan b', 'other'),
      // The last two are not scores.
      fc.constantFrom(0, 30, 30.5, 71, 100, 0, 30, 30.5, 71, 100, 100.5, -1),
      { maxKeys: 3 },
    ),
    url: fc.constantFrom(...mediaUrls, undefined),
  }),
  { maxLength: 3 },
);
