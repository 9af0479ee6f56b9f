import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { carriedScores } from '../../src/live/scorers/carried-scores.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';
import { fileRequests } from './file-requests.js';

const url = 'https://files.example/a.png';
const { signal } = new AbortController();

function messageWith(verdict: unknown, mimeType = 'image/png'): MessageDraft {
  const metadata = { '@injected': { extensions: { 'image-moderation': verdict } } };
  return { id: '1', data: { attachments: [{ url, mimeType }], metadata } };
}

const scoresOf = (message: MessageDraft) => carriedScores().score(fileRequests(message)[0]!, { signal });

const unsafe = { unsafe: 'yes', confidence: '99', category: 'explicit_nudity' };
const unsafeLabels = { 'Any unsafe content': 99, explicit_nudity: 99 };
const own = (verdict: unknown, address = url) => ({ data: { url: address, verdict } });

describe('scores that a message carries', () => {
  it.each<[string, unknown, unknown]>([
    ['a verdict of the message', unsafe, unsafeLabels],
    [
      'a verdict of the file',
      { ...unsafe, attachments: [own({ unsafe: 'no' }, 'https://other.example'), own(unsafe)] },
      unsafeLabels,
    ],
    [
      'a safe file in an unsafe message',
      { ...unsafe, attachments: [own({ unsafe: 'no', confidence: '98' })] },
      { 'Any unsafe content': 0 },
    ],
    [
      'a verdict of another file only',
      { ...unsafe, attachments: [own({ unsafe: 'no' }, 'https://other.example')] },
      unsafeLabels,
    ],
    ['a safe message', { unsafe: 'no', confidence: '97', category: '' }, { 'Any unsafe content': 0 }],
    [
      'a confidence that is a number',
      { ...unsafe, confidence: 71.5 },
      { 'Any unsafe content': 71.5, explicit_nudity: 71.5 },
    ],
    [
      'a confidence with its sign',
      { ...unsafe, confidence: ' 71% ' },
      { 'Any unsafe content': 71, explicit_nudity: 71 },
    ],
    ['booleans and capitals', { ...unsafe, unsafe: true }, unsafeLabels],
    ['capitals', { ...unsafe, unsafe: 'YES' }, unsafeLabels],
    ['no category', { unsafe: 'yes', confidence: '99' }, { 'Any unsafe content': 99 }],
    ['an empty category', { ...unsafe, category: '' }, { 'Any unsafe content': 99 }],
    ['a file with an error', { ...unsafe, attachments: [{ ...own(unsafe), error: { code: 'X' } }] }, undefined],
    ['a file without an error', { attachments: [{ ...own(unsafe), error: null }] }, unsafeLabels],
    ['a file without a verdict', { ...unsafe, attachments: [own(undefined)] }, undefined],
    ...[undefined, null, 'yes', [], {}, { unsafe: 'maybe', confidence: '99' }, { unsafe: 1, confidence: 99 }].map(
      (verdict): [string, unknown, unknown] => [`no verdict: ${JSON.stringify(verdict)}`, verdict, undefined],
    ),
    ...['', '101', '-1', '1e1', 'high', '0x10', Number.NaN, Number.POSITIVE_INFINITY, null, {}, [99]].map(
      (confidence): [string, unknown, unknown] => [
        `no confidence: ${confidence}`,
        { ...unsafe, confidence },
        undefined,
      ],
    ),
  ])('%s', async (_, verdict, expected) => {
    expect(await scoresOf(messageWith(verdict))).toEqual(expected);
  });

  it('a video has the verdict of its own address, and not that of the message', async () => {
    expect(await scoresOf(messageWith(unsafe, 'video/mp4'))).toBeUndefined();
    expect(await scoresOf(messageWith({ attachments: [own(unsafe)] }, 'video/mp4'))).toEqual(unsafeLabels);
  });

  it('a category named like a property of objects is a label like the others', async () => {
    const labels = await scoresOf(messageWith({ ...unsafe, category: '__proto__' }));
    expect(Object.keys(labels!)).toEqual(['Any unsafe content', '__proto__']);
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
  });

  it('a message whose fields throw when they are read carries none', async () => {
    const message = { data: { attachments: [{ url, mimeType: 'image/png' }] } };
    Object.defineProperty(message.data, 'metadata', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(await scoresOf(message)).toBeUndefined();
  });

  it('decides media conditions: by any label, by its own, and strictly over the threshold', async () => {
    const verdictFor = async (value: string, verdict: unknown) => {
      const condition = {
        id: 1,
        isMediaPresent: true,
        operand: 'image',
        category: 'word',
        operator: 'contains',
        value: [value],
      };
      const rules = [{ id: 'r', enabled: true, active: true, conditions: [condition], action: ['blockMessage'] }];
      const message = messageWith(verdict);
      const labels = await scoresOf(message);
      return createEngine({ rules, lists: [] }).decide(message, [{ operand: 'image', labels: labels!, url }]);
    };
    expect(await verdictFor('AnyOf_greaterThan_30', unsafe)).toBe('blockMessage');
    expect(await verdictFor('Any unsafe content_greaterThan_98', unsafe)).toBe('blockMessage');
    expect(await verdictFor('Explicit nudity_greaterThan_98', unsafe)).toBe('blockMessage');
    expect(await verdictFor('Explicit nudity_greaterThan_99', unsafe)).toBe('allow');
    expect(await verdictFor('violence_greaterThan_30', unsafe)).toBe('allow');
    expect(await verdictFor('AnyOf_greaterThan_30', { unsafe: 'no', confidence: '99' })).toBe('allow');
  });
});
