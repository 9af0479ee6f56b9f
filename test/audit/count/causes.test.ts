import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCauses } from '../../../src/audit/count/causes.js';
import { createSummary } from '../../../src/audit/count/summary.js';
import { runs } from '../../support/runs.js';
import { anyDecision } from '../arbitrary-decision.js';
import { decision, excepting, hit, word } from '../decisions.js';
import { anySplit, countBothWays } from './parts.js';

describe('createCauses', () => {
  it('merged from parts equals what is counted of the whole, for any split and order, and is what a summary has', () => {
    const anyEntry = anyDecision.map((own) => ({ decision: own }));
    fc.assert(
      fc.property(anySplit(anyEntry), (split) => {
        const { whole, merged } = countBothWays(split, createCauses);
        expect(JSON.parse(merged)).toEqual(JSON.parse(whole));
        const summary = createSummary();
        for (const entry of split.entries) summary.add({ ...entry, message: 'x' });
        const { terms, patterns, labels, exceptions } = summary.toJSON();
        expect(JSON.parse(whole)).toEqual(JSON.parse(JSON.stringify({ terms, patterns, labels, exceptions })));
      }),
      { numRuns: runs(40) },
    );
  });

  it('counts a message as stopped for a rule that its verdict rests on', () => {
    const causes = createCauses();
    const matched = [hit('a', [word('x'), word('x')]), hit('b', [word('x')], { determining: false })];
    causes.add({ decision: decision({ verdict: 'blockMessage', matched }) });
    causes.add({ decision: decision({ matched }) });
    expect(causes.toJSON().terms).toEqual([
      { ruleId: 'a', term: 'x', matches: 4, messages: 2, stopped: 1 },
      { ruleId: 'b', term: 'x', matches: 2, messages: 2, stopped: 0 },
    ]);
  });

  it('counts what was excepted by exception, each message once, also where nothing matched', () => {
    const causes = createCauses();
    const [ours, listed] = [{ pattern: 'ours' }, { term: 'skill', listId: 'spared' }];
    const excepted = [excepting(ours), excepting(ours), excepting(listed)];
    causes.add({ decision: decision({ excepted }) });
    causes.add({ decision: decision({ excepted: [excepting(ours)] }) });
    expect(causes.toJSON().exceptions).toEqual([
      { ...ours, matches: 3, messages: 2 },
      { ...listed, matches: 1, messages: 1 },
    ]);
    expect(causes.toJSON().terms).toEqual([]);
  });
});
