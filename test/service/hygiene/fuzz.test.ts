import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, endpoints, type Operation } from '../../../src/platform/contract/endpoints.js';
import { messageParameters } from '../../../src/platform/contract/message-query.js';
import { parse } from '../../../src/platform/contract/parse.js';
import { type Service, type ServiceBug, startService } from '../../../src/platform/service/index.js';
import { isFull } from '../../support/runs.js';
import { data } from '../sample-data.js';
import { answersIn, errorOf, open, requestBytes } from './raw.js';

/** `SLUICE_FULL=1` runs a hundred times as long, from a seed of its own each time. */
const runs = (few: number) => (isFull ? { numRuns: few * 200 } : { numRuns: few, seed: 20_26_11 });

let service: Service;
const bugs: ServiceBug[] = [];
beforeAll(async () => {
  const rules = [...data.rules, ...spare.map((id) => ({ id, conditions: [], default: true }))];
  const lists = [...data.lists, ...spare.map((id) => ({ id, searchTerms: [], default: true }))];
  service = await startService({ data: { ...data, rules, lists }, onBug: (bug) => bugs.push(bug) });
});
afterAll(() => service.close());

const known = new Set([200, 204, 400, 401, 403, 404, 405, 408, 409, 413, 415, 417, 431]);

/**
 * Sends bytes in pieces, closes our side, and reads the answers. Every one of them is a whole one
 * that the service knows.
 */
async function throwAt(pieces: readonly string[]) {
  const wire = open(service);
  for (const piece of pieces) {
    wire.socket.write(piece, 'latin1');
    if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  wire.socket.end();
  await wire.ended;
  wire.socket.destroy();
  const answers = answersIn(wire.text()).filter(({ status }) => status !== 100);
  for (const answer of answers) {
    expect(known).toContain(answer.status);
    // What is not HTTP is answered by Node, without a body.
    if (answer.status >= 300 && answer.body !== '') errorOf(answer);
  }
  return answers;
}

async function stillAnswers(): Promise<void> {
  const [answer] = await throwAt([requestBytes(service, 'GET /v3/users/alice')]);
  expect(answer?.status).toBe(200);
  expect(JSON.parse(answer!.body)).toMatchObject({ data: { uid: 'alice' } });
  expect(bugs).toEqual([]);
}

const binary = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes).toString('latin1'));

/** A value mostly good, sometimes not. */
const mostly = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: good }, { weight: 1, arbitrary: bad });

const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => encodeURIComponent(text.replace(/\p{Cs}/gu, ''))),
  fc.constantFrom(
    ...['', '..', '%2e%2e', '%2F', '%', '%zz', '%ff', '%00', '__proto__', 'constructor', '1e400', '-0'],
    'x'.repeat(300),
  ),
);
const ids: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uid: fc.constantFrom('alice', 'bob', 'carol', 'we%2Fird%20id%25%3F', 'zo%C3%AB'),
  guid: fc.constantFrom('team', 'open', 'quiet'),
  ruleId: fc.constantFrom('r1', 'both', 'l1', 'broken'),
  listId: fc.constantFrom('l1', 'both'),
};
/** Rules and lists for deletions alone. */
const spare = Array.from({ length: 200 }, (_, at) => `spare${at}`);

const query = fc
  .array(
    fc.constantFrom(...Object.entries(messageParameters)).chain(([name, parameter]) => {
      const good =
        parameter.type === 'boolean'
          ? fc.constantFrom('true', 'false')
          : parameter.type === 'number'
            ? fc.integer({ min: 1, max: 1_300 }).map(String)
            : parameter.type === 'enum'
              ? fc.constantFrom(...parameter.options)
              : fc.constantFrom('a', 'alice', 'bob,carol', 'team', 'urgent', 'text', '1', '500');
      return mostly<string>(good, odd).map((value) => `${name}=${value}`);
    }),
    { maxLength: 5 },
  )
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`));

const body = mostly<string>(
  fc.constantFrom('{}', '', '{"tags":["a","b"]}', '{"tags":[]}', '{"messageId":3}', '{"messageId":null}'),
  fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.constantFrom(
      ...['{', '[]', 'null', '{"tags":"a"}', '{"tags":[1]}', '{"messageId":"3"}', '{"messageId":1.5}'],
      ...['{"__proto__":1}'],
    ),
    fc.constant('['.repeat(50_000)),
    binary(50),
  ),
);

/** Good bodies of the operations that write rules and lists. */
const writes: { readonly [Name in Operation]?: fc.Arbitrary<string> } = {
  createRule: fc.nat().map((at) => `{"id":"new${at}","conditions":[]}`),
  replaceRule: fc.constant('{"conditions":[]}'),
  createKeywordList: fc.nat().map((at) => `{"id":"new${at}","searchTerms":[]}`),
  replaceKeywordList: fc.constant('{"searchTerms":["a"]}'),
};

const framing = mostly<string>(fc.constantFrom('length', 'chunks'), fc.constantFrom('short', 'long', 'both', 'none'));

function framed(text: string, how: string): readonly [readonly string[], string] {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const chunks = bytes === '' ? '0\r\n\r\n' : `${bytes.length.toString(16)}\r\n${bytes}\r\n0\r\n\r\n`;
  switch (how) {
    case 'chunks':
      return [['transfer-encoding: chunked'], chunks];
    case 'short':
      return [[`content-length: ${Math.max(0, bytes.length - 3)}`], bytes];
    case 'long':
      return [[`content-length: ${bytes.length + 7}`], bytes];
    case 'both':
      return [['transfer-encoding: chunked', `content-length: ${bytes.length}`], chunks];
    case 'none':
      return [[], bytes];
    default:
      return [[`content-length: ${bytes.length}`], bytes];
  }
}

const request = fc.constantFrom(...(Object.keys(endpoints) as Operation[])).chain((name) => {
  const { path, method }: Endpoint = endpoints[name];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  return fc.record({
    name: fc.constant(name),
    target: fc
      .tuple(
        fc.tuple(
          ...names.map((parameter) =>
            mostly(name.startsWith('delete') ? fc.constantFrom(...spare) : ids[parameter]!, odd),
          ),
        ),
        query,
      )
      .map(
        ([values, search]) =>
          `/v3${names.reduce((its, parameter, index) => its.replace(`{${parameter}}`, () => values[index]!), path)}${search}`,
      ),
    method: mostly<string>(fc.constant(method), fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS')),
    actor: fc.option(
      mostly(fc.constantFrom('alice', 'bob'), fc.constantFrom('', 'nobody', 'zo\xc3\xab', '\xff', 'a, b')),
    ),
    type: mostly(fc.constant('application/json'), fc.constantFrom('text/plain', '', 'application/json;charset=x')),
    accept: mostly(fc.constant('*/*'), fc.constantFrom('text/html', 'application/json', ';;q=,')),
    body: mostly(writes[name] ?? body, body),
    framing,
  });
});

describe('requests of all rows, good and half good', () => {
  it('get an answer each, and a 200 is what the contract says', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(request, async (its) => {
        const [framingHeaders, bytes] = framed(its.body, its.framing);
        const headers = [`content-type: ${its.type}`, `accept: ${its.accept}`, ...framingHeaders];
        if (its.actor !== null) headers.push(`onBehalfOf: ${its.actor}`);
        const [answer] = await throwAt([requestBytes(service, `${its.method} ${its.target}`, headers, bytes)]);
        expect(answer).toBeDefined();
        const { status, body: text } = answer!;
        seen.set(`${its.name} ${status}`, (seen.get(`${its.name} ${status}`) ?? 0) + 1);
        if (status !== 200 || its.method !== endpoints[its.name].method) return;
        const document = JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
        // Rules are served as they stand, the broken one of the sample too.
        if (!its.target.startsWith('/v3/moderation/rules')) parse(endpoints[its.name].response, document, its.name);
      }),
      runs(300),
    );
    for (const name of Object.keys(endpoints))
      expect(seen.get(`${name} 200`), `${name} was never 200`).toBeGreaterThan(0);
    await stillAnswers();
  });
});
