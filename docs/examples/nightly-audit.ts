/**
 * Judges the messages of one day by the rules of today, and writes a row of JSON for each that they stop. For a timer of the system:
 *
 *   SLUICE_BASE_URL=… SLUICE_API_KEY=… node nightly-audit.js 2026-07-01 stopped.ndjson
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { audit, type Client, createClient, createEngine, loadRuleSet } from 'sluice';

const [day = '', file = ''] = process.argv.slice(2);
const fromTimestamp = Date.parse(`${day}T00:00:00Z`) / 1000;
if (Number.isNaN(fromTimestamp) || file === '') throw new Error('usage: nightly-audit YYYY-MM-DD FILE');

async function* rowsOf(client: Client): AsyncGenerator<string> {
  const engine = createEngine(await loadRuleSet(client));
  // Both ends are included.
  const messages = client.messages.iterate({ fromTimestamp, toTimestamp: fromTimestamp + 86_399, hideDeleted: true });
  for await (const { messageId, decision } of audit(messages, engine)) {
    if (decision.verdict === 'allow') continue;
    const rules = decision.matched.filter(({ determining }) => determining).map(({ ruleId }) => ruleId);
    yield `${JSON.stringify({ messageId, verdict: decision.verdict, rules })}\n`;
  }
}

const client = createClient({ baseUrl: process.env.SLUICE_BASE_URL ?? '', apiKey: process.env.SLUICE_API_KEY ?? '' });
try {
  await pipeline(rowsOf(client), createWriteStream(file));
} finally {
  await client.close();
}
