import { describe, expect, it, vi } from 'vitest';
import { operations } from '../../../src/platform/service/app.js';
import { describeBug, printBug } from '../../../src/platform/service/errors.js';
import type { ServiceBug } from '../../../src/platform/service/index.js';
import { callerOf } from '../call.js';
import { serve } from './raw.js';

const secret = 'what somebody wrote\n    at secret (/home/somebody/secret.js:1:1)';

/** The operations, as far as they are broken here. */
const breakable = operations as unknown as { getUser: () => object };

/** Lets one operation fail for the length of `use`. */
async function withBug(thrown: unknown, use: () => Promise<void>): Promise<void> {
  const spy = vi.spyOn(breakable, 'getUser').mockImplementation(() => {
    throw thrown;
  });
  try {
    await use();
  } finally {
    spy.mockRestore();
  }
}

describe('a bug of the service', () => {
  it.each([
    ['nothing', undefined],
    ['an error that lies', Object.assign(new Error(secret), { name: secret, stack: secret })],
  ])('is a 500 in the error form, without its words: %s', async (_, thrown) => {
    const told: ServiceBug[] = [];
    const service = await serve({ onBug: (bug) => told.push(bug) });
    await withBug(thrown, async () => {
      const { status, headers, body } = await callerOf(service)('/users/alice');
      expect(status).toBe(500);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      const words = { message: 'the service failed', devMessage: expect.any(String), source: 'chat-api' };
      expect(body).toEqual({ error: { ...words, code: 'ERR_EXCEPTION' } });
    });
    expect(told).toHaveLength(1);
    expect(told[0]!.operation).toBe('GET /users/{uid}');
    expect(JSON.stringify(told)).not.toMatch(/somebody|alice|secret/);
    expect((await callerOf(service)('/users/alice')).status).toBe(200);
  });

  it('costs one request also when the hook fails', async () => {
    const service = await serve({
      onBug: () => {
        throw new Error('told too much');
      },
    });
    await withBug(new Error('x'), async () => {
      const { status, body } = await callerOf(service)('/users/alice');
      expect([status, body]).toMatchObject([500, { error: { code: 'ERR_EXCEPTION' } }]);
    });
  });

  it('tells where it happened', () => {
    const bug = describeBug(new RangeError(secret), 'GET /x');
    expect(bug).toMatchObject({ operation: 'GET /x', error: 'RangeError' });
    expect(bug.at[0]).toMatch(/^[\w<>. ]+ \(bugs\.test\.ts:\d+:\d+\)$/);
    expect(bug.at.join()).not.toContain('/');
  });

  it('is told on standard error by default, in one line', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const service = await serve();
      await withBug(new TypeError(secret), async () => {
        await callerOf(service)('/users/alice');
      });
      printBug({ operation: 'the connection', error: 'string', at: [] });
      const [first, second] = write.mock.calls.map(([text]) => String(text));
      expect(first).toMatch(/^sluice service: bug in GET \/users\/\{uid\}: TypeError < [^\n]+\n$/);
      expect(first).not.toMatch(/somebody|alice/);
      expect(second).toBe('sluice service: bug in the connection: string\n');
    } finally {
      write.mockRestore();
    }
  });
});
