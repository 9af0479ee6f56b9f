/**
 * Random decisions over few rules, terms and labels, so that counts of several messages meet in one
 * row.
 */
import fc from 'fast-check';
import type { Decision, Match } from '../../src/engine/evaluate/decision.js';
import type { MessageDraft } from '../../src/platform/contract/message-draft.js';
import { decision, excepting, hit, pattern, score, unevaluated, word } from './decisions.js';

const anyMatch: fc.Arbitrary<Match> = fc.oneof(
  fc
    .tuple(fc.constantFrom('x', 'y', '__proto__'), fc.constantFrom('l', undefined), fc.nat(3))
    .map(([term, listId, start]) => word(term, listId, start)),
  fc.constantFrom('p', 'q').map(pattern),
  fc.constantFrom('gore', 'nudity').map((label) => score(label, 50)),
);

/** Rules of one id may be two, of two names. */
const anyHit = fc
  .record({
    ruleId: fc.constantFrom('a', 'b', 'c'),
    matches: fc.array(anyMatch, { maxLength: 4 }),
    ruleName: fc.constantFrom('Rule', 'Other rule'),
    determining: fc.boolean(),
    shadow: fc.boolean(),
    conditionId: fc.constantFrom(1, 2),
  })
  .map(({ ruleId, matches, conditionId, ...changes }) =>
    hit(ruleId, matches, { ...changes, conditions: [{ conditionId, operand: 'text', matches }] }),
  );

export const anyDecision: fc.Arbitrary<Decision> = fc
  .record({
    verdict: fc.constantFrom('allow' as const, 'blockMessage' as const, 'dropMessage' as const),
    exempt: fc.boolean(),
    truncated: fc.boolean(),
    actions: fc.uniqueArray(fc.constantFrom('blockMessage', 'dropMessage', 'kick')),
    matched: fc.array(anyHit, { maxLength: 3 }),
    unevaluated: fc.array(
      fc.tuple(fc.constantFrom('a', 'b'), fc.nat(2)).map(([id, n]) => unevaluated(id, n)),
      { maxLength: 2 },
    ),
    excepted: fc.array(
      fc
        .tuple(fc.constantFrom({ term: 'x' }, { pattern: 'x' }, { term: 'x', listId: 'l' }), fc.constantFrom('a', 'b'))
        .map(([exception, ruleId]) => excepting(exception, ruleId)),
      { maxLength: 3 },
    ),
  })
  .map(decision);

/** Messages of which some have one id, and some have none. */
export const anyDraft: fc.Arbitrary<MessageDraft> = fc.record(
  {
    id: fc.oneof(fc.constantFrom('1', '20', '3', '400'), fc.nat(99).map(String)),
    sender: fc.constantFrom('ann', 'bob', '__proto__'),
    sentAt: fc.nat(400_000),
    data: fc.record(
      { text: fc.oneof(fc.constantFrom('x', 'y x', 'long '.repeat(90), '😀y'), fc.constant(7 as never)) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
