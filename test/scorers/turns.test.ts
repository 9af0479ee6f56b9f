import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/live/scorers/turns.js';
import { runs } from '../support/runs.js';
import { turns as eventLoopTurns } from '../support/until.js';

describe('turns', () => {
  it('go round: between two pieces of a queue, each queue that waits has one', async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.integer({ min: 1, max: 3 }), async (given, concurrency) => {
        const round = new Turns(concurrency);
        const begun: number[] = [];
        const ends: (() => void)[] = [];
        for (const [index, length] of given.entries()) {
          const piece = () => {
            begun.push(index);
            return new Promise<void>((resolve) => ends.push(resolve));
          };
          round.queue(Array.from({ length }, () => piece));
        }
        const total = given.reduce((sum, length) => sum + length, 0);
        const before = begun.length;
        for (let next = 0; next < total; next++) {
          expect(begun.length - next).toBeLessThanOrEqual(concurrency);
          ends[next]!();
          await eventLoopTurns(2);
        }
        expect(begun).toHaveLength(total);
        // From when all are queued, no queue is ever two turns ahead of one that still waits.
        for (let at = before; at <= total; at++) {
          const had = given.map((_, index) => begun.slice(before, at).filter((one) => one === index).length);
          const left = given.map((length, index) => length - begun.slice(0, at).filter((one) => one === index).length);
          const waiting = had.filter((_, index) => left[index]! > 0);
          if (waiting.length > 0) expect(Math.max(...had) - Math.min(...waiting)).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: runs(25) },
    );
  });

  it('pieces that have nothing to do take none, and begin what stands behind them', () => {
    const round = new Turns(1);
    const begun: string[] = [];
    const nothing = () => undefined;
    const work = (name: string) => () => {
      begun.push(name);
      return new Promise<void>(() => {});
    };
    round.queue([nothing, nothing]);
    round.queue([nothing, work('a'), work('b')]);
    round.queue([work('c')]);
    expect(begun).toEqual(['a']);
  });

  it('what is withdrawn does not begin', async () => {
    const round = new Turns(1);
    const begun: string[] = [];
    let end = () => {};
    const work = (name: string) => () => {
      begun.push(name);
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    };
    const withdraw = round.queue([work('a'), work('b')]);
    round.queue([work('c')]);
    withdraw();
    end();
    await eventLoopTurns(2);
    expect(begun).toEqual(['a', 'c']);
    end();
    await eventLoopTurns(2);
    expect(begun).toEqual(['a', 'c']);
  });

  it('work that queues more while it begins keeps to the limit', () => {
    const round = new Turns(1);
    const begun: string[] = [];
    const work =
      (name: string, then = () => {}) =>
      () => {
        begun.push(name);
        then();
        return new Promise<void>(() => {});
      };
    round.queue([work('a', () => void round.queue([work('b')]))]);
    expect(begun).toEqual(['a']);
  });
});
