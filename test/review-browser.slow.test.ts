import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { diffRuleSets, lintRuleSet, precisionInterval, testRules, whyNot } from '../src/index.js';

const source = (path: string) => JSON.stringify(new URL(`../src/review/${path}`, import.meta.url).pathname);

/** Every room of review that the library has. */
const entry = `
export { testRules } from ${source('cases/test-rules.ts')};
export { diffRuleSets } from ${source('compare/diff-rule-sets.ts')};
export { lintRuleSet } from ${source('lint/lint-rule-set.ts')};
export { precisionInterval } from ${source('precision-interval.ts')};
export { whyNot } from ${source('why-not/why-not.ts')};
export * from ${source('precision/estimate.ts')};
`;

const rules = [
  { id: 'spam', action: 'blockMessage', conditions: [{ operand: 'text', value: ['giveaway', 'free giveaway'] }] },
];
const before = { rules, lists: [] };
const after = { rules: [{ ...rules[0]!, conditions: [{ operand: 'text', value: ['giveaway', 'prize'] }] }], lists: [] };
const messages = ['a prize for you 🎁', 'a giveaway', 'hello \ud800'].map((text, at) => ({
  id: `${at}`,
  data: { text },
}));

/** What a page asks of review, in one answer. */
async function answersBy(
  review: Pick<
    typeof import('../src/index.js'),
    'diffRuleSets' | 'lintRuleSet' | 'precisionInterval' | 'testRules' | 'whyNot'
  >,
) {
  return JSON.parse(
    JSON.stringify({
      lint: await review.lintRuleSet(before),
      diff: await review.diffRuleSets(messages, { rules: after, against: before }),
      tests: await review.testRules([{ name: 'a', message: 'a giveaway', verdict: 'blockMessage' }], { rules: before }),
      whyNot: review.whyNot(before, 'GIVEAWAYS'),
      interval: review.precisionInterval(9, 10),
    }),
  );
}

describe('review', () => {
  it('bundles for a browser and answers there as it does in Node', { timeout: 120_000 }, async () => {
    const bundle = await build({
      stdin: { contents: entry, resolveDir: new URL('..', import.meta.url).pathname, loader: 'ts' },
      ...{
        bundle: true,
        external: ['fs', 'path'],
        // Counters name their modules for threads, which a page has none of.
        logOverride: { 'empty-import-meta': 'silent' },
        write: false,
        platform: 'browser',
        format: 'iife',
        globalName: 'review',
        target: 'es2022',
      },
    });
    const page = {
      TextEncoder,
      structuredClone,
      TextDecoder,
      URL,
      performance,
      MessageChannel,
      setTimeout,
      clearTimeout,
      console,
      AbortController,
      review: undefined as never,
    };
    runInNewContext(`${bundle.outputFiles[0]!.text}\nglobalThis.review = review;`, page);
    expect(await answersBy(page.review)).toEqual(
      await answersBy({ diffRuleSets, lintRuleSet, precisionInterval, testRules, whyNot }),
    );
  });
});
