/** Which rules might match if what could not be evaluated were known. */
import { describe, expect, it } from 'vitest';
import { engineParts } from '../../src/engine/evaluate/engine-parts.js';
import { undecidedRules } from '../../src/engine/evaluate/undecided-rules.js';
import { createEngine, type MessageDraft, type Scores, type Semantics } from '../../src/index.js';

const word = { operand: 'text', category: 'word', value: ['spam'] };
const toxic = { operand: 'text', category: 'toxicity', value: ['toxicity_greaterThan_70'] };
const broken = { operand: 'text', category: 'pattern', value: ['('] };
const guest = [{ type: 'sender', entity: 'user', operand: 'role', operator: 'equals', value: 'guest' }];
const block = ['blockMessage'];
const ofRole = (role: string, text = 'spam'): MessageDraft => ({
  data: { text, entities: { sender: { entity: { role }, entityType: 'user' } } },
});
const undecided = (rules: readonly object[], message: MessageDraft | string, given: Given = {}) => {
  const named = rules.map((rule, at) => ({ id: `r${at}`, action: block, ...rule }) as never);
  const engine = createEngine({ rules: named, lists: [] }, given.semantics);
  return undecidedRules(engine[engineParts]!(), message, given.scores);
};

interface Given {
  readonly scores?: readonly Scores[];
  readonly semantics?: Partial<Semantics>;
}

describe('undecidedRules', () => {
  it.each<[string, readonly object[], MessageDraft | string, readonly string[], Given?]>([
    ['scores that are missing', [{ conditions: [toxic] }], 'hello', ['no-scores']],
    [
      'scores that are there',
      [{ conditions: [toxic] }],
      'hello',
      [],
      { scores: [{ operand: 'text', labels: { toxicity: 3 } }] },
    ],
    [
      'a scorer that failed',
      [{ conditions: [toxic] }],
      'hello',
      ['no-scores'],
      { scores: [{ operand: 'text', labels: {}, failure: 'down' }] },
    ],
    ['a word that is not there', [{ conditions: [word] }], 'hello', []],
    ['a rule that matches by a word', [{ conditions: [word, toxic] }], 'spam', []],
    [
      'a filter of a property that the message lacks',
      [{ conditions: [word], filters: guest }],
      'spam',
      ['not-answerable'],
    ],
    ['the same, and no word', [{ conditions: [word], filters: guest }], 'hello', []],
    ['the same, and scores that are missing', [{ conditions: [toxic], filters: guest }], 'hello', ['not-answerable']],
    ['a filter that does not hold', [{ conditions: [word], filters: guest }], ofRole('admin'), []],
    [
      'a text that is not a string',
      [{ conditions: [word] }],
      { type: 'text', data: { text: 7 } } as never,
      ['not-answerable'],
    ],
    ['what could not be compiled', [{ conditions: [broken] }], 'hello', []],
    ['both', [{ conditions: [broken, toxic] }], 'hello', ['no-scores']],
    [
      'both, which must both hold',
      [{ conditions: [broken, toxic] }],
      'hello',
      [],
      { semantics: { conditions: 'all' } },
    ],
    [
      'a word beside it that must hold',
      [{ conditions: [word, toxic] }],
      'hello',
      [],
      { semantics: { conditions: 'all' } },
    ],
    [
      'the same, which holds',
      [{ conditions: [word, toxic] }],
      'spam',
      ['no-scores'],
      { semantics: { conditions: 'all' } },
    ],
    ['a rule in shadow', [{ conditions: [toxic] }], 'hello', [], { semantics: { shadow: ['r0'] } }],
    ['an exempt message', [{ conditions: [toxic] }], 'hello', [], { semantics: { exempt: () => true } }],
  ])('%s', (_, rules, message, why, given) => {
    expect(undecided(rules, message, given).map((rule) => rule.why)).toEqual(why);
  });

  it('say the verdict as it would be, and whether it would rest on them', () => {
    const rules = [
      { conditions: [word] },
      { conditions: [toxic], action: ['dropMessage', 'kick'] },
      { conditions: [toxic], action: ['flagMessage'] },
      { conditions: [toxic] },
    ];
    const of = (message: string) =>
      undecided(rules, message).map(({ ruleId, actions, verdict, determining }) => [
        ruleId,
        actions,
        verdict,
        determining,
      ]);
    const flag = (verdict: string) => ['r2', ['flagMessage'], verdict, false];
    expect(of('hello')).toEqual([
      ['r1', ['dropMessage', 'kick'], 'dropMessage', true],
      flag('allow'),
      ['r3', block, 'blockMessage', true],
    ]);
    expect(of('spam')).toEqual([
      ['r1', ['dropMessage', 'kick'], 'dropMessage', true],
      flag('blockMessage'),
      ['r3', block, 'blockMessage', false],
    ]);
  });
});
