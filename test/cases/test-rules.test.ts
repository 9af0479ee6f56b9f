import { describe, expect, it } from 'vitest';
import {
  type CaseResult,
  createEngine,
  type RuleSetInput,
  type TestCase,
  type TestOptions,
  testRules,
} from '../../src/index.js';

const text = { id: 1, operand: 'text' } as const;
const rules: RuleSetInput = {
  rules: [
    {
      id: 'scams',
      action: 'dropMessage',
      conditions: [
        { ...text, isKeywordsReferencePresent: true, value: ['scam-words'] },
        { id: 2, operand: 'text', category: 'pattern', value: ['\\d+ btc', '(?i)WIN'] },
      ],
    },
    { id: 'insults', action: ['blockMessage', 'flagMessage'], conditions: [{ ...text, value: ['moron'] }] },
    { id: 'gore', action: 'blockMessage', conditions: [{ id: 1, operand: 'image', value: ['AnyOf_greaterThan_70'] }] },
    { id: 'off', enabled: false, action: 'blockMessage', conditions: [{ ...text, value: ['hello'] }] },
  ],
  lists: [
    { id: 'scam-words', searchTerms: ['buy now', 'Buy Now', 'free money', '', ' ', 'free money', 'gift'] },
    { id: 'unused', searchTerms: ['lorem'] },
  ],
};

const picture = { type: 'image', data: {} } as const;
const scored = (blood: number) => [{ operand: 'image', labels: { blood } }] as const;
const run = (cases: readonly unknown[], options: Partial<TestOptions> = {}) =>
  testRules(cases as TestCase[], { rules, ...options });
const differences = async (testCase: Omit<TestCase, 'name'>) => {
  const report = await run([{ name: 'it', ...testCase }]);
  return report.failures[0]?.differences ?? [];
};

describe('testRules: a case', () => {
  it('passes when verdict, rules, terms and `not` all hold', async () => {
    const all = { name: 'all', message: 'Buy NOW' };
    const report = await run([
      { ...all, verdict: 'dropMessage', rules: ['scams'], terms: ['buy now'], not: ['insults'] },
      { name: 'verdict alone', message: { data: { text: 'fine' } }, verdict: 'allow' },
      { name: 'picture', message: picture, media: scored(71), verdict: 'blockMessage' },
    ]);
    expect(report).toMatchObject({ ok: true, cases: 3, passed: 3, failed: 0, todo: 0, failures: [] });
    expect(report.revision).toBe(createEngine(rules).revision);
  });

  it('fails for each field that does not hold, in the order of the fields', async () => {
    const message = 'buy now, moron';
    expect(await differences({ message, verdict: 'blockMessage' })).toEqual([
      { field: 'verdict', expected: 'blockMessage', actual: 'dropMessage' },
    ]);
    const expected = { rules: ['scams', 'gore'], terms: ['moron', 'gift'], not: ['off', 'insults'] };
    expect(await differences({ message, verdict: 'allow', ...expected })).toEqual([
      { field: 'verdict', expected: 'allow', actual: 'dropMessage' },
      { field: 'rules', ruleId: 'gore' },
      { field: 'terms', term: 'gift' },
      { field: 'not', ruleId: 'insults' },
    ]);
  });

  it('terms: are terms and patterns as written, matched texts, and labels', async () => {
    const found = { message: 'BUY now for 5 btc', verdict: 'dropMessage' } as const;
    expect(await differences({ ...found, terms: ['buy now', 'BUY now', '\\d+ btc', '5 btc'] })).toEqual([]);
    expect(await differences({ ...found, terms: ['bUY NOW'] })).toEqual([{ field: 'terms', term: 'bUY NOW' }]);
    const bloody = { message: picture, media: scored(71), verdict: 'blockMessage' } as const;
    expect(await differences({ ...bloody, terms: ['blood', 'AnyOf'] })).toEqual([]);
    expect(await differences({ ...bloody, terms: ['gore'] })).toEqual([{ field: 'terms', term: 'gore' }]);
  });

  it('todo: is reported and is not a failure, passing or not', async () => {
    const report = await run([
      { name: 'later', message: 'hello', verdict: 'blockMessage', todo: true },
      { name: 'now', message: 'moron', verdict: 'blockMessage', todo: true },
      { name: 'not yet a todo', message: 'hello', verdict: 'allow', todo: false },
    ]);
    expect(report).toMatchObject({ ok: true, passed: 1, failed: 0, todo: 2, todoPassing: 1 });
    expect(report.todos.map(({ name, status, differences: { length } }) => [name, status, length])).toEqual([
      ['later', 'todo', 1],
      ['now', 'todo', 0],
    ]);
  });

  it('says why rules that it names did not match, and which readings would each make it pass', async () => {
    const found = async (testCase: Partial<TestCase>, options: Partial<TestOptions> = {}) => {
      const report = await run([{ name: 'it', message: 'a m0ron!', verdict: 'blockMessage', ...testCase }], options);
      const [{ whyNot, passesWith } = {} as CaseResult] = [...report.failures, ...report.todos];
      return [whyNot?.map(({ ruleId, conditionId, why }) => [ruleId, conditionId, why]), passesWith];
    };
    const hardened = { reading: 'folding', value: 'hardened' };
    expect(await found({ rules: ['insults'] })).toEqual([[['insults', 1, 'no-match']], [hardened]]);
    // No rule is named, or one that nothing would make match.
    expect(await found({})).toEqual([undefined, [hardened]]);
    expect(await found({ rules: ['insults', 'gore'] })).toEqual([
      [
        ['insults', 1, 'no-match'],
        ['gore', 1, 'operand-absent'],
      ],
      undefined,
    ]);
    expect(await found({ rules: ['off'] })).toEqual([[['off', undefined, 'disabled']], undefined]);
    const substring = { reading: 'words', value: 'substring' };
    const prefix = { reading: 'words', value: 'prefix' };
    expect(await found({ message: 'morons', terms: ['moron'] })).toEqual([undefined, [prefix, substring]]);
    const all = { message: 'A gift: 2 BTC', verdict: 'dropMessage', rules: ['scams'] } as const;
    expect(await found(all, { semantics: { conditions: 'all' } })).toEqual([
      [['scams', 2, 'no-match']],
      [{ reading: 'patterns', value: 'insensitive' }],
    ]);
    // What matched and should not, a case with `todo`, and one beyond those that are listed.
    expect(await found({ message: 'moron', verdict: 'allow' })).toEqual([undefined, undefined]);
    expect(await found({ todo: true })).toEqual([undefined, undefined]);
    const results: CaseResult[] = [];
    const cases = ['one', 'two'].map((name) => ({ name, message: 'm0ron', verdict: 'blockMessage' }));
    await run(cases, { maxListed: 1, onResult: (result) => void results.push(result) });
    expect(results.map(({ passesWith }) => passesWith)).toEqual([[hardened], undefined]);
  });

  it('names the unevaluated conditions of the rules that it expects, and of no others', async () => {
    const why = { ruleId: 'gore', conditionId: 1, why: 'no-scores', detail: 'no scores were given for the image' };
    const unevaluated = async (testCase: Partial<TestCase>) => {
      const report = await run([{ name: 'it', message: picture, verdict: 'blockMessage', ...testCase }]);
      return report.failures[0]?.unevaluated;
    };
    expect(await unevaluated({})).toEqual([why]);
    expect(await unevaluated({ rules: ['gore'] })).toEqual([why]);
    expect(await unevaluated({ rules: ['insults'] })).toEqual([]);
    expect(await unevaluated({ verdict: 'dropMessage' })).toEqual([]);
    expect(await unevaluated({ verdict: 'allow', rules: ['insults'] })).toEqual([why]);
  });

  it('not: fails where the rule could not be evaluated', async () => {
    const isGore = { message: picture, verdict: 'allow', not: ['gore', 'insults'] } as const;
    const open = { field: 'not', ruleId: 'gore', unevaluated: true };
    expect(await differences(isGore)).toEqual([open]);
    expect(await differences({ ...isGore, verdict: 'blockMessage', not: ['gore'] })).toEqual([
      { field: 'verdict', expected: 'blockMessage', actual: 'allow' },
      open,
    ]);
    expect(await differences({ ...isGore, media: scored(1) })).toEqual([]);
    expect(await differences({ ...isGore, media: scored(99) })).toEqual([
      { field: 'verdict', expected: 'allow', actual: 'blockMessage' },
      { field: 'not', ruleId: 'gore' },
    ]);
  });

  it('lists what is allowed while conditions could not be evaluated; with `strict` it fails', async () => {
    const cases = [
      { name: 'allowed', message: picture, verdict: 'allow' },
      { name: 'again', message: picture, verdict: 'allow' },
      { name: 'scored', message: picture, media: scored(1), verdict: 'allow' },
      { name: 'later', message: picture, verdict: 'allow', todo: true },
      // What stops a message stops it, whatever the rest.
      { name: 'stopped', message: { type: 'image', data: { text: 'moron' } }, verdict: 'blockMessage' },
    ];
    const lax = await run(cases, { maxListed: 1 });
    expect([lax.ok, lax.passed, lax.unevaluated, lax.unevaluatedCases.map(({ name }) => name)]).toEqual([
      true,
      4,
      2,
      ['allowed'],
    ]);
    expect(lax.unevaluatedCases[0]?.unevaluated.map(({ ruleId }) => ruleId)).toEqual(['gore']);
    const strict = await run(cases, { strict: true });
    expect([strict.ok, strict.passed, strict.failed, strict.unevaluated]).toEqual([false, 2, 2, 0]);
    expect(strict.failures.map(({ differences: found }) => found)).toEqual(Array(2).fill([{ field: 'unevaluated' }]));
    expect(strict.todoPassing).toBe(0);
  });

  it('media: its own come before those of the option', async () => {
    const cases = [
      { name: 'own', message: picture, media: scored(1), verdict: 'allow' },
      { name: 'given', message: picture, verdict: 'blockMessage' },
    ];
    expect((await run(cases, { scores: () => scored(99) })).failures).toEqual([]);
    expect((await run(cases, { scores: async () => scored(99) })).failures).toEqual([]);
  });

  const plain = { name: 'a', message: '', verdict: 'allow' };
  const oneVerdict = '`verdict` must be `allow`, `blockMessage` or `dropMessage`';
  const noTextIn = '`message` must have its text at `data.text`, and has';
  const fields = '`name`, `message`, `media`, `verdict`, `rules`, `terms`, `not`, `todo`';

  it.each<[unknown, string]>([
    ['hello', 'the whole value must be a case: { "name": …, "message": …, "verdict": … }'],
    [{ message: 'a', verdict: 'allow' }, '`name` must be a string'],
    [{ name: 'a', verdict: 'allow' }, '`message` must be a text, or an object with its text at `data.text`'],
    [{ name: 'a', message: '' }, oneVerdict],
    [{ ...plain, verdict: 'block' }, oneVerdict],
    [{ ...plain, nott: [] }, '`nott` is not a field of a case; did you mean `not`?'],
    [{ ...plain, because: '' }, `\`because\` is not a field of a case; known are ${fields}`],
    [{ ...plain, not: ['insults', 'scam'] }, '`not[1]` is `scam`, and no rule has this id; did you mean `scams`?'],
    [
      { ...plain, rules: ['zzzzzz'] },
      '`rules[0]` is `zzzzzz`, and no rule has this id; write the id of a rule, not its name',
    ],
    [{ ...plain, rules: 'scams' }, '`rules` must be an array'],
    [{ ...plain, terms: [''] }, '`terms[0]` must not be empty'],
    [{ ...plain, message: { text: 'a' } }, `${noTextIn} one at \`text\`: write { "data": { "text": … } }`],
    [{ ...plain, message: { body: 'a' } }, `${noTextIn} no \`data\`, no \`category\` and no \`type\` of media`],
    [
      { ...plain, media: [{ operand: 'sticker', labels: {} }] },
      '`media[0].operand` must be one of text, custom, image, video, audio, file',
    ],
    [{ ...plain, media: [{ operand: 'image', labels: { a: '9' } }] }, '`media[0].labels.a` must be a number'],
    [{ ...plain, todo: 'later' }, '`todo` must be a boolean'],
  ])('%j is refused with its place and field', async (testCase, words) => {
    const message = `cases[0]: ${words}`;
    await expect(run([testCase])).rejects.toMatchObject({ name: 'ShapeError', code: 'shape', message });
  });
});

describe('testRules: many cases', () => {
  const failing = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `case ${index}`, message: 'hi', verdict: 'blockMessage' }));

  it('lists the first failures and todos, and counts the others', async () => {
    const report = await run(failing(250));
    expect([report.failed, report.failures.length, report.failures.at(-1)?.place]).toEqual([250, 100, 'cases[99]']);
    const few = await run([...failing(5), ...failing(5).map((each) => ({ ...each, todo: true }))], { maxListed: 3 });
    expect([few.failed, few.failures.length, few.todo, few.todos.length]).toEqual([5, 3, 5, 3]);
    expect(few.duplicates.length).toBe(3);
  });

  it('reads a stream one case at a time, and hands out each result before it reads the next', async () => {
    const log: string[] = [];
    async function* cases(): AsyncGenerator<TestCase> {
      for (const name of ['a', 'b', 'c']) {
        log.push(`read ${name}`);
        yield { name, message: 'hi', verdict: 'allow' };
      }
    }
    const onResult = async ({ name, status }: CaseResult) => {
      await Promise.resolve();
      log.push(`${name} ${status}`);
    };
    await testRules(cases(), { rules, onResult });
    expect(log).toEqual(['read a', 'a passed', 'read b', 'b passed', 'read c', 'c passed']);
  });

  it('names two cases of one name, by their places', async () => {
    const cases = failing(3).map((each) => ({ ...each, name: 'same' }));
    const { duplicates } = await run(cases, { placeOf: (_case, index) => `line ${index + 1}` });
    expect(duplicates).toEqual([
      { name: 'same', place: 'line 2', first: 'line 1' },
      { name: 'same', place: 'line 3', first: 'line 1' },
    ]);
  });

  it('none at all is an error', async () => {
    await expect(run([])).rejects.toThrow('cases: the whole value holds no case, so nothing was tested');
  });

  it('rejects with the reason of the signal, and with errors of the source', async () => {
    const reason = new Error('stopped');
    await expect(run(failing(2), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const onResult = () => controller.abort(reason);
    await expect(run(failing(2), { signal: controller.signal, onResult })).rejects.toBe(reason);
    async function* broken(): AsyncGenerator<TestCase> {
      yield* failing(1) as TestCase[];
      throw reason;
    }
    await expect(testRules(broken(), { rules })).rejects.toBe(reason);
  });

  it('refuses unknown options and impossible numbers', async () => {
    const wrong = (options: object) => expect(run(failing(1), options as Partial<TestOptions>)).rejects;
    await wrong({ treshold: 5 }).toThrow("`testRules` has no option 'treshold'; did you mean 'threshold'?");
    await wrong({ threshold: 101 }).toThrow('`threshold` must be a whole number from 0 to 100');
    await wrong({ maxListed: -1 }).toThrow('`maxListed` must be a whole number, 0 or more');
  });

  it('applies the semantics, and leaves an engine that it was given open', async () => {
    const cases = [{ name: 'part of a word', message: 'morons', verdict: 'blockMessage' }];
    expect((await run(cases)).ok).toBe(false);
    expect((await run(cases, { semantics: { words: 'substring' } })).ok).toBe(true);
    const engine = createEngine(rules, { words: 'substring' });
    let closed = 0;
    const given = { ...engine, close: () => (closed += 1) };
    expect((await run(cases, { engine: given })).ok).toBe(true);
    expect(closed).toBe(0);
  });
});

describe('testRules: coverage', () => {
  const coverage = async (cases: readonly unknown[], options: Partial<TestOptions> = {}) =>
    (await run(cases, { coverage: true, ...options })).coverage!;

  it('counts rules that run, their conditions, and terms without blanks and repetitions', async () => {
    const found = await coverage([
      { name: 'a', message: 'BUY NOW', verdict: 'dropMessage' },
      { name: 'b', message: '5 btc', verdict: 'dropMessage' },
    ]);
    const uncovered = ['insults', 'gore'];
    expect(found.rules).toEqual({ covered: 1, total: 3, percent: 33, uncovered });
    const conditions = uncovered.map((ruleId) => ({ ruleId, conditionId: 1 }));
    expect(found.conditions).toEqual({ covered: 2, total: 4, percent: 50, uncovered: conditions });
    expect(found.terms).toEqual({
      covered: 2,
      total: 6,
      percent: 33,
      sources: [
        { listId: 'scam-words', kind: 'word', covered: 1, total: 3, percent: 33, uncovered: ['free money', 'gift'] },
        { ruleId: 'scams', conditionId: 2, kind: 'pattern', covered: 1, total: 2, percent: 50, uncovered: ['(?i)WIN'] },
        { ruleId: 'insults', conditionId: 1, kind: 'word', covered: 0, total: 1, percent: 0, uncovered: ['moron'] },
      ],
    });
    const exact = await coverage([{ name: 'a', message: 'Buy Now', verdict: 'dropMessage' }], {
      semantics: { folding: 'exact' },
    });
    expect(exact.terms.sources[0]).toMatchObject({
      covered: 1,
      total: 4,
      uncovered: ['buy now', 'free money', 'gift'],
    });
  });

  it('counts terms that differ in white space alone once', async () => {
    const conditions = [{ ...text, value: ['a  b', 'a b', 'a\tb', 'c d'] }];
    const spaced = { id: 'r', action: 'blockMessage', conditions };
    const cases = [{ name: 'it', message: 'a b', verdict: 'blockMessage' }];
    const { coverage } = await run(cases, { rules: { rules: [spaced], lists: [] }, coverage: true });
    expect(coverage?.terms).toMatchObject({ covered: 1, total: 2, sources: [{ uncovered: ['c d'] }] });
  });

  it('is of cases that pass, todo or not', async () => {
    const covered = async (cases: readonly unknown[]) => (await coverage(cases)).rules.covered;
    const moron = { name: 'a', message: 'moron', verdict: 'blockMessage' };
    expect(await covered([moron])).toBe(1);
    expect(await covered([{ ...moron, todo: true }])).toBe(1);
    expect(await covered([{ ...moron, verdict: 'allow' }])).toBe(0);
    expect(await covered([{ ...moron, verdict: 'allow', todo: true }])).toBe(0);
  });

  it('rounds down, and the threshold counts rules and conditions', async () => {
    const list = { id: 'list', searchTerms: Array.from({ length: 1000 }, (_, index) => `term${index}`) };
    const conditions = list.searchTerms.map(
      (term, index) => ({ id: index + 1, operand: 'text', value: [term] }) as const,
    );
    const many = { rules: [{ id: 'many', action: 'blockMessage', conditions }], lists: [] };
    const cases = [{ name: 'a', message: list.searchTerms.slice(1).join(' '), verdict: 'blockMessage' }];
    const at = (threshold: number) => run(cases, { rules: many, threshold });
    const { coverage: found, ok, threshold } = await at(100);
    expect([found?.conditions.percent, found?.rules.percent, ok, threshold]).toEqual([
      99,
      100,
      false,
      { percent: 100, below: ['conditions'] },
    ]);
    expect(await at(99)).toMatchObject({ ok: true, threshold: { percent: 99, below: [] } });
    const none = await run([{ name: 'a', message: 'fine', verdict: 'allow' }], { threshold: 1 });
    expect([none.ok, none.threshold?.below]).toEqual([false, ['rules', 'conditions']]);
    expect((await run([{ name: 'a', message: 'fine', verdict: 'allow' }], { threshold: 0 })).ok).toBe(true);
  });

  it('of no rules is whole, and rule sets that are not well formed are not an error', async () => {
    const odd = { rules: [null, 5, { id: 'r' }, { id: 's', conditions: [null, { operand: 'audio' }] }], lists: [] };
    const cases = [{ name: 'a', message: 'fine', verdict: 'allow' }];
    const report = await run(cases, { rules: odd as unknown as RuleSetInput, coverage: true });
    const whole = { total: 0, percent: 100 };
    expect(report.coverage).toMatchObject({ rules: { total: 2 }, conditions: { total: 2 }, terms: whole });
    expect((await coverage(cases, { rules: { rules: [], lists: [] } })).rules).toMatchObject(whole);
  });
});
