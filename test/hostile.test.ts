/**
 * Malformed and hostile messages and rule sets. Every message gets a verdict, every rule set an
 * engine or a `RuleSetError`, in time that grows with their size.
 */
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  createEngine,
  type Engine,
  type Filter,
  type MessageDraft,
  type Rule,
  RuleSetError,
  UsageError,
} from '../src/index.js';
import { growingMessages } from './support/growing-messages.js';
import { isFull } from './support/runs.js';

const verdicts = ['allow', 'blockMessage', 'dropMessage'];
const property = (entity: string, type: string, operand: string): Filter => ({
  ...{ entity, type, operand, operator: 'in', value: 'vip,ann' },
});
const conditions = [
  { operand: 'text', value: ['darn', 'oh darn'] },
  { operand: 'text', operator: 'equals', value: ['heck'] },
  { operand: 'text', category: 'pattern', value: ['d[a-z]+n', '(?i)x$'] },
  { operand: 'custom', value: ['darn'] },
  { operand: 'custom', category: 'pattern', value: ['[0-9]{3}', 'd.rn'] },
  { operand: 'image', value: ['AnyOf_greaterThan_30'] },
  { operand: 'video', value: ['violence_greaterThan_30'] },
  { operand: 'audio', value: ['x'] },
];
const drop = { action: 'dropMessage', conditions };
const rules: Rule[] = [
  { id: 'all', action: 'blockMessage', conditions },
  ...['uid', 'role', 'tags', 'createdAt'].map((id) => ({ ...drop, id, filters: [property('user', 'sender', id)] })),
  { ...drop, id: 'group', filters: ['guid', 'tags'].map((operand) => property('group', 'receiver', operand)) },
];
const exempt = [property('user', 'receiver', 'name')];
const engine = createEngine(
  { rules, lists: [] },
  { exempt, customText: ['data.customData', 'data.text', 'meta.deep[3].x'] },
);

/** The results of `decide` and `explain`; they agree unless the message changes between reads. */
function ask(message: unknown, media?: unknown, asked: Engine = engine) {
  const verdict = asked.decide(message as never, media as never);
  const decision = asked.explain(message as never, media as never);
  expect(verdicts).toContain(verdict);
  expect(verdicts).toContain(decision.verdict);
  expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
  return { verdict, decision };
}

const plain = () => ({
  id: '1',
  category: 'custom',
  type: 'image',
  sender: 'ann',
  receiver: 'team',
  receiverType: 'group',
  meta: { deep: [1, 2, 3, { x: 'darn' }] },
  data: {
    text: 'darn',
    customData: { list: ['a', { b: 'darn' }], key: 'c' },
    attachments: [{ mimeType: 'image/png' }, { mimeType: 'audio/ogg' }],
    entities: {
      sender: { entity: { uid: 'ann', name: 'Ann', role: 'x', tags: ['vip'], createdAt: 5 } },
      receiver: { entity: { guid: 'team', name: 'x', tags: ['vip', 'y'], createdAt: '2024-01-01' } },
    },
  },
});

/** Every path into a value, the value itself left out. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [[...path, key], ...pathsOf(item, [...path, key])]);
}

/** The plain message with one thing in it defined otherwise. */
function withProperty(path: readonly string[], descriptor: PropertyDescriptor, category: string): object {
  const message: Record<string, unknown> = { ...plain(), category };
  const owner = path.slice(0, -1).reduce((inner, key) => inner[key] as Record<string, unknown>, message);
  Object.defineProperty(owner, path.at(-1)!, { enumerable: true, configurable: true, ...descriptor });
  return message;
}

const fail = (): never => {
  throw new Error('do not look');
};
const trapNames = ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'set', 'defineProperty'];
const traps = Object.fromEntries(trapNames.map((trap) => [trap, fail]));
const revoked = (target: object) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};
const polluting =
  '"__proto__":{"polluted":"darn","text":"darn"},"constructor":{"prototype":{"polluted":"darn","text":"darn"}}';
class Own {
  readonly text = 'darn';
  get data() {
    return this;
  }
}
const unfriendly: readonly (readonly [string, () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['NaN', () => Number.NaN],
  ['a bigint', () => 10n ** 30n],
  ['a symbol', () => Symbol('darn')],
  ['a function', () => () => 'darn'],
  ['an object without a prototype', () => Object.assign(Object.create(null), { text: 'darn' })],
  [
    'an object whose conversion to a string throws',
    () => ({ toString: fail, valueOf: fail, toJSON: fail, [Symbol.toPrimitive]: fail }),
  ],
  ['a proxy that throws', () => new Proxy({}, traps)],
  ['a proxy of an array that throws', () => new Proxy(['darn'], traps)],
  ['a revoked proxy', () => revoked({})],
  ['a revoked proxy of an array', () => revoked([])],
  ['an array of revoked proxies', () => [revoked({}), revoked([])]],
  [
    'a proxy with a huge `length`',
    () => new Proxy(['darn'], { get: (target, key) => (key === 'length' ? 2 ** 40 : Reflect.get(target, key)) }),
  ],
  ['a map', () => new Map([['text', 'darn']])],
  ['a set', () => new Set(['darn'])],
  ['a date', () => new Date(0)],
  ['a date that is none', () => new Date(Number.NaN)],
  ['a boxed text', () => new String('darn')],
  ['an expression', () => /darn/g],
  ['an error', () => new Error('darn')],
  ['a promise', () => Promise.resolve('darn')],
  ['bytes', () => new Uint8Array(1000)],
  ['a long array with one thing in it', () => Object.assign([], { length: 2 ** 32 - 1, 5: 'darn' })],
  ['an array with other keys', () => Object.assign(['fine'], { text: 'darn', '-1': 'darn' })],
  ['an array whose items throw', () => Object.defineProperty([1, 2], 0, { get: fail, enumerable: true })],
  ['a frozen object', () => Object.freeze({ text: 'darn' })],
  ['an instance of a class', () => new Own()],
  [
    'an object whose properties refer to itself',
    () => {
      const own: Record<string, unknown> = {};
      for (const key of 'data text customData entities sender entity tags attachments'.split(' ')) own[key] = own;
      return own;
    },
  ],
  ['keys of `Object.prototype`', () => JSON.parse(`{${polluting},"toString":"darn","hasOwnProperty":1}`)],
  ['an object nested 25,000 deep', () => nest(25_000)],
];

function levels(depth: number, around: (inner: unknown, level: number) => unknown): unknown {
  let inner: unknown = 'darn';
  for (let level = 0; level < depth; level++) inner = around(inner, level);
  return inner;
}

const nest = (depth: number) => levels(depth, (inner, level) => (level % 2 === 0 ? { in: inner } : [inner]));

/** Those that have `data`; all others are not messages, or have their text elsewhere. */
const messages = new Set(['an instance of a class', 'an object whose properties refer to itself']);

describe('decide and explain: message that is', () => {
  it.each(unfriendly)('%s', (what, make) => {
    const message = make();
    if (messages.has(what)) {
      ask(message);
      return;
    }
    for (const verb of ['decide', 'explain'] as const) {
      const outcome = attempt(() => engine[verb](message as never));
      expect(outcome).toBeInstanceOf(UsageError);
      expect(String(outcome)).toMatch(/^(?!.*darn).*`data\.text`/);
    }
  });

  it('an object with a `text` of its own and no `data`: the error names `data.text` and does not quote the text', () => {
    // @ts-expect-error a draft has no `text`
    const misplacedText: MessageDraft = { text: 'you moron' };
    expect(() => engine.decide(misplacedText)).toThrow(/`data\.text`/);
    expect(() => engine.explain({ ...misplacedText, data: undefined })).toThrow(/^(?!.*moron).*`data\.text`/);
    expect(() => engine.decide({ category: 'custom', text: 'x' } as never)).toThrow(UsageError);
    expect(() => engine.decide({ text: 'x', data: {} } as never)).toThrow(UsageError);
  });

  it('an object of another realm, or without a prototype: as any other', () => {
    const foreign: unknown = runInNewContext('({ data: { text: "darn" } })');
    const bare = Object.assign(Object.create(null), { data: Object.assign(Object.create(null), { text: 'darn' }) });
    for (const message of [foreign, bare]) expect(ask(message).verdict).toBe('blockMessage');
    expect(() => engine.decide(runInNewContext('["darn"]'))).toThrow(UsageError);
    expect(() => engine.decide(Object.create(null))).toThrow(UsageError);
  });

  it('one whose `data` cannot be read: unevaluated where something says what it is, else refused', () => {
    const thrower = (more: object) => Object.defineProperty({ ...more }, 'data', { get: fail, enumerable: true });
    expect(ask(thrower({ category: 'message' })).decision.unevaluated).not.toEqual([]);
    expect(() => engine.decide(thrower({}))).toThrow(UsageError);
  });
});

describe.each(['message', 'custom'])('a message of category %s', (category) => {
  it.each(unfriendly)('returns a verdict with %s in place of each field', (_, make) => {
    for (const path of pathsOf(plain())) ask(withProperty(path, { value: make() }, category));
  });

  it('returns a verdict when any field throws', () => {
    for (const path of pathsOf(plain())) ask(withProperty(path, { get: fail }, category));
  });

  it('returns a verdict when any field changes while it is read', () => {
    for (const path of pathsOf(plain())) {
      let turn = 0;
      const values = ['darn', undefined, { text: 'darn' }, ['darn'], 5, 'custom', 'action'];
      ask(withProperty(path, { get: () => values[turn++ % values.length] }, category));
    }
  });
});

describe('custom data of unusual shape', () => {
  const found = (customData: unknown) =>
    ask({ category: 'custom', data: { customData } }).decision.matched.flatMap(({ conditions: hits }) =>
      hits.flatMap(({ matches }) => matches.map(({ path }) => path)),
    );

  it('cycles: each object is scanned once', () => {
    const circle: Record<string, unknown> = { a: 'darn' };
    circle.again = { back: circle, b: ['darn', circle] };
    expect(new Set(found(circle))).toEqual(new Set(['data.customData.a', 'data.customData.again.b[0]']));
  });

  it('depth: finds a term 100,000 levels deep, with its path', () => {
    const path = found(nest(100_000))[0]!;
    expect(path.length).toBe('data.customData'.length + 50_000 * ('.in'.length + '[0]'.length));
  });

  it('arrays: scans sparse arrays, but no named properties of arrays', () => {
    expect(new Set(found(Object.assign([], { length: 2 ** 32 - 1, 70000: 'darn' })))).toEqual(
      new Set(['data.customData[70000]']),
    );
    expect(found(Object.assign(['fine'], { text: 'darn', '-1': 'darn', '1.5': 'darn' }))).toEqual([]);
  });

  it('maps, sets, symbols and functions are not scanned', () => {
    expect(found([new Map([['a', 'darn']]), new Set(['darn']), Symbol('darn'), () => 'darn', 10n])).toEqual([]);
  });

  it('built-in prototypes are not modified', () => {
    const before = Reflect.ownKeys(Object.prototype).length;
    ask(JSON.parse(`{"category":"custom","data":{"customData":{${polluting}}}}`));
    const id = '__proto__';
    const polluted = [{ id: 1, operand: id, category: 'constructor', value: [id] }];
    createEngine({ rules: [{ id, action: [id], conditions: polluted }], lists: [{ id, searchTerms: ['darn'] }] });
    expect(Reflect.ownKeys(Object.prototype).length).toBe(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('media', () => {
  const picture = { type: 'image', data: {} };
  it.each(unfriendly.filter(([name]) => name !== 'undefined'))(
    'that are %s are rejected with their name, or evaluated',
    (_, make) => {
      const scores = [
        { operand: make(), labels: {} },
        { operand: 'image', labels: make() },
      ];
      for (const media of [make(), [make()], ...scores.map((one) => [one])]) {
        const outcome = attempt(() => ask(picture, media));
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(UsageError);
      }
    },
  );

  it('scores that are not numbers are ignored', () => {
    const labels = { a: '99', b: null, c: Number.NaN, d: [99], e: 99n, f: Number.POSITIVE_INFINITY };
    const { decision } = ask(picture, [{ operand: 'image', labels }]);
    expect(decision.matched).toEqual([]);
    expect(decision.unevaluated).toContainEqual(expect.objectContaining({ ruleId: 'all', why: 'no-scores' }));
  });
});

/** How long they take, by size, is what `npm run soak` measures. */
describe('long or deep message', () => {
  it.each(growingMessages(engine))('decide and explain agree: %s', (_, make, size, asked) => {
    const { verdict, decision } = ask(make(size), undefined, asked);
    expect(verdict).toBe(decision.verdict);
  });
});

describe('a token of signs and letters, as long as a sender likes', () => {
  const terms = ['darn', 'kill', 'buy it now', 'f*ck'];
  const hardened = createEngine(
    { rules: [{ id: 'r', action: ['blockMessage'], conditions: [{ operand: 'text', value: terms }] }], lists: [] },
    { folding: 'hardened' },
  );

  it.each(['f***k', 'k-i.l_l', '#a', 'a\u0301', 'i|', '1', 'a b ', '*', '操.'])('%j, 200,000 units of it', (piece) => {
    const text = `darn ${piece.repeat(200_000 / piece.length)}`;
    expect(hardened.decide(text)).toBe('blockMessage');
    expect(hardened.explain(text)).toMatchObject({ verdict: 'blockMessage', unevaluated: [] });
  });
});

describe('createEngine: rule set', () => {
  const messages = ['darn kill 12', { ...plain(), category: 'message' }, plain()];

  it('with values that JSON lacks is rejected', () => {
    const circle: Record<string, unknown> = { id: 'r', action: 'blockMessage', conditions: [] };
    circle.self = [circle];
    expect(() => createEngine({ rules: [circle as never], lists: [] })).toThrow(RuleSetError);
    const weighed = { id: 'r', conditions: [], weight: 10n };
    expect(() => createEngine({ rules: [weighed], lists: [] })).toThrow(RuleSetError);
  });

  it('may be nested deeply', () => {
    for (const place of ['operator', 'category', 'entity', 'operand', 'value', 'message', 'id', 'other']) {
      const condition = { operand: 'text', value: ['darn'], [place]: nest(isFull ? 100_000 : 25_000) };
      tryRuleSet({ rules: [{ id: 'r', action: 'blockMessage', conditions: [condition] }], lists: [] });
    }
  });

  function tryRuleSet(value: unknown): void {
    const outcome = attempt(() => createEngine(value as never));
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(RuleSetError);
    else {
      for (const { detail } of outcome.issues) expect(detail).toMatch(/^[^\r\n\u2028\u2029]+$/);
      for (const message of messages)
        expect(ask(message, [{ operand: 'image', labels: { violence: 50 } }], outcome).verdict).toBe(
          outcome.explain(message as never, [{ operand: 'image', labels: { violence: 50 } }]).verdict,
        );
    }
  }
});

function attempt<T>(run: () => T): T | Error {
  try {
    return run();
  } catch (error) {
    return error as Error;
  }
}
