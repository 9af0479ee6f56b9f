import { describe, expect, it } from 'vitest';
import { scoresFromTable } from '../../../src/audit/source/scores.js';

const scores = new Map([
  ['https://m/a.jpg', { gore: 80 }],
  ['https://m/b.mp4', { nudity: 10 }],
]);

describe('scoresFromTable', () => {
  it('finds pictures and videos among the attachments by MIME type', () => {
    const attachments = [
      { url: 'https://m/a.jpg', mimeType: 'IMAGE/jpeg' },
      { url: 'https://m/b.mp4', mimeType: 'video/mp4' },
      { url: 'https://m/a.jpg', mimeType: 'application/pdf' },
    ];
    expect(scoresFromTable({ type: 'file', data: { attachments } }, scores)).toEqual([
      { operand: 'image', labels: { gore: 80 }, url: 'https://m/a.jpg' },
      { operand: 'video', labels: { nudity: 10 }, url: 'https://m/b.mp4' },
      { operand: 'file', labels: { gore: 80 }, url: 'https://m/a.jpg' },
    ]);
  });

  it('reads data.url of a picture or video, once when an attachment has it too', () => {
    const data = { url: 'https://m/a.jpg', attachments: [{ url: 'https://m/a.jpg', mimeType: 'image/jpeg' }] };
    expect(scoresFromTable({ type: 'image', data }, scores)).toHaveLength(1);
    expect(scoresFromTable({ type: 'video', data: { url: 'https://m/b.mp4' } }, scores)).toMatchObject([
      { operand: 'video' },
    ]);
    expect(scoresFromTable({ type: 'text', data: { url: 'https://m/a.jpg' } }, scores)).toEqual([]);
  });

  it('uses the message type for an attachment without a MIME type', () => {
    const data = { attachments: [{ url: 'https://m/b.mp4' }] };
    expect(scoresFromTable({ type: 'video', data }, scores)).toMatchObject([{ operand: 'video' }]);
    expect(scoresFromTable({ type: 'file', data }, scores)).toMatchObject([{ operand: 'file' }]);
  });

  it('leaves out media without scores, so that they are unevaluated', () => {
    const attachments = [{ url: 'https://m/unknown.jpg', mimeType: 'image/jpeg' }];
    expect(scoresFromTable({ type: 'image', data: { attachments } }, scores)).toEqual([]);
    expect(scoresFromTable({ type: 'image', data: { url: '__proto__' } }, scores)).toEqual([]);
  });

  it('ignores malformed messages', () => {
    const strange = ['text', {}, { data: { attachments: 7 } }, { type: 'image', data: { attachments: [null, 1, {}] } }];
    for (const message of strange) expect(scoresFromTable(message, scores)).toEqual([]);
  });

  it('finds the text by the id of its message, else by itself', () => {
    const ofTexts = new Map([
      ['7', { toxicity: 70 }],
      ['you fool', { toxicity: 90 }],
      ['https://m/a.jpg', { gore: 80 }],
    ]);
    const found = (message: Parameters<typeof scoresFromTable>[0]) => scoresFromTable(message, ofTexts);
    expect(found({ id: '7', data: { text: 'you fool' } })).toEqual([{ operand: 'text', labels: { toxicity: 70 } }]);
    expect(found('you fool')).toEqual([{ operand: 'text', labels: { toxicity: 90 } }]);
    expect(found({ id: '8', data: { text: 'you fool' } })).toEqual([{ operand: 'text', labels: { toxicity: 90 } }]);
    expect(found({ id: '7', category: 'custom', data: {} })).toEqual([{ operand: 'custom', labels: { toxicity: 70 } }]);
    // A text that is an address has not the scores of its file, and an id gives none to a message
    // without a text.
    expect(found('https://m/a.jpg')).toEqual([]);
    expect(found({ id: '7', category: 'action' })).toEqual([]);
    expect(found({ id: '7', type: 'image', data: { text: 'x', url: 'https://m/a.jpg' } })).toEqual([
      { operand: 'text', labels: { toxicity: 70 } },
      { operand: 'image', labels: { gore: 80 }, url: 'https://m/a.jpg' },
    ]);
  });
});
