import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const inReport = (name: string) => join(root, 'src/cli/page', name);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-report-script-'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(directory, { recursive: true }));

/** What the compiler says of a file, apart from the program of the tests, which shall not have the types of browsers. */
async function compile(file: string, options: object): Promise<string> {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2024'],
    types: [],
    module: 'nodenext',
    strict: true,
    ...options,
  };
  const project = join(directory, 'tsconfig.json');
  await writeFile(project, JSON.stringify({ compilerOptions, files: [file] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile)(process.execPath, [compiler, '-p', project]);
  const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
  return stdout;
}

describe('the script of a report', () => {
  it('finds in a browser what its types say is there', async () => {
    const text = [
      `import type { PageWindow } from ${JSON.stringify(inReport('script/page-window.ts'))};`,
      'export const page: PageWindow = window;',
      '// @ts-expect-error: the check finds what is not there.',
      'export const other: PageWindow = { ...window, document: 5 };',
    ];
    await writeFile(join(directory, 'check.ts'), text.join('\n'));
    const lib = ['es2024', 'dom', 'dom.iterable'];
    expect(await compile('check.ts', { lib, allowImportingTsExtensions: true, noEmit: true })).toBe('');
  });

  it('as it is built uses no name but those of the language and its argument', async () => {
    const out = join(directory, 'out');
    expect(await compile(inReport('page-script.ts'), { outDir: out, rootDir: inReport('.') })).toBe('');
    const { reportScript } = await import(pathToFileURL(join(out, 'page-script.js')).href);
    // The last line is there to see that such a name is found.
    await writeFile(join(directory, 'check.js'), `${reportScript}(() => document.title)();\n`);
    const words = await compile('check.js', { checkJs: true, strict: false, noEmit: true });
    const unknown = [...words.matchAll(/Cannot find name '([^']*)'/g)].map(([, name]) => name);
    expect(unknown).toEqual(['window', 'window', 'window', 'window', 'document']);
    expect(reportScript).not.toMatch(/<\/script|<!--/);
  });
});
