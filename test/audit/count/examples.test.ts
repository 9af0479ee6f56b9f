import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../src/audit/count/cause.js';
import {
  type CauseExamples,
  createExamples,
  type ExampleContent,
  longestExample,
  mostCauses,
  mostExamplesOfCause,
} from '../../../src/audit/count/examples.js';
import type { RuleSetInput } from '../../../src/engine/engine.js';
import { createEngine } from '../../../src/engine/engine.js';
import type { MessageDraft } from '../../../src/platform/contract/message-draft.js';
import { naiveChoice } from '../../support/naive-rank.js';
import { runs } from '../../support/runs.js';
import { anySplit, countBothWays } from './parts.js';

const condition = {
  ...{ id: 1, isKeywordsReferencePresent: false, isMediaPresent: false },
  ...{ entity: 'message', operand: 'text', category: 'word', operator: 'contains' },
};

function rulesOf(words: readonly string[]): RuleSetInput {
  const terms = { ...condition, isKeywordsReferencePresent: true, value: ['list'] };
  const rule = { id: 'terms', action: ['blockMessage'], conditions: [terms] };
  const pattern = {
    id: 'digits',
    action: ['dropMessage'],
    conditions: [{ ...condition, category: 'pattern', value: ['[0-9]+'] }],
  };
  return {
    rules: [rule, pattern],
    lists: [{ id: 'list', category: 'word', searchTerms: [...words] }],
  } as unknown as RuleSetInput;
}

const engine = createEngine(rulesOf(['moron', 'buy now', 'hell']));

function collected(messages: readonly (string | MessageDraft)[], content: ExampleContent = 'text', by = engine) {
  const examples = createExamples(content);
  for (const message of messages) examples.add({ message, decision: by.explain(message) });
  return examples.toJSON();
}

const draft = (id: string | undefined, text: string): MessageDraft => ({
  ...(id !== undefined && { id }),
  data: { text },
});

/** What is marked in each example of a term or pattern. */
const marked = (rows: readonly CauseExamples[], what: string) =>
  rows
    .find(({ term, pattern }) => (term ?? pattern) === what)
    ?.examples.map(({ text = '', spans }) => spans.map(({ start, end }) => text.slice(start, end)));

describe('examples of an audit', () => {
  it('are of messages with no other cause first', () => {
    const rows = collected([draft('1', 'moron 1'), draft('2', 'moron 2'), draft('3', 'moron 3'), draft('4', 'moron')]);
    const row = rows.find(({ term }) => term === 'moron');
    expect(row).toMatchObject({ examples: [{ messageId: '4', onlyCause: true }, {}, {}] });
    const others = naiveChoice(
      ['1', '2', '3'].map((messageId) => ({ messageId, onlyCause: false })),
      2,
    );
    expect(row!.examples.slice(1)).toMatchObject(others);
  });

  it('mark every match of their cause in the same text, and no other', () => {
    const rows = collected([draft('1', 'moron, BUY  now, moron 77')]);
    expect(marked(rows, 'moron')).toEqual([['moron', 'moron']]);
    expect(marked(rows, 'buy now')).toEqual([['BUY  now']]);
    expect(marked(rows, '[0-9]+')).toEqual([['77']]);
  });

  it('have at most so many units, around the first match, and cut no pair of surrogates', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 0, max: 900 }),
        fc.boolean(),
        (before, behind, odd) => {
          const text = `${odd ? 'x' : ''}${'😀'.repeat(before)} moron ${'😀'.repeat(behind)}`;
          const [row] = collected([draft('1', text)]);
          const [example] = row!.examples;
          expect(example!.text!.length).toBeLessThanOrEqual(longestExample);
          expect(example!.text!.isWellFormed()).toBe(true);
          expect(text.startsWith(example!.text!, example!.from)).toBe(true);
          expect(marked([row!], 'moron')).toEqual([['moron']]);
        },
      ),
    );
  });

  it('say who wrote the message, where and when, as far as it says so; without texts too', () => {
    const origin = { sender: 'ann', conversationId: 'room', sentAt: 7 };
    const odd = { sender: null, conversationId: 3, sentAt: '7' } as unknown as MessageDraft;
    for (const content of ['text', 'redacted'] as const) {
      const [row] = collected([{ ...draft('1', 'moron'), ...origin }], content);
      expect(row!.examples).toMatchObject([origin]);
      const [other] = collected([{ ...draft('1', 'moron'), ...odd }], content);
      expect(Object.keys(other!.examples[0]!)).toEqual(expect.not.arrayContaining(Object.keys(origin)));
      const [text] = collected(['moron'], content);
      expect(Object.keys(text!.examples[0]!)).toEqual(expect.not.arrayContaining(Object.keys(origin)));
    }
  });

  it('without texts have the same places', () => {
    const text = `${'a '.repeat(400)}moron moron`;
    const [whole] = collected([draft('1', text)]);
    const [redacted] = collected([draft('1', text)], 'redacted');
    const { text: _, ...places } = whole!.examples[0]!;
    expect(redacted!.examples).toEqual([places]);
    const absolute = places.spans.map(({ start, end }) => text.slice(places.from + start, places.from + end));
    expect(absolute).toEqual(['moron', 'moron']);
    expect(JSON.stringify(redacted)).not.toContain('a a');
  });

  it('are those of least rank, and those of parts add up to those of the whole, for any split and order', () => {
    const texts = fc.constantFrom('moron', 'a moron, a moron', 'buy now 12', 'hello', 'hell 1 2 3', 'moron 😀');
    const anyEntry = fc
      .tuple(fc.option(fc.nat(30).map(String), { nil: undefined }), texts)
      .map(([id, text]) => ({ ...draft(id, text), ...(text.length > 5 && { sender: text, sentAt: text.length }) }))
      .map((message) => ({ message, decision: engine.explain(message) }));
    fc.assert(
      fc.property(anySplit(anyEntry, 60), fc.constantFrom('text' as const, 'redacted' as const), (split, content) => {
        const { whole, merged } = countBothWays(split, () => createExamples(content));
        expect(merged).toBe(whole);
        const single = split.entries.flatMap(({ message }) => collected([message], content));
        for (const row of JSON.parse(whole) as CauseExamples[]) {
          const all = single.filter((other) => keyOf(other) === keyOf(row)).flatMap(({ examples }) => examples);
          expect(row.examples).toEqual(naiveChoice(all, mostExamplesOfCause));
        }
      }),
      { numRuns: runs(30) },
    );
  });

  it('of more causes than have examples are of the same causes, whatever the parts', () => {
    const words = Array.from({ length: mostCauses + 500 }, (_, index) => `term${index}`);
    const many = createEngine(rulesOf(words));
    const messages = words.map((word, index) => draft(`m${index}`, word));
    const whole = collected(messages, 'text', many);
    expect(whole.length).toBe(mostCauses);
    const merged = createExamples('text');
    const parts = [messages.slice(900), messages.slice(0, 300), messages.slice(300, 900)];
    for (const part of parts) merged.merge(collected(part, 'text', many));
    expect(merged.toJSON()).toEqual(whole);
    expect(collected([...messages].reverse(), 'text', many)).toEqual(whole);
  });
});
