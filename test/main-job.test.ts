import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scoresFromTable } from '../src/audit/source/scores.js';
import {
  audit,
  type Client,
  createClient,
  createEngine,
  loadRuleSet,
  type Message,
  type Scores,
  type Verdict,
} from '../src/index.js';
import { type Service, startService } from '../src/platform/service/index.js';
import { asAnswer } from './support/compare.js';
import { demoLines } from './support/demo.js';
import { judge } from './support/oracle.js';
import { defaultReadings } from './support/oracle-world.js';
import { isFull } from './support/runs.js';

/**
 * The oracle takes some ten milliseconds a message, so a plain test run compares every 401st;
 * `SLUICE_FULL=1` compares all of them.
 */
const every = isFull ? 1 : 401;

/**
 * The main job over real HTTP: every bundled message, judged by the engine and by the naive oracle.
 */
describe('rules and messages from a service, evaluated', () => {
  const scores = new Map<string, Record<string, number>>(
    Object.entries(JSON.parse(readFileSync(new URL('../fixtures/data/scores.json', import.meta.url), 'utf8'))),
  );
  const media = (message: Message): readonly Scores[] => scoresFromTable(message, scores);
  let service: Service;
  let client: Client;

  beforeAll(async () => {
    service = await startService({ port: 0 });
    client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  });
  afterAll(async () => {
    await client.close();
    await service.close();
  });

  it('agrees with the naive oracle on every span and unevaluated condition', async () => {
    const ruleSet = await loadRuleSet(client);
    const engine = createEngine(ruleSet);
    const counts: Record<Verdict, number> = { allow: 0, blockMessage: 0, dropMessage: 0 };
    const ids = new Set<string>();
    for await (const { message, messageId, decision } of audit(client.messages.iterate(), engine, { scores: media })) {
      counts[decision.verdict]++;
      ids.add(messageId ?? 'none');
      if (ids.size % every !== 0) continue;
      const asked = { ...ruleSet, message, media: media(message), readings: defaultReadings };
      expect(asAnswer(decision)).toEqual(judge(asked));
    }
    expect(ids.size).toBe(demoLines().length);
    expect(counts.blockMessage).toBeGreaterThan(500);
    expect(counts.dropMessage).toBeGreaterThan(50);
  });
});
