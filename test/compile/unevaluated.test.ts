/**
 * Whatever is wrong with a condition, it is either evaluated or in `unevaluated`: every code of
 * issue over every kind of condition.
 */
import { describe, expect, it } from 'vitest';
import type { IssueCode } from '../../src/engine/compile/issue.js';
import { PatternFault } from '../../src/engine/match/patterns/engine.js';
import { createEngine, type MessageDraft, type Rule, type Scores, type Semantics } from '../../src/index.js';
import { asAnswer } from '../support/compare.js';
import { judge } from '../support/oracle.js';
import { defaultReadings, type World } from '../support/oracle-world.js';

type Fields = Readonly<Record<string, unknown>>;

interface Kind {
  readonly looksFor: 'words' | 'patterns' | 'scores';
  /** Whether its value names the keyword list `l`. */
  readonly ofList: boolean;
  readonly condition: Fields;
  /** A message that it is about and in which it finds nothing. */
  readonly message: MessageDraft;
}

const textMessage = { category: 'message', type: 'text', data: { text: 'fine' } };
const messages = {
  text: textMessage,
  custom: { category: 'custom', type: 'poll', data: { customData: { title: 'fine' } } },
  ...Object.fromEntries(
    ['image', 'video', 'audio', 'file'].map((type) => [type, { type, data: { url: `https://files.example/${type}` } }]),
  ),
} as Readonly<Record<string, MessageDraft>>;
const allScores = Object.keys(messages).map((operand) => ({ operand, labels: { harm: 10 } })) as readonly Scores[];

const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  Object.entries(messages).flatMap(([operand, message]): [string, Kind][] => {
    const kind = (name: string, looksFor: Kind['looksFor'], condition: Fields): [string, Kind] => [
      `${name} of ${operand}`,
      { looksFor, ofList: 'isListReferencePresent' in condition, condition: { id: 1, operand, ...condition }, message },
    ];
    const threshold = { value: ['harm_greaterThan_50'] };
    const scored = [kind('thresholds', 'scores', { category: 'toxicity', ...threshold })];
    if (operand !== 'text' && operand !== 'custom') return [...scored, kind('plain thresholds', 'scores', threshold)];
    const ofList = { isListReferencePresent: true, value: ['l'] };
    return [
      ...scored,
      kind('words', 'words', { value: ['darn'] }),
      kind('whole words', 'words', { value: 'darn', operator: 'equals' }),
      kind('a list of words', 'words', ofList),
      kind('patterns', 'patterns', { category: 'pattern', value: ['da.n'] }),
      kind('a list of patterns', 'patterns', { category: 'pattern', ...ofList }),
    ];
  }),
);

/** A rule set with something wrong, and what follows. */
interface Slip {
  readonly rules: unknown;
  readonly lists?: unknown;
  readonly semantics?: Partial<Semantics>;
  /** Why the condition is unevaluated; absent for what is evaluated all the same. */
  readonly why?: 'not-compiled' | 'engine-fault';
  /** What the oracle knows nothing of. */
  readonly beyondOracle?: true;
}

const list = (fields: Fields = {}) => ({ id: 'l', searchTerms: ['darn'], ...fields });
const rule = (condition: unknown, fields: Fields = {}) => ({
  id: 'r',
  action: ['blockMessage'],
  conditions: [condition],
  ...fields,
});
const broken = (condition: unknown, more: Partial<Slip> = {}): Slip => ({
  rules: [rule(condition)],
  why: 'not-compiled',
  ...more,
});
const without = (name: string, { [name]: _, ...rest }: Fields): Fields => rest;
const faulty = {
  name: 'faulty',
  compile: () => {
    throw new PatternFault('out of memory');
  },
} as unknown as Semantics['engine'];
const filter = { type: 'sender', entity: 'user', operand: 'uid', operator: 'equals', value: 'ana' };

const slipsOfTerms = ({ condition, looksFor, ofList }: Kind, ...terms: string[]): Slip[] =>
  looksFor === 'words' && !ofList ? terms.map((term) => ({ rules: [rule({ ...condition, value: [term] })] })) : [];

/**
 * Every code, with the ways to get it for a kind of condition: none where it cannot be of that
 * kind.
 */
const slips: Readonly<Record<IssueCode, (kind: Kind) => readonly Slip[]>> = {
  'malformed-rule': ({ condition }) => [
    ...[condition, 'darn', 7, {}].map((conditions) => broken(undefined, { rules: [rule(0, { conditions })] })),
    { rules: [rule(condition, { enabled: 'yes' })] },
  ],
  'malformed-condition': ({ condition }) => [
    ...[undefined, null, 'darn', 7, [condition]].map((item) => broken(item)),
    ...['yes', 1, {}].map((flag) => broken({ ...condition, isKeywordReferencePresent: flag })),
    ...[7, {}, [7], [['darn']], ['darn', null]].map((value) => broken({ ...without('category', condition), value })),
    ...['wrod', 7, {}, true].map((category) => broken({ ...condition, category, value: 'darn' })),
  ],
  'malformed-list': ({ condition, ofList }) =>
    ofList
      ? [{ searchTerms: 'darn' }, { searchTerms: ['darn', 7] }, { searchTerms: [null] }, { isCSV: 'yes' }].map(
          (fields) => broken(condition, { lists: [list(fields)] }),
        )
      : [],
  'malformed-filter': ({ condition }) =>
    [{ operand: 'shoe' }, { operator: 'is' }, { type: 7 }, { value: '' }].map((fields) =>
      broken(condition, { rules: [rule(condition, { filters: [{ ...filter, ...fields }] })] }),
    ),
  'malformed-threshold': ({ condition, looksFor }) =>
    looksFor === 'scores'
      ? ['harm_greaterThan_100', 'harm_greaterThan_lots', 'harm_greaterThan_'].map((value) =>
          broken({ ...condition, value: ['harm_greaterThan_50', value] }),
        )
      : [],
  'missing-list': ({ condition, ofList }) =>
    ofList ? ['gone', ['l', 'gone']].map((value) => broken({ ...condition, value })) : [],
  'rejected-pattern': ({ condition, looksFor, ofList }) => {
    if (looksFor !== 'patterns') return [];
    const patterns = ['darn', '(?=x)'];
    return [
      ofList
        ? broken(condition, { lists: [list({ searchTerms: patterns })] })
        : broken({ ...condition, value: patterns }),
    ];
  },
  'malformed-domain': ({ condition, looksFor, ofList }) =>
    looksFor === 'words' && ofList
      ? [
          broken(condition, {
            lists: [list({ searchTerms: ['no domain', 'example.com'] })],
            semantics: { words: { lists: { l: 'links' } } },
          }),
        ]
      : [],
  'rejected-term': ({ condition, looksFor, ofList }) => {
    if (looksFor !== 'words') return [];
    const terms = ['darn', 'x'.repeat(100_001)];
    const slip = ofList
      ? broken(condition, { lists: [list({ searchTerms: terms })] })
      : broken({ ...condition, value: terms });
    return [{ ...slip, beyondOracle: true }];
  },
  'engine-fault': ({ condition, looksFor }) =>
    looksFor === 'patterns'
      ? [{ rules: [rule(condition)], semantics: { engine: faulty }, why: 'engine-fault', beyondOracle: true }]
      : [],
  'unknown-entity': ({ condition }) => ['profile', 7, {}].map((entity) => broken({ ...condition, entity })),
  'unknown-operand': ({ condition }) => [
    broken(without('operand', condition)),
    ...['txt', 'Text', 'sticker', '', null, 7, true, {}, ['text']].map((operand) => broken({ ...condition, operand })),
  ],
  'unknown-operator': ({ condition, looksFor }) => [
    ...['startsWith', 'Contains', '', 7, {}].map((operator) => broken({ ...condition, operator })),
    ...(looksFor === 'scores' ? [broken({ ...condition, operator: 'equals' })] : []),
  ],
  'unknown-category': ({ condition }) => [broken({ ...condition, category: 'openai-prompt', value: 'be kind' })],
  'empty-value': ({ condition }) => [
    broken(without('value', without('category', condition))),
    ...[[], null, new Array(2)].map((value) =>
      broken({ ...without('category', condition), value }, { beyondOracle: true }),
    ),
  ],
  'low-threshold': ({ condition, looksFor }) =>
    looksFor === 'scores' ? [{ rules: [rule({ ...condition, value: ['harm_greaterThan_0.5'] })] }] : [],
  'unknown-field': ({ condition }) => [{ rules: [rule({ ...condition, catgory: 'word' })] }],
  'unknown-action': ({ condition }) => [{ rules: [rule(condition, { action: ['sing'] })] }],
  'unflagged-list': ({ condition, looksFor, ofList }) =>
    looksFor === 'words' && !ofList ? [{ rules: [rule({ ...condition, value: ['l'] })] }] : [],
  'empty-list': ({ condition, ofList }) =>
    ofList ? [{ rules: [rule(condition)], lists: [list({ searchTerms: [' '] })] }] : [],
  'joined-terms': (kind) => slipsOfTerms(kind, 'darn,heck', 'darn\nheck'),
  'unread-pattern': (kind) => slipsOfTerms(kind, '/darn/i'),
  'doubtful-filter': ({ condition }) => [{ rules: [rule(condition, { filters: [{ ...filter, value: 'ana,bo' }] })] }],
  'empty-term': ({ condition, looksFor, ofList }) =>
    looksFor === 'words' && !ofList ? [{ rules: [rule({ ...condition, value: ['darn', ' '] })] }] : [],
  'duplicate-rule': ({ condition }) => [{ rules: [rule(condition), { ...rule(condition), action: ['dropMessage'] }] }],
  'duplicate-list': ({ condition }) => [{ rules: [rule(condition)], lists: [list(), list({ searchTerms: ['fine'] })] }],
  'unknown-shadow-rule': ({ condition }) => [{ rules: [rule(condition)], semantics: { shadow: ['gone'] } }],
  'unknown-word-list': ({ condition }) => [
    { rules: [rule(condition)], semantics: { words: { lists: { gone: 'word' } } } },
  ],
  'unknown-exception-target': ({ condition }) => [
    { rules: [rule(condition)], semantics: { exceptions: [{ terms: ['x'], for: { rules: ['gone'] } }] } },
  ],
  'excepted-term': ({ condition, looksFor, ofList }) =>
    looksFor === 'words' && !ofList ? [{ rules: [rule(condition)], semantics: { exceptions: ['darn'] } }] : [],
  // Of files of lists: the reader says it.
  'unread-line': () => [],
  'expired-term': () => [],
};

describe.each(Object.keys(kinds))('%s', (name) => {
  const kind = kinds[name]!;
  const { condition, message } = kind;
  const engineOf = ({ rules, lists = [list()], semantics }: Slip) => createEngine({ rules, lists } as never, semantics);
  const sent = { sender: 'bo', ...message } as MessageDraft;
  const ask = (slip: Slip) => {
    const engine = engineOf(slip);
    return { codes: engine.issues.map(({ code }) => code), decision: engine.explain(sent, allScores) };
  };
  const oracle = ({ rules, lists = [list()], semantics }: Slip) =>
    judge({ rules, lists, message: sent, media: allScores, readings: { ...defaultReadings, ...semantics } } as World);

  it('is evaluated when nothing is wrong', () => {
    const { codes, decision } = ask({ rules: [rule(condition)] });
    expect([codes, decision.verdict, decision.unevaluated]).toEqual([[], 'allow', []]);
  });

  it.each(Object.keys(slips) as IssueCode[])('%s', (code) => {
    for (const slip of slips[code](kind)) {
      const { codes, decision } = ask(slip);
      const unevaluated = decision.unevaluated.map(({ ruleId, conditionId, why }) => `${ruleId}#${conditionId} ${why}`);
      const what = JSON.stringify(slip).slice(0, 300);
      expect(codes, what).toContain(code);
      expect(unevaluated, what).toEqual(slip.why === undefined ? [] : [`r#1 ${slip.why}`]);
      if (slip.beyondOracle !== true) expect(asAnswer(decision), what).toEqual(oracle(slip));
    }
  });

  it('is unevaluated for every message when its operand is unknown', () => {
    const others = [
      ...Object.values(messages),
      { ...textMessage, deletedAt: 1 },
      { category: 'action', data: { text: 'joined' } },
      { category: 'message', type: 'sticker', data: {} },
      { data: { text: '' } },
    ];
    for (const slip of slips['unknown-operand'](kind)) {
      const engine = engineOf(slip);
      for (const other of others) {
        const { unevaluated } = engine.explain({ sender: 'bo', ...other } as MessageDraft, allScores);
        expect(unevaluated).toMatchObject([{ why: 'not-compiled' }]);
      }
    }
  });

  it('is unevaluated however many alike were unevaluated before', () => {
    const slip = broken(undefined, {
      rules: Array.from({ length: 1100 }, () => rule({ ...condition, operator: 'is' })),
    });
    const { decision } = ask(slip);
    expect(decision.unevaluated).toHaveLength(1100);
  });
});

describe('files that cannot be read', () => {
  const rules = ['image', 'video', 'audio', 'file'].map(
    (operand): Rule => ({
      id: operand,
      action: ['blockMessage'],
      conditions: [{ operand, value: ['harm_greaterThan_50'] }],
    }),
  );
  const engine = createEngine({ rules, lists: [] });
  const scoresOf = (operand: string, score: number) => [{ operand, labels: { harm: score } }] as Scores[];

  it.each<[string, unknown]>([
    ['an object', { mimeType: 'image/png', url: 'a.png' }],
    ['a text', 'a.png'],
    ['a number', 7],
    ['false', false],
  ])('leave conditions on files unevaluated: %s', (_, attachments) => {
    const { verdict, unevaluated } = engine.explain({ data: { text: 'fine', attachments } } as never);
    expect(verdict).toBe('allow');
    expect(unevaluated.map(({ ruleId, why }) => [ruleId, why])).toEqual(rules.map(({ id }) => [id, 'not-answerable']));
    expect(unevaluated[0]?.detail).toContain('`data.attachments` is not an array');
  });

  it('are beside those that were scored, and hold nothing up that matched', () => {
    const message = { type: 'image', data: { url: 'a.png', attachments: 'b.png' } } as never;
    const harmless = engine.explain(message, scoresOf('image', 10));
    expect(harmless.unevaluated[0]).toMatchObject({ ruleId: 'image', why: 'not-answerable' });
    const harmful = engine.explain(message, scoresOf('image', 90));
    expect(harmful.verdict).toBe('blockMessage');
    expect(harmful.unevaluated.map(({ ruleId }) => ruleId)).toEqual(['video', 'audio', 'file']);
  });

  it('are none that a message carries, so that `missingScores: block` does not stop it', () => {
    const blocking = createEngine({ rules, lists: [] }, { missingScores: 'block' });
    const { verdict, unevaluated } = blocking.explain({ data: { text: 'fine', attachments: 'a.png' } } as never);
    expect([verdict, unevaluated.length]).toEqual(['allow', 4]);
    expect(blocking.decide({ type: 'image', data: { attachments: 'a.png' } } as never)).toBe('blockMessage');
  });

  it.each([undefined, null, []])('are absent where `attachments` is %s', (attachments) => {
    expect(engine.explain({ data: { text: 'fine', attachments } } as never).unevaluated).toEqual([]);
  });
});
