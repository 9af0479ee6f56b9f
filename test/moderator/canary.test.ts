/** A rule set that would stop or release too much of what was decided last is not swapped in. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CanaryOptions,
  createEngine,
  type Exception,
  type KeywordList,
  type MessageDraft,
  type Rule,
  UsageError,
} from '../../src/index.js';
import { Canary } from '../../src/live/moderator/canary.js';
import { verdictChanges } from '../../src/review/compare/verdict-changes.js';
import { runs } from '../support/runs.js';
import { lists, platform, rule, workplace } from './platform.js';

const place = workplace();
const { moderatorOf } = place;
const limits = { messages: 1000, maxNewlyStopped: 0.05 } satisfies CanaryOptions;
const inline = (id: string, values: readonly string[], more: object = {}): Rule => ({
  id,
  name: `Rule ${id}`,
  action: ['blockMessage'],
  conditions: [{ operand: 'text', value: [...values] }],
  ...more,
});
const pattern = (id: string, value: string): Rule =>
  inline(id, [], { conditions: [{ operand: 'text', category: 'pattern', value: [value] }] });
const calm = ['hello there', 'see you later', 'meet me here', 'the green tree', 'yes please'];

/** A moderator of a platform in memory, which has decided messages. */
async function decided(messages: readonly (string | MessageDraft)[], options: object = {}) {
  const { state, source } = platform();
  const moderator = await moderatorOf({ source, canary: limits, ...options });
  for (const message of messages) moderator.decide(message);
  return { state, moderator };
}

interface World {
  readonly rules: Rule[];
  readonly lists: Record<string, KeywordList>;
  readonly semantics: Readonly<Record<string, unknown>>;
}

/** Words without and with an `e`; a message has one with. */
const words = ['hello', 'there', 'see', 'green', 'tree', 'meet', 'here', 'yes'];
const others = ['a', 'cat', 'sat', 'on', 'my', 'mat', 'today', 'again', 'soon'];
const spam = ['spamword', 'scamword', 'fraudword'];
const exception = { lists: ['spared'] } satisfies Exception;

/**
 * Rules that stop little of these messages: by a list, by a pattern, by a term that is excepted,
 * for one sender alone.
 */
const world = fc
  .record({
    terms: fc.uniqueArray(fc.constantFrom(...spam), { minLength: 1 }),
    spared: fc.uniqueArray(fc.stringMatching(/^[xyz]{4}$/), { minLength: 2, maxLength: 5 }),
    digits: fc.integer({ min: 4, max: 9 }),
    drops: fc.boolean(),
  })
  .map(({ terms, spared, digits, drops }): World => {
    const action = [drops ? 'dropMessage' : 'blockMessage'];
    const only = { type: 'sender', entity: 'user', operand: 'uid', operator: 'equals', value: 'bot' } as const;
    return {
      rules: [
        { ...rule, name: 'Swears' },
        { ...pattern('digits', `[0-9]{${digits},}`), action },
        inline('excepted', ['hullo']),
        inline('filtered', [words[0]!], { filters: [only], action }),
      ],
      lists: {
        swears: { id: 'swears', searchTerms: terms },
        spared: { id: 'spared', searchTerms: ['hullo world', ...spared] },
      },
      semantics: { words: 'substring', exceptions: [exception] },
    };
  });

const message = (required: string) =>
  fc
    .tuple(
      fc.array(fc.constantFrom(...words, ...others), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('ana', 'ben'),
      fc.constantFrom('text', 'draft'),
    )
    .map(([parts, sender, form]): string | MessageDraft => {
      const text = [...parts, required, 'hullo world', words[0]].join(' ');
      return form === 'text' ? text : { sender, data: { text } };
    });

/** What somebody does to the rules by mistake, and what then stands in the reason. */
const faults: Readonly<Record<string, (world: World) => { readonly world: World; readonly named: readonly string[] }>> =
  {
    'a term `e`': (world) => {
      const swears = { id: 'swears', searchTerms: [...(world.lists.swears?.searchTerms ?? []), 'e'] };
      return { world: { ...world, lists: { ...world.lists, swears } }, named: ['term "e"', '"Swears"'] };
    },
    'a pattern `.*`': (world) => ({
      world: { ...world, rules: [...world.rules, pattern('all', '.*')] },
      named: ['pattern ".*"', '"Rule all"'],
    }),
    'a lost exception': (world) => {
      const [, ...left] = world.lists.spared!.searchTerms;
      const spared = { id: 'spared', searchTerms: left };
      return {
        world: { ...world, lists: { ...world.lists, spared } },
        named: ['term "hullo"', '"Rule excepted"', 'term "hullo world"'],
      };
    },
    'all exceptions lost': (world) => ({
      world: { ...world, semantics: { words: 'substring' } },
      named: ['term "hullo"', '"Rule excepted"'],
    }),
    'a filter that is gone': (world) => ({
      world: {
        ...world,
        rules: world.rules.map(({ filters: _, ...rest }) => rest),
      },
      named: [`term "${words[0]}"`, '"Rule filtered"'],
    }),
  };

async function refreshed(before: World, after: World, messages: readonly (string | MessageDraft)[], canary: object) {
  const { state, source } = platform({ ...before, rules: [...before.rules] });
  const moderator = await moderatorOf({ source, guard: 'off', canary: { ...limits, ...canary } });
  for (const message of messages) moderator.decide(message);
  Object.assign(state, after);
  const revision = moderator.revision;
  const changed = await moderator.refresh();
  const { held } = moderator.status;
  const isSame = moderator.revision === revision;
  await moderator.close();
  return { changed, held, isSame };
}

/** A thousand trials of all faults together with `SLUICE_FULL=1`. */
const numRuns = runs(8, 200);

describe('a rule set that would silence everyone is held', () => {
  it.each(Object.entries(faults))('%s', async (_, plant) => {
    const messages = fc.array(message('e'), { minLength: 2, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(world, messages, async (before, messages) => {
        const { world: after, named } = plant(before);
        const { changed, held, isSame } = await refreshed(before, after, messages, {});
        expect([changed, isSame]).toEqual([false, true]);
        expect(held?.canary).toEqual({ messages: messages.length, newlyStopped: messages.length, released: 0 });
        for (const name of named) expect(held?.reason).toContain(name);
      }),
      { numRuns },
    );
  });

  it('exceptions of `.*`, where releases are limited', async () => {
    const messages = fc.array(message(spam[0]!), { minLength: 2, maxLength: 60 });
    const stopping = world.map((before) => ({
      ...before,
      lists: { ...before.lists, swears: { id: 'swears', searchTerms: [...spam] } },
    }));
    await fc.assert(
      fc.asyncProperty(stopping, messages, async (before, messages) => {
        const after = { ...before, semantics: { words: 'substring', exceptions: [exception, { patterns: ['.*'] }] } };
        const { held, isSame } = await refreshed(before, after, messages, { maxReleased: 0.05 });
        expect(isSame).toBe(true);
        expect(held?.canary?.released).toBe(messages.length);
        expect(held?.reason).toMatch(/released.*term "spamword" of keyword list `swears` of rule "Swears" \(`r`\)/);
        expect(held?.reason).toContain('which would be excepted by pattern ".*"');
        expect((await refreshed(before, after, messages, {})).changed).toBe(true);
      }),
      { numRuns },
    );
  });

  it('a change that stops less is never held by `maxNewlyStopped`', async () => {
    const less: readonly ((world: World) => World)[] = [
      (world) => ({ ...world, rules: [] }),
      (world) => ({ ...world, rules: world.rules.slice(1) }),
      (world) => ({ ...world, lists: { ...world.lists, swears: { id: 'swears', searchTerms: [] } } }),
      (world) => ({ ...world, rules: world.rules.map((rule) => ({ ...rule, enabled: false })) }),
      (world) => ({ ...world, semantics: { ...world.semantics, exceptions: [exception, { patterns: ['.*'] }] } }),
      (world) => ({ ...world, semantics: { ...world.semantics, shadow: world.rules.map(({ id }) => id) } }),
    ];
    const messages = fc.array(fc.constantFrom(...spam, '123456789').chain(message), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom(...less), messages, async (before, change, messages) => {
        const { changed, held } = await refreshed(before, change(before), messages, { maxNewlyStopped: 0 });
        expect([changed, held]).toEqual([true, undefined]);
      }),
      { numRuns: 5 * numRuns },
    );
  });
});

describe('where the limit is', () => {
  const some = (stopped: number, all: number) => [
    ...Array.from({ length: stopped }, (_, at) => `a heck of a day ${at}`),
    ...Array.from({ length: all - stopped }, (_, at) => `a fine day ${at}`),
  ];

  it.each([
    [0, 100, 0, false],
    [1, 100, 0, true],
    [1, 2, 0.05, false],
    [1, 1, 0.05, false],
    [2, 2, 0.05, true],
    [2, 40, 0.05, false],
    [3, 40, 0.05, true],
    [29, 100, 0.29, false],
    [30, 100, 0.29, true],
    [100, 100, 1, false],
  ] as const)('%s of %s newly stopped, at most %s: held %s', async (stopped, all, maxNewlyStopped, isHeld) => {
    const { state, moderator } = await decided(some(stopped, all), { canary: { messages: 1000, maxNewlyStopped } });
    state.lists = lists('darn', 'heck');
    expect(await moderator.refresh()).toBe(!isHeld);
    expect(moderator.status.held?.canary?.newlyStopped).toBe(isHeld ? stopped : undefined);
    expect(moderator.decide('what the heck')).toBe(isHeld ? 'allow' : 'blockMessage');
  });

  it('the last messages count, and no others', async () => {
    const { state, moderator } = await decided(some(90, 100), { canary: { messages: 10, maxNewlyStopped: 0 } });
    state.lists = lists('darn', 'heck');
    expect(await moderator.refresh()).toBe(true);
  });

  it('nobody is judged before a message was decided, at the start from a snapshot as well', async () => {
    const { state, moderator } = await decided([]);
    state.rules = [rule, pattern('all', '.*')];
    expect(await moderator.refresh()).toBe(true);
  });

  it('messages of explain and of the asynchronous calls count, with the scores that they were decided with', async () => {
    const scorer = { score: async () => ({ violence: 90 }) };
    const { state, moderator } = await decided([], { scorer });
    const image = (at: number) => ({ type: 'image', data: { url: `https://media.example/${at}.png` } });
    const rated = inline('image', ['violence_greaterThan_99'], {
      conditions: [{ operand: 'image', value: ['violence_greaterThan_95'] }],
    });
    state.rules = [rule, rated];
    await moderator.refresh();
    for (let at = 0; at < 4; at += 1) await moderator.decideAsync(image(at));
    await moderator.explainAsync(image(4));
    moderator.explain(image(5), [{ operand: 'image', labels: { violence: 91 } }]);
    state.rules = [rule, { ...rated, conditions: [{ operand: 'image', value: ['violence_greaterThan_80'] }] }];
    expect(await moderator.refresh()).toBe(false);
    expect(moderator.status.held?.canary).toEqual({ messages: 6, newlyStopped: 6, released: 0 });
    expect(moderator.status.held?.reason).toContain('threshold "violence" over 80 of rule "Rule image" (`image`)');
  });

  it('both sides are judged anew: what the rules before stopped is not newly stopped', async () => {
    const { state, moderator } = await decided(['oh darn', 'oh darn it'], { guard: 'off' });
    state.lists = lists('oh');
    expect(await moderator.refresh()).toBe(true);
  });

  it('by the engines alone: rules that are too old and block count as allowing', async () => {
    const { state, moderator } = await decided([], { maxStaleMs: 0, whenStale: 'block' });
    for (const text of calm) moderator.decide(text);
    state.rules = [rule, pattern('all', '.*')];
    expect(await moderator.refresh()).toBe(false);
  });

  it('rules in shadow stop nothing', async () => {
    const { state, moderator } = await decided(calm, { semantics: { shadow: ['all'] } });
    state.rules = [rule, pattern('all', '.*')];
    expect(await moderator.refresh()).toBe(true);
  });
});

describe('a rule set that is held', () => {
  it('is taken by `accept` alone, however often it comes and whatever is decided meanwhile', async () => {
    for (const guard of [undefined, 'off'] as const) {
      const { state, moderator } = await decided(calm, { guard });
      const revision = moderator.revision;
      const rules = [rule, pattern('all', '.*')];
      for (let times = 0; times < 30; times += 1) {
        state.rules = times % 3 === 2 ? [rule] : rules;
        expect(await moderator.refresh()).toBe(false);
        if (times % 3 === 2) expect(moderator.status).toMatchObject({ state: 'fresh' });
        else expect(moderator.status).toMatchObject({ state: 'stale', lastError: { code: 'held' }, failures: 0 });
        // What was decided since then would let the rules pass.
        for (let at = 0; at < 100; at += 1) moderator.decide('oh darn');
      }
      expect(moderator.revision).toBe(revision);
      state.rules = rules;
      await moderator.refresh();
      expect(await moderator.accept(moderator.status.held!.revision)).toBe(true);
      expect(moderator.decide('hello')).toBe('blockMessage');
    }
  });

  it('is held over a restart, though there are no messages, where a snapshot is kept', async () => {
    const options = { snapshotFile: place.snapshotFile, canary: limits };
    const { state, source } = platform();
    const moderator = await moderatorOf({ source, ...options });
    for (const text of calm) moderator.decide(text);
    state.rules = [rule, pattern('all', '.*')];
    await moderator.refresh();
    const { revision } = moderator.status.held!;
    await moderator.close();
    for (let restarts = 0; restarts < 2; restarts += 1) {
      const next = await moderatorOf({ source, ...options });
      expect(next.status.held).toMatchObject({ revision, reason: 'the canary held it back before the restart' });
      expect(next.decide('hello')).toBe('allow');
      await next.close();
    }
    const accepting = await moderatorOf({ source, ...options, accept: revision });
    expect(accepting.decide('hello')).toBe('blockMessage');
  });

  it('has nothing lost, and is forgotten when the rules are those in use', async () => {
    const { state, moderator } = await decided(calm);
    state.rules = [rule, pattern('all', '.*')];
    await moderator.refresh();
    expect(moderator.status.held).toMatchObject({ loss: { rules: [], lists: [], terms: 0 }, readings: [] });
    state.rules = [rule];
    expect(await moderator.refresh()).toBe(false);
    expect(moderator.status).toMatchObject({ state: 'fresh' });
  });

  it('for what the guard has against it as well says both', async () => {
    const { state, moderator } = await decided(calm);
    state.rules = [pattern('all', '.*')];
    state.lists = {};
    expect(await moderator.refresh()).toBe(false);
    const { held } = moderator.status;
    expect(held?.loss.rules).toEqual(['r']);
    expect(held?.reason).toMatch(/1 of 1 rules.*would be lost.*5 of the last 5 messages would be newly stopped/);
  });

  it('shows no text of a message', async () => {
    const { state, moderator } = await decided(calm.map((text) => `${text} privately`));
    state.rules = [rule, pattern('all', '.*')];
    await moderator.refresh();
    expect(JSON.stringify(moderator.status)).not.toContain('privately');
  });
});

describe('what is kept', () => {
  const engine = createEngine({ rules: [], lists: [] });
  const all = createEngine({ rules: [pattern('all', '(?s).*')], lists: [] });
  const judged = async (canary: Canary) =>
    (await canary.judge(engine, all, new AbortController().signal))?.canary.messages ?? 0;

  it('is bounded by number and by size, the last messages at any time', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 120_000 }), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 150 }), async (sizes, messages) => {
        const canary = new Canary({ messages, maxNewlyStopped: 0 });
        let [expected, bytes] = [0, 0];
        for (const size of sizes) canary.keep('x'.repeat(size), undefined);
        for (const size of sizes.toReversed()) {
          const own = 2 * JSON.stringify(['x'.repeat(size), null]).length;
          if (own > 200_000) continue;
          if (expected === messages || bytes + own > 10_000_000) break;
          bytes += own;
          expected += 1;
        }
        expect(await judged(canary)).toBe(expected);
      }),
      { numRuns: runs(6, 200) },
    );
  });

  it('is a copy: a message that is changed later, or has no JSON, does no harm', async () => {
    const canary = new Canary({ messages: 9, maxNewlyStopped: 0 });
    const message = { data: { text: 'a' } };
    canary.keep(message, undefined);
    message.data = undefined as never;
    const round: Record<string, unknown> = { data: { text: 'b' } };
    round.self = round;
    canary.keep(round, undefined);
    canary.keep({ data: { text: 'c' }, sentAt: 1n as never }, undefined);
    expect(await judged(canary)).toBe(1);
  });

  it('is judged in portions of one decision', () => {
    const texts = Array.from({ length: 500 }, (_, at): [string] => [`text ${at}`]);
    const calls = { most: 0, since: 0 };
    const counted = (of: typeof engine) => {
      const count = <Given extends readonly unknown[], Result>(judge: (...given: Given) => Result) => {
        return (...given: Given): Result => {
          calls.since += 1;
          calls.most = Math.max(calls.most, calls.since);
          return judge(...given);
        };
      };
      return { ...of, decide: count(of.decide), explain: count(of.explain) };
    };
    const work = verdictChanges(texts, counted(engine), counted(all));
    let portions = 0;
    for (let next = work.next(); !next.done; next = work.next()) {
      portions += 1;
      calls.since = 0;
    }
    expect(calls.most).toBe(1);
    expect(portions).toBe(4 * texts.length);
  });
});

it.each([
  [{ messages: 0, maxNewlyStopped: 0 }, 'canary.messages'],
  [{ messages: 100_001, maxNewlyStopped: 0 }, 'canary.messages'],
  [{ messages: 10 }, 'canary.maxNewlyStopped'],
  [{ messages: 10, maxNewlyStopped: 5 }, 'canary.maxNewlyStopped'],
  [{ messages: 10, maxNewlyStopped: 0.1, maxReleased: '5%' }, 'canary.maxReleased'],
  [{ messages: 10, maxNewlyStop: 0.1 }, "did you mean 'maxNewlyStopped'?"],
  [true, '`canary` must be an object'],
])('%j is a usage error', async (canary, words) => {
  const creating = moderatorOf({ source: platform().source, canary: canary as never });
  await expect(creating).rejects.toThrow(UsageError);
  await expect(creating).rejects.toThrow(words);
});
