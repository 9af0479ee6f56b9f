import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createEngine, lintRuleSet, type RuleSetInput } from '../../src/index.js';
import { everydayTexts } from '../../src/review/lint/checks/everyday.js';

const texts = await everydayTexts();

const everydayOf = async (ruleSet: RuleSetInput, semantics = {}) => {
  const { findings } = await lintRuleSet(ruleSet, { semantics });
  return findings.filter(({ id }) => id.startsWith('everyday-'));
};
const inline = (value: readonly string[], more = {}, ofRule = {}): RuleSetInput => ({
  rules: [
    { id: 'rule', action: ['blockMessage'], conditions: [{ id: 1, operand: 'text', value, ...more }], ...ofRule },
  ],
  lists: [],
});

/** The counts of a finding, as its detail has them. */
function countsIn(detail: string) {
  const [, messages] = /([\d,]+) of 3,000 harmless messages/.exec(detail) ?? [];
  const [, words] = /([\d,]+) stop words?:/.exec(detail) ?? [];
  const number = (text = '0') => Number(text.replaceAll(',', ''));
  return { messages: number(messages), words: number(words) };
}

describe('the harmless texts', () => {
  it('are in 58 languages', () => {
    expect(new Set(texts.messages).size).toBe(3000);
    expect(new Set(texts.stopWords.flatMap(({ languages }) => languages)).size).toBe(58);
    expect(texts.stopWords.filter(({ word }) => word !== word.toLowerCase() || !/\p{L}/u.test(word))).toEqual([]);
  });

  it('hold no swear word of the demo, but for two that are common words elsewhere', () => {
    const lists: { searchTerms: string[] }[] = JSON.parse(readFileSync('fixtures/data/lists.json', 'utf8'));
    const terms = new Set(lists.flatMap(({ searchTerms }) => searchTerms));
    const rough = texts.stopWords.filter(({ word }) => terms.has(word));
    expect(rough.map(({ word, languages }) => [word, ...languages]).sort()).toEqual([
      ['cum', 'la', 'ro'],
      ['sex', 'sv'],
    ]);
  });
});

describe('everyday-term', () => {
  it('counts words and messages as one by one, by the reading', async () => {
    const [whole] = await everydayOf(inline(['kill', 'xyzzyplugh']));
    expect(whole).toMatchObject({
      id: 'everyday-term',
      severity: 'warning',
      ruleId: 'rule',
      conditionId: 1,
      index: 0,
      term: 'kill',
    });
    const held = (text: string) => /(?<![\p{L}\p{N}\p{M}_])kill(?![\p{L}\p{N}\p{M}_])/iu.test(text);
    const counts = countsIn(whole!.detail);
    const found = texts.messages.filter(held).length;
    expect(counts).toMatchObject({ messages: found, words: texts.stopWords.filter(({ word }) => held(word)).length });
    const [part] = await everydayOf(inline(['ass']), { words: 'substring' });
    const contains = (text: string) => text.toLowerCase().includes('ass');
    expect(countsIn(part!.detail)).toMatchObject({
      messages: texts.messages.filter(contains).length,
      words: texts.stopWords.filter(({ word }) => contains(word)).length,
    });
    expect(part!.mend).toContain('whole word');
    expect(whole!.mend).not.toContain('whole word');
    const [first] = /: (.*)/.exec(part!.detail)![1]!.split(' (');
    expect(first).toBe(texts.stopWords.find(({ word }) => contains(word))!.word);
  });

  it('names ten stop words, one finding for a list of several rules, and what a list of cells holds', async () => {
    const condition = { operand: 'text', isKeywordsReferencePresent: true, value: ['cells'] };
    const findings = await everydayOf(
      {
        rules: ['one', 'other'].map((id) => ({ id, action: ['blockMessage'], conditions: [condition] })),
        lists: [{ id: 'cells', isCSV: true, searchTerms: ['qqqq', '"a*"', '"you"'] }],
      },
      { wildcards: 'asterisk' },
    );
    expect(findings.map(({ listId, index, term }) => [listId, index, term])).toEqual([
      ['cells', 1, 'a*'],
      ['cells', 2, 'you'],
    ]);
    expect(findings[0]!.detail.match(/ \(\w\w(?:, \w\w)*\)/g)).toHaveLength(10);
    expect(findings[0]!.detail.endsWith(', …')).toBe(true);
  });

  it('leaves out what an exception excepts, and judges rules without their filters', async () => {
    const jerk = inline(['jerk chicken']);
    expect(await everydayOf(jerk)).toHaveLength(1);
    expect(await everydayOf(jerk, { exceptions: ['jerk chicken'] })).toEqual([]);
    const filter = { entity: 'user', type: 'sender', operand: 'role', operator: 'equals', value: 'guest' };
    const [filtered] = await everydayOf(inline(['jerk chicken'], {}, { filters: [filter] }));
    expect(filtered).toMatchObject({ term: 'jerk chicken' });
    expect(filtered).not.toHaveProperty('witness');
  });

  it.each([
    ['word', '大麻', ['大麻烦']],
    ['word', '妈的', ['妈妈的']],
    ['word', '操', ['操作', '操场', '体操']],
    ['word', 'カス', ['カスタム', 'カスタマーサポート', 'カスタード']],
    ['word', 'ブス', ['サブスク', 'ブスッ']],
    ['word', 'หี', ['หีบ']],
    ['prefix', '새끼', ['새끼손가락', '새끼고양이가']],
  ] as const)(
    'by the reading %s names the words that %s is a part of, which are its exceptions',
    async (words, term, longer) => {
      const [finding] = await everydayOf(inline([term]), { words });
      const named = longer.map((word) => JSON.stringify(word)).join(', ');
      expect(finding!.mend).toContain(`exceptions for the longer words (\`exceptions: [${named}]\`)`);
      expect(await everydayOf(inline([term]), { words, exceptions: longer })).toEqual([]);
    },
  );

  it('has a witness that the engine matches, for terms and patterns', async () => {
    const ruleSet: RuleSetInput = {
      rules: [
        {
          id: 'terms',
          action: ['blockMessage'],
          conditions: [{ id: 3, operand: 'text', value: ['kill', 'cock', 'jerk', 'zzzzzz'] }],
        },
        {
          id: 'patterns',
          action: ['dropMessage'],
          conditions: [
            { id: 7, operand: 'text', category: 'pattern', value: ['\\d{2}:\\d{2}', 'zzzzzz', '^(?:hola|ciao)\\b'] },
          ],
        },
      ],
      lists: [],
    };
    const findings = await everydayOf(ruleSet);
    expect(findings.map(({ id, term, pattern }) => [id, term ?? pattern])).toEqual([
      ['everyday-term', 'kill'],
      ['everyday-term', 'cock'],
      ['everyday-term', 'jerk'],
      ['everyday-pattern', '\\d{2}:\\d{2}'],
      ['everyday-pattern', '^(?:hola|ciao)\\b'],
    ]);
    const engine = createEngine(ruleSet);
    for (const { witness, ruleId, term, pattern } of findings) {
      const { matched } = engine.explain(witness!);
      const written = matched
        .filter((hit) => hit.ruleId === ruleId)
        .flatMap(({ conditions }) => conditions.flatMap(({ matches }) => matches));
      expect(
        written.map((match) => (match.kind === 'word' ? match.term : match.kind === 'pattern' ? match.pattern : '')),
      ).toContain(term ?? pattern);
    }
  });
});
