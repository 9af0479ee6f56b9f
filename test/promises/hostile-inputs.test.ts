/**
 * Any value as a message, any JSON as a rule set, any bytes as a response: an answer or an error of
 * ours, never anything else.
 */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createEngine, RuleSetError, type Semantics, SluiceError, UsageError } from '../../src/index.js';
import { readResponse } from '../../src/platform/client/answer.js';
import { endpoints, type Operation } from '../../src/platform/contract/endpoints.js';
import { runs } from '../support/runs.js';

const odd = fc.anything({
  maxDepth: 3,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});
const mostly = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });
const text = fc.oneof(
  fc.constantFrom('darn', 'oh d4rn', 'x12', 'd a r n', '\ud800darn', ''),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const party = fc.record({
  entity: mostly(fc.record({ uid: mostly(text), tags: mostly(fc.array(text)), role: mostly(text) })),
});
/** Of the shape of a message, each field odd one time in five. */
const messageLike = fc.record(
  {
    id: mostly(text),
    sender: mostly(text),
    receiverType: mostly(fc.constantFrom('user', 'group')),
    category: mostly(fc.constantFrom('message', 'custom', 'action')),
    type: mostly(fc.constantFrom('text', 'image', 'video')),
    deletedAt: mostly(fc.nat()),
    data: mostly(
      fc.record(
        {
          text: mostly(text),
          customData: odd,
          attachments: mostly(
            fc.array(mostly(fc.record({ mimeType: mostly(fc.constant('image/png')), url: mostly(text) }))),
          ),
          entities: mostly(fc.record({ sender: mostly(party), receiver: mostly(party) })),
        },
        { requiredKeys: [] },
      ),
    ),
    text: odd,
  },
  { requiredKeys: [] },
);
const media = mostly(
  fc.array(
    mostly(
      fc.record({
        operand: mostly(fc.constant('image')),
        labels: mostly(fc.dictionary(text, fc.nat())),
        url: mostly(text),
      }),
    ),
  ),
);

const filter = { entity: 'user', type: 'sender', operand: 'role', operator: 'in', value: 'vip' };
const conditions = [
  { operand: 'text', value: ['darn', 'ill', 'a'] },
  { operand: 'text', operator: 'equals', value: ['x12'] },
  { operand: 'text', category: 'pattern', value: ['[a-z]+[0-9]', '(?i)d.rn$'] },
  { operand: 'custom', value: ['darn'] },
  { operand: 'image', value: ['AnyOf_greaterThan_30'] },
];
const readings: readonly Partial<Semantics>[] = [
  {},
  { words: 'substring', folding: 'hardened', missingScores: 'block' },
  { conditions: 'all', folding: 'exact', exceptions: ['oh darn'], exempt: [filter] },
];
const engines = readings.map((changes) =>
  createEngine(
    {
      rules: [
        { id: 'r', action: 'blockMessage', conditions },
        { id: 'f', action: 'dropMessage', conditions, filters: [filter] },
      ],
      lists: [],
    },
    changes,
  ),
);

/** The result of a call, or the error of ours that it threw; any other error is thrown on. */
function outcome<T>(run: () => T, expected: new (...args: never[]) => SluiceError): T | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof expected) return error.code;
    throw error;
  }
}

/**
 * `decide` and `explain` agree, on a verdict or on a `UsageError`, and a decision is plain JSON.
 */
const anyValueAsMessage = fc.property(
  fc.oneof(messageLike, odd),
  fc.option(media, { nil: undefined }),
  fc.nat(2),
  (message, scores, at) => {
    const engine = engines[at]!;
    const verdict = outcome(() => engine.decide(message as never, scores as never), UsageError);
    const decision = outcome(() => engine.explain(message as never, scores as never), UsageError);
    if (typeof decision === 'string') return decision === verdict;
    return (
      decision.verdict === verdict && JSON.stringify(JSON.parse(JSON.stringify(decision))) === JSON.stringify(decision)
    );
  },
);

const json = fc.jsonValue({ maxDepth: 3 });
const mostlyJson = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 4, arbitrary: good as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: json as fc.Arbitrary<unknown> },
  );
const words = fc.array(mostlyJson(fc.constantFrom('darn', 'a+', '[', 'x_greaterThan_3', '(?i)b', 'l', '', '\ud800')), {
  maxLength: 4,
});
const anyCondition = fc.record(
  {
    id: mostlyJson(fc.nat()),
    entity: mostlyJson(fc.constant('message')),
    operand: mostlyJson(fc.constantFrom('text', 'custom', 'image', 'video')),
    category: mostlyJson(fc.constantFrom('word', 'pattern')),
    operator: mostlyJson(fc.constantFrom('contains', 'equals')),
    isKeywordsReferencePresent: mostlyJson(fc.boolean()),
    value: mostlyJson(words),
    message: json,
  },
  { requiredKeys: [] },
);
const anyRuleSetLike = fc.record(
  {
    rules: mostlyJson(
      fc.array(
        mostlyJson(
          fc.record(
            {
              id: mostlyJson(fc.constantFrom('a', 'b')),
              action: mostlyJson(fc.array(fc.constantFrom('blockMessage', 'dropMessage', 'x'))),
              enabled: mostlyJson(fc.boolean()),
              conditions: mostlyJson(fc.array(mostlyJson(anyCondition), { maxLength: 3 })),
              filters: mostlyJson(fc.array(mostlyJson(fc.constant(filter)))),
            },
            { requiredKeys: [] },
          ),
        ),
        { maxLength: 3 },
      ),
    ),
    lists: mostlyJson(
      fc.array(
        mostlyJson(
          fc.record(
            { id: mostlyJson(fc.constantFrom('darn', 'l')), isCSV: json, searchTerms: mostlyJson(words) },
            { requiredKeys: [] },
          ),
        ),
        {
          maxLength: 3,
        },
      ),
    ),
    missing: json,
  },
  { requiredKeys: [] },
);

/** An engine with issues and a verdict, or a `RuleSetError`. */
const anyJsonAsRuleSet = fc.property(
  fc.oneof(
    { weight: 9, arbitrary: anyRuleSetLike as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: json as fc.Arbitrary<unknown> },
  ),
  fc.nat(2),
  text,
  (ruleSet, at, sent) => {
    const engine = outcome(() => createEngine(ruleSet as never, readings[at]), RuleSetError);
    if (typeof engine === 'string') return engine === 'rule-set';
    try {
      return engine.decide(sent) === engine.explain(sent).verdict && Array.isArray(engine.issues);
    } finally {
      engine.close();
    }
  },
);

const operations = Object.keys(endpoints) as Operation[];
const goodBodies = [
  '{"data":[{"id":"1","data":{"text":"x"},"sentAt":1}],"meta":{"current":{"limit":1,"count":1},"next":{"affix":"append","sentAt":1,"id":"1"}}}',
  '{"data":{"id":"r","action":["blockMessage"],"conditions":[{"id":1,"operand":"text","value":["a"]}]}}',
  '{"data":{"uid":"ann","name":"Ann","tags":["a"]}}',
  '{"error":{"code":"ERR","message":"no","details":{"uid":["bad"]}}}',
];
const encoder = new TextEncoder();
const goodBytes = fc.constantFrom(...goodBodies).map((body) => encoder.encode(body));
/** A good body with some bytes replaced, removed or doubled. */
const damaged = fc
  .tuple(goodBytes, fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(2)), { maxLength: 4 }))
  .map(([body, changes]) => {
    const bytes = [...body];
    for (const [at, byte, how] of changes)
      bytes.splice(at % bytes.length, how === 0 ? 1 : how - 1, ...(how === 0 ? [] : [byte]));
    return Uint8Array.from(bytes);
  });
const headers = fc.record(
  {
    'content-type': fc.constantFrom('application/json', 'text/html', ''),
    'content-encoding': fc.constantFrom('identity', 'gzip'),
    'x-request-id': fc.string(),
  },
  { requiredKeys: [] },
);

/** A value of the operation's shape, or a `ShapeError` or `HttpError`. */
const anyBytesAsResponse = fc.property(
  fc.constantFrom(...operations),
  fc.oneof({ weight: 4, arbitrary: damaged }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) }),
  fc.constantFrom(200, 200, 200, 200, 400, 404, 429, 500),
  headers,
  (name, body, status, sent) => {
    const limits = { connectMs: 1, headersMs: 1, bodyMs: 1, maxResponseBytes: 1e6 };
    const context = { operation: name, origin: 'https://platform.example', limits, redact: (given: string) => given };
    const answer = { status, headers: sent, body: Buffer.from(body) };
    const value = outcome(() => readResponse(name, answer as never, context, 1, ''), SluiceError);
    return typeof value === 'string' ? ['shape', 'http'].includes(value) : typeof value === 'object' && value !== null;
  },
);

describe('P24: hostile inputs', () => {
  it('any value as a message: a verdict, by `decide` and `explain` alike, or a UsageError', () => {
    fc.assert(anyValueAsMessage, { numRuns: runs(500, 50_000) });
  });

  it('any JSON as a rule set: an engine, or a RuleSetError', () => {
    fc.assert(anyJsonAsRuleSet, { numRuns: runs(125, 12_500) });
  });

  it('any bytes as a response: a value, a ShapeError or an HttpError', () => {
    fc.assert(anyBytesAsResponse, { numRuns: runs(500, 50_000) });
  });
});
