import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createEngine,
  type Filter,
  type MessageDraft,
  type Rule,
  RuleSetError,
  type RuleSetInput,
  type Scores,
  type Semantics,
  UsageError,
  type WhyNotOptions,
  whyNot,
} from '../src/index.js';
import { anyReadings, anyRuleSet } from './support/arbitrary.js';
import { anyMedia, anyMessage } from './support/arbitrary-message.js';
import { runs } from './support/runs.js';

const text = (value: string | string[], more = {}) => ({ operand: 'text', category: 'word', value, ...more });
const rule = (id: string, conditions: unknown[], more = {}) =>
  ({ id, action: 'blockMessage', conditions, ...more }) as Rule;
const role = { type: 'sender', entity: 'user', operand: 'role', operator: 'in', value: 'moderator, member' } as Filter;
const isNew = { type: 'sender', entity: 'user', operand: 'createdAt', operator: 'greaterThan', value: '-7d' } as Filter;
const by = (entity: object, more = {}): MessageDraft => ({
  ...more,
  data: { text: 'buy now', entities: { sender: { entity, entityType: 'user' } } },
});

interface Question {
  readonly rules: readonly Rule[];
  readonly lists?: RuleSetInput['lists'];
  readonly message: string | MessageDraft;
  readonly semantics?: Partial<Semantics>;
  readonly scores?: readonly Scores[];
  /** Only what is written is compared. */
  readonly answers: readonly object[];
}

const links = rule('links', [text('https?://\\S+', { category: 'pattern' })]);
const picture = { type: 'image', data: { attachments: [{ url: 'a.jpg', mimeType: 'image/jpeg' }] } };
const gore = rule('gore', [{ operand: 'image', value: ['gore_greaterThan_70', 'AnyOf_greaterThan_90'] }]);

/** What would match under another value of a reading. */
const near = (reading: string, value: string, match: object | string) => ({
  ...{ reading, value, match: typeof match === 'string' ? { text: match } : match },
});

/** Why a rule did not match, as whoever reads the rules would answer. */
const questions: Record<string, Question> = {
  'switched off': {
    rules: [rule('spam', [text('buy now')], { enabled: false })],
    message: 'buy now',
    answers: [{ ruleId: 'spam', why: 'disabled' }],
  },
  'not active': {
    rules: [rule('spam', [text('buy now')], { active: false })],
    message: 'buy now',
    answers: [{ ruleId: 'spam', why: 'inactive' }],
  },
  'left out by a reading': {
    rules: [rule('spam', [text('buy now')])],
    message: 'buy now',
    semantics: { runs: () => false },
    answers: [{ ruleId: 'spam', why: 'disabled', detail: 'the reading `runs` leaves it out' }],
  },
  'a list that is not there, and one condition that finds nothing': {
    rules: [rule('spam', [text('gone', { id: 7, isKeywordsReferencePresent: true }), text('cheap')])],
    message: 'buy now',
    answers: [
      { ruleId: 'spam', conditionId: 7, why: 'not-compiled', detail: 'keyword list is missing' },
      { ruleId: 'spam', conditionId: 2, why: 'no-match' },
    ],
  },
  'a broken filter, no condition, and one that is not an object': {
    rules: [
      rule('spam', [text('buy now')], { filters: [{ ...role, operand: 'rule' }] }),
      rule('none', []),
      rule('odd', ['buy now']),
    ],
    message: 'buy now',
    answers: [
      { ruleId: 'spam', why: 'not-compiled', detail: expect.stringContaining('filter 1 names no known property') },
      { ruleId: 'none', why: 'not-compiled' },
      { ruleId: 'odd', conditionId: 1, why: 'not-compiled', detail: 'is not an object' },
    ],
  },
  'a sender of another role': {
    rules: [rule('spam', [text('buy now')], { filters: [role] })],
    message: by({ role: 'admin' }),
    answers: [
      {
        ...{ ruleId: 'spam', why: 'filtered' },
        detail: 'sender role in moderator, member, the message has admin',
        filter: {
          ...{ index: 0, party: 'sender', property: 'role', operator: 'in', value: ['moderator, member'] },
          ...{ result: 'fails', has: ['admin'] },
        },
        match: { term: 'buy now' },
      },
    ],
  },
  'an account that is too old': {
    rules: [rule('spam', [text('buy now')], { filters: [isNew] })],
    message: by({ createdAt: 1_707_609_600 }, { sentAt: 1_717_609_600 }),
    answers: [
      {
        ...{ why: 'filtered', filter: { result: 'fails', has: ['1707609600'] } },
        detail: 'sender createdAt greaterThan -7d, the message has 1707609600 (2024-02-11)',
      },
    ],
  },
  'filters that cannot be answered': {
    rules: [rule('spam', [text('cheap')], { filters: [role, isNew] })],
    message: by({ createdAt: 1_707_609_600 }),
    answers: [
      { why: 'filtered', filter: { property: 'role', result: 'unknown' } },
      { why: 'filtered', filter: { property: 'createdAt', result: 'undated' } },
    ],
  },
  'an exempt sender': {
    rules: [rule('spam', [text('buy now')]), rule('calm', [text('cheap')])],
    message: by({ role: 'member' }),
    semantics: { exempt: [role] },
    answers: [
      { ruleId: 'spam', why: 'exempt', match: { term: 'buy now' } },
      { ruleId: 'calm', why: 'exempt' },
    ],
  },
  'nothing that the conditions read': {
    rules: [rule('spam', [text('buy now', { operand: 'custom' }), { operand: 'image', value: 'gore_greaterThan_7' }])],
    message: 'buy now',
    answers: [
      { conditionId: 1, why: 'operand-absent', detail: 'the message has nothing that conditions on `custom` read' },
      { conditionId: 2, why: 'operand-absent', detail: 'the message has nothing that conditions on `image` read' },
    ],
  },
  'a text that is none': {
    rules: [rule('spam', [text('buy now')])],
    message: { data: { text: 7 } } as never,
    answers: [{ why: 'operand-absent', detail: expect.stringContaining('`data.text` is not a string') }],
  },
  'a picture without scores': { rules: [gore], message: picture, answers: [{ why: 'no-scores' }] },
  'scores that are not over their thresholds': {
    rules: [gore],
    message: picture,
    scores: [{ operand: 'image', labels: { Gore: 70, smoke: 12 } }],
    answers: [
      {
        ...{ why: 'below-threshold', detail: 'gore 70, not over 70; AnyOf 70, not over 90' },
        scores: [
          { label: 'gore', greaterThan: 70, score: 70 },
          { label: 'AnyOf', greaterThan: 90, score: 70 },
        ],
      },
    ],
  },
  'a link of our own': {
    rules: [links],
    message: 'see https://help.ours.example/x',
    semantics: { exceptions: [{ patterns: ['https://help\\.ours\\.example\\S*'] }] },
    answers: [
      {
        ...{ ruleId: 'links', conditionId: 1, why: 'excepted' },
        detail: 'all that was found lies inside exceptions: `https://help\\.ours\\.example\\S*`',
        excepted: [{ ruleId: 'links', conditionId: 1, match: { text: 'https://help.ours.example/x' } }],
      },
    ],
  },
  'a word of a list of exceptions that no rule names': {
    rules: [rule('spam', [text('buy now', { isKeywordsReferencePresent: true, value: ['terms'] })])],
    lists: [
      { id: 'terms', searchTerms: ['buy now'] },
      { id: 'ours', searchTerms: ['buy now, pay later'] },
    ],
    message: 'Buy now, pay later',
    semantics: { exceptions: [{ lists: ['ours'] }] },
    answers: [{ why: 'excepted', excepted: [{ exception: { term: 'buy now, pay later', listId: 'ours' } }] }],
  },
  'a part of a word, and an obfuscated one': {
    rules: [rule('spam', [text(['buy now', 'cheap'])])],
    message: 'BUY nowadays, it is ch3ap',
    answers: [
      {
        why: 'no-match',
        near: [
          near('words', 'prefix', 'BUY now'),
          near('words', 'substring', 'BUY now'),
          near('folding', 'hardened', 'ch3ap'),
        ],
      },
    ],
  },
  'a term with an asterisk, a pattern in small letters, and nothing': {
    rules: [rule('spam', [text('buy*'), text('now', { category: 'pattern' }), text('cheap')])],
    message: 'BUYING NOW',
    answers: [
      {
        conditionId: 1,
        why: 'no-match',
        near: [near('wildcards', 'asterisk', 'BUY')],
      },
      {
        conditionId: 2,
        why: 'no-match',
        near: [near('patterns', 'insensitive', 'NOW')],
      },
      { conditionId: 3, why: 'no-match' },
    ],
  },
  'one of two conditions that must both hold': {
    rules: [rule('spam', [text('buy'), text('cheap')]), rule('sale', [text('buy'), text('now')])],
    message: 'buy now',
    semantics: { conditions: 'all' },
    answers: [{ ruleId: 'spam', conditionId: 2, why: 'no-match' }],
  },
  'rules and conditions of one id': {
    rules: [rule('spam', [text('buy', { id: 1 }), text('x', { id: 1 })]), rule('spam', [text('cheap', { id: 1 })])],
    message: 'buy now',
    answers: [{ ruleId: 'spam', conditionId: 1, why: 'no-match' }],
  },
  'a list with a folding of its own': {
    rules: [rule('names', [text('people', { isKeywordsReferencePresent: true })])],
    lists: [{ id: 'people', searchTerms: ['Will'] }],
    message: 'will you?',
    semantics: { words: { lists: { people: { folding: 'exact' } } } },
    answers: [
      {
        ...{ ruleId: 'names', conditionId: 1, why: 'no-match' },
        near: [
          near('folding', 'case', { text: 'will', term: 'Will', listId: 'people' }),
          near('folding', 'accents', 'will'),
          near('folding', 'hardened', 'will'),
        ],
      },
    ],
  },
  'lists with readings of their own keep all but the one that is tried': {
    rules: [rule('names', [text(['people', 'places'], { isKeywordsReferencePresent: true })])],
    lists: [
      { id: 'people', searchTerms: ['Will'] },
      { id: 'places', searchTerms: ['Reading'] },
    ],
    message: 'Willing, goodwill, W1ll, readings',
    semantics: {
      words: { lists: { people: { reading: 'suffix', folding: 'exact' }, places: { folding: 'hardened' } } },
    },
    answers: [
      {
        why: 'no-match',
        near: [
          near('words', 'prefix', { span: { start: 0, end: 4 }, listId: 'people' }),
          near('words', 'substring', { span: { start: 0, end: 4 }, listId: 'people' }),
          near('folding', 'case', { span: { start: 13, end: 17 } }),
          near('folding', 'accents', { span: { start: 13, end: 17 } }),
          near('folding', 'hardened', { span: { start: 13, end: 17 } }),
        ],
      },
    ],
  },
};

const ask = ({ rules, lists = [], message, semantics, scores }: Question, options: WhyNotOptions = {}) =>
  whyNot({ rules, lists }, message, { semantics, scores, ...options });

describe('whyNot', () => {
  it.each(Object.entries(questions))('%s', (_, question) => {
    const answers = ask(question);
    expect(answers).toMatchObject(question.answers);
    expect(answers.map((answer) => answer.near?.length ?? 0)).toEqual(
      question.answers.map((answer) => ('near' in answer ? (answer.near as object[]).length : 0)),
    );
    for (const { detail } of answers) expect(detail).toMatch(/^[^\n]+$/);
    expect(JSON.parse(JSON.stringify(answers))).toEqual(answers);
  });

  it('answers every reason', () => {
    const reasons = Object.values(questions).flatMap(({ answers }) =>
      answers.map((one) => (one as { why: string }).why),
    );
    expect([...new Set(reasons)].sort()).toEqual(
      [
        ...['below-threshold', 'disabled', 'excepted', 'exempt', 'filtered', 'inactive'],
        ...['no-match', 'no-scores', 'not-compiled', 'operand-absent'],
      ].sort(),
    );
  });

  it('has the rule that is named alone', () => {
    const { rules, message } = questions['rules and conditions of one id']!;
    const others = [...rules, rule('calm', [text('cheap')])];
    expect(ask({ rules: others, message, answers: [] }, { ruleId: 'calm' }).map(({ ruleId }) => ruleId)).toEqual([
      'calm',
    ]);
  });

  it('answers of a rule set that `createEngine` refuses', () => {
    const rules = [rule('spam', [text('gone', { isKeywordsReferencePresent: true })])];
    const [answer] = whyNot({ rules, lists: [] }, 'x', { semantics: { broken: 'fail' } });
    expect(answer?.why).toBe('not-compiled');
  });

  it('takes the readings that the rule set brings, and those given before them', () => {
    const ruleSet = { rules: [rule('spam', [text('buy')])], lists: [], semantics: { words: 'substring' } };
    expect(whyNot(ruleSet as RuleSetInput, 'buying')).toEqual([]);
    expect(whyNot(ruleSet as RuleSetInput, 'buying', { semantics: { words: 'word' } })).toHaveLength(1);
  });

  it.each<[string, Parameters<typeof whyNot>[1], WhyNotOptions, string]>([
    ['an unknown rule', 'x', { ruleId: 'link' }, 'did you mean `links`?'],
    ['a rule unlike any', 'x', { ruleId: 'zzzzz' }, 'no rule has this one'],
    ['no message', 7 as never, {}, 'a message must be a text'],
    ['an unknown reading', 'x', { semantics: { fold: 1 } as never }, 'fold'],
  ])('refuses %s', (_, message, options, words) => {
    const call = () => whyNot({ rules: [links], lists: [] }, message, options);
    expect(call).toThrow(UsageError);
    expect(call).toThrow(words);
  });

  it('refuses what is not a rule set, and a message that is none where there is no rule', () => {
    expect(() => whyNot({ rules: [], lists: [] }, 7 as never)).toThrow(UsageError);
    for (const value of [null, 7, {}, { rules: 7 }, { rules: [], lists: 7 }]) {
      expect(() => whyNot(value as never, 'x')).toThrow(RuleSetError);
    }
  });
});

it('as-written is near where a pattern without case finds less', () => {
  const rules = [rule('r', [text('[^a]b', { category: 'pattern' })])];
  const [answer] = whyNot({ rules, lists: [] }, 'Ab', { semantics: { patterns: 'insensitive' } });
  expect(answer?.near).toMatchObject([near('patterns', 'as-written', 'Ab')]);
});

/** Every other value of a reading that `near` may name, written out once more on purpose. */
const others = [
  ...(['prefix', 'suffix', 'substring'] as const).map((value) => ['words', value] as const),
  ...(['case', 'accents', 'hardened'] as const).map((value) => ['folding', value] as const),
  ...(['insensitive', 'as-written'] as const).map((value) => ['patterns', value] as const),
  ['wildcards', 'asterisk'] as const,
];
/** Returns readings with another value of one, which lists with a value of their own have, too. */
function changesBy({ words = 'word' }: Partial<Semantics>, [reading, value]: Other): Partial<Semantics> {
  const { lists, ...all } = typeof words === 'string' ? { default: words, lists: {} } : words;
  const changed = Object.entries(lists).map(([id, own]): [string, ListReading] => {
    const given = typeof own === 'string' ? { reading: own } : own;
    const hasOwn =
      reading === 'words' ? given.reading !== 'links' : reading === 'folding' && given.folding !== undefined;
    return [id, hasOwn ? { ...given, [reading === 'words' ? 'reading' : 'folding']: value } : given];
  });
  if (reading === 'words') return { words: { default: value, lists: Object.fromEntries(changed) } };
  return { [reading]: value, words: { ...all, lists: Object.fromEntries(changed) } };
}
type Other = (typeof others)[number];
type ListReading = Exclude<Semantics['words'], string>['lists'][string];

describe('whyNot and the engine', () => {
  it('a rule is in the answer exactly when it did not match; what is near is what an engine with that reading finds', () => {
    fc.assert(
      fc.property(anyRuleSet, anyMessage, anyMedia, anyReadings, (ruleSet, message, scores, semantics) => {
        const decision = createEngine(ruleSet, semantics).explain(message, scores);
        const answers = whyNot(ruleSet, message, { semantics, scores });
        const matched = new Set(decision.matched.map(({ ruleId }) => ruleId));
        const missed = ruleSet.rules.filter(({ id }) => !matched.has(id)).map(({ id }) => id);
        expect([...new Set(answers.map(({ ruleId }) => ruleId))]).toEqual(missed);
        // Each condition for itself, whatever others and filters say.
        const rules = ruleSet.rules.map(({ filters: _, ...own }) => own);
        const changed = (changes: Partial<Semantics>) => {
          const bare = { ...semantics, conditions: 'any', exempt: [], ...changes } as const;
          const hits = createEngine({ ...ruleSet, rules }, bare).explain(message, scores).matched;
          return new Map(
            hits.flatMap(({ ruleId, conditions }) =>
              conditions.map(({ conditionId, matches }): [string, typeof matches] => [
                `${ruleId} ${conditionId}`,
                matches,
              ]),
            ),
          );
        };
        const held = changed({});
        const without = changed({ exceptions: [] });
        const near = others.map((other) => ({
          ...{ reading: other[0], value: other[1] },
          found: changed(changesBy(semantics, other)),
        }));
        for (const { ruleId, conditionId, why, match, ...answer } of answers) {
          const place: string = `${ruleId} ${conditionId}`;
          expect(held.has(place)).toBe(false);
          if (conditionId !== undefined) expect(why === 'excepted').toBe(without.has(place));
          if (match !== undefined) expect([...held.values()].flat()).toContainEqual(match);
          const found = near.flatMap(({ reading, value, found: by }) => {
            const first = why === 'excepted' ? [] : by.get(place);
            return (first ?? []).slice(0, 1).map((one) => ({ reading, value, match: one }));
          });
          expect(new Set(answer.near)).toEqual(new Set(found));
        }
        for (const { ruleId, conditionId, why } of decision.unevaluated) {
          // Where all conditions of a rule must hold, one that does may be broken in part.
          if (held.has(`${ruleId} ${conditionId}`)) continue;
          const own = answers.filter(
            (one) => one.ruleId === ruleId && (one.conditionId ?? conditionId) === conditionId,
          );
          expect(own.map((one) => one.why)).toContainEqual(
            why === 'not-answerable'
              ? expect.stringMatching(/filtered|operand-absent/)
              : expect.stringMatching(`${why}|excepted`),
          );
        }
      }),
      { numRuns: runs(25, 2_500) },
    );
  });
});
