import { describe, expect, it } from 'vitest';
import { createEngine, createModerator } from '../../src/index.js';
import { createModerationHandler } from '../../src/live/http/handler.js';
import { platform } from '../moderator/platform.js';
import { call, ruleSet } from './call.js';

/**
 * The samples of a page in the text format of Prometheus, read strictly: every line is a comment or
 * a sample of a type that was said.
 */
function samplesOf(text: string): ReadonlyMap<string, number> {
  expect(text.endsWith('\n')).toBe(true);
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.slice(0, -1).split('\n')) {
    const [, name, type] = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (name !== undefined) types.set(name, type!);
    if (line.startsWith('#')) continue;
    const [, metric = '', labels, value] =
      /^(\w+)(\{(?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)+\})? (-?[\d.e+-]+)$/.exec(line) ?? [];
    expect([line, types.has(metric.replace(/_(?:bucket|sum|count)$/, '')) || types.has(metric)]).toEqual([line, true]);
    expect(samples.has(metric + (labels ?? ''))).toBe(false);
    samples.set(metric + (labels ?? ''), Number(value));
  }
  return samples;
}

describe('GET /metrics', () => {
  it('counts decisions by verdict and rule, what was refused and not evaluated, and how long it took', async () => {
    const handler = createModerationHandler(createEngine(ruleSet));
    await call(handler, '/decide', 'You moron!');
    await call(handler, '/decide/batch', ['hello', 'buy now', 'moron', 7]);
    await call(handler, '/decide?explain=false', 'moron');
    await call(handler, '/decide', { type: 'image' });
    await call(handler, '/decide?explain=false', { type: 'image' });
    await call(handler, '/decide', {});
    await call(handler, '/custom-api', { contextMessages: [{ ana: 'moron' }] });
    await call(handler, '/nothing');
    const { text, headers } = await call(handler, '/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = samplesOf(text);
    expect(Object.fromEntries([...samples].filter(([name]) => !name.includes('duration')))).toEqual({
      'sluice_decisions_total{verdict="allow",rule=""}': 3,
      'sluice_decisions_total{verdict="blockMessage",rule="insults"}': 4,
      'sluice_decisions_total{verdict="dropMessage",rule="scams"}': 1,
      'sluice_unevaluated_total{why="no-scores",rule="gore"}': 2,
      'sluice_refused_requests_total{status="400"}': 1,
      'sluice_refused_requests_total{status="404"}': 1,
      sluice_rules_ready: 1,
      sluice_requests_in_flight: 0,
    });
    const latency = 'sluice_request_duration_seconds';
    expect(samples.get(`${latency}_count{route="/decide"}`)).toBe(5);
    expect(samples.get(`${latency}_bucket{route="/decide/batch",le="+Inf"}`)).toBe(1);
    const buckets = [...samples].filter(([name]) => name.startsWith(`${latency}_bucket{route="/decide",`));
    expect(buckets.map(([, count]) => count)).toEqual(buckets.map(([, count]) => count).toSorted((a, b) => a - b));
  });

  it('says the age of rules, and counts refreshes', async () => {
    const { source, state } = platform();
    const moderator = await createModerator({ source });
    const handler = createModerationHandler(moderator);
    await moderator.refresh();
    state.down = true;
    await moderator.refresh().catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    const samples = samplesOf((await call(handler, '/metrics')).text);
    expect(samples.get('sluice_rules_age_seconds')).toBeGreaterThanOrEqual(0);
    expect(samples.get('sluice_refreshes_total{outcome="unchanged"}')).toBe(1);
    expect(samples.get('sluice_refreshes_total{outcome="failed"}')).toBe(1);
    await moderator.close();
  });

  it('escapes ids of rules, cuts them, and bounds how many there are', async () => {
    const idOf = (at: number) => (at === 0 ? 'a"b\\c\nd' : at === 1 ? 'x'.repeat(500) : `rule ${at}`);
    const rules = Array.from({ length: 1_200 }, (_, at) => ({
      id: idOf(at),
      action: ['blockMessage'],
      conditions: [{ operand: 'text', value: [`word${at}`] }],
    }));
    const handler = createModerationHandler(createEngine({ rules, lists: [] }));
    for (let from = 0; from < 1_200; from += 400) {
      await call(
        handler,
        '/decide/batch',
        Array.from({ length: 400 }, (_, at) => `word${from + at}`),
      );
    }
    const samples = samplesOf((await call(handler, '/metrics')).text);
    const counts = [...samples].filter(([name]) => name.startsWith('sluice_decisions_total'));
    expect(counts.length).toBeLessThan(1_005);
    expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(1_200);
    expect(samples.get('sluice_decisions_total{verdict="blockMessage",rule="a\\"b\\\\c\\nd"}')).toBe(1);
    expect(samples.get(`sluice_decisions_total{verdict="blockMessage",rule="${'x'.repeat(100)}"}`)).toBe(1);
    expect(samples.get('sluice_decisions_total{verdict="blockMessage",rule="other"}')).toBe(200);
  });

  it('holds no text of a message', async () => {
    const handler = createModerationHandler(createEngine(ruleSet));
    const secret = 'moron canary-text';
    const bodies = [secret, { data: { text: secret } }, { text: secret }, { message: secret, canary: 1 }, [secret]];
    for (const body of bodies) {
      for (const path of ['/decide', '/decide/batch', '/custom-api']) {
        const { status, text } = await call(handler, path, body);
        if (status !== 200) expect(text).not.toContain('canary');
      }
    }
    expect((await call(handler, '/metrics')).text).not.toContain('canary');
  });
});
