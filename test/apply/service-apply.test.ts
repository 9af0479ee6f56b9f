import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createClient } from '../../src/platform/client/client.js';
import { loadRuleSet } from '../../src/platform/loader/load-rule-set.js';
import { digestParts } from '../../src/platform/loader/part-form.js';
import { type Intercept, type ModerationRow, startService } from '../../src/platform/service/index.js';
import { sluice } from '../cli/terminal.js';
import { refusal } from '../service/intercepts.js';
import { runs } from '../support/runs.js';
import { type Parts, parts } from './random-parts.js';

const listIds = ['l1', 'l2', 'l3', 'l4'];

/**
 * Answers so many writes; from the next one on, which may take effect, nothing is answered: so ends
 * a process that is killed.
 */
class Killer {
  left = Number.POSITIVE_INFINITY;
  doesWrite = false;
  readonly intercept: Intercept = async ({ method }, answer) => {
    if (method !== 'GET') this.left -= 1;
    if (this.left >= 0) return answer();
    if (this.left === -1 && method !== 'GET' && this.doesWrite) await answer();
    return refusal(400);
  };
}

const kills = fc.record({ after: fc.integer({ min: 0, max: 8 }), doesWrite: fc.boolean() });
const ways = fc.constantFrom('go on', 'go back' as const);

const property = fc.asyncProperty(parts, parts, kills, kills, ways, async (old, target, first, second, way) => {
  const killer = new Killer();
  const data = old as unknown as Record<keyof Parts, ModerationRow[]>;
  const service = await startService({ data, intercept: killer.intercept });
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const folder = await mkdtemp(join(tmpdir(), 'sluice-apply-'));
  const env = { SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
  const live = async () => digestParts(await loadRuleSet(client, { lists: listIds }));
  const apply = async (path: string, { after, doesWrite }: { after: number; doesWrite: boolean }) => {
    Object.assign(killer, { left: after, doesWrite });
    const { code, stderr } = await sluice(['apply', path, '--delete', '--yes'], { env });
    killer.left = Number.POSITIVE_INFINITY;
    return { code, stderr };
  };
  const whole = { after: Number.POSITIVE_INFINITY, doesWrite: false };
  const befores = async () => (await readdir(folder)).filter((name) => name.includes('.before-')).sort();
  try {
    const rules = join(folder, 'rules.json');
    await writeFile(rules, JSON.stringify({ ...target, pulled: digestParts(old) }));
    const began = await live();
    const killed = await apply(rules, first);
    expect([0, 4]).toContain(killed.code);
    const kept = await befores();
    if (way === 'go on') {
      expect(await apply(rules, whole)).toMatchObject({ code: 0 });
      expect(await live()).toEqual(digestParts(target));
    }
    expect(await befores()).toEqual(kept);
    if (kept.length === 0) return;
    const [before] = kept.map((name) => join(folder, name));
    expect([0, 4]).toContain((await apply(before!, second)).code);
    const both = await befores();
    expect(await apply(before!, whole)).toMatchObject({ code: 0 });
    expect(await befores()).toEqual(both);
    expect(await live()).toEqual(began);
  } finally {
    await client.close();
    await service.close();
    await rm(folder, { recursive: true });
  }
});

it('killed before or after any write, an apply goes on with the file of its first attempt, and the way back ends where it began', async () => {
  await fc.assert(property, { numRuns: runs(12, 1_000) });
});
