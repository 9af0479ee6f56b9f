import { describe, expect, it } from 'vitest';
import { createEngine, type Rule, reasonFor, UsageError } from '../src/index.js';

const word = (value: string[], message?: string[]) => ({
  ...{ operand: 'text', category: 'word', operator: 'contains', value },
  ...(message && { message }),
});
const explain = (text: string, rules: Rule[], shadow: string[] = []) =>
  createEngine({ rules, lists: [] }, { shadow }).explain(text);
const spam: Rule = { id: 'spam', name: 'Spam', action: 'blockMessage', conditions: [word(['buy now'])] };

describe('reasonFor', () => {
  it('says the message of the condition that held, or else names the rule', () => {
    expect(reasonFor(explain('Hurry, BUY now!', [spam]))).toBe('This message breaks the rule “Spam”.');
    const told = {
      ...spam,
      conditions: [word(['nothing'], ['Not this one']), word(['buy now'], [' No advertising! '])],
    };
    expect(reasonFor(explain('buy now', [told]))).toBe('No advertising!');
    expect(reasonFor(explain('buy now', [{ ...spam, name: ' \u{1b}[31m\n' }]))).toBe(
      'This message breaks the rule “[31m”.',
    );
    expect(reasonFor(explain('buy now', [{ ...spam, name: ' \n ' }]))).toBe('This message breaks a rule.');
  });

  it('says nothing of a message that is allowed, whatever matched', () => {
    expect(reasonFor(explain('hello', [spam]))).toBeUndefined();
    expect(reasonFor(explain('buy now', [{ ...spam, action: 'kick' }]))).toBeUndefined();
  });

  it('names the rules that the verdict rests on, and none in shadow', () => {
    const drop: Rule = { ...spam, id: 'drop', name: 'Scams', action: 'dropMessage' };
    expect(reasonFor(explain('buy now', [spam, drop]))).toBe('This message breaks the rule “Scams”.');
    expect(reasonFor(explain('buy now', [drop, spam], ['drop']))).toBe('This message breaks the rule “Spam”.');
  });

  it('never says a term, and what was found only when asked to', () => {
    const rules = [{ ...spam, conditions: [word(['secret*term', 'moron'])] }];
    const decision = explain('you MORON\n', rules);
    expect(reasonFor(decision)).not.toMatch(/moron/i);
    expect(reasonFor(decision, { withTerm: true })).toBe('This message breaks the rule “Spam”: “MORON”.');
    const long = explain(`${'x'.repeat(59)}😀 buy now`, [
      { ...spam, conditions: [{ ...word(['x{59}. buy']), category: 'pattern' }] },
    ]);
    const said = reasonFor(long, { withTerm: true });
    expect(said).toBe(`This message breaks the rule “Spam”: “${'x'.repeat(59)}…”.`);
  });

  it('quotes what the condition found whose message it is, and nothing that another one found', () => {
    const conditions = [
      { ...word(['moron']), id: 1 },
      { ...word(['buy now']), id: 2, message: ['No advertising here.'] },
    ];
    const both = explain('MORON, buy now', [{ ...spam, conditions }]);
    expect(reasonFor(both, { withTerm: true })).toBe('No advertising here: “buy now”.');
    const links = { ...spam, id: 'links', conditions: [{ ...word(['x.example']), message: ['No links.'] }] };
    const two = explain('MORON, see x.example', [{ ...spam, conditions: [{ ...word(['moron']), id: 1 }] }, links]);
    expect(reasonFor(two, { withTerm: true })).toBe('No links: “x.example”.');
  });

  it('quotes nothing for a score', () => {
    const gore = { operand: 'image', isMediaPresent: true, operator: 'contains', value: ['gore_greaterThan_50'] };
    const engine = createEngine({ rules: [{ ...spam, name: 'Gore', conditions: [gore] }], lists: [] });
    const decision = engine.explain({ type: 'image', data: {} }, [{ operand: 'image', labels: { gore: 80 } }]);
    expect(reasonFor(decision, { withTerm: true })).toBe('This message breaks the rule “Gore”.');
  });

  it('refuses what is not a decision of `explain`', () => {
    expect(() => reasonFor('blockMessage' as never)).toThrow(UsageError);
  });
});
