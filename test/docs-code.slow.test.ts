/**
 * Every block of code in the README and in docs: `js` and `ts` run as they stand there, as an
 * application would have them, and print what their last comment says; `ts` compiles under strict;
 * JSON parses.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultSemantics } from '../src/index.js';
import { type Service, startService } from '../src/platform/service/index.js';
import { demoLines } from './support/demo.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

const blocks = pages.flatMap((page): Block[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
    page,
    language: language!,
    code: code!,
  })),
);
const programs = blocks.filter(({ language }) => language === 'js' || language === 'ts');
const named = (all: readonly Block[]) => all.map((block, at) => [`${block.page} ${at + 1}`, block] as const);

/** What a block says that it prints: the comments at its end. */
const promised = ({ code }: Block): string | undefined =>
  /((?:^\/\/ .*\n)+)(?:\S.*\n)?$/m.exec(code)?.[1]?.replace(/^\/\/ /gm, '');

describe('code of README and docs', () => {
  let service: Service;
  let folder: string;
  beforeAll(async () => {
    service = await startService({ port: 0 });
    folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    for (const [name, term] of [
      ['live.json', 'deal'],
      ['new.json', 'trade'],
    ] as const) {
      const conditions = [{ operand: 'text', value: [term] }];
      writeFileSync(
        join(folder, name),
        JSON.stringify({ rules: [{ id: 'scams', action: ['blockMessage'], conditions }], lists: [] }),
      );
    }
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules/sluice'));
    for (const name of ['@opentelemetry', '@types']) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  /** What each program printed: some are looked at twice. */
  const outputs = new Map<string, Promise<string>>();
  const outputOf = (block: Pick<Block, 'code' | 'language'>): Promise<string> => {
    const known = outputs.get(block.code) ?? runProgram(block);
    outputs.set(block.code, known);
    return known;
  };

  async function runProgram({ code, language }: Pick<Block, 'code' | 'language'>): Promise<string> {
    const file = join(folder, 'program.mjs');
    writeFileSync(file, language === 'ts' ? transformSync(code, { loader: 'ts' }).code : code);
    const env = { ...process.env, SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    // A moderator that is left open keeps no process alive; some examples run for as long as their
    // application.
    const { stdout } = await run(process.execPath, [file], {
      cwd: folder,
      env,
      timeout: 1_800_000,
      maxBuffer: 1 << 26,
    });
    return stdout;
  }

  it('is there', () => {
    expect(programs.length).toBeGreaterThan(8);
  });

  it.each(named(programs))('%s runs, and prints what it says', async (_, block) => {
    const output = await outputOf(block);
    if (promised(block) !== undefined) expect(output).toBe(promised(block));
  });

  it('`ts` compiles under strict', async () => {
    const files = programs
      .filter(({ language }) => language === 'ts')
      .map(({ code }, at) => {
        writeFileSync(join(folder, `block-${at}.ts`), code);
        return `block-${at}.ts`;
      });
    expect(files.length).toBeGreaterThan(1);
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: ['node'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const compiled = run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder });
    await expect(compiled.catch(({ stdout }) => Promise.reject(new Error(stdout)))).resolves.toBeDefined();
  });

  it.each(named(blocks.filter(({ language }) => language.startsWith('json'))))('%s is JSON', (_, { code }) => {
    expect(() => JSON.parse(code.replace(/^\/\/.*$|\s\/\/ .*$/gm, ''))).not.toThrow();
  });

  it('README: what may be sent depends on the text, and the rules are kept', async () => {
    const code = programs.find((block) => block.code.includes('maySend'))!;
    expect(await outputOf({ ...code, code: code.code.replace('see you at eight', 'buy now') })).toMatch(
      /ok: false[\s\S]*blockMessage/,
    );
    expect(JSON.parse(readFileSync(join(folder, 'rules.snapshot.json'), 'utf8')).rules.length).toBeGreaterThan(10);
  });

  it('README: the audit prints the matches of the fixtures', async () => {
    const code = programs.find((block) => block.code.includes('audit(client.messages'))!;
    expect(((await outputOf(code)).match(/kind: '\w+'/g) ?? []).length).toBeGreaterThan(300);
  });

  it('docs/moderator.md: OpenTelemetry counts decisions and refreshes, and records times', async () => {
    const telemetry = programs.find((block) => block.code.includes('@opentelemetry/api'))!.code;
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
    const twoAndOne = [
      ['allow', 2],
      ['blockMessage', 1],
    ];
    expect(JSON.parse(await outputOf({ language: 'js', code: before + telemetry + after }))).toEqual([
      ['sluice.decisions', twoAndOne],
      ['sluice.decision.duration', twoAndOne],
      ['sluice.rules.age', [['', 3]]],
      ['sluice.refreshes', [['unchanged', 1]]],
    ]);
  });
});

describe('README and docs', () => {
  const read = (page: string): string => readFileSync(join(root, page), 'utf8');

  it('README: at most 150 lines, with the figures of the demo', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(151);
    const messages = demoLines().length;
    expect(read('README.md')).toContain(`${messages.toLocaleString('en-US')} messages`);
  });

  it('docs/readings.md lists every reading', () => {
    for (const reading of Object.keys(defaultSemantics)) expect(read('docs/readings.md')).toContain(`| \`${reading}\``);
  });
});
