/** The code of docs/moderator.md runs as it stands there. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/service/index.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/moderator.md'), 'utf8');
const [live = '', telemetry = ''] = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);

describe('docs/moderator.md', () => {
  let service: Service;
  let folder: string;
  beforeAll(async () => {
    service = await startService({ port: 0 });
    folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules/sluice'));
    symlinkSync(join(root, 'node_modules/@opentelemetry'), join(folder, 'node_modules/@opentelemetry'));
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });
  const outputOf = async (code: string): Promise<string> => {
    writeFileSync(join(folder, 'example.mjs'), code);
    const env = { ...process.env, SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: folder, env, timeout: 600_000 });
    return stdout;
  };

  it('example of a live moderator', async () => {
    expect(await outputOf(live)).toBe('allow fresh\n');
    expect(JSON.parse(readFileSync(join(folder, 'rules.snapshot.json'), 'utf8'))).toMatchObject({ truncated: false });
  });

  it('example with OpenTelemetry: counts decisions and refreshes, and records times', async () => {
    const before = `
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { metrics as api } from '@opentelemetry/api';
import { createClient, createModerator } from 'sluice';
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
api.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
`;
    const after = `
const source = createClient({ baseUrl: process.env.SLUICE_BASE_URL, apiKey: process.env.SLUICE_API_KEY });
const moderator = await createModerator({ source });
for (const text of ['hello', 'hi', 'you moron']) moderator.decide(text);
await moderator.refresh();
await reader.forceFlush();
const counted = exporter.getMetrics()[0].scopeMetrics[0].metrics.map(({ descriptor, dataPoints }) => [
  descriptor.name,
  dataPoints.map(({ attributes, value }) => [Object.values(attributes).join(), value.count ?? value]),
]);
console.log(JSON.stringify(counted));
await reader.shutdown();
await moderator.close();
await source.close();
`;
    expect(JSON.parse(await outputOf(before + telemetry + after))).toEqual([
      [
        'sluice.decisions',
        [
          ['allow', 2],
          ['blockMessage', 1],
        ],
      ],
      [
        'sluice.decision.duration',
        [
          ['allow', 2],
          ['blockMessage', 1],
        ],
      ],
      ['sluice.rules.age', [['', 3]]],
      ['sluice.refreshes', [['unchanged', 1]]],
    ]);
  });
});
