import { describe, expect, it } from 'vitest';
import { UsageError } from '../src/foundation/errors.js';
import { refuseUnknownOptions } from '../src/foundation/options.js';
import * as sluice from '../src/index.js';
import * as http from '../src/live/http/handler.js';
import * as service from '../src/platform/service/index.js';

function refusal(given: unknown, known: readonly string[]): string {
  try {
    refuseUnknownOptions('`createThing`', given as object, known);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  return 'accepted';
}

describe('unknown options', () => {
  it.each<[unknown, readonly string[], string]>([
    [{}, ['attempts'], 'accepted'],
    [{ attempts: 3, signal: undefined }, ['attempts', 'signal'], 'accepted'],
    [{ attemps: 3 }, ['attempts'], "`createThing` has no option 'attemps'; did you mean 'attempts'?"],
    [{ Attempts: 3 }, ['signal', 'attempts'], "`createThing` has no option 'Attempts'; did you mean 'attempts'?"],
    [{ maxWait: 1 }, ['maxWaitMs'], "`createThing` has no option 'maxWait'; did you mean 'maxWaitMs'?"],
    [{ colour: undefined }, ['a', 'signal'], "`createThing` has no option 'colour'; known are 'a', 'signal'"],
    [{ toString: 1 }, ['signal'], "`createThing` has no option 'toString'; known are 'signal'"],
    [JSON.parse('{"__proto__":1}'), ['signal'], "`createThing` has no option '__proto__'; known are 'signal'"],
    [{ ['x'.repeat(500)]: 1 }, ['signal'], `\`createThing\` has no option '${'x'.repeat(40)}'; known are 'signal'`],
    [null, ['signal'], '`createThing` must be an object of options'],
    [undefined, ['signal'], '`createThing` must be an object of options'],
    ['signal', ['signal'], '`createThing` must be an object of options'],
  ])('%j, with %j known: %s', (given, known, words) => {
    expect(refusal(given, known)).toBe(words);
  });

  it('ignores what an object inherits', () => {
    expect(refusal(Object.create({ attemps: 1 }), ['attempts'])).toBe('accepted');
  });
});

const none = { rules: [], lists: [] };
const mistyped = { sginal: undefined } as never;
const client = sluice.createClient({ baseUrl: 'http://127.0.0.1:9/v3', apiKey: 'k' });

/**
 * Every public function, with a call that mistypes an option; `none` for those that take no
 * options.
 */
const calls: Record<string, (() => unknown) | 'none'> = {
  audit: () => sluice.audit([], sluice.createEngine(none), mistyped).next(),
  compileEngine: () => sluice.compileEngine(none, {}, mistyped),
  createClient: () => sluice.createClient({ baseUrl: 'http://127.0.0.1:9/v3', apiKey: 'k', ...(mistyped as object) }),
  createDecisionLog: () => sluice.createDecisionLog(mistyped),
  createFileSource: () => sluice.createFileSource('rules.json', mistyped),
  createEngine: () => sluice.createEngine(none, { folds: 'hardened' } as never),
  createHttpScorer: () => sluice.createHttpScorer(mistyped),
  createModerationHandler: () => http.createModerationHandler(sluice.createEngine(none), mistyped),
  createModerator: () => sluice.createModerator(mistyped),
  describeChange: () => sluice.describeChange(mistyped),
  diffRuleSets: () => sluice.diffRuleSets([], mistyped),
  lintRuleSet: () => sluice.lintRuleSet(none, mistyped),
  loadRuleSet: () => sluice.loadRuleSet(client, mistyped),
  precisionInterval: () => sluice.precisionInterval(1, 2, mistyped),
  reasonFor: () => sluice.reasonFor(sluice.createEngine(none).explain('x'), mistyped),
  mask: () => sluice.mask('x', sluice.createEngine(none).explain('x'), mistyped),
  readRuleSetFile: () => sluice.readRuleSetFile('fixtures/rules.json', mistyped),
  startService: () => service.startService(mistyped),
  testRules: () => sluice.testRules([], mistyped),
  whyNot: () => sluice.whyNot(none, 'x', mistyped),
  writeRuleSetFile: 'none',
  writeRuleSetFolder: 'none',
};

describe('public functions refuse options that they do not have', () => {
  const functions = Object.entries({ ...sluice, ...service, ...http }).filter(
    ([, value]) => typeof value === 'function' && !/^class\b/.test(String(value)),
  );

  it('all of them are in the table', () => {
    expect(functions.map(([name]) => name).sort()).toEqual(Object.keys(calls).sort());
  });

  it.each(Object.entries(calls).filter(([, call]) => call !== 'none'))('%s', async (name, call) => {
    const refused = async () => (call as () => unknown)();
    await expect(refused()).rejects.toThrow(UsageError);
    const words = /^create(Word)?Engine$/.test(name) ? 'unknown reading `folds`' : "has no option 'sginal'";
    await expect(refused()).rejects.toThrow(words);
  });

  it.each(['decideAsync', 'explainAsync'] as const)('%s of a moderator', async (method) => {
    const rules = {
      list: async () => ({
        data: [{ id: 'r', action: 'blockMessage', conditions: [{ operand: 'text', value: ['x'] }] }],
      }),
      get: client.rules.get,
    };
    const moderator = await sluice.createModerator({ source: { rules } as never });
    await expect(moderator[method]('x', [], mistyped)).rejects.toThrow(
      "has no option 'sginal'; did you mean 'signal'?",
    );
    await moderator.close();
  });
});
