/** P8: each decision is wholly of one rule set, whatever refreshes do meanwhile. */
import { expect, it } from 'vitest';
import { createEngine, type Decision, loadRuleSet, type Rule } from '../../src/index.js';
import { runs } from '../support/runs.js';
import { lists, platform, rule, workplace } from './platform.js';

const { moderatorOf } = workplace();

/** The rule set of a round: other terms, patterns, rules and actions each time. */
const rulesOf = (round: number): Rule[] => [
  rule,
  {
    id: `pattern-${round % 7}`,
    action: [round % 2 === 0 ? 'dropMessage' : 'blockMessage'],
    conditions: [{ operand: 'text', category: 'pattern', value: [`x${round % 5}[0-9]+`] }],
  },
];
const listsOf = (round: number) => lists('darn', `word${round % 11}`, `word${(round * 3) % 11}`);
const texts = ['fine', 'darn', ...Array.from({ length: 11 }, (_, index) => `word${index} x${index % 5}77`)];

it('decisions during refreshes equal those of the rule set that their revision names', async () => {
  const { state, source } = platform();
  const changes = { folding: 'hardened' } as const;
  const moderator = await moderatorOf({ source, guard: 'off', semantics: changes });
  /** Engines compiled apart, by revision. */
  const replays = new Map<string, ReturnType<typeof createEngine>>();
  replays.set(moderator.revision, createEngine(await loadRuleSet(source), changes));
  let isOver = false;
  let decisions = 0;
  const deciding = (async () => {
    for (let at = 0; !isOver; at++) {
      const message = texts[at % texts.length]!;
      const decision = moderator.explain(message);
      const { ageMs: _, ...plain }: Decision & { ageMs: number } = decision;
      const replay = replays.get(decision.revision);
      expect(replay, `revision ${decision.revision} was never fetched`).toBeDefined();
      expect(plain).toEqual(replay!.explain(message));
      expect(moderator.decide(message)).toBe(decision.verdict);
      decisions++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const rounds = runs(30);
  for (let round = 1; round <= rounds; round++) {
    state.rules = rulesOf(round);
    state.lists = listsOf(round);
    const replay = createEngine(await loadRuleSet(source), changes);
    replays.set(replay.revision, replay);
    await moderator.refresh();
    expect(moderator.revision).toBe(replay.revision);
    await new Promise((resolve) => setImmediate(resolve));
  }
  isOver = true;
  await deciding;
  expect(decisions).toBeGreaterThan(rounds);
});
