import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { createCauseTable } from '../../src/audit/count/diff-causes.js';
import { createEngine, diffRuleSets, type MessageDraft, type Rule } from '../../src/index.js';

const words = (id: string, value: string[], changes: Partial<Rule> = {}): Rule => ({
  id,
  name: id.toUpperCase(),
  action: ['blockMessage'],
  conditions: [{ id: 1, operand: 'text', value }],
  ...changes,
});
const listed = (id: string, listId: string): Rule =>
  words(id, [], { conditions: [{ id: 3, operand: 'text', isKeywordsReferencePresent: true, value: [listId] }] });
const set = (...rules: Rule[]) => ({ rules, lists: [] });
const said = (...texts: string[]): MessageDraft[] => texts.map((text, index) => ({ id: `m${index}`, data: { text } }));

describe('diffRuleSets', () => {
  it('counts each kind, and names rule, condition, list, revision and term of each cause', async () => {
    const against = set(words('old', ['heck']), words('both', ['darn']), words('soft', ['scam']));
    const soft = words('soft', ['scam'], { action: 'dropMessage' });
    const rules = {
      rules: [words('both', ['darn']), words('also', ['darn']), soft, listed('new', 'l')],
      lists: [{ id: 'l', searchTerms: ['Trade', 'sell'], revisionId: 'app_l_8' }],
    };
    const messages = said('oh heck', 'darn', 'scam', 'TRADE', 'trade or sell', 'hello');
    const diff = await diffRuleSets(messages, { rules, against });
    expect(diff).toMatchObject({ messages: 6, newlyStopped: 2, released: 1, changed: 1, reasonOnly: 1, truncated: 0 });
    const trade = {
      ...{ kind: 'newlyStopped', of: 'rules', ruleId: 'new', ruleName: 'NEW' },
      ...{ conditionId: 3, listId: 'l', listRevisionId: 'app_l_8' },
    };
    const one = (kind: string, ruleId: string, term: string, of = 'rules') => ({
      ...{ kind, of, ruleId, ruleName: ruleId.toUpperCase(), conditionId: 1, term, messages: 1, onlyCause: 1 },
    });
    expect(diff.causes.map(({ examples, ...cause }) => [cause, examples.map(({ messageId }) => messageId)])).toEqual([
      [{ ...trade, term: 'Trade', messages: 2, onlyCause: 1 }, ['m3', 'm4']],
      [{ ...trade, term: 'sell', messages: 1, onlyCause: 0 }, ['m4']],
      [one('released', 'old', 'heck', 'against'), ['m0']],
      [one('changed', 'soft', 'scam'), ['m2']],
      [one('reasonOnly', 'also', 'darn'), ['m1']],
    ]);
    const span = { start: 0, end: 5 };
    const verdicts = { before: 'allow', after: 'blockMessage' };
    expect(diff.causes[0]!.examples).toEqual([
      { messageId: 'm3', onlyCause: true, text: 'TRADE', length: 5, span, ...verdicts },
      { messageId: 'm4', onlyCause: false, text: 'trade or sell', length: 13, span, ...verdicts },
    ]);
  });

  it('names the rules that are gone when none is new', async () => {
    const diff = await diffRuleSets(said('darn'), {
      rules: set(words('a', ['darn'])),
      against: set(words('a', ['darn']), words('b', ['darn'])),
    });
    expect(diff.causes).toMatchObject([{ kind: 'reasonOnly', of: 'against', ruleId: 'b', term: 'darn' }]);
  });

  it('names threshold and score of a picture, and the condition alone where missing scores block', async () => {
    const rule = words('gore', [], { conditions: [{ id: 2, operand: 'image', value: 'gore_greaterThan_30' }] });
    const media = (message: MessageDraft) =>
      message.id === 'm0' ? [{ operand: 'image' as const, labels: { Gore: 80 } }] : [];
    const pictures = said('a caption', 'unscored').map((message) => ({ ...message, type: 'image' }));
    const sides = { rules: set(rule), against: set(), semantics: { missingScores: 'block' as const } };
    const { causes } = await diffRuleSets(pictures, { ...sides, scores: async (message) => media(message) });
    const cause = { kind: 'newlyStopped', ruleId: 'gore', conditionId: 2, messages: 1, onlyCause: 1 };
    expect(causes).toHaveLength(2);
    expect(causes).toContainEqual(
      expect.objectContaining({
        ...cause,
        threshold: { label: 'gore', greaterThan: 30 },
        examples: [expect.objectContaining({ text: 'a caption', score: { label: 'Gore', score: 80 } })],
      }),
    );
    const bare = causes.find(({ threshold }) => threshold === undefined);
    expect(bare).toMatchObject({ ...cause, examples: [{ text: 'unscored' }] });
    expect(Object.keys(bare!)).not.toContain('term');
  });

  it('takes readings for either side, and names them in the receipt', async () => {
    const rules = set(words('a', ['kill']));
    const sides = { rules, against: rules, semantics: { words: 'substring' as const }, againstSemantics: {} };
    const diff = await diffRuleSets(said('skill', 'kill'), sides);
    expect(diff).toMatchObject({ newlyStopped: 1, released: 0, reasonOnly: 0 });
    expect(diff.changes).toEqual([{ kind: 'reading', reading: 'words', before: 'word', after: 'substring' }]);
    expect(diff.receipt.semantics).toEqual({ rules: { words: 'substring' }, against: {} });
    const same = await diffRuleSets(said('skill', 'kill'), { ...sides, againstSemantics: undefined });
    expect(same).toMatchObject({ newlyStopped: 0, receipt: { semantics: { against: { words: 'substring' } } } });
  });

  it('names what excepted a match before, and what does now', async () => {
    const rules = set(words('a', ['kill']), {
      id: 'p',
      action: 'blockMessage',
      conditions: [{ operand: 'text', category: 'pattern', value: 'k.t' }],
    });
    const excepting = { exceptions: ['kill the process', { patterns: ['k[a-z]ty'] }] };
    const sides = { rules, against: rules, semantics: {}, againstSemantics: excepting };
    const messages = said('kill the process', 'kill him', 'kitty');
    const { causes, ...counts } = await diffRuleSets(messages, sides);
    expect(counts).toMatchObject({ newlyStopped: 1, released: 0 });
    expect(causes).toMatchObject([
      { kind: 'newlyStopped', of: 'rules', ruleId: 'a', term: 'kill', exception: { term: 'kill the process' } },
    ]);
    const back = await diffRuleSets(messages, { ...sides, semantics: excepting, againstSemantics: {} });
    expect(back.causes).toMatchObject([
      { kind: 'released', of: 'against', ruleId: 'a', term: 'kill', exception: { term: 'kill the process' } },
    ]);
  });

  it('counts messages that either side could not evaluate, and broken parts of rules', async () => {
    const unknown = words('u', [], { conditions: [{ operand: 'text', category: 'pattern', value: '(' }] });
    const diff = await diffRuleSets(said('trade', 'hello'), {
      rules: set(words('t', ['trade'])),
      against: set(unknown),
    });
    expect(diff.unevaluated).toEqual({ rules: 0, against: 2, newlyStopped: 1, released: 0, changed: 0 });
    expect(diff.issues).toEqual({ rules: 0, against: 1 });
  });

  it('joins labels; of several of a message the last counts, and those that are unsure do not', async () => {
    const labels = [
      { messageId: 'm0', outcome: 'right' },
      { messageId: 'm0', outcome: 'wrong' },
      { messageId: 'm1', outcome: 'right' },
      { messageId: 'm1', outcome: 'unsure' },
      { messageId: 'm2', outcome: 'unsure' },
    ] as const;
    const diff = await diffRuleSets(said('trade', 'trade', 'trade', 'heck'), {
      rules: set(words('t', ['trade'])),
      against: set(words('h', ['heck'])),
      labels,
    });
    const none = { right: 0, wrong: 0, unknown: 0 };
    expect(diff.outcomes).toEqual({
      newlyStopped: { right: 1, wrong: 1, unknown: 1 },
      released: { ...none, unknown: 1 },
      changed: none,
    });
    const wrong = [{ messageId: 'm3', outcome: 'wrong' }] as const;
    const sides = { rules: set(), against: set(words('h', ['heck'])) };
    const freed = await diffRuleSets(said('', '', '', 'heck'), { ...sides, labels: wrong });
    expect(freed.outcomes?.released).toEqual({ ...none, wrong: 1 });
    expect(diff.causes[0]!.outcomes).toEqual({ right: 1, wrong: 1, unknown: 1 });
    await expect(
      diffRuleSets([], { rules: set(), against: set(), labels: [{ messageId: 'a', outcome: 'good' as 'right' }] }),
    ).rejects.toThrow('labels[0]: `outcome` must be one of right, wrong, unsure');
  });

  it('redacts texts of examples, and keeps spans', async () => {
    const sides = { rules: set(words('t', ['trade'])), against: set() };
    const diff = await diffRuleSets(['secret trade'], { ...sides, redact: true });
    expect(diff.causes[0]!.examples).toEqual([
      {
        ...{ messageId: null, onlyCause: true, text: '[redacted:12]', length: 12, span: { start: 7, end: 12 } },
        ...{ before: 'allow', after: 'blockMessage' },
      },
    ]);
    expect(JSON.stringify(diff)).not.toContain('secret');
  });

  it('gives equal bytes for equal input; their order changes nothing, and repetition no example', async () => {
    const sides = { rules: set(words('t', ['trade', 'sell'])), against: set() };
    const texts = Array.from({ length: 60 }, (_, index) => ['trade', 'sell', 'trade and sell', 'hello'][index % 4]!);
    const messages = said(...texts);
    const first = await diffRuleSets(messages, sides);
    expect(JSON.stringify(await diffRuleSets(messages, sides))).toBe(JSON.stringify(first));
    const turned = await diffRuleSets([...messages].reverse(), sides);
    expect(JSON.stringify(turned)).toBe(JSON.stringify(first));
    const fewer = await diffRuleSets(messages.slice(1), sides);
    expect(fewer.receipt.messages).not.toBe(first.receipt.messages);
    const twice = await diffRuleSets([...messages, ...messages], sides);
    expect(twice.newlyStopped).toBe(2 * first.newlyStopped);
    const examples = ({ causes }: typeof first) => causes.map((cause) => cause.examples);
    expect(examples(twice)).toEqual(examples(first));
  });

  it('keeps no more of many messages than of few', async () => {
    const sides = { rules: set(words('t', ['trade', 'sell'])), against: set() };
    const many = (count: number) => said(...Array.from({ length: count }, (_, index) => `trade or sell ${index}`));
    const sizes = [];
    for (const count of [50, 5000]) {
      const { causes } = await diffRuleSets(many(count), sides);
      sizes.push(causes.map(({ examples }) => examples.length));
    }
    expect(sizes).toEqual([
      [3, 3],
      [3, 3],
    ]);
    // The table itself, which is all that is kept: its rows are the causes, whatever the number of
    // messages.
    const table = createCauseTable({ examples: 2, redact: false, hasOutcomes: false });
    const [before, after] = [createEngine(set()), createEngine(sides.rules)];
    for (const message of many(500)) {
      const decisions = { before: before.explain(message), after: after.explain(message) };
      table.add({ kind: 'newlyStopped', message, messageId: message.id, ...decisions, outcome: undefined });
    }
    expect(table.toJSON().map(({ messages, examples }) => [messages, examples.length])).toEqual([
      [500, 2],
      [500, 2],
    ]);
  });

  it('holds one message at a time, and closes its source when it is aborted', async () => {
    const controller = new AbortController();
    let [given, closed] = [0, false];
    const source = async function* () {
      try {
        for (;;) {
          given += 1;
          if (given === 5) controller.abort(new Error('enough'));
          yield { data: { text: 'trade' } };
        }
      } finally {
        closed = true;
      }
    };
    const sides = { rules: set(words('t', ['trade'])), against: set() };
    await expect(diffRuleSets(source(), { ...sides, signal: controller.signal })).rejects.toThrow('enough');
    expect([given, closed]).toEqual([5, true]);
  });

  it('rejects unknown options, bad numbers, and messages that are none or no JSON', async () => {
    const sides = { rules: set(), against: set() };
    await expect(diffRuleSets([], { ...sides, exmples: 3 } as never)).rejects.toThrow("did you mean 'examples'?");
    await expect(diffRuleSets([], { ...sides, examples: -1 })).rejects.toThrow(
      '`examples` must be a whole number from 0',
    );
    await expect(diffRuleSets([7 as never], sides)).rejects.toThrow('data.text');
    await expect(diffRuleSets([{ id: 'a', n: 1n, data: {} }], sides)).rejects.toThrow('must be plain JSON');
  });

  it('takes messages as deep as JSON can be', async () => {
    let deep: unknown = 'trade';
    for (let level = 0; level < 20_000; level++) deep = { deep };
    const { receipt } = await diffRuleSets([{ data: { deep } }], { rules: set(), against: set() });
    expect(receipt.messages).toMatch(/^[0-9a-f]{32}$/);
  });

  it('names the version of the package in the receipt', async () => {
    expect((await diffRuleSets([], { rules: set(), against: set() })).receipt.engine).toBe(manifest.version);
  });
});
