import fc from 'fast-check';
import wasm from 're2-wasm/build/wasm/re2.js';
import { RE2Set } from 're2js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileRuleSet } from '../src/engine/compile/compile-rule-set.js';
import { createHardenedMatcher } from '../src/engine/match/hardened/hardened-matcher.js';
import { createKeywordMatcher } from '../src/engine/match/keyword-matcher.js';
import type { PatternEngine, PatternSet } from '../src/engine/match/patterns/engine.js';
import { re2js } from '../src/engine/match/patterns/re2js.js';
import { re2wasm } from '../src/engine/re2-wasm.js';
import { resolveSemantics } from '../src/engine/semantics.js';
import { digestInPortions } from '../src/foundation/digest.js';
import { PORTION, type Portions, runAtOnce, runWithPauses } from '../src/foundation/portions.js';
import { compileEngine, createEngine, RuleSetError, UsageError } from '../src/index.js';
import { anyReadings, anyRuleSet } from './support/arbitrary.js';
import { anyMedia, anyMessage } from './support/arbitrary-message.js';
import { runs } from './support/runs.js';

const blocking = (value: readonly string[], category: 'word' | 'pattern' = 'word') => ({
  id: category,
  action: ['blockMessage'],
  conditions: [{ operand: 'text', category, value: [...value] }],
});

/** Terms that differ, of some ten letters each; no two begin alike for long. */
const manyTerms = (count: number) =>
  Array.from({ length: count }, (_, index) => `${(index * 2_654_435_761).toString(36)}${index % 7 === 0 ? 'é' : ' о'}`);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('compileEngine', () => {
  it('compiles the engine that createEngine compiles', async () => {
    await fc.assert(
      fc.asyncProperty(anyRuleSet, anyMessage, anyMedia, anyReadings, async (ruleSet, message, media, changes) => {
        const [paused, whole] = [await compileEngine(ruleSet, changes), createEngine(ruleSet, changes)];
        expect(paused.explain(message, media)).toStrictEqual(whole.explain(message, media));
        expect([paused.issues, paused.counts, paused.revision]).toStrictEqual([
          whole.issues,
          whole.counts,
          whole.revision,
        ]);
      }),
      { numRuns: runs(20) },
    );
  });

  it('takes an engine of patterns that compiles them in one piece', async () => {
    const { name, compile } = re2js;
    const engine = await compileEngine(
      { rules: [blocking(['k.ll'], 'pattern')], lists: [] },
      { engine: { name, compile } },
    );
    expect(['kill', 'kl'].map((text) => engine.decide(text))).toEqual(['blockMessage', 'allow']);
  });

  it('rejects with the error that createEngine throws', async () => {
    await expect(compileEngine({ rules: 5 } as never)).rejects.toThrow(RuleSetError);
    await expect(compileEngine({ rules: [], lists: [] }, { words: 'no' as never })).rejects.toThrow(UsageError);
    const broken = { rules: [blocking(['('], 'pattern')], lists: [] };
    await expect(compileEngine(broken, { broken: 'fail' })).rejects.toThrow(/rejected-pattern/);
  });

  it('rejects with the reason of a signal that is aborted, and compiles nothing', async () => {
    const add = vi.spyOn(RE2Set.prototype, 'add');
    const reason = new Error('closing');
    const { signal } = new AbortController();
    await expect(
      compileEngine({ rules: [blocking(['k'], 'pattern')], lists: [] }, {}, { signal }),
    ).resolves.toBeDefined();
    add.mockClear();
    await expect(
      compileEngine({ rules: [blocking(['k'], 'pattern')], lists: [] }, {}, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(add).not.toHaveBeenCalled();
  });

  it('frees the patterns when it ends without an engine: aborted, or refused', async () => {
    let closed = 0;
    const abort = new AbortController();
    const reason = new Error('closing');
    const engine: PatternEngine = {
      name: 'counts what is closed',
      compile: (patterns): PatternSet => {
        abort.abort(reason);
        return { ...re2js.compile(patterns), close: () => void closed++ };
      },
    };
    // A clock that leaps makes a pause behind every portion.
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    const ruleSet = { rules: [blocking(['k'], 'pattern'), blocking(['a', 'b'])], lists: [] };
    await expect(compileEngine(ruleSet, { engine }, abort)).rejects.toBe(reason);
    expect(closed).toBe(1);
    const cyclic: { of?: unknown } = {};
    cyclic.of = cyclic;
    expect(() =>
      createEngine({ ...ruleSet, lists: [{ id: 'l', searchTerms: [], cyclic }] } as never, { engine }),
    ).toThrow(RuleSetError);
    expect(closed).toBe(2);
  });

  it('frees the patterns that re2-wasm has compiled when it is left in their midst', () => {
    const work = re2wasm.compileInPortions!(
      ['a', 'b', 'c'].map((source) => ({ source, insensitive: false, whole: false })),
    );
    work.next();
    work.next();
    const free = vi.spyOn((wasm.WrappedRE2 as unknown as { prototype: { delete(): void } }).prototype, 'delete');
    expect(work.return(undefined as never).done).toBe(true);
    expect(free).toHaveBeenCalledTimes(2);
  });
});

describe('portions of a compilation', () => {
  /** How often work yields. */
  function count<T>(work: Portions<T>): number {
    let portions = 0;
    while (work.next().done !== true) portions++;
    return portions;
  }

  /** Strings, and how many of them were read since `take` was called last. */
  function counted(values: readonly string[]) {
    let reads = 0;
    const array = new Proxy(values, {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d/.test(key)) reads++;
        return Reflect.get(target, key) as unknown;
      },
    });
    const take = () => {
      const taken = reads;
      reads = 0;
      return taken;
    };
    return { array, take };
  }

  const stages: readonly (readonly [string, (terms: readonly string[]) => Portions<unknown>])[] = [
    ['keyword matcher', (terms) => createKeywordMatcher(terms, { folding: 'case', words: 'word' })],
    ['hardened matcher', (terms) => createHardenedMatcher(terms, { words: 'word' })],
    ['digest', (terms) => digestInPortions({ terms })],
    [
      'rule set',
      (searchTerms) => {
        const conditions = [{ operand: 'text', isListReferencePresent: true, value: ['l'] }];
        const rules = [{ id: 'r', action: 'blockMessage', conditions }];
        const lists = [{ id: 'l', searchTerms }];
        return compileRuleSet({ rules, lists, missing: new Map() }, resolveSemantics());
      },
    ],
  ];

  it.each(stages)('%s: no portion reads more than a few thousand terms', (_, stage) => {
    const { array, take } = counted(manyTerms(12_000));
    const work = stage(array);
    let most = 0;
    while (work.next().done !== true) most = Math.max(most, take());
    expect(Math.max(most, take())).toBeLessThanOrEqual(2 * PORTION);
  });

  it.each(stages)('%s: portions grow in number with the terms, not in size', (_, stage) => {
    const [few, many] = [3_000, 12_000].map((size) => count(stage(manyTerms(size))));
    expect(many!).toBeGreaterThan(3.4 * few!);
  });

  it('patterns: no portion parses or compiles more than one, or a set of 1,000 instructions', () => {
    const sizes: number[] = [];
    let calls = 0;
    const { add, compile } = RE2Set.prototype;
    vi.spyOn(RE2Set.prototype, 'add').mockImplementation(function (this: RE2Set, pattern) {
      calls++;
      return add.call(this, pattern);
    });
    vi.spyOn(RE2Set.prototype, 'compile').mockImplementation(function (this: RE2Set) {
      calls++;
      compile.call(this);
      sizes.push((this.prog as unknown as { inst: unknown[] }).inst.length);
    });
    const large = Array.from({ length: 30 }, (_, index) => `(?:[a-f]x){40}${index}`);
    const small = Array.from({ length: 200 }, (_, index) => `q${index}\\d+`);
    const specs = [...large, '(?:ab|c){900}', ...small].map((source) => ({ source, insensitive: false, whole: false }));
    const work = re2js.compileInPortions!(specs);
    for (;;) {
      calls = 0;
      const { done, value } = work.next();
      expect(calls).toBeLessThanOrEqual(1);
      if (done !== true) continue;
      expect([value.dfa !== undefined, value.rejected]).toEqual([true, []]);
      break;
    }
    sizes.sort((a, b) => a - b);
    expect(sizes.length).toBeGreaterThan(5);
    // All but the one with the largest pattern.
    expect(sizes.at(-2)).toBeLessThanOrEqual(1_001);
  });
});

describe('runWithPauses', () => {
  /** Work of so many portions, each of which takes so many milliseconds of a clock of its own. */
  function workOf(portions: number, milliseconds: number): Portions<string> {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    return (function* () {
      for (let portion = 0; portion < portions; portion++) {
        now += milliseconds;
        yield;
      }
      return 'done';
    })();
  }

  it('lets the event loop run in every pause', async () => {
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await runWithPauses(workOf(200, 10))).toBe('done');
    isOver = true;
    expect(turns).toBeGreaterThan(100);
  });

  it('makes no pause before there was work for some milliseconds', async () => {
    const channels = vi.spyOn(globalThis, 'MessageChannel');
    expect(await runWithPauses(workOf(7, 1))).toBe('done');
    expect(channels).not.toHaveBeenCalled();
    await runWithPauses(workOf(80, 1));
    expect(channels).toHaveBeenCalledTimes(10);
  });

  it('leaves the work when a signal is aborted, at the next pause', async () => {
    const abort = new AbortController();
    const reason = new Error('closing');
    let portions = 0;
    let isLeft = false;
    const work = workOf(1e9, 10);
    function* endless(): Portions<never> {
      try {
        for (; ; portions++) {
          work.next();
          if (portions === 3) abort.abort(reason);
          yield;
        }
      } finally {
        isLeft = true;
      }
    }
    await expect(runWithPauses(endless(), abort.signal)).rejects.toBe(reason);
    expect([portions, isLeft]).toEqual([3, true]);
  });

  it('rejects with what the work throws', async () => {
    const error = new Error('broken');
    // biome-ignore lint/correctness/useYield: it throws before it would
    function* broken(): Portions<never> {
      throw error;
    }
    await expect(runWithPauses(broken())).rejects.toBe(error);
    expect(() => runAtOnce(broken())).toThrow(error);
  });
});
