import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scoresFromTable } from '../src/audit/source/scores.js';
import { createEngine } from '../src/engine/engine.js';
import { createClient } from '../src/index.js';
import { keywordListSchema } from '../src/platform/contract/keyword-list.js';
import type { Message } from '../src/platform/contract/message.js';
import { ruleSchema } from '../src/platform/contract/rule.js';
import { startService } from '../src/platform/service/index.js';
import { demoData, demoLines } from './support/demo.js';

/** What `fixtures/README.md` says about the demo, and what its rules make of its messages. */
const lines = demoLines();
const rules = ruleSchema.array().parse(demoData('rules.json'));
const lists = keywordListSchema.array().parse(demoData('lists.json'));
const broken = demoData<{ readonly rules: readonly unknown[]; readonly lists: readonly unknown[] }>('broken.json');

describe('the demo', () => {
  it('has the same messages', () => {
    const digest = createHash('sha256')
      .update(`${lines.join('\n')}\n`)
      .digest('hex');
    expect([lines.length, digest]).toEqual([
      25_680,
      '881497e694620a223d117d217c76da578673399450649cefba97ee83417e67e8',
    ]);
  });

  it('has the rows that README.md counts', () => {
    const readme = readFileSync(new URL('../fixtures/README.md', import.meta.url), 'utf8').replace(/ +/g, ' ');
    for (const [file, rows] of Object.entries({
      'messages.json.br': lines,
      'rules.json': rules,
      'lists.json': lists,
    }))
      expect(readme).toContain(`\`${file}\` | ${rows.length.toLocaleString('en-US')} |`);
  });
});

describe('the rules of the demo', () => {
  it('have no issue, and are those of the broken demo without the broken ones', () => {
    expect(createEngine({ rules, lists }).issues).toEqual([]);
    const all = ruleSchema.array().parse(broken.rules);
    expect(rules).toEqual(all.filter(({ id }) => !id.startsWith('broken-')));
  });

  it('are broken exactly where their names say so', () => {
    const all = ruleSchema.array().parse(broken.rules);
    const { issues } = createEngine({ rules: all, lists: keywordListSchema.array().parse(broken.lists) });
    const blamed = issues.flatMap(({ ruleId, code }) => (ruleId === undefined ? [] : [`${ruleId} ${code}`]));
    expect([...new Set(blamed)].sort()).toEqual([
      'broken-action unknown-action',
      'broken-category unknown-category',
      'broken-empty empty-value',
      'broken-field unknown-field',
      'broken-filter malformed-filter',
      'broken-filter-value doubtful-filter',
      'broken-half-missing missing-list',
      'broken-half-pattern rejected-pattern',
      'broken-media-equals unknown-operator',
      'broken-missing-list missing-list',
      'broken-operand unknown-operand',
      'broken-operator unknown-operator',
      'broken-pattern rejected-pattern',
      'broken-scale low-threshold',
      'broken-threshold malformed-threshold',
    ]);
  });
});

describe('the verdicts', async () => {
  const service = await startService();
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const messages: Message[] = [];
  for await (const message of client.messages.iterate()) messages.push(message);
  await client.close();
  await service.close();
  const media = new Map(Object.entries(demoData<Record<string, Record<string, number>>>('scores.json')));
  const engine = createEngine({ rules, lists });
  const decisions = messages.map((message) => ({
    message,
    decision: engine.explain(message, scoresFromTable(message, media)),
  }));

  it('rest on every working rule', () => {
    const fired = new Set(decisions.flatMap(({ decision }) => decision.matched.map(({ ruleId }) => ruleId)));
    expect(rules.map(({ id }) => id).filter((id) => !fired.has(id))).toEqual(['switched-off', 'superseded']);
    const unscored = decisions.filter(({ decision }) => decision.unevaluated.some(({ why }) => why === 'no-scores'));
    expect(unscored.length).toBeGreaterThan(10);
  });

  it('are those of the platform in nineteen of twenty messages, and in all where words are found inside of words', () => {
    const substring = createEngine({ rules, lists }, { words: 'substring' });
    const statusOf = ({ data }: Message) => (data?.moderation as { readonly status: string } | undefined)?.status;
    const decided = decisions.filter(({ message }) => ['approved', 'disapproved'].includes(statusOf(message) ?? ''));
    const agrees = (message: Message, verdict: string) =>
      (verdict !== 'allow') === (statusOf(message) === 'disapproved');
    const agreed = decided.filter(({ message, decision }) => agrees(message, decision.verdict));
    expect(Math.round((agreed.length / decided.length) * 100)).toBe(95);
    const differing = decided.filter(
      ({ message }) => !agrees(message, substring.decide(message, scoresFromTable(message, media))),
    );
    expect(differing.map(({ message }) => message.id)).toEqual([]);
    expect(decided.length).toBeGreaterThan(24_000);
  });

  it('block every message with the canary', () => {
    const sung = decisions.filter(({ message }) =>
      /(?<!\w)SLUICE-CANARY-7f3a(?!\w)/i.test(String(message.data?.text ?? '')),
    );
    expect(new Set(sung.map(({ decision }) => decision.verdict))).toEqual(new Set(['blockMessage']));
    expect(sung.length).toBe(10);
  });
});
