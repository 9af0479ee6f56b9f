import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildKeywordAutomaton,
  failureOf,
  outputBelow,
  outputOf,
  symbolOf,
} from '../../src/engine/match/keyword-automaton.js';
import { buildTrie, type Sequences } from '../../src/engine/match/keyword-trie.js';
import { FREE_END } from '../../src/engine/match/word-edges.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { runs } from '../support/runs.js';

const sequencesOf = (lists: readonly (readonly number[])[]): Sequences => {
  const from = Int32Array.from([0, ...lists.map((list) => list.length)]);
  for (let at = 1; at < from.length; at++) from[at]! += from[at - 1]!;
  return { count: lists.length, symbols: Int32Array.from(lists.flat()), from };
};
const run = (length: number, symbol = 1) => Array.from({ length }, () => symbol);
const digits = (number: number) => [...String(number).padStart(4, '0')].map((digit) => 2 + Number(digit));
const make = <T>(count: number, one: (at: number) => T) => Array.from({ length: count }, (_, at) => one(at));

/** Lists of which comparing two terms, or following failures, takes long. */
const lists: Readonly<Record<string, readonly (readonly number[])[]>> = {
  'a shared end': make(2000, (at) => [...digits(at), ...run(60)]),
  'a shared beginning': make(2000, (at) => [...run(60), ...digits(at)]),
  'long and alike but for the end': make(200, (at) => [...run(2000), ...digits(at)]),
  'long and alike but for the beginning': make(200, (at) => [...digits(at), ...run(2000)]),
  'each the beginning of the next': make(600, (at) => run(at + 1)),
  'runs that another symbol ends': make(400, (at) => [...run(at + 1), 2]),
  'two symbols in turn, then a third': make(400, (at) => [...make(at, (n) => 1 + (n % 2)), 3]),
  'all equal': make(2000, () => run(60)),
  'one long': [run(200_000)],
};

describe('keyword automaton', () => {
  it.each(Object.entries(lists))('is built in at most three steps per symbol: %s', (_, list) => {
    const sequences = sequencesOf(list);
    const bound = 3 * sequences.symbols.length + sequences.count;
    for (const joins of [undefined, new Uint8Array(16).fill(1)]) {
      const { steps } = runAtOnce(buildKeywordAutomaton(sequences, 16, joins));
      expect(steps).toBeLessThanOrEqual(bound);
      expect(steps).toBeGreaterThanOrEqual(sequences.symbols.length);
    }
  });

  const list = fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 7 }), { maxLength: 12 });

  it('has one state per prefix, and fails to the longest suffix that is a prefix', () => {
    fc.assert(
      fc.property(list, (written) => {
        const sequences = sequencesOf(written);
        const { states, table } = runAtOnce(buildKeywordAutomaton(sequences, 5));
        const { firstChild } = runAtOnce(buildTrie(sequences, 1));
        const names = new Map([[0, '']]);
        for (let state = 0; state < states; state++) {
          for (let child = firstChild[state]!; child < firstChild[state + 1]!; child++)
            names.set(child, `${names.get(state)}${symbolOf(table, child)}`);
        }
        const beginnings = new Set(written.flatMap((one) => make(one.length + 1, (end) => one.slice(0, end).join(''))));
        expect([...names.values()].sort()).toEqual([...beginnings.add('')].sort());
        for (const [state, name] of names) {
          const suffixes = make(name.length, (at) => name.slice(at + 1));
          if (state > 0) expect(names.get(failureOf(table, state))).toBe(suffixes.find((one) => beginnings.has(one)));
        }
      }),
    );
  });

  it('inside a word, follows the sequences alone that begin there', () => {
    const symbol = fc.integer({ min: 1, max: 4 });
    const sequence = fc.array(symbol, { minLength: 1, maxLength: 5 });
    const kinds = fc.record({ begins: fc.boolean(), ends: fc.boolean() });
    const joins = Uint8Array.from([1, 1, 1, 0, 0]);
    fc.assert(
      fc.property(fc.array(fc.tuple(sequence, kinds), { maxLength: 8 }), fc.array(symbol), (given, text) => {
        const again = given.filter(([symbols, { begins }]) => begins && joins[symbols[0]!] === 1);
        const all = [...given.map(([symbols]) => symbols), ...again.map(([symbols]) => [0, ...symbols])];
        const free = Uint8Array.from([...given, ...again], ([, { ends }]) => (ends ? FREE_END : 0));
        const automaton = runAtOnce(buildKeywordAutomaton(sequencesOf(all), 5, joins, free));
        const { table, ends, duplicate, outputInside } = automaton;
        const isInside = (at: number) => joins[text[at - 1] ?? 4] === 1 && joins[text[at] ?? 4] === 1;
        let state = 0;
        for (let end = 1; end <= text.length; end++) {
          state = automaton.step(state, text[end - 1]!);
          const isSame = ([symbols]: (typeof given)[number], start: number) =>
            start >= 0 && String(text.slice(start, end)) === String(symbols);
          const wanted = (isEndInside: boolean) =>
            given
              .filter((one) => {
                const start = end - one[0].length;
                return isSame(one, start) && (one[1].begins || !isInside(start)) && (one[1].ends || !isEndInside);
              })
              .map(([symbols]) => String(symbols))
              .sort();
          const found = (first: number, below: (at: number) => number, isEndInside: boolean) => {
            const names: string[] = [];
            for (let at = first; at >= 0; at = below(at))
              for (let one = ends[at]!; one >= 0; one = duplicate[one]!)
                if (!isEndInside || free[one] === FREE_END) names.push(String(all[one]!.filter((part) => part > 0)));
            return names.sort();
          };
          expect(found(outputOf(table, state), (at) => outputBelow(table, at), false)).toEqual(wanted(false));
          expect(found(outputInside![state]!, (at) => outputInside![failureOf(table, at)]!, true)).toEqual(
            wanted(true),
          );
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('chains equal sequences in their order at their end state', () => {
    fc.assert(
      fc.property(list, (written) => {
        const { ends, duplicate } = runAtOnce(buildKeywordAutomaton(sequencesOf(written), 5));
        const found = [...ends].map((first) => {
          const chain: number[] = [];
          for (let at = first; at >= 0; at = duplicate[at]!) chain.push(at);
          return chain;
        });
        for (const chain of found) expect(chain).toEqual([...chain].sort((a, b) => a - b));
        for (const chain of found) expect(new Set(chain.map((at) => String(written[at]))).size).toBeLessThan(2);
        const kept = written.flatMap((one, at) => (one.length > 0 ? [at] : []));
        expect(found.flat().sort((a, b) => a - b)).toEqual(kept);
      }),
    );
  });
});
