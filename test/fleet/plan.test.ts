import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSummary } from '../../src/audit/count/summary.js';
import { coordinateSpans } from '../../src/fleet/span-coordinator.js';
import { digestOfSpanPlan, writeSpanPlan } from '../../src/fleet/span-plan.js';
import type { Span } from '../../src/fleet/span-queue.js';
import { SpanResults } from '../../src/fleet/span-results.js';
import { until } from '../support/until.js';

/** Plans and the end of a queue that puts spans on it, without a database. */
const since = 1_772_323_200;

let directory: string;
const file = (name: string) => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-span-plan-'));
  for (const name of ['idle', 'one', 'two', 'replaced']) await mkdir(file(name));
});
afterAll(() => rm(directory, { recursive: true }));

/** A plan that differs by a name. */
function planOf(revision: string): Parameters<typeof writeSpanPlan>[1] {
  const inputs = {
    version: '1',
    rules: revision,
    engine: revision,
    source: 'x',
    all: false,
    onBadRow: 'stop',
  } as const;
  const options = { scores: new Map(), summary: {}, rows: 'findings' } as const;
  return { inputs, ruleSet: { rules: [], lists: [] }, semantics: {}, patternEngine: 're2js', options };
}

it('an audit whose workers judge nothing says so, once, and again when they stop again', async () => {
  const plan = await writeSpanPlan(file('idle'), planOf('idle'));
  const results = new SpanResults(file('idle'), plan);
  const spans: Span[] = [60, 120].map((after) => ({ from: since + after, seconds: 60 }));
  let asked = 0;
  const idles: number[] = [];
  const queue = {
    add: async () => undefined,
    pending: async () => {
      asked += 1;
      return spans.length;
    },
    obstacles: async () => ({ isPaused: false, foreign: 0 }),
  };
  const { signal } = new AbortController();
  const coordinator = coordinateSpans(spans, queue, results, { signal, refillMs: 1, onIdle: () => idles.push(asked) });
  await until(() => asked >= 40);
  expect(idles).toHaveLength(1);
  await results.write(spans[0]!, nothing);
  const seen = asked;
  await until(() => asked >= seen + 40);
  await coordinator.close();
  expect(idles).toHaveLength(2);
});

/** What judging a span without messages gives. */
const nothing = { rows: '', rowCount: 0, summary: createSummary().toJSON(), bad: [], badCount: 0 } as const;

describe('a plan', () => {
  it('has a queue of its own in each directory, and the same one when the audit comes back', async () => {
    const digest = await writeSpanPlan(file('one'), planOf('a'));
    expect(await writeSpanPlan(file('one'), planOf('a'))).toBe(digest);
    expect(await digestOfSpanPlan(file('one'))).toBe(digest);
    expect(await writeSpanPlan(file('two'), planOf('a'))).not.toBe(digest);
  });

  it('takes no result of a worker that still follows the plan before it', async () => {
    const span: Span = { from: since, seconds: 60 };
    const old = new SpanResults(file('replaced'), await writeSpanPlan(file('replaced'), planOf('old')));
    const digest = await writeSpanPlan(file('replaced'), planOf('new'));
    await old.write(span, nothing);
    const results = new SpanResults(file('replaced'), digest);
    expect([await results.has(span), await results.read(span), [...(await results.names())]]).toEqual([
      false,
      undefined,
      [],
    ]);
    await results.write(span, nothing);
    expect(await results.read(span)).toEqual(nothing);
  });
});
