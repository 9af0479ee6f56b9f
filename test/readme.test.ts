import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultSemantics } from '../src/index.js';
import { type Service, startService } from '../src/service/index.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The code blocks of README in one language, as they stand there. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((block) => block[1]!);
}

describe('README', () => {
  let service: Service;
  let folder: string;

  beforeAll(async () => {
    service = await startService({ port: 0 });
    folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules/sluice'));
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  async function outputOf(code: string): Promise<string> {
    const file = join(folder, `example-${blocks('js').indexOf(code)}.mjs`);
    writeFileSync(file, code);
    const env = { ...process.env, SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey };
    const { stdout } = await run(process.execPath, [file], {
      cwd: folder,
      env,
      timeout: 1_800_000,
      maxBuffer: 1 << 26,
    });
    return stdout;
  }

  const example = (heading: string) => {
    const code = blocks('js').find((block) => readme.indexOf(block) > readme.indexOf(`## ${heading}`));
    if (code === undefined) throw new Error(`no example under ${heading}`);
    return code;
  };

  it('has four examples', () => {
    expect(blocks('js')).toHaveLength(4);
  });

  it('judges before sending, in ten lines', async () => {
    const code = example('Before a message is sent');
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(10);
    expect(await outputOf(code)).toBe('{ ok: true }\n');
    expect(await outputOf(code.replace('see you at eight', 'buy now'))).toMatch(/ok: false[\s\S]*blockMessage/);
    expect(JSON.parse(readFileSync(join(folder, 'rules.json'), 'utf8')).rules.length).toBeGreaterThan(10);
  });

  it('audits what was sent, in ten lines', async () => {
    const code = example('Over messages that were sent');
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(10);
    const lines = (await outputOf(code)).match(/kind: '\w+'/g) ?? [];
    expect(lines.length).toBeGreaterThan(300);
  });

  it('shows the matches that it says it shows', async () => {
    const code = example('What a decision says');
    const promised = /^\/\/ (.*)$/m.exec(code)?.[1];
    expect(await outputOf(code)).toBe(`${promised}\n`);
  });

  it('serves the interface', async () => {
    expect(await outputOf(example('Client and local service'))).toBe('3\n');
  });

  it('names every reading', () => {
    for (const reading of Object.keys(defaultSemantics)) expect(readme).toContain(`| \`${reading}\``);
  });

  it('shows figures of the demo that are still true', () => {
    const messages = readFileSync(join(root, 'fixtures/data/messages.ndjson'), 'utf8').trim().split('\n').length;
    expect(readme).toContain(`${messages.toLocaleString('en-US')} messages, sent`);
  });
});
