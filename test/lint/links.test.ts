/**
 * What `lintRuleSet` says of lists with the reading `links`: duplicates, domains below others,
 * terms that are not domains, and nothing else.
 */
import { describe, expect, it } from 'vitest';
import { createEngine, type Finding, lintRuleSet, type RuleSetInput, type Semantics, whyNot } from '../../src/index.js';

const conditions = [{ operand: 'text', isKeywordsReferencePresent: true, value: ['sites'] }];
const rules = [{ id: 'r', action: ['blockMessage'], conditions }];
const semantics: Partial<Semantics> = { words: { lists: { sites: 'links' } } };
const of = (searchTerms: string[]): RuleSetInput => ({ rules, lists: [{ id: 'sites', searchTerms }] });

async function findingsOf(searchTerms: string[], readings = semantics): Promise<readonly Finding[]> {
  return (await lintRuleSet(of(searchTerms), { semantics: readings })).findings;
}

describe('lint of links', () => {
  it.each<[string, string[], [id: string, index: number][]]>([
    ['nothing where all is well', ['example.com', 'example.org/a', 'example.org/ab', 'onion'], []],
    ['the same domain twice', ['example.com', 'EXAMPLE.com/'], [['covered', 1]]],
    ['paths that differ in case', ['example.com/a', 'example.com/A'], []],
    ['a domain below another', ['www.example.com', 'example.com', 'notexample.com'], [['covered', 0]]],
    [
      'a path below another, and below the domain',
      ['example.com/a/b', 'example.com/a', 'a.example.com'],
      [['covered', 0]],
    ],
    [
      'a domain that any link covers, unless it needs no top-level domain',
      ['*', 'example.com', 'a.internal'],
      [['covered', 1]],
    ],
    ['a top-level domain', ['example.zip', 'zip'], [['covered', 0]]],
    [
      'a term that is not a domain',
      ['example.com', 'https://example.org', 'word'],
      [
        ['malformed-domain', 1],
        ['malformed-domain', 2],
      ],
    ],
  ])('finds %s', async (_, searchTerms, expected) => {
    const findings = await findingsOf(searchTerms);
    const found = findings.filter(({ id }) => id !== 'everyday-term');
    expect(found.map(({ id, index }) => [id, index])).toEqual(expected);
    const engine = createEngine(of(searchTerms), semantics);
    for (const { id, witness } of found) if (id === 'covered') expect(engine.decide(witness!)).toBe('blockMessage');
  });

  it('names the list, the term and the fix', async () => {
    const [finding] = await findingsOf(['https://example.org/a?b']);
    expect(finding).toMatchObject({ id: 'malformed-domain', severity: 'error', listId: 'sites', index: 0 });
    expect(finding?.detail).toBe(
      'term `https://example.org/a?b` is not a domain, with or without a path, nor `*`; write `example.org/a`',
    );
  });

  it('claims nothing of exceptions, which are the same list', async () => {
    const readings: Partial<Semantics> = { ...semantics, exceptions: [{ lists: ['sites'] }] };
    const findings = await findingsOf(['example.com', 'a.example.com'], readings);
    expect(findings.map(({ id, index }) => [id, index])).toEqual([
      ['excepted-term', 0],
      ['excepted-term', 1],
    ]);
  });
});

describe('whyNot of links', () => {
  it('says which folding finds a link that is not to be followed', () => {
    const [answer] = whyNot(of(['example.com']), 'hxxp://example[.]com', { semantics });
    expect(answer?.near?.map(({ reading, value }) => `${reading} ${value}`)).toEqual(['folding hardened']);
  });
});
