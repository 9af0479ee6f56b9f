/** Examples of docstrings compile, and the values that they show are those that they have. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as publicNames from '../src/index.js';

const root = resolve(import.meta.dirname, '..');

describe('examples of docstrings', () => {
  const source = join(root, 'src');
  const examples = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const comments = readFileSync(join(source, name), 'utf8').matchAll(
        /^ *\* @example.*\n *\* ```ts\n([\s\S]*?)^ *\* ```$/gm,
      );
      return [...comments].map(([, lines]) => ({ name, code: lines!.replace(/^ *\* ?/gm, '') }));
    });
  const engineExample = examples.find(({ code }) => code.startsWith('const engine = createEngine({'))!.code;
  const withEngine = (code: string) =>
    /\bconst engine\b|engine: Engine/.test(code) ? code : `${engineExample}{\n${code}}\n`;

  const handler = `import { createModerationHandler } from ${JSON.stringify(join(source, 'live/http/handler.js'))};\n`;
  const ofHandler = (code: string) => (code.includes('createModerationHandler') ? handler : '');

  it('compile under strict', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-examples-'));
    try {
      const entry = JSON.stringify(join(source, 'index.js'));
      const names = [...readFileSync(join(source, 'index.ts'), 'utf8').matchAll(/\b(?:type )?(\w+)(?=,| \}|$)/gm)];
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      const files = examples.map(({ code }, at) => {
        const used = [...new Set(names.map(([, name]) => name!))].filter(
          (name) => new RegExp(`\\b${name}\\b`).test(code) || name === 'createEngine',
        );
        const file = `example-${at}.ts`;
        writeFileSync(
          join(folder, file),
          `${ofHandler(code)}import { ${used.join(', ')} } from ${entry};\n${withEngine(code)}export {};\n`,
        );
        return file;
      });
      const compilerOptions = {
        noEmit: true,
        rootDir: '/',
        verbatimModuleSyntax: false,
        typeRoots: [join(root, 'node_modules/@types')],
      };
      const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const compiled = promisify(execFile)(process.execPath, [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-p',
        folder,
      ]);
      await expect(compiled.catch(({ stdout }) => Promise.reject(new Error(stdout)))).resolves.toBeDefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const shown = examples.filter(({ code }) => /^\S.*; \/\/ /m.test(code));
  it.each(shown)('$name: values are those that the comments show', async ({ code }) => {
    const checks = withEngine(code).replace(/^(\S.*); \/\/ (.*)$/gm, 'check($1, $2);');
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
    const run = new AsyncFunction('check', ...Object.keys(publicNames), transformSync(checks, { loader: 'ts' }).code);
    await run((value: unknown, expected: unknown) => expect(value).toEqual(expected), ...Object.values(publicNames));
    expect.assertions(checks.match(/^check\(/gm)!.length);
  });
});
