import { expect, it } from 'vitest';
import { nextTask } from '../src/foundation/portions.js';

it('of many that wait for a task one goes on at a time: what came later has its turn between two of them', async () => {
  const order: string[] = [];
  const waiting = ['first', 'second', 'third', 'fourth'].map(async (name) => {
    await nextTask();
    order.push(name);
    if (name === 'first') setImmediate(() => order.push('another'));
  });
  await Promise.all(waiting);
  expect(order.filter((name) => name !== 'another')).toEqual(['first', 'second', 'third', 'fourth']);
  expect(order.indexOf('another')).toBeGreaterThan(-1);
  expect(order.indexOf('another')).toBeLessThan(order.indexOf('third'));
});
