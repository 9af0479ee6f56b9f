import { describe, expect, it } from 'vitest';
import { wordContenders } from '../../bench/contenders/searches.js';
import { type Contender, measure } from '../../bench/measure.js';
import { localRunner, type Workload } from '../../bench/rules/contenders.js';
import { failuresOf } from '../../bench/rules/machine.js';
import { measure as measureRounds } from '../../bench/rules/measure.js';

const texts = JSON.parse('["a duck","no bird","DUCK duck","goose"]') as string[];
const workload: Workload = {
  messages: texts.map((text) => ({ data: { text } })),
  texts,
  terms: ['duck', 'uck'],
  patterns: [],
  ruleSet: { rules: [], lists: [] },
  semantics: {},
  ask: 'all',
};
const effort = { rounds: 3, turnMs: 0.1, warmUpMs: 0.1, latencyRounds: 1 };

/** A contender with a fixed count, which appends its name to `calls` for every timed pass. */
function counting(name: string, count: number, calls: string[] = []): Contender {
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

function measuring(contenders: readonly Contender[], expected: number) {
  const model = { name: 'words', question: 'which', unit: 'message' } as const;
  return { name: 'test', why: 'a test', model, workload, contenders, expected };
}

describe('measure', () => {
  it('every contender of words counts right', async () => {
    for (const ask of ['first', 'all'] as const) {
      const contenders = wordContenders(ask);
      const measurement = measuring(contenders, ask === 'all' ? 6 : 2);
      const result = await measure({ ...measurement, workload: { ...workload, ask } }, effort);
      expect(failuresOf([result])).toEqual([]);
      expect(result.contenders.map(({ status }) => status)).toEqual(contenders.map(() => 'measured'));
      expect(result.contenders[0]!.ratio).toEqual({ median: 1, low: 1, high: 1 });
    }
  });

  it('discards a contender with a wrong count before it is timed, and reports a failure', async () => {
    const calls: string[] = [];
    const result = await measure(measuring([counting('sluice', 3, calls), counting('wrong', 4, calls)], 3), effort);
    expect(new Set(calls)).toEqual(new Set(['sluice']));
    expect(result.contenders[1]).toMatchObject({ status: 'wrong-count', count: 4, expected: 3 });
    expect(result.contenders[1]).not.toHaveProperty('ns');
    expect(failuresOf([result])).toEqual(['test: wrong: counted 4 where 3 is right; not measured']);
  });

  it('reports a failure when our own engine counts wrong', async () => {
    const result = await measure(measuring([counting('sluice', 2), counting('right', 3)], 3), effort);
    expect(failuresOf([result])).toHaveLength(1);
    expect(result.contenders[1]).not.toHaveProperty('ratio');
  });

  it('without an expected count, takes that of a foreign contender, never ours', async () => {
    const contenders = [counting('sluice', 2), counting('plain', 3)];
    const measured = await measureRounds(contenders, workload, { effort, items: 1 });
    expect(measured.map(({ result }) => result.status)).toEqual(['wrong-count', 'measured']);
  });

  it('reports why a contender is missing, without a failure', async () => {
    const absent: Contender = { name: 'absent', prepare: () => 'not installed; install it' };
    const broken: Contender = {
      name: 'broken',
      prepare: () => {
        throw new Error('no way');
      },
    };
    const result = await measure(measuring([counting('sluice', 3), absent, broken], 3), effort);
    expect(result.contenders.map(({ status }) => status)).toEqual(['measured', 'missing', 'failed']);
    expect(failuresOf([result])).toEqual(['test: broken: no way']);
  });

  it('gives every contender a turn in each round, in rotating order', async () => {
    const calls: string[] = [];
    const contenders = ['sluice', 'b', 'c'].map((name) => counting(name, 3, calls));
    await measure(measuring(contenders, 3), { ...effort, warmUpMs: 0 });
    const rounds = calls.slice(3);
    expect(rounds).toEqual(['sluice', 'b', 'c', 'b', 'c', 'sluice', 'c', 'sluice', 'b']);
  });

  it('rejects a contender whose count changes from pass to pass', async () => {
    let calls = 0;
    const runner = localRunner([1, 2], () => (calls++ > 5 ? 1 : 0));
    await expect(async () => {
      for (let time = 0; time < 5; time++) await runner.pass(4);
    }).rejects.toThrow(/counted \d over|counted \d after \d/);
  });
});
