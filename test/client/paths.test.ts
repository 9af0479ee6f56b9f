import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { writePath } from '../../src/client/request.js';
import { UsageError } from '../../src/errors.js';
import { clientOf, rejection, serveJson } from '../support/http.js';

const full = process.env.SLUICE_FULL === '1';

const acceptable = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((id) => id !== '.' && id !== '..' && id.trim() === id && !/\p{Cc}/u.test(id));

it('writes any acceptable id so that it is one segment and decodes to itself', () => {
  fc.assert(
    fc.property(acceptable, (id) => {
      const path = writePath('/users/{uid}/conversation', { uid: id });
      const url = new URL(`http://127.0.0.1/v3${path}`);
      const segments = url.pathname.split('/');
      expect(segments).toHaveLength(5);
      expect(decodeURIComponent(segments[3]!)).toBe(id);
      expect(url.search + url.hash).toBe('');
    }),
    { numRuns: full ? 20_000 : 600 },
  );
});

it('brings any acceptable id to the server as it was given', async () => {
  const server = await serveJson({ data: { uid: 'x' } });
  const client = clientOf(server);
  await fc.assert(
    fc.asyncProperty(acceptable, async (id) => {
      await client.users.get(id);
      const segments = server.received.at(-1)!.target.split('/');
      expect(segments.slice(0, 3)).toEqual(['', 'v3', 'users']);
      expect(segments.slice(3).map(decodeURIComponent)).toEqual([id]);
    }),
    { numRuns: full ? 3000 : 120 },
  );
});

it('either refuses a string before sending or brings it whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)) }), (id) => {
      let path: string;
      try {
        path = writePath('/{id}', { id });
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        return;
      }
      expect(decodeURIComponent(path.slice(1))).toBe(id);
    }),
    { numRuns: full ? 20_000 : 600 },
  );
});

it.each([
  '',
  '.',
  '..',
  'a\ud800',
  '\udc00',
  'a\nb',
  'a\u0000',
  'a\u0085b',
  ' a',
  'a ',
  'a\u00a0',
  '\ufeffa',
  undefined,
  7,
])('refuses %j, naming the parameter and not its content', async (id) => {
  const server = await serveJson({ data: {} });
  const error = await rejection(clientOf(server).groups.get(id as string));
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain('`guid`');
  expect(server.received).toEqual([]);
});

it('never shows an id that it refuses', async () => {
  const error = await rejection(clientOf(await serveJson({})).rules.get(' someone-private'));
  expect(String(error)).not.toContain('someone-private');
});
