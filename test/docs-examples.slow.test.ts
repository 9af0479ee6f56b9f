/**
 * The programs in docs/examples: they compile under strict, and do what they say, with the package
 * as an application has it.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build, transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as publicNames from '../src/index.js';
import {
  createEngine,
  type Message,
  type MessageDraft,
  type Moderator,
  type RuleSetInput,
  type Verdict,
} from '../src/index.js';
import { type Service, startService } from '../src/platform/service/index.js';
import { answersOfPage, chromiumPath } from './package/chromium.js';
import { demoLines } from './support/demo.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
const source = join(root, 'docs/examples');
const names = readdirSync(source).sort();

const ruleSet: RuleSetInput = {
  rules: [
    { id: 'scams', name: 'Scams', action: 'blockMessage', conditions: [{ operand: 'text', value: ['buy now'] }] },
    { id: 'floods', action: 'dropMessage', conditions: [{ operand: 'text', category: 'pattern', value: '(?i)flo+d' }] },
  ],
  lists: [],
};
const engine = createEngine(ruleSet);
const texts = ['hello', 'Buy now!', 'FLOOOD', 'buy nowhere'];
const verdicts: readonly Verdict[] = ['allow', 'blockMessage', 'dropMessage', 'allow'];

let folder: string;
let moderator: Moderator;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-examples-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/sluice'));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  cpSync(source, folder, { recursive: true });
  for (const name of names) {
    const { code } = transformSync(readFileSync(join(source, name), 'utf8'), { loader: 'ts' });
    writeFileSync(join(folder, name.replace(/\.ts$/, '.js')), code);
  }
  const get = () => Promise.reject(new Error('no rule has a list'));
  const rules = { list: async () => ({ data: ruleSet.rules, meta: {} }), get };
  // Of the package as the examples have it, so that its errors are theirs.
  const { createModerator }: typeof publicNames = await import(join(root, 'dist/index.js'));
  moderator = await createModerator({ source: { rules } });
});
afterAll(async () => {
  await moderator?.close();
  rmSync(folder, { recursive: true });
});

const load = (name: string) => import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href);

/** An example as a bundle for a browser, and the modules that it imports from outside. */
async function bundle(name: string) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, name)],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const [output] = Object.values(metafile.outputs);
  return { text: outputFiles[0]!.text, outside: output!.imports.map(({ path }) => path) };
}

describe('docs/examples', () => {
  it.each([
    ['nodenext', ['es2023'], ['node'], ['fastify-hook.ts', 'nightly-audit.ts', 'queue-consumer.ts']],
    ['esnext', ['es2023', 'dom', 'dom.iterable'], [], ['browser-form.ts']],
    ['esnext', ['es2023', 'webworker'], [], ['web-worker.ts']],
  ])('compile under strict: %s %j', async (module, lib, types, files) => {
    const moduleResolution = module === 'esnext' ? 'bundler' : module;
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const compilerOptions = { ...strict, module, moduleResolution, lib, types, target: 'es2023', noEmit: true };
    const config = join(folder, `tsconfig.${files[0]}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    const compiled = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config]);
    await expect(compiled.catch(({ stdout }) => Promise.reject(new Error(stdout)))).resolves.toBeDefined();
  });

  it('are all tested here', () => {
    const own = readFileSync(import.meta.filename, 'utf8');
    expect(names.filter((name) => own.split(name.replace(/\.ts$/, '.')).length < 3)).toEqual([]);
    expect(names.length).toBeGreaterThan(4);
  });
});

describe('fastify-hook', () => {
  it('lets a message through, refuses it with the rule, or answers as if it had been taken in', async () => {
    const { moderated } = await load('fastify-hook.js');
    const hook = moderated(moderator);
    const answerTo = async (body: unknown, asked = hook) => {
      const sent: { status?: number; body?: unknown } = {};
      const reply = {
        code: (status: number) => Object.assign(reply, { status: Object.assign(sent, { status }).status }),
        send: (answer: unknown) => Object.assign(reply, { body: Object.assign(sent, { body: answer }).body }),
      };
      const returned = await asked({ body }, reply);
      // Fastify goes on to the route when a hook returns nothing, and waits for the reply when it
      // returns that.
      expect(returned).toBe(sent.status === undefined ? undefined : reply);
      return sent;
    };
    const answers = await Promise.all(texts.map((text) => answerTo({ sender: 'ana', data: { text } })));
    expect(answers).toEqual([
      {},
      { status: 422, body: { error: 'message refused', because: 'Scams' } },
      { status: 200, body: { ok: true } },
      {},
    ]);
    expect((await answerTo({ text: 'hello' })).status).toBe(400);
    expect((await answerTo(undefined)).status).toBe(400);
    for (const text of [5, null, ['Buy now!'], { a: 'Buy now!' }])
      expect((await answerTo({ data: { text } })).status).toBe(400);
    expect(await answerTo({ data: { text: 'hello' } }, moderated(moderator, ['scams']))).toEqual({});
    // Fields by which a client could keep the rules away from its message.
    expect((await answerTo({ category: 'action', type: 'call', data: { text: 'Buy now!' } })).status).toBe(422);
    const asked: unknown[] = [];
    const explainAsync = async (draft: unknown) => {
      asked.push(draft);
      return engine.explain('hello');
    };
    const watched = moderated({ explainAsync });
    const entities = { sender: { entity: { uid: 'admin', role: 'admin' }, entityType: 'user' } };
    const body = { category: 'custom', sender: 'admin', data: { text: 'hello', entities } };
    await watched({ body, user: { uid: 'ana', role: 'guest' } }, {});
    const own = { sender: { entity: { uid: 'ana', role: 'guest' }, entityType: 'user' } };
    const data = { text: 'hello', entities: own };
    expect(asked).toEqual([{ category: 'message', type: 'text', sender: 'ana', data }]);
    const broken = moderated({ explainAsync: () => Promise.reject(new Error('broken')) });
    await expect(broken({ body: { data: { text: 'x' } } }, {})).rejects.toThrow('broken');
  });
});

describe('queue-consumer', () => {
  it('publishes what is allowed, acknowledges what is handled, and gives back what failed', async () => {
    const { consume } = await load('queue-consumer.js');
    const log: string[] = [];
    async function* deliveries() {
      for (const text of [...texts, 'unpublishable', ['Buy now!'], 'last']) {
        const note = (what: string) => async () => void log.push(`${what} ${text}`);
        yield {
          message: { category: 'action', data: { text } },
          acknowledge: note('acknowledged'),
          giveBack: note('gave back'),
        };
      }
    }
    const publish = async ({ data }: MessageDraft) => {
      if (data?.text === 'unpublishable') throw new Error('not now');
      log.push(`published ${data?.text}`);
    };
    const counts = await consume(deliveries(), moderator, publish);
    expect(counts).toEqual({ allow: 3, blockMessage: 1, dropMessage: 1, givenBack: 2 });
    expect(log).toEqual([
      ...['published hello', 'acknowledged hello', 'acknowledged Buy now!', 'acknowledged FLOOOD'],
      ...['published buy nowhere', 'acknowledged buy nowhere', 'gave back unpublishable'],
      'gave back Buy now!',
      ...['published last', 'acknowledged last'],
    ]);
  });
});

describe('nightly-audit', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ port: 0 });
  });
  afterAll(() => service.close());
  const audit = (...args: readonly string[]) =>
    run(process.execPath, ['nightly-audit.js', ...args], {
      cwd: folder,
      env: { ...process.env, SLUICE_BASE_URL: service.url, SLUICE_API_KEY: service.apiKey },
    });

  it('writes a row for each message of the day that the rules stop', async () => {
    await audit('2026-06-20', 'stopped.ndjson');
    const rows = readFileSync(join(folder, 'stopped.ndjson'), 'utf8').trim().split('\n');
    const read = (name: string) => readFileSync(join(root, 'fixtures/data', name), 'utf8');
    const own = createEngine({ rules: JSON.parse(read('rules.json')), lists: JSON.parse(read('lists.json')) });
    const from = Date.UTC(2026, 5, 20) / 1000;
    const messages = demoLines().map((line) => JSON.parse(line) as Message);
    const stopped = messages
      .filter(({ sentAt = 0, deletedAt }) => sentAt >= from && sentAt < from + 86_400 && deletedAt === undefined)
      .map((message) => ({ id: message.id, verdict: own.decide(message) }))
      .filter(({ verdict }) => verdict !== 'allow');
    expect(stopped.length).toBeGreaterThan(10);
    const parsed = rows.map((row) => JSON.parse(row));
    expect(parsed.map(({ messageId, verdict }) => ({ id: messageId, verdict }))).toEqual(stopped);
    expect(parsed.every(({ rules }) => rules.length > 0)).toBe(true);
  });

  it('fails with a line of usage, and where the platform refuses it', async () => {
    await expect(audit('yesterday', 'x.ndjson')).rejects.toThrow('usage: nightly-audit YYYY-MM-DD FILE');
    const wrong = { ...process.env, SLUICE_BASE_URL: service.url, SLUICE_API_KEY: 'wrong' };
    const failed = run(process.execPath, ['nightly-audit.js', '2026-06-20', 'y.ndjson'], { cwd: folder, env: wrong });
    await expect(failed).rejects.toThrow('HttpError');
  });
});

describe('web-worker', () => {
  it('is a bundle without modules of Node, and decides with nothing but what a worker has', async () => {
    const { text, outside } = await bundle('web-worker.js');
    expect(outside).toEqual([]);
    expect(text).not.toMatch(/['"]node:|\brequire\(|\bprocess\.|\bBuffer\b/);
    const answers: { id: number; decision: { verdict: Verdict } }[] = [];
    const worker: { onmessage?: (event: { data: unknown }) => void; postMessage: (answer: never) => void } = {
      postMessage: (answer) => void answers.push(answer),
    };
    runInContext(text, createContext({ self: worker, TextEncoder, TextDecoder, performance }));
    worker.onmessage!({ data: { id: 0, message: 'too early' } });
    worker.onmessage!({ data: { ruleSet } });
    for (const [id, message] of texts.entries()) worker.onmessage!({ data: { id, message } });
    expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
    expect(answers.map(({ decision }) => decision.verdict)).toEqual(verdicts);
    expect(JSON.parse(JSON.stringify(answers[1]!.decision))).toEqual(engine.explain(texts[1]!));
  });
});

describe('browser-form', () => {
  it('is a bundle of the engine without modules of Node', async () => {
    const { text, outside } = await bundle('browser-form.js');
    expect(outside).toEqual([]);
    expect(text).not.toMatch(/['"]node:|\brequire\(|\bprocess\.|\bBuffer\b/);
  });

  it.skipIf(chromiumPath === undefined)(
    'says what is wrong while a message is written, and cannot be sent',
    async () => {
      const driver = `
      import '/browser-form.js';
      const [form, field, hint] = ['form', 'textarea', 'output'].map((name) => document.querySelector(name));
      const answers = ${JSON.stringify(texts)}.map((text) => {
        field.value = text;
        field.dispatchEvent(new Event('input'));
        return { hint: hint.textContent, valid: form.checkValidity() };
      });
      await fetch('/answers', { method: 'POST', body: JSON.stringify(answers) });`;
      const form = '<form><textarea name="text"></textarea> <output></output> <button>Send</button></form>';
      const answers = await answersOfPage(
        {
          '/': { type: 'text/html', body: `<!doctype html>${form}<script type="module" src="/driver.js"></script>` },
          '/driver.js': { type: 'text/javascript', body: driver },
          '/browser-form.js': { type: 'text/javascript', body: (await bundle('browser-form.js')).text },
          '/rules.json': { type: 'application/json', body: JSON.stringify(ruleSet) },
        },
        600_000,
      );
      expect(answers).toEqual([
        { hint: '', valid: true },
        { hint: 'Scams: Buy now', valid: false },
        { hint: 'floods: FLOOOD', valid: false },
        { hint: '', valid: true },
      ]);
    },
  );
});
