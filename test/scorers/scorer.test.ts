import { describe, expect, it } from 'vitest';
import { isLabels } from '../../src/live/scorers/scorer.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';
import { fileRequests } from './file-requests.js';

const png = { url: 'https://files.example/a.png', mimeType: 'image/png' };
const mp4 = { url: 'https://files.example/b.mp4', mimeType: 'VIDEO/mp4' };
const found = (message: unknown) =>
  fileRequests(message as MessageDraft).map(({ operand, url }) => `${operand} ${url}`);

describe('media of a message', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['a text', 'hello', []],
    ['no data', { type: 'text', data: {} }, []],
    ['a picture and a video', { data: { attachments: [png, mp4] } }, [`image ${png.url}`, `video ${mp4.url}`]],
    ['a file of another type', { data: { attachments: [{ url: 'x', mimeType: 'text/plain' }] } }, ['file x']],
    ['a file of no type', { data: { attachments: [{ url: 'x' }] } }, ['file x']],
    ['a sound', { data: { attachments: [{ url: 'x', mimeType: 'audio/ogg' }] } }, ['audio x']],
    ['a file of no type in an image message', { type: 'image', data: { attachments: [{ url: 'x' }] } }, ['image x']],
    ['a video in an image message', { type: 'image', data: { attachments: [mp4] } }, [`video ${mp4.url}`]],
    ['the address in data.url', { type: 'video', data: { url: 'x' } }, ['video x']],
    [
      'the same address in data.url',
      { type: 'image', data: { url: png.url, attachments: [png] } },
      [`image ${png.url}`],
    ],
    ['data.url of a message of another type', { type: 'text', data: { url: 'x' } }, []],
    ['data.url of a file', { type: 'file', data: { url: 'x' } }, ['file x']],
    [
      'data.url of a file that is attached as a picture',
      { type: 'file', data: { url: png.url, attachments: [png] } },
      [`image ${png.url}`],
    ],
    ['the same file twice', { data: { attachments: [png, png] } }, [`image ${png.url}`]],
    ['no address', { data: { attachments: [{ mimeType: 'image/png' }, { url: '', mimeType: 'image/png' }] } }, []],
    [
      'attachments of other forms',
      { data: { attachments: [7, null, 'x', [], { url: 7, mimeType: 'image/png' }] } },
      [],
    ],
    ['no list of attachments', { data: { attachments: png } }, []],
  ])('%s', (_, message, expected) => {
    expect(found(message)).toEqual(expected);
  });

  it('holds the message as it was given', () => {
    const message = { data: { attachments: [png] } };
    expect(fileRequests(message)).toEqual([{ operand: 'image', ...png, labels: ['violence'], message }]);
    expect(fileRequests(message)[0]!.message).toBe(message);
  });
});

describe('labels', () => {
  it.each([{}, { violence: 0 }, { violence: 100, 'Any unsafe content': 12.5 }])('%j are scores', (value) => {
    expect(isLabels(value)).toBe(true);
  });

  it.each([
    null,
    undefined,
    7,
    'violence',
    [],
    [1],
    { violence: '7' },
    { violence: -1 },
    { violence: 100.1 },
    { a: Number.NaN },
  ])('%j are none', (value) => {
    expect(isLabels(value)).toBe(false);
  });
});
