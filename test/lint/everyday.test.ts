import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everydayMessages } from '../../fixtures/everyday.js';
import { createEngine, lintRuleSet, precisionInterval, type RuleSetInput } from '../../src/index.js';
import { everydayTexts } from '../../src/lint/everyday-texts.js';

const folder = new URL('../../fixtures/everyday/', import.meta.url);
const texts = await everydayTexts();
const entries = texts.words.flatMap(({ word, languages }) => languages.map(() => word));

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
  const [, messages, low, high] = /([\d,]+) of 3,000 harmless messages \(([\d.]+) to ([\d.]+) %\)/.exec(detail) ?? [];
  const [, words] = /([\d,]+) of 30,000 common words/.exec(detail) ?? [];
  const number = (text = '0') => Number(text.replaceAll(',', ''));
  return { messages: number(messages), words: number(words), low: number(low), high: number(high) };
}

describe('the texts of every day', () => {
  it('are the messages that the generator makes, and 3,000 words of each of ten languages', () => {
    expect(texts.messages).toEqual(everydayMessages());
    expect(new Set(texts.messages).size).toBe(3000);
    expect(entries).toHaveLength(30_000);
    for (const language of ['en', 'es', 'fr', 'de', 'pt', 'it', 'nl', 'pl', 'ru', 'tr'])
      expect(texts.words.filter(({ languages }) => languages.includes(language))).toHaveLength(3000);
    expect(texts.words.filter(({ word }) => word !== word.toLowerCase() || /[\d\s]/u.test(word))).toEqual([]);
  });

  it('name their origin and licence, and take less than 200 kB', () => {
    const files = readdirSync(folder).filter((name) => !name.endsWith('.mjs'));
    expect(files.sort()).toEqual(['README.md', 'messages.txt', 'words.txt.gz']);
    expect(files.reduce((sum, name) => sum + statSync(new URL(name, folder)).size, 0)).toBeLessThan(200_000);
    const about = readFileSync(new URL('README.md', folder), 'utf8');
    for (const said of ['FrequencyWords', 'CC BY-SA 4.0', 'make-words.mjs', 'fixtures/everyday.ts'])
      expect(about).toContain(said);
  });
});

describe('everyday-term', () => {
  it('counts words and messages as one by one, by the reading, with the interval of 95 %', async () => {
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
    expect(counts).toMatchObject({ messages: found, words: entries.filter(held).length });
    const { low, high } = precisionInterval(found, 3000);
    expect([
      counts.low <= low * 100,
      counts.high >= high * 100,
      counts.high - counts.low < (high - low) * 100 + 0.2,
    ]).toEqual([true, true, true]);

    const [part] = await everydayOf(inline(['ass']), { words: 'substring' });
    const contains = (text: string) => text.toLowerCase().includes('ass');
    expect(countsIn(part!.detail)).toMatchObject({
      messages: texts.messages.filter(contains).length,
      words: entries.filter(contains).length,
    });
    expect(part!.mend).toContain('whole word');
    expect(whole!.mend).not.toContain('whole word');
    const [first] = /: (.*)/.exec(part!.detail)![1]!.split(' (');
    expect(first).toBe(texts.words.find(({ word }) => contains(word))!.word);
  });

  it('names the ten most frequent words, one finding for a list of several rules, and what a list of cells holds', async () => {
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

  it('has a witness that the engine matches, for terms and patterns', async () => {
    const ruleSet: RuleSetInput = {
      rules: [
        {
          id: 'terms',
          action: ['blockMessage'],
          conditions: [{ id: 3, operand: 'text', value: ['hell', 'cock', 'jerk', 'zzzzzz'] }],
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
      ['everyday-term', 'hell'],
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
