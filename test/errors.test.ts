import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import type * as browserNames from '../src/engine/browser.js';
import type * as errorClasses from '../src/foundation/errors.js';
import { addToFact, joinMessage, NetworkError, ShapeError, UsageError } from '../src/foundation/errors.js';

const source = join(import.meta.dirname, '../src');

/** A module of the sources as an application has it that minifies its bundle. */
async function minified(name: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-errors-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { outputFiles } = await build({
    entryPoints: [join(source, name)],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    write: false,
  });
  const file = join(folder, 'bundle.mjs');
  writeFileSync(file, outputFiles[0]!.contents);
  return import(/* @vite-ignore */ pathToFileURL(file).href);
}

/** The name of what is thrown. */
function thrownBy(work: () => unknown): unknown {
  try {
    return `nothing, but ${work()}`;
  } catch (error) {
    return (error as Error).name;
  }
}

describe('names of errors', () => {
  it('are those of their classes in a bundle that minifies', async () => {
    const names = (await minified('foundation/errors.ts')) as typeof errorClasses;
    const {
      isTransientStatus: _,
      isRefusal: __,
      isUnreachable: ___,
      joinMessage: ____,
      addToFact: _____,
      ...classes
    } = names;
    const { SluiceError, HttpError, TimeoutError, ...others } = classes;
    const errors = [
      new SluiceError('code', 'words'),
      new HttpError('GET /', 'words', { status: 500 }),
      new TimeoutError('GET /', 1),
      ...Object.values(others).map((Other) => new Other('a', 'b', 'c' as never)),
    ];
    expect(errors.map(({ name }) => name).sort()).toEqual(Object.keys(classes).sort());
    for (const error of errors) expect(error).toBeInstanceOf(SluiceError);
    // The bundle is one that renames classes.
    expect(errors.map((error) => error.constructor.name)).not.toContain('UsageError');
  });

  it('are those of what an engine throws in a browser', async () => {
    const { createEngine } = (await minified('engine/browser.ts')) as typeof browserNames;
    expect(thrownBy(() => createEngine({ rules: [], lists: [] }, { words: 'nonsense' as never }))).toBe('UsageError');
    expect(thrownBy(() => createEngine('nonsense' as never))).toBe('RuleSetError');
  });

  it('are literals in every class', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const texts = files.map((name) => readFileSync(join(source, name), 'utf8')).join('\n');
    const classes = [
      ...texts.matchAll(/^export (?:abstract )?class (\w+) extends \w*Error\b.*\{\n([\s\S]*?)^\}$/gm),
    ].map(([, name, body]) => ({ name: name!, body: body! }));
    expect(classes.length).toBeGreaterThan(9);
    const unnamed = classes.filter(({ name, body }) => !body.includes(`name: string = '${name}';`));
    expect(unnamed.map(({ name }) => name)).toEqual([]);
    expect(texts).not.toMatch(/new\.target|constructor\.name/);
  });
});

describe('messages in parts', () => {
  const differences = [{ name: 'since', was: undefined, is: 5 }];
  const parts = {
    source: 'a.json',
    option: 'url',
    fact: 'is of another one',
    differences,
    advice: 'check-base-url',
  } as const;

  it('are in the words of the library', () => {
    const { message } = new UsageError(parts);
    expect(message).toBe('a.json: `url` is of another one: `since` was undefined, is 5: check `baseUrl`');
  });

  it('are in the words of who has others, and none of those of the library', () => {
    const words = { option: () => 'OPTION', difference: () => 'DIFFERENCE', advice: () => ' ADVICE' };
    expect(joinMessage(parts, words)).toBe('a.json: OPTION is of another one: DIFFERENCE ADVICE');
  });

  it('has words added to its fact, before what it advises', () => {
    const failure = new NetworkError('GET /rules', { fact: 'refused', advice: 'check-base-url' });
    expect(addToFact(failure, '; x')).toBe(failure);
    expect([failure.message, failure.parts?.fact]).toEqual(['refused; x: check `baseUrl`', 'refused; x']);
    expect(failure.stack).toMatch(/^NetworkError: refused; x: check|^Error: refused; x: check/);
    expect(addToFact(new UsageError('a fact'), '; $& y').message).toBe('a fact; $& y');
  });

  it('have the source of a shape apart from what is wrong with it', () => {
    const error = new ShapeError('a.ndjson:3', 'data', 'must be an object');
    expect(error.parts).toEqual({ source: 'a.ndjson:3', fact: '`data` must be an object' });
    expect(error.message).toBe('a.ndjson:3: `data` must be an object');
  });
});
