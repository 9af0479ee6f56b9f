/**
 * The files of a message: what is listed, and that engine, scorers and lookups by address see the
 * same ones.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scoresFromTable } from '../src/audit/source/scores.js';
import { mediaOperands } from '../src/engine/compile/operands.js';
import { filesOf } from '../src/engine/media.js';
import { createEngine, type MessageDraft } from '../src/index.js';
import { createScoring } from '../src/live/scorers/scoring.js';
import { fileRequests } from './scorers/file-requests.js';

const listed = (message: unknown) =>
  filesOf(message as MessageDraft).map(({ operand, url }) => `${operand} ${url ?? '?'}`);
const attached = (...attachments: readonly unknown[]) => ({ data: { attachments } });

describe('files of a message', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['nothing', {}, []],
    ['a text', { type: 'text', data: { text: 'x', url: 'a' } }, []],
    [
      'a MIME type of each operand',
      attached(
        { url: 'a', mimeType: 'Image/PNG' },
        { url: 'b', mimeType: 'video/mp4' },
        { url: 'c', mimeType: 'audio/ogg' },
      ),
      ['image a', 'video b', 'audio c'],
    ],
    [
      'another MIME type, or none',
      attached({ url: 'a', mimeType: 'application/pdf' }, { url: 'b' }, { url: 'c', mimeType: null }),
      ['file a', 'file b', 'file c'],
    ],
    [
      'no MIME type, but the type of the message',
      {
        type: 'video',
        ...attached({ url: 'a' }, { url: 'b', mimeType: null }, { url: 'c', mimeType: 'application/octet-stream' }),
      },
      ['video a', 'video b', 'video c'],
    ],
    [
      'a MIME type before the type of the message',
      { type: 'image', ...attached({ url: 'a', mimeType: 'audio/ogg' }) },
      ['audio a', 'image ?'],
    ],
    ['a type alone', { type: 'audio' }, ['audio ?']],
    ['`data.url`', { type: 'audio', data: { url: 'a' } }, ['audio a']],
    [
      '`data.url` that is attached as well',
      { type: 'image', data: { url: 'a', attachments: [{ url: 'a', mimeType: 'image/png' }] } },
      ['image a'],
    ],
    [
      '`data.url` beside an attachment',
      { type: 'image', data: { url: 'b', attachments: [{ url: 'a' }] } },
      ['image a', 'image b'],
    ],
    [
      'a file that is a picture',
      { type: 'file', data: { url: 'a', attachments: [{ url: 'a', mimeType: 'image/png' }] } },
      ['image a'],
    ],
    [
      'a file beside those that are attached',
      { type: 'file', data: { url: 'b', attachments: [{ url: 'a', mimeType: 'image/png' }] } },
      ['image a', 'file b'],
    ],
    ['a file that is attached', { type: 'file', data: { attachments: [{ mimeType: 'image/png' }] } }, ['image ?']],
    ['a file without attachments', { type: 'file' }, ['file ?']],
    [
      'one address twice',
      attached({ url: 'a' }, { url: 'a' }, { url: 'a', mimeType: 'image/x' }),
      ['file a', 'image a'],
    ],
    [
      'no address',
      attached({ mimeType: 'image/png' }, { url: '', mimeType: 'image/png' }, { url: 7, mimeType: 'image/png' }),
      ['image ?', 'image ?', 'image ?'],
    ],
    ['no files at all', { type: 'image', ...attached(null, 7, 'a', []) }, ['image ?']],
  ])('%s', (_, message, expected) => {
    expect(listed(message)).toEqual(expected);
  });

  it('are listed in one pass: an attachment is read once', () => {
    let reads = 0;
    const attachments = Array.from({ length: 5000 }, (_, index) => ({
      get url() {
        reads++;
        return `u${index % 4000}`;
      },
    }));
    expect(filesOf({ data: { attachments } })).toHaveLength(4000);
    expect(reads).toBe(5000);
  });
});

const kind = fc.constantFrom(...mediaOperands, 'text', 'IMAGE', 7, null);
const mimeType = fc.constantFrom(
  ...['image/png', 'VIDEO/mp4', 'audio/x', 'application/octet-stream', 'image', '', '/', null, 7],
);
const url = fc.constantFrom('a', 'b', 'c', '', null);
const file = fc.oneof(fc.record({ url, mimeType }, { requiredKeys: [] }), fc.constantFrom(null, 'a', []));
const data = fc.record({ url, attachments: fc.array(file, { maxLength: 4 }) }, { requiredKeys: [] });
const anyMessage = fc.record({ type: kind, data }, { requiredKeys: [] }) as fc.Arbitrary<MessageDraft>;

describe('engine, scorers and `--scores`', () => {
  const scores = new Map(['a', 'b', 'c'].map((address) => [address, { violence: 90 }]));
  const rules = mediaOperands.map((operand) => ({
    id: operand,
    action: ['blockMessage'],
    conditions: [{ operand, value: ['violence_greaterThan_95'] }],
  }));
  const engine = createEngine({ rules, lists: [] });

  it.each([{ mimeType: 'application/octet-stream' }, { mimeType: null }, { mimeType: '' }, {}])(
    'an image message with an attachment of %j is judged alike by a scorer and by address',
    async (what) => {
      const message = { type: 'image', data: { attachments: [{ url: 'a', ...what }] } } as MessageDraft;
      const condition = { operand: 'image', value: ['violence_greaterThan_80'] } as const;
      const strict = createEngine({
        rules: [{ id: 'r', action: ['blockMessage'], conditions: [condition] }],
        lists: [],
      });
      const { scores: media } = await createScoring({ score: async () => ({ violence: 90 }) }).scoresOf(
        fileRequests(message),
      );
      expect(strict.decide(message, media)).toBe('blockMessage');
      expect(strict.decide(message, scoresFromTable(message, scores))).toBe('blockMessage');
    },
  );

  it('see the same files: scored ones are never unevaluated, those without an address always', async () => {
    const scoring = createScoring({ score: async () => ({ violence: 90 }) });
    await fc.assert(
      fc.asyncProperty(anyMessage, async (message) => {
        const byScorer = (await scoring.scoresOf(fileRequests({ ...message, category: 'custom' }))).scores;
        expect(scoresFromTable(message, scores)).toEqual(byScorer);
        const files = filesOf(message);
        const isHidden = !Array.isArray(message.data?.attachments ?? []);
        const unknown = mediaOperands.filter(
          (operand) => isHidden || files.some((one) => one.operand === operand && one.url === undefined),
        );
        const { unevaluated } = engine.explain({ ...message, category: 'custom' }, byScorer);
        expect(unevaluated.map(({ ruleId }) => ruleId)).toEqual(unknown);
        const silent = engine.explain({ ...message, category: 'custom' });
        expect(silent.unevaluated.map(({ ruleId }) => ruleId)).toEqual(
          mediaOperands.filter((operand) => isHidden || files.some((one) => one.operand === operand)),
        );
      }),
    );
  });
});
