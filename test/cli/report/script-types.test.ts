import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { reportScript } from '../../../src/cli/report/report-script.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** What the compiler says of one file, apart from the program of the tests, which shall not have the types of browsers. */
async function complaints(name: string, text: string, lib: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-script-types-'));
  try {
    const compilerOptions = {
      ...{ target: 'es2023', lib: ['es2024', ...lib], types: [], module: 'nodenext', noEmit: true },
      ...{ strict: name.endsWith('.ts'), checkJs: true, allowImportingTsExtensions: true },
    };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [name] }));
    await writeFile(join(directory, name), text);
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', directory]).catch(
      (error: { readonly stdout: string }) => error,
    );
    return stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('the script of a report', () => {
  it('finds in a browser what its types say is there', async () => {
    const text = [
      `import type { PageWindow } from ${JSON.stringify(join(root, 'src/cli/report/script/page-window.ts'))};`,
      'export const page: PageWindow = window;',
      '// @ts-expect-error: the check finds what is not there.',
      'export const other: PageWindow = { ...window, document: 5 };',
    ];
    expect(await complaints('check.ts', text.join('\n'), ['dom', 'dom.iterable'])).toBe('');
  });

  it('uses no name but those of the language and its argument', async () => {
    const text = `${reportScript}(() => document.title)();\n`;
    const found = [...(await complaints('check.js', text, [])).matchAll(/Cannot find name '([^']*)'/g)];
    // `document` stands in what the test has added, to see that such a name is found.
    expect(found.map(([, name]) => name)).toEqual(['window', 'window', 'window', 'window', 'document']);
    expect(reportScript).not.toMatch(/<\/script|<!--/);
  });
});
