import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import type { PlayRules } from '../../src/play/handler.js';
import { Draft, lineAt, listDoc } from '../../src/play/worker/draft.js';
import { lintWritten } from '../../src/play/worker/lint-rules.js';
import { segmentsOf } from '../../src/play/worker/segments.js';
import { labelsOf, messageOf, tryMessage } from '../../src/play/worker/try-message.js';

const reference = { operand: 'text', isKeywordsReferencePresent: true, value: ['scam'] } as const;
const opened: PlayRules = {
  rules: [
    { id: 'scams', name: 'Scams', action: ['blockMessage'], conditions: [{ id: 1, ...reference }] },
    {
      id: 'gore',
      action: ['dropMessage'],
      conditions: [
        { id: 1, operand: 'image', value: ['gore_greaterThan_70', 'Gore_greaterThan_20'] },
        { id: 2, operand: 'text', category: 'toxicity', value: ['toxic_greaterThan_80'] },
      ],
    },
  ],
  lists: [
    { id: 'scam', name: 'Scam words', category: 'word', searchTerms: ['buy now', 'free'], revisionId: 'x_scam_8' },
  ],
  comments: { scam: { owner: 'ana', terms: { free: 'since May' } } },
};
const text = '# name: Scam words\n# category: word\n# owner: ana\n\nbuy now\nfree  # since May\n';
const doc = listDoc('scam');

describe('the texts that are edited', () => {
  it('are the lists with their comments, the rules and the readings', () => {
    const draft = new Draft(opened);
    expect(draft.docs.map(({ id, title }) => [id, title])).toEqual([
      [doc, 'Scam words'],
      ['rules', 'Rules'],
      ['readings', 'Readings'],
    ]);
    expect(draft.docs[0]!.text).toBe(text);
    expect(JSON.parse(draft.docs[1]!.text)).toEqual(opened.rules);
    expect(draft.ruleSet).toBe(opened);
  });

  it('become rules again, and the rules that were opened once they are as they were', () => {
    const draft = new Draft(opened);
    draft.edit(doc, `${text}# new\ntrade\n`);
    expect(draft.ruleSet.lists[0]).toEqual({
      id: 'scam',
      name: 'Scam words',
      category: 'word',
      searchTerms: ['buy now', 'free', 'trade'],
    });
    expect(draft.ruleSet.comments?.scam).toEqual({ owner: 'ana', terms: { free: 'since May', trade: 'new' } });
    draft.edit(doc, text);
    expect(draft.ruleSet.lists[0]).toBe(opened.lists[0]);
    draft.edit('readings', '{ "words": "substring" }');
    expect(draft.ruleSet.semantics).toEqual({ words: 'substring' });
    draft.edit('rules', '[]');
    expect(draft.ruleSet.rules).toEqual([]);
    draft.edit('nothing', 'x');
    expect(draft.errors).toEqual([]);
  });

  it.each([
    [doc, 'buy now\n"free\n', 1, 'must be a term'],
    [doc, 'a\nb #nsfw\n', 1, 'must have a blank behind the `#`'],
    [doc, '<<<<<<< ours\n', 0, 'conflict of git'],
    ['rules', '[\n{ "id": 1, }\n]', 1, 'a name in double quotes was expected here'],
    ['rules', '{}', 0, 'must be an array'],
    ['readings', '{\n\n"words" }', 2, '`:` was expected here'],
    ['readings', '{ "words": "sub" }', undefined, 'reading `words` must be one of'],
    ['readings', '{ "wrds": "word" }', undefined, 'unknown reading `wrds`'],
    ['readings', '['.repeat(100_000), 0, 'was expected here'],
  ])('%s with an error leave the rules as they were, and say where, case %#', (id, written, line, detail) => {
    const draft = new Draft(opened);
    draft.edit(doc, `${text}trade\n`);
    const before = draft.ruleSet;
    draft.edit(id, written);
    expect(draft.errors).toEqual([{ doc: id, line, detail: expect.stringContaining(detail) }]);
    expect(draft.ruleSet).toEqual(before);
    draft.edit(id, draft.docs.find((one) => one.id === id)!.text);
    expect(draft.errors).toEqual([]);
  });

  it('are more once a list is added, which is edited like others', () => {
    const draft = new Draft(opened);
    const list = { id: 'new-words', name: 'New words', category: 'word', searchTerms: [] };
    draft.add(list);
    expect(draft.docs[0]).toEqual({
      ...{ id: listDoc('new-words'), title: 'New words', text: '# name: New words\n# category: word\n' },
    });
    draft.edit(listDoc('new-words'), 'trade\n');
    draft.edit(doc, `${text}x\n`);
    expect(draft.ruleSet.lists.map(({ searchTerms }) => searchTerms)).toEqual([['buy now', 'free', 'x'], ['trade']]);
  });

  it('leave lists that are not lines of text out', () => {
    const odd = [null, { id: 'numbers', searchTerms: [1] }, { searchTerms: ['x'] }, ...opened.lists];
    const draft = new Draft({ ...opened, lists: odd as unknown as PlayRules['lists'] });
    expect(draft.docs.map(({ id }) => id)).toEqual([doc, 'rules', 'readings']);
    draft.edit(doc, 'x\n');
    expect(draft.ruleSet.lists.slice(0, 3)).toEqual(odd.slice(0, 3));
  });
});

describe('findings of lint', () => {
  it('stand beside the line of their term, pattern or rule, with a witness', async () => {
    const rules = [
      ...opened.rules,
      {
        id: 'never',
        action: ['blockMessage'],
        conditions: [{ id: 1, operand: 'text', category: 'pattern', value: ['ok', 'x$y'] }],
      },
    ];
    const draft = new Draft({ ...opened, rules: rules as unknown as PlayRules['rules'] });
    draft.edit(doc, `${text}\n# twice\nfree gift\n`);
    const findings = await lintWritten(draft);
    const places = findings.map(({ id, doc: place, line }) => [
      id,
      place,
      draft.texts.get(place)!.split('\n')[line]!.trim(),
    ]);
    expect(places).toContainEqual(['covered', doc, 'free gift']);
    expect(places).toContainEqual(['never-fires', 'rules', '"x$y"']);
    expect(findings.find(({ id }) => id === 'covered')).toMatchObject({ witness: expect.any(String) });
    draft.edit('readings', '{ "exceptions": [{ "patterns": ["("] }] }');
    expect(await lintWritten(draft)).toEqual([]);
  });
});

describe('a message that is tried', () => {
  const engine = createEngine({ ...opened, semantics: { exceptions: ['free lunch'] } } as Parameters<
    typeof createEngine
  >[0]);

  it('has its chain, its exceptions, the other rules, and what could not be checked', () => {
    const tried = tryMessage(engine, 'BUY now: a free lunch', []);
    expect(tried).toMatchObject({ verdict: 'blockMessage', isMessage: false, isTruncated: false });
    expect(tried.texts).toEqual([
      {
        path: 'data.text',
        segments: [
          { text: 'BUY now', isMarked: true },
          { text: ': a free lunch', isMarked: false },
        ],
      },
    ]);
    expect(tried.matched[0]!.conditions[0]!.matches[0]).toMatchObject({ term: 'buy now', listRevisionId: 'x_scam_8' });
    expect(tried.excepted).toMatchObject([{ match: { term: 'free' }, exception: { term: 'free lunch' } }]);
    expect(tried.others).toMatchObject([{ ruleId: 'gore' }]);
    expect(tried.unevaluated).toMatchObject([{ ruleId: 'gore', why: 'no-scores' }]);
  });

  it('may be JSON, and is a text where that is no message', () => {
    expect(messageOf(' { "data": { "text": "x" } }')).toEqual({ data: { text: 'x' } });
    for (const written of ['{ "text": "x" }', '{ no json', '[1]', '']) {
      expect(messageOf(written)).toEqual({ data: { text: written } });
    }
    const custom = '{ "category": "custom", "data": { "customData": { "body": "free" } } }';
    expect(tryMessage(engine, custom, [])).toMatchObject({ isMessage: true, verdict: 'allow' });
  });

  it('takes scores of the labels that rules name', () => {
    expect(labelsOf(opened)).toEqual([
      { operand: 'image', label: 'gore', thresholds: [20, 70] },
      { operand: 'text', label: 'toxic', thresholds: [80] },
    ]);
    const scores = [{ operand: 'image' as const, labels: { gore: 21 } }];
    expect(tryMessage(engine, 'hello', scores)).toMatchObject({ verdict: 'dropMessage' });
  });
});

describe('segments', () => {
  const anySpans = fc.array(
    fc.tuple(fc.nat(60), fc.nat(12)).map(([start, length]) => ({ start, length })),
    { maxLength: 6 },
  );

  it('joined are the text, or a part of it, and marked exactly where a span is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        anySpans,
        fc.integer({ min: 20, max: 90 }),
        (written, some, longest) => {
          const spans = some.flatMap(({ start, length }) => {
            const end = Math.min(written.length, start + length);
            return end > start ? [{ start, end }] : [];
          });
          const segments = segmentsOf(written, spans, longest);
          const joined = segments.map(({ text: part }) => part).join('');
          const isCut = [
            joined.startsWith('…') && !written.startsWith('…'),
            joined.endsWith('…') && !written.endsWith('…'),
          ];
          const inner = joined.slice(Number(isCut[0]), joined.length - Number(isCut[1]));
          expect(written).toContain(inner);
          if (!isCut.includes(true) && written.length <= longest) {
            expect(joined).toBe(written);
            const marked = segments
              .map(({ text: part, isMarked }) => (isMarked ? '1' : '0').repeat(part.length))
              .join('');
            const naive = [...Array(written.length).keys()].map((at) =>
              spans.some(({ start, end }) => at >= start && at < end) ? '1' : '0',
            );
            expect(marked).toBe(naive.join(''));
          }
        },
      ),
    );
  });

  it('count lines from 0', () => {
    expect(['', 'a\n', 'a\nb'].map((written) => lineAt(written, written.length))).toEqual([0, 1, 1]);
    expect(lineAt('a\nb\nc', 2)).toBe(1);
    expect(lineAt('a\nb\nc', 1)).toBe(0);
  });
});
