import { describe, expect, it } from 'vitest';
import { type Assignment, measure } from '../../src/bench/measure.js';
import type { Contender, Material, Model } from '../../src/bench/model.js';
import { wordsModel } from '../../src/bench/models/words.js';
import { localRunner } from '../../src/bench/pass.js';
import { failuresOf } from '../../src/bench/record.js';

const texts = JSON.parse('["a duck","no bird","DUCK duck","goose"]') as string[];
const material: Material = {
  messages: texts.map((text) => ({ data: { text } })),
  texts,
  terms: [
    { text: 'duck', weight: 1 },
    { text: 'uck', weight: 1 },
  ],
  patterns: [],
  ruleSet: { rules: [], lists: [] },
  semantics: {},
  ask: 'all',
};
const effort = { rounds: 3, turnMs: 0.1, warmUpMs: 0.1, eachRounds: 1 };

interface Diary {
  readonly calls: string[];
}

/** A contender that counts `count` and keeps a diary of when it was asked to be timed. */
function counting(name: string, count: number, { calls }: Diary = { calls: [] }): Contender {
  return {
    name,
    prepare: () => ({
      pass: (times) => {
        if (times > 0) calls.push(name);
        return { ns: 1000, count };
      },
    }),
  };
}

function assign(
  contenders: readonly Contender[],
  expected: Assignment['expected'],
  model: Model = wordsModel,
): Assignment {
  return { name: 'test', why: 'a test', model, material, contenders, expected };
}

describe('measure', () => {
  it('counts right with everybody who takes part in words', async () => {
    for (const ask of ['first', 'all'] as const) {
      const contenders = wordsModel.contenders(ask);
      const assignment = { ...assign(contenders, { count: ask === 'all' ? 6 : 2 }), material: { ...material, ask } };
      const result = await measure(assignment, effort);
      expect(failuresOf([result])).toEqual([]);
      expect(result.contenders.map(({ status }) => status)).toEqual(contenders.map(() => 'measured'));
      expect(result.contenders[0]!.ratio).toEqual({ median: 1, low: 1, high: 1 });
    }
  });

  it('discards a contender that counts wrong before it is timed, and fails', async () => {
    const diary: Diary = { calls: [] };
    const result = await measure(
      assign([counting('sluice', 3, diary), counting('wrong', 4, diary)], { count: 3 }),
      effort,
    );
    expect(new Set(diary.calls)).toEqual(new Set(['sluice']));
    expect(result.contenders[1]).toMatchObject({ status: 'wrong-count', count: 4, expected: 3 });
    expect(result.contenders[1]).not.toHaveProperty('ns');
    expect(failuresOf([result])).toEqual(['test: wrong: counted 4 where 3 is right; not measured']);
  });

  it('fails when our own engine counts wrong, too', async () => {
    const result = await measure(assign([counting('sluice', 2), counting('right', 3)], { count: 3 }), effort);
    expect(failuresOf([result])).toHaveLength(1);
    expect(result.contenders[1]).not.toHaveProperty('ratio');
  });

  it('takes the word of a foreign contender, never our own, where nobody says what is right', async () => {
    const result = await measure(assign([counting('sluice', 2), counting('plain', 3)], undefined), effort);
    expect(result.contenders.map(({ status }) => status)).toEqual(['wrong-count', 'measured']);
  });

  it('lets a contender answer another question with a count of its own', async () => {
    const own = { count: 3, own: { other: 9 } };
    const result = await measure(assign([counting('sluice', 3), counting('other', 9)], own), effort);
    expect(failuresOf([result])).toEqual([]);
  });

  it('says why a contender is not there, and does not fail for it', async () => {
    const absent: Contender = { name: 'absent', prepare: () => 'not installed; install it' };
    const broken: Contender = {
      name: 'broken',
      prepare: () => {
        throw new Error('no way');
      },
    };
    const result = await measure(assign([counting('sluice', 3), absent, broken], { count: 3 }), effort);
    expect(result.contenders.map(({ status }) => status)).toEqual(['measured', 'missing', 'failed']);
    expect(failuresOf([result])).toEqual(['test: broken: no way']);
  });

  it('interleaves: in every round each has its turn, and the order turns', async () => {
    const diary: Diary = { calls: [] };
    const contenders = ['sluice', 'b', 'c'].map((name) => counting(name, 3, diary));
    await measure(assign(contenders, { count: 3 }), { ...effort, warmUpMs: 0 });
    const rounds = diary.calls.slice(3);
    expect(rounds).toEqual(['sluice', 'b', 'c', 'b', 'c', 'sluice', 'c', 'sluice', 'b']);
  });

  it('refuses a contender whose count changes from pass to pass', async () => {
    let calls = 0;
    const runner = localRunner([1, 2], () => (calls++ > 5 ? 1 : 0));
    await expect(async () => {
      for (let time = 0; time < 5; time++) await runner.pass(4);
    }).rejects.toThrow(/counted \d over|counted \d after \d/);
  });
});
