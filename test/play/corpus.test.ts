import { describe, expect, it } from 'vitest';
import { createDifferences } from '../../src/audit/count/differences.js';
import { createEngine, type Engine, type RuleSetInput } from '../../src/engine/engine.js';
import type { Message } from '../../src/platform/contract/message.js';
import { Corpus } from '../../src/play/worker/corpus.js';
import { type Query, termKey } from '../../src/play/worker/protocol.js';
import { demoData, demoLines } from '../support/demo.js';
import { sampled } from '../support/runs.js';

const opened: RuleSetInput = { rules: demoData('rules.json'), lists: demoData('lists.json') };
const messages = sampled(demoLines(), 12).map((line) => JSON.parse(line) as Message);

/** The rule set with more and fewer terms in a list. */
function withTerms(listId: string, added: readonly string[], removed: readonly string[] = []): RuleSetInput {
  const lists = opened.lists.map((list) => {
    if (list.id !== listId) return list;
    return { ...list, searchTerms: [...list.searchTerms.filter((term) => !removed.includes(term)), ...added] };
  });
  return { ...opened, lists };
}

const changes: readonly (readonly [name: string, ruleSet: RuleSetInput])[] = [
  ['nothing', opened],
  ['terms more', withTerms('scam-phrases', ['trade', 'you', 'offer'])],
  ['terms fewer', withTerms('profanity-list', [], ['moron', 'screw you', 'hell'])],
  ['another reading', { ...opened, semantics: { words: 'substring', exceptions: ['you moron'] } }],
  ['rules gone and turned round', { ...opened, rules: [...opened.rules].reverse().slice(0, -2) }],
  ['no rules', { rules: [], lists: [] }],
];

const run = { isWanted: () => true, onProgress: () => undefined };
const see = async (corpus: Corpus, engine: Engine, before: Engine) => (await corpus.see(engine, before, run))!;

describe('the messages of the page', () => {
  it.each(changes)('count and explain what differs as `sluice diff` does: %s', async (_name, ruleSet) => {
    const [before, after] = [createEngine(opened), createEngine(ruleSet)];
    const { causes, ...naive } = naiveDifferences(before, after);
    const seen = await see(new Corpus(messages), after, before);
    expect(seen.kinds).toEqual(naive);
    expect(seen.causes).toEqual(causes);
    expect(seen.moreCauses).toBe(0);
    const verdicts = (engine: Engine) => messages.filter((message) => engine.decide(message) !== 'allow').length;
    expect([seen.before, seen.after]).toEqual([verdicts(before), verdicts(after)]);
    const sum = (name: 'before' | 'after' | 'newlyStopped' | 'released') =>
      seen.days.reduce((total, day) => total + day[name], 0);
    const { newlyStopped, released } = naive;
    expect([sum('before'), sum('after')]).toEqual([seen.before, seen.after]);
    expect([sum('newlyStopped'), sum('released')]).toEqual([newlyStopped, released]);
  });

  it('are listed by view, rule, term and search, as a filter of all decisions has them', async () => {
    const [before, after] = [createEngine(opened), createEngine(withTerms('scam-phrases', ['you'], ['moron']))];
    const corpus = new Corpus(messages);
    await see(corpus, after, before);
    const stopped = messages.flatMap((message) => {
      const { verdict, matched } = after.explain(message);
      return verdict === 'allow' ? [] : [{ message, matched }];
    });
    const listed = (query: Query) => corpus.rows(query, 1_000_000);
    const ids = (query: Query) => listed(query).rows.map(({ id }) => id);
    expect(ids({ view: 'all' })).toEqual(messages.map(({ id }) => id));
    expect(ids({ view: 'stopped' })).toEqual(stopped.map(({ message }) => message.id));
    const [scam, term] = ['scam-detection', termKey('scam-phrases', 'you')];
    const ofScam = stopped.filter(({ matched }) => matched.some(({ ruleId }) => ruleId === scam));
    expect(ids({ view: 'stopped', ruleId: scam })).toEqual(ofScam.map(({ message }) => message.id));
    const ofTerm = stopped.filter(({ matched }) => JSON.stringify(matched).includes('"term":"you"'));
    expect(ids({ view: 'stopped', term })).toEqual(ofTerm.map(({ message }) => message.id));
    expect(ofTerm.length).toBeGreaterThan(20);
    const searched = messages.filter(({ data }) => String(data?.text).toLowerCase().includes('thank'));
    expect(ids({ view: 'all', search: 'THANK' })).toEqual(searched.map(({ id }) => id));
    const { total, rows } = corpus.rows({ view: 'stopped' }, 3);
    expect([total, rows.map(({ id }) => id)]).toEqual([
      stopped.length,
      stopped.slice(0, 3).map(({ message }) => message.id),
    ]);
    const [row] = listed({ view: 'stopped', term }).rows;
    expect(row!.segments.some(({ text, isMarked }) => isMarked && text.toLowerCase().includes('you'))).toBe(true);
  });

  it('take scores, and count no day where messages have no time', async () => {
    const rules = [
      { id: 'r', action: 'blockMessage', conditions: [{ operand: 'image', value: 'gore_greaterThan_50' }] },
    ];
    const engine = createEngine({ rules, lists: [] });
    const scores = [70, 30].map((gore) => [{ operand: 'image' as const, labels: { gore } }]);
    const seen = await see(
      new Corpus([{ type: 'image' }, { type: 'image' }], scores),
      engine,
      createEngine({ rules: [], lists: [] }),
    );
    expect(seen).toMatchObject({ kinds: { newlyStopped: 1 }, days: [] });
  });

  it('are given up as soon as a newer state is wanted', async () => {
    const many = Array.from({ length: 400_000 }, (_, index) => ({ id: String(index), data: { text: 'a moron' } }));
    const engine = createEngine(opened);
    let looks = 0;
    const corpus = new Corpus(many);
    const seen = await corpus.see(engine, engine, { isWanted: () => ++looks < 2, onProgress: () => undefined });
    expect([seen, looks]).toEqual([undefined, 2]);
    expect(corpus.rows({ view: 'all' }, 1)).toEqual({ total: 0, rows: [] });
  });
});

function naiveDifferences(before: Engine, after: Engine) {
  const differences = createDifferences({ examples: 3, redact: false });
  for (const message of messages) {
    const decision = after.explain(message);
    differences.add({ message, messageId: message.id, scores: undefined, decision, against: before.explain(message) });
  }
  const { newlyStopped, released, changed, reasonOnly, causes } = differences.toJSON();
  return { newlyStopped, released, changed, reasonOnly, causes };
}
