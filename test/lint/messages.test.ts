import { describe, expect, it } from 'vitest';
import { type Finding, lintRuleSet, type RuleSetInput } from '../../src/index.js';

const ids: readonly string[] = ['never-fired', 'fires-most', 'fires-inside-words', 'fires-together'];
const ruleSet: RuleSetInput = {
  rules: [
    {
      id: 'words',
      action: ['blockMessage'],
      conditions: [{ id: 1, operand: 'text', isKeywordsReferencePresent: true, value: ['list'] }],
    },
    { id: 'own', action: ['blockMessage'], conditions: [{ id: 1, operand: 'text', value: ['market', 'sheep'] }] },
    { id: 'idle', action: ['blockMessage'], conditions: [{ id: 1, operand: 'text', value: ['platypus'] }] },
    {
      id: 'media',
      action: ['blockMessage'],
      conditions: [{ id: 1, operand: 'image', value: ['gore_greaterThan_50'] }],
    },
  ],
  lists: [{ id: 'list', searchTerms: ['cat', 'ark', 'newt'] }],
};
const messages = [
  ...['the market', 'a market cat', 'cat', 'Market day', 'supermarket market', 'parked', 'concatenate it'],
  ...['sheep'],
  { type: 'image', data: { attachments: [{ url: 'u', mimeType: 'image/png' }] } },
];
const lint = async (given: readonly unknown[], semantics = {}) => {
  const { findings } = await lintRuleSet(ruleSet, {
    messages: given as string[],
    semantics: { words: { default: 'word', lists: { list: 'substring' } }, ...semantics },
  });
  return findings.filter(({ id }) => ids.includes(id));
};
const of = (findings: readonly Finding[], id: string) => findings.filter((finding) => finding.id === id);

describe('lintRuleSet with messages', () => {
  it('finds what never fired, and for which share of messages that can be; not what could not be evaluated', async () => {
    const never = of(await lint(messages), 'never-fired');
    expect(never.map(({ ruleId, listId }) => ruleId ?? listId)).toEqual(['idle', 'list', 'idle']);
    // 1 - 0.025^(1/9)
    expect(never[0]!.detail).toBe('the rule matched nothing in 9 messages (at most 33.627 % of messages like these)');
    expect(never[1]!.detail).toMatch(/^1 of 3 terms matched nothing in 9 messages .*: `newt`$/);
  });

  it('finds what fires most, the most first', async () => {
    const most = of(await lint(messages), 'fires-most');
    expect(most.map(({ term, detail }) => [term, Number(detail.split(' ')[1])])).toEqual([
      ['ark', 5],
      ['market', 4],
      ['cat', 3],
      ['sheep', 1],
    ]);
  });

  it('finds what fires inside longer words alone, and in which', async () => {
    const inside = of(await lint(messages), 'fires-inside-words');
    expect(inside).toHaveLength(1);
    expect(inside[0]).toMatchObject({ severity: 'warning', listId: 'list', index: 1, term: 'ark' });
    expect(inside[0]!.detail).toBe(
      'matches only inside longer words, in 5 messages: market 4, supermarket 1, parked 1',
    );
    // `market` is a whole word wherever it fires.
    expect(of(await lint(messages, { words: 'word' }), 'fires-inside-words')).toEqual([]);
  });

  it('finds what fires together with another alone', async () => {
    const together = of(await lint(messages), 'fires-together');
    expect(together.map(({ ruleId, term, detail }) => [ruleId, term, detail])).toEqual([
      [
        'own',
        'market',
        'never matches alone: each of its 4 messages has term `ark` of list `list` for rule `words` too',
      ],
    ]);
  });

  it('finds nothing of this without messages, nor of an empty source, and takes streams', async () => {
    const { findings } = await lintRuleSet(ruleSet);
    expect(findings.filter(({ id }) => ids.includes(id))).toEqual([]);
    expect(await lint([])).toEqual([]);
    const stream = (async function* () {
      yield* ['cat', 'cat', 'cat'];
    })();
    const { findings: streamed } = await lintRuleSet(ruleSet, { messages: stream });
    expect(of(streamed, 'fires-most').map(({ detail }) => detail)).toEqual([
      'matches 3 of 3 messages (29.2 to 100.0 %)',
    ]);
  });
});
