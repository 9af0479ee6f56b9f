import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildResult, build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as browserNames from '../../src/engine/browser.js';
import { createEngine } from '../../src/engine/engine.js';
import type { Decision } from '../../src/engine/evaluate/decision.js';
import * as re2wasmNames from '../../src/engine/re2-wasm.js';
import { ndjsonLine } from '../../src/foundation/files/ndjson.js';
import * as mainNames from '../../src/index.js';
import * as httpNames from '../../src/live/http/handler.js';
import { createClient } from '../../src/platform/client/client.js';
import * as serviceNames from '../../src/platform/service/index.js';
import { startService } from '../../src/platform/service/index.js';
import { readCaseFiles, ruleSetOf } from '../support/cases.js';
import { answersOfPage, chromiumPath, mustHaveChromium, type Site } from './chromium.js';
import { countingModules, everyFunction, page, pageTypes, requiring } from './consumers.js';
import { manifest, node, type Packed, packTree, program, root } from './packed.js';

/** What users get: one tarball, built and packed once, and looked at from outside. */
let packed: Packed;

beforeAll(async () => {
  packed = await packTree();
});
afterAll(() => packed?.remove());

const kB = 1000;
const sorted = (names: object) => Object.keys(names).sort();

/** Writes a file into the project of a user. */
function write(name: string, text: string): string {
  writeFileSync(join(packed.project, name), text);
  return name;
}

describe('the tarball', () => {
  /** The TypeScript files of a folder, without `.ts`. */
  const sourcesIn = (folder: string): string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => name.split('\\').join('/').slice(0, -'.ts'.length));

  it('holds what the sources compile to, the fixtures, the documents, and nothing else', () => {
    // The page of `sluice play` is one file.
    const sources = sourcesIn('src').filter((name) => !/^play\/(?:page|worker)\//.test(name));
    const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .map((name) => name.split('\\').join('/'))
      .filter((name) => /\.\w+$/.test(name) && !name.endsWith('.mjs'));
    const data = [
      'broken.json',
      'cases.ndjson',
      'groups.ndjson',
      'lists.json',
      'messages.json.br',
      'rules.json',
      'scores.json',
      'users.ndjson',
    ];
    const expected = [
      ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'],
      ...['bench/README.md', 'bench/plots/terms.svg'],
      ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('README.md'))
        .map((name) => `src/${name}`),
      ...['README.md', 'texts.js'].map((name) => `fixtures/everyday/${name}`),
      ...documents.map((name) => `docs/${name}`),
      ...data.map((name) => `fixtures/data/${name}`),
      ...sources.map((name) => `dist/${name}.js`),
      'dist/engine/match/unicode-license.txt',
      'dist/play/index.html',
    ];
    const [declarations, others] = [true, false].map((is) =>
      [...packed.files.keys()].filter((name) => name.endsWith('.d.ts') === is),
    );
    expect(others!.sort()).toEqual(expected.sort());
    // Those that public types lead to: that these are enough is what the compilers of the users
    // below say.
    const known = new Set(sources.map((name) => `dist/${name}.d.ts`));
    expect(declarations!.filter((name) => !known.has(name))).toEqual([]);
    expect(declarations!.length).toBeLessThan(sources.length / 2);
  });

  it('has the licence of Unicode beside the tables that are made of its data files', () => {
    const notice = readFileSync(join(packed.installed, 'dist/engine/match/unicode-license.txt'), 'utf8');
    expect(notice).toMatch(
      /UNICODE LICENSE V3[\s\S]*Copyright © [-\d]+ Unicode, Inc\.[\s\S]*Permission is hereby granted/,
    );
    const tables = [...notice.matchAll(/^ {2}(\S+\.js) /gm)].map(([, name]) => `dist/${name}`);
    expect(tables.length).toBe(4);
    for (const name of tables) expect(packed.files.has(name)).toBe(true);
    // A file that says that it is made of such data is named.
    const made = sourcesIn('src')
      .filter((name) =>
        /\b(?:CaseFolding|confusables|EastAsianWidth|UnicodeData)\.txt\b/.test(
          readFileSync(join(root, 'src', `${name}.ts`), 'utf8'),
        ),
      )
      .map((name) => `dist/${name}.js`);
    expect(made.filter((name) => !tables.includes(name))).toEqual([]);
    expect(made.length).toBeGreaterThan(1);
  });

  it('names no source map, for it brings none', () => {
    const scripts = [...packed.files.keys()].filter((name) => name.startsWith('dist/'));
    const naming = scripts.filter((name) =>
      readFileSync(join(packed.installed, name), 'utf8').includes('sourceMappingURL'),
    );
    expect(naming).toEqual([]);
  });

  it('has in it what its documents link to', () => {
    const pages = [...packed.files.keys()].filter((name) => name.endsWith('.md'));
    const folders = new Set([...packed.files.keys()].map((name) => posix.dirname(name)));
    const links = pages.flatMap((page) => {
      const text = readFileSync(join(packed.installed, page), 'utf8');
      return [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link]) => posix.join(page, '..', link!));
    });
    expect(links).toEqual(expect.arrayContaining(['docs/rules.md', 'docs/pictures/screens.svg', 'src/README.md']));
    expect(links.filter((path) => !packed.files.has(path) && !folders.has(path))).toEqual([]);
  });

  it('is small, with the 25,680 messages of the demo packed', () => {
    const totalOf = (folder: string) =>
      [...packed.files].reduce((sum, [name, size]) => sum + (name.startsWith(folder) ? size : 0), 0);
    console.info(
      `tarball: ${packed.files.size} files, packed ${Math.round(packed.bytes / kB)} kB, unpacked ${Math.round(totalOf('') / kB)} kB, of which dist ${Math.round(totalOf('dist/') / kB)} kB`,
    );
    // The messages of the demo are 310 kB of it, the harmless texts of `lint` 100 kB.
    // The page of `sluice play`, which has an engine, the reader of audits with its schemas (30 kB)
    // and a part of the demo in it, is 370 kB of the tarball.
    expect(packed.bytes).toBeLessThan(1550 * kB);
    expect(totalOf('')).toBeLessThan(4200 * kB);
    const page = readFileSync(join(packed.installed, 'dist/play/index.html'));
    expect(page.length).toBeLessThan(1200 * kB);
    expect(gzipSync(page, { level: 9 }).length).toBeLessThan(365 * kB);
    expect(totalOf('fixtures/data/')).toBeLessThan(620 * kB);
    expect(totalOf('fixtures/everyday/')).toBeLessThan(260 * kB);
  });

  it('is clean to publint', async () => {
    const { messages } = await publint({ pkgDir: packed.installed, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  it('is clean to attw', async () => {
    const attw = program('@arethetypeswrong/cli/dist/index.js');
    const args = ['--profile', 'esm-only', '--no-definitely-typed', '--format', 'json', packed.tarball];
    const { stdout } = await node(packed.project, attw, ...args);
    const { analysis } = JSON.parse(stdout) as { analysis: { entrypoints: object } };
    const entries = Object.keys(manifest.exports);
    expect(Object.keys(analysis.entrypoints).sort()).toEqual(entries.sort());
  });
});

describe('an installed package', () => {
  it('works by import, typed for nodenext', async () => {
    const unused = sorted(mainNames).filter((name) => !new RegExp(`\\b${name}\\b`).test(everyFunction));
    expect(unused, 'test/package/consumers.ts uses every public function').toEqual([]);
    await compile(write('every-function.ts', everyFunction), '--module', 'nodenext', '--types', 'node');
    const { stdout, stderr } = await node(packed.project, 'every-function.js', packed.project);
    expect(stderr).toBe('');
    const found = JSON.parse(stdout) as { rules: number };
    const scores = ['rejected'];
    const words = ['blockMessage'];
    expect(found).toMatchObject({
      sameFile: true,
      judged: 40,
      words,
      tested: [true, 1, true],
      agrees: true,
      logged: 3,
      scores,
      failure: 404,
      family: true,
    });
    expect(found.rules).toBeGreaterThan(10);
  });

  it('is typed for bundlers', async () => {
    const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit'];
    await compile(write('bundled.ts', everyFunction), ...bundler, '--types', 'node');
  });

  it('is typed for pages, without the types of Node', async () => {
    const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit'];
    const forPages = [...bundler, '--customConditions', 'browser', '--lib', 'es2023,dom', '--types', ''];
    const wrong = write('page-types-wrong.ts', `import { createClient } from 'sluice';\nvoid createClient;`);
    await Promise.all([
      compile(write('page-types.ts', pageTypes), ...forPages),
      expect(compile(wrong, ...forPages)).rejects.toThrow(/TS2305.*createClient/),
    ]);
  });

  it('works by require, so that nothing it loads awaits at its top', async () => {
    const { stdout, stderr } = await node(packed.project, write('requiring.cjs', requiring));
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      names: {
        sluice: sorted(mainNames),
        'sluice/engine': sorted(browserNames),
        'sluice/http': sorted(httpNames),
        'sluice/service': sorted(serviceNames),
        'sluice/re2-wasm': sorted(re2wasmNames),
      },
      verdicts: ['blockMessage', 'blockMessage'],
      version: manifest.version,
    });
  });

  it('loads for the engine alone no package but re2js and the hashes, and few modules', async () => {
    const { stdout } = await node(packed.project, write('counting-modules.js', countingModules));
    const loaded = JSON.parse(stdout) as readonly string[];
    console.info(`import 'sluice/engine' loads ${loaded.length} modules`);
    expect([...new Set(loaded.map(packageOf))].sort()).toEqual(['@noble/hashes', 're2js', 'sluice']);
    expect(loaded.length).toBeLessThanOrEqual(118);
  });

  it('lends no file that it does not name', async () => {
    const inner = write(
      'inner.js',
      "await import('sluice/dist/foundation/digest.js').catch(({ code }) => console.log(code));",
    );
    expect((await node(packed.project, inner)).stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  });

  it('has a command that runs through a link, as package managers make it', async () => {
    const command = join(packed.project, 'sluice');
    symlinkSync(join(packed.installed, manifest.bin.sluice!), command);
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await node(packed.project, command, '--version')).stdout).toContain(manifest.version);
    const { stdout } = await node(packed.project, command, 'pull', '--demo', '--out', '-', '--quiet');
    expect((JSON.parse(stdout) as { rules: unknown[] }).rules.length).toBeGreaterThan(10);
  });

  it('serves the messages of the fixtures, to the byte', async () => {
    const command = join(packed.installed, manifest.bin.sluice!);
    await node(packed.project, command, 'pull', '--demo', '--messages', 'messages.ndjson', '--quiet');
    const service = await startService();
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
    const lines: string[] = [];
    for await (const message of client.messages.iterate()) lines.push(ndjsonLine(message));
    await client.close();
    await service.close();
    expect(lines.length).toBeGreaterThan(25_000);
    expect(readFileSync(join(packed.project, 'messages.ndjson'), 'utf8') === lines.join('')).toBe(true);
  });
});

/** The package that a file belongs to. */
function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
}

/**
 * Type-checks, and emits unless told otherwise, as strictly as can be: declarations of dependencies
 * are checked too.
 */
async function compile(file: string, ...options: readonly string[]): Promise<void> {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--target', 'es2023'];
  try {
    const always = ['--ignoreConfig', '--skipLibCheck', 'false', '--pretty', 'false'];
    await node(packed.project, program('typescript/bin/tsc'), ...always, ...strict, ...options, file);
  } catch (error) {
    throw new Error(`tsc: ${(error as { stdout?: string }).stdout}`, { cause: error });
  }
}

describe('in a browser', () => {
  let bundle: BuildResult<{ write: false; metafile: true }>;
  const bundled = (contents: string) =>
    build({
      stdin: { contents, resolveDir: packed.project },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      minify: true,
      write: false,
      metafile: true,
      logLevel: 'silent',
    });

  beforeAll(async () => {
    bundle = await bundled("export { createEngine } from 'sluice';");
  });

  it('is offered what runs there, by the same names', () => {
    expect(sorted(mainNames)).toEqual(expect.arrayContaining(sorted(browserNames)));
    expect({ ...mainNames }).toMatchObject({ ...browserNames });
  });

  it('bundles without zod, undici or a module of Node, and small', () => {
    const packages = Object.keys(bundle.metafile.inputs).map(packageOf);
    expect([...new Set(packages)].sort()).toEqual(['@noble/hashes', 're2js', 'sluice', undefined]);
    expect(Object.keys(bundle.metafile.inputs).filter((path) => path.includes('why-not'))).toEqual([]);
    const minified = bundle.outputFiles[0]!.contents;
    const zipped = gzipSync(minified, { level: 9 });
    console.info(`bundle for a browser: ${minified.length} bytes minified, ${zipped.length} gzipped`);
    expect(minified.length).toBeLessThan(358 * kB);
    expect(zipped.length).toBeLessThan(130 * kB);
  });

  it('bundles `sluice/engine` as it does `sluice`', async () => {
    const same = await bundled("export { createEngine } from 'sluice/engine';");
    expect(same.outputFiles[0]!.text).toBe(bundle.outputFiles[0]!.text);
  });

  it('refuses at build time what does not run there', async () => {
    const failure = await bundled("export { createClient } from 'sluice';").catch((error: Error) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining('No matching export') });
  });

  it('has a Chromium to be tried in, where one is required', () => {
    if (chromiumPath === undefined) {
      console.warn('no Chromium: the engine was NOT tried in a browser; `apt-get install chromium`, then again');
    }
    expect(mustHaveChromium && chromiumPath === undefined).toBe(false);
  });

  const site = (work: unknown): Site => ({
    '/': { type: 'text/html', body: '<!doctype html><script type="module" src="/page.js"></script>' },
    '/page.js': { type: 'text/javascript', body: page },
    '/sluice.js': { type: 'text/javascript', body: bundle.outputFiles[0]!.text },
    '/work.json': { type: 'application/json', body: JSON.stringify(work) },
  });

  it.skipIf(chromiumPath === undefined)('decides by words, patterns and thresholds', async () => {
    const condition = { operand: 'text', category: 'word', operator: 'contains' };
    const conditions = [
      { ...condition, id: 1, value: ['idiot'] },
      { ...condition, id: 2, category: 'pattern', value: ['\\d{3}-\\d{4}'] },
      { ...condition, id: 3, operand: 'image', isMediaPresent: true, value: ['violence_greaterThan_30'] },
    ];
    const ruleSet = { rules: [{ id: 'r', action: ['dropMessage'], conditions }], lists: [] };
    const message = { category: 'message', type: 'image', data: { text: '😀 IDIOT, call 555-0123' } };
    const scored = (violence: number) => [{ operand: 'image', labels: { violence } }];
    const plain = { ...message, data: { text: 'idiotic, call 5550123' } };
    const answers = (await answersOfPage(
      site([
        { name: 'all', ruleSet, message, media: scored(31) },
        { name: 'none', ruleSet, message: plain, media: scored(30) },
      ]),
      20_000,
    )) as readonly { verdict: string; decision: Decision }[];
    expect(answers.map(({ verdict }) => verdict)).toEqual(['dropMessage', 'allow']);
    const hits = answers[0]!.decision.matched.flatMap((rule) => rule.conditions);
    expect(hits.map(({ conditionId, matches }) => [conditionId, ...matches])).toMatchObject([
      [1, { kind: 'word', span: { start: 3, end: 8 }, text: 'IDIOT', term: 'idiot' }],
      [2, { kind: 'pattern', span: { start: 15, end: 23 }, text: '555-0123' }],
      [3, { kind: 'score', score: 31, threshold: { label: 'violence', greaterThan: 30 } }],
    ]);
  });

  it.skipIf(chromiumPath === undefined)('answers every case as Node does, under a strict policy', async () => {
    const work = readCaseFiles().flatMap((file) =>
      file.cases.flatMap((given) => (given.refused ? [] : { ...given, ruleSet: ruleSetOf(file, given) })),
    );
    const answers = await answersOfPage(site(work), 600_000);
    const expected = work.map(({ name, ruleSet, semantics, message, media }) => {
      const engine = createEngine(ruleSet, semantics);
      const decision = engine.explain(message, media);
      return { name, verdict: engine.decide(message, media), decision, issues: engine.issues };
    });
    expect(answers).toEqual(JSON.parse(JSON.stringify(expected)));
    console.info(`Chromium answered ${work.length} cases as Node does`);
  });
});
