/** A moderator over a platform that flaps, hangs and lies, under constant decisions. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createRandom } from '../../fixtures/random.js';
import type { KeywordList, Rule, RuleSource } from '../../src/index.js';
import { createModerator, HttpError, NetworkError } from '../../src/index.js';
import { settled } from '../promises/reload.js';
import { figuresOf, type Soak } from './figure.js';

type Fault = 'none' | 'down' | 'no lists' | 'no rules' | 'cut off' | 'not found' | 'emptied' | 'nonsense';
/** Every second refresh is good. */
const faults: readonly Fault[] = [
  ...Array<Fault>(7).fill('none'),
  ...(['down', 'no lists', 'no rules', 'cut off', 'not found', 'emptied', 'nonsense'] as const),
];

/** Rules of a round: one that is always there, and one that changes. */
function rulesOf(round: number): Rule[] {
  const byList = (id: string, list: string): Rule => ({
    id,
    action: ['blockMessage'],
    conditions: [{ operand: 'text', isKeywordsReferencePresent: true, value: [list] }],
  });
  const pattern = { operand: 'text', category: 'pattern', value: [`x${round % 4}y[0-9]+`] };
  return [
    byList('always', 'swears'),
    byList('more', 'changing'),
    { id: 'pattern', action: ['dropMessage'], conditions: [pattern] },
  ];
}

function listOf(id: string, round: number): KeywordList {
  if (id === 'swears') return { id, searchTerms: ['darn', 'heck'] };
  const searchTerms = Array.from({ length: 200 }, (_, at) => `word ${at > 20 ? 'always' : round % 4} number ${at}`);
  return { id, searchTerms };
}

/** Each load draws a fault by the generator; `loaded` is the round of the last good one. */
function flappingPlatform(seed: number) {
  const random = createRandom(seed, 'platform');
  const state = { round: 0, fault: 'none' as Fault };
  const failure = (status: number) => new HttpError('GET /moderation/rules', 'failed', { status });
  const source: RuleSource = {
    rules: {
      list: async () => {
        // The first load has nothing to be judged against, so it is a good one.
        state.fault = state.round === 0 ? 'none' : random.pick(faults);
        state.round += 1;
        if (state.fault === 'down') throw new NetworkError('GET /moderation/rules', 'refused');
        if (state.fault === 'nonsense') return { data: [{ id: 'always' }] as unknown as Rule[], meta: {} };
        const data = state.fault === 'no rules' ? [] : rulesOf(state.round);
        const meta = state.fault === 'cut off' ? { current: { limit: data.length, count: data.length } } : {};
        return { data, meta };
      },
      get: async (id) => {
        if (state.fault === 'no lists') throw failure(503);
        if (state.fault === 'not found') throw failure(404);
        const list = listOf(id, state.round);
        return state.fault === 'emptied' ? { ...list, searchTerms: [] } : list;
      },
    },
  };
  return { source, state };
}

export const liveModerator: Soak = async (until) => {
  const seed = Date.now() % 1_000_000;
  const { source, state } = flappingPlatform(seed);
  const moderator = await createModerator({ source });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const times = new Float64Array(1 << 20);
  let [decisions, wrong, refreshes, changes] = [0, 0, 0, 0];
  let heap = 0;
  delay.enable();
  while (Date.now() < until && refreshes < 10_000) {
    if (refreshes === 200) heap = (await settled()).heap;
    const refreshing = moderator.refresh().then(
      (changed) => changed && state.fault !== 'none',
      () => false,
    );
    let isOver = false;
    void refreshing.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const startedAt = performance.now();
      const verdict = moderator.decide(decisions % 2 === 0 ? 'oh darn it' : 'a fine day');
      times[decisions % times.length] = performance.now() - startedAt;
      if (verdict !== (decisions % 2 === 0 ? 'blockMessage' : 'allow')) wrong += 1;
      decisions += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    // A load with a fault must never be taken.
    if (await refreshing) wrong += 1;
    refreshes += 1;
    if (moderator.status.state === 'fresh') changes += 1;
  }
  delay.disable();
  const drift = (await settled()).heap - heap;
  await moderator.close();
  const sorted = times.subarray(0, Math.min(decisions, times.length)).sort();
  const p999 = sorted[Math.floor(sorted.length * 0.999)] ?? 0;
  const figure = figuresOf('P9');
  return [
    figure(`refreshes of a flapping platform, seed ${seed}`, refreshes, 'refreshes', refreshes > 0),
    figure('of them taken', changes, 'refreshes', changes > 0),
    figure('decisions meanwhile', decisions, 'decisions', decisions > refreshes),
    figure('wrong', wrong, 'decisions', wrong === 0),
    figure('decide, p99.9', Math.round(p999 * 10_000) / 10, 'us', true),
    figure('event loop delay, p99.9', Math.round(delay.percentile(99.9) / 1e5) / 10, 'ms', true),
    figure(
      'heap each refresh',
      Math.round(drift / Math.max(1, refreshes - 200)),
      'B',
      refreshes <= 200 || drift / (refreshes - 200) < 2_000,
    ),
  ];
};
