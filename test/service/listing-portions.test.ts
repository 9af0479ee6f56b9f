import { describe, expect, it, vi } from 'vitest';
import { operations } from '../../src/platform/service/app.js';
import { load } from '../../src/platform/service/data-directory.js';
import type { MessageRow, ServiceBug } from '../../src/platform/service/index.js';
import { createState, type Portions } from '../../src/platform/service/operations/operation.js';
import { until } from '../support/until.js';
import { callerOf } from './call.js';
import { open, requestBytes, serve } from './hygiene/raw.js';

const rows = Array.from({ length: 10_500 }, (_, index): MessageRow => {
  return { id: String(index), sender: 'a', receiverType: 'user', receiver: 'b', sentAt: index };
});

/** How many messages are looked at in each portion of a listing: how often one is asked for its type. */
async function portionsOf(query: string): Promise<readonly number[]> {
  let looked = 0;
  const { messages, ...rest } = await load({ messages: rows });
  const counted = messages.map((row) =>
    Object.defineProperty(row, 'type', {
      get: () => {
        looked += 1;
        return 'text';
      },
    }),
  );
  const call = { path: {}, search: new URLSearchParams(query), actor: undefined, body: undefined };
  const work = operations.listMessages(call, createState({ ...rest, messages: counted })) as Portions<object>;
  const portions: number[] = [];
  for (let isDone = false; !isDone; looked = 0) {
    isDone = work.next().done === true;
    portions.push(looked);
  }
  return portions;
}

describe('a listing', () => {
  it.each(['type=none', 'type=none&affix=prepend', 'type=text&count=true', 'type=none&count=true&unread=true'])(
    'of many messages is computed in portions: %s',
    async (query) => {
      const portions = await portionsOf(`${query}&limit=3`);
      expect(portions.length).toBeGreaterThan(10);
      expect(Math.max(...portions)).toBeLessThanOrEqual(1_000);
      expect(portions.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(rows.length);
    },
  );

  it('is given up when its client has gone; until then other requests are answered between its portions', async () => {
    const bugs: ServiceBug[] = [];
    const service = await serve({ onBug: (bug) => bugs.push(bug) });
    let steps = 0;
    let isOver = false;
    const endless = function* () {
      try {
        for (;;) {
          steps += 1;
          yield;
        }
      } finally {
        isOver = true;
      }
    };
    const spy = vi
      .spyOn(operations as unknown as { listMessages: () => object }, 'listMessages')
      .mockImplementation(endless);
    try {
      const wire = open(service);
      wire.socket.write(requestBytes(service, 'GET /v3/messages'));
      await until(() => steps > 3);
      expect((await callerOf(service)('/users/alice')).status).toBe(200);
      expect(isOver).toBe(false);
      wire.socket.destroy();
      await until(() => isOver);
    } finally {
      spy.mockRestore();
    }
    expect(bugs).toEqual([]);
    expect((await callerOf(service)('/messages')).status).toBe(200);
  });
});
