/**
 * The documents hold what the code cites: every section of the interface, every promise, every
 * fault, and files that exist.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/**
 * Files of these folders, or the files themselves, whose text may cite the documents; this file
 * aside.
 */
function citing(...paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (!statSync(join(root, path)).isDirectory()) return [path];
    return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
      .map((name) => join(path, name))
      .filter((name) => /\.(?:ts|mjs|json|md)$/.test(name) && name !== 'test/docs.test.ts');
  });
}

/**
 * Everything that a pattern finds in files, with the first file that has it. Its first group, or
 * the whole, is what counts.
 */
function cited(files: readonly string[], pattern: RegExp): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of files) {
    for (const [whole, group = whole] of read(file).matchAll(pattern)) {
      if (!found.has(group)) found.set(group, file);
    }
  }
  return found;
}

/** `Faults 1 to 3, 20 and 43 to 46` as numbers; ranges have both of their ends. */
function numbersOf(list: string): number[] {
  return [...list.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index),
  );
}

const repositoryFiles = citing('src', 'test', 'fixtures', 'bench', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md');

it('pages are 120 columns wide, but for tables and code', () => {
  const pages = citing('docs', 'src', 'fixtures', 'bench', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md');
  const wide = pages
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const prose = read(file).replaceAll(/^ *```.*?^ *```|^\|.*?$/gms, '');
      return prose.split('\n').flatMap((line) => (line.length > 120 ? [`${file}: ${line}`] : []));
    });
  expect(wide).toEqual([]);
});

describe('docs/interface.md', () => {
  const headings = new Set([...read('docs/interface.md').matchAll(/^#+ (§\d+(?:\.\d+)*) /gm)].map(([, id]) => id!));
  const sections = cited(repositoryFiles, /(?<!RFC \d+ )§\d+(?:\.\d+)*/g);

  it('has a heading for every section that is cited', () => {
    expect(sections.size).toBeGreaterThan(20);
    expect([...sections].filter(([section]) => !headings.has(section))).toEqual([]);
  });

  it('has a heading for every section that it refers to itself', () => {
    const own = cited(['docs/interface.md'], /§\d+(?:\.\d+)*/g);
    expect([...own.keys()].filter((section) => !headings.has(section))).toEqual([]);
  });
});

describe('docs/promises.md', () => {
  const page = read('docs/promises.md');
  const promises = [...page.matchAll(/^### (P\d+) [\s\S]*?(?=^##)/gm)].map(([text, id = '']) => ({ id, text }));

  it('has a heading for every promise that is cited', () => {
    const found = cited(repositoryFiles, /\bP\d{1,2}\b(?=[:,).' ])/g);
    const known = new Set(promises.map(({ id }) => id));
    expect(found.size).toBeGreaterThan(10);
    expect([...found].filter(([id]) => !known.has(id))).toEqual([]);
  });

  it('lists existing test files for each promise', () => {
    expect(promises.length).toBeGreaterThan(20);
    for (const { id, text } of promises) {
      const files = [...text.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, file]) => file!);
      expect([id, files.length > 0, files.filter((file) => !existsSync(join(root, file)))]).toEqual([id, true, []]);
    }
  });

  it('lists every fault that is cited, once, with the file of its test', () => {
    const rows = [...page.matchAll(/^\| (\d[\d, to]*) \|.*$/gm)].map(([row, list]) => ({
      row,
      faults: numbersOf(list!),
    }));
    const known = rows.flatMap(({ faults }) => faults);
    const lists = cited(citing('test', 'src'), /\b[Ff]aults? (\d+(?: to \d+)?(?:(?:,| and|, and) \d+(?: to \d+)?)*)/g);
    const wanted = [...lists.keys()].flatMap(numbersOf);
    expect(known.length).toBeGreaterThan(40);
    expect(wanted.filter((fault) => !known.includes(fault))).toEqual([]);
    expect(known).toEqual([...new Set(known)]);
    for (const { row } of rows) {
      const files = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!);
      expect([row, files.length > 0, files.filter((file) => !existsSync(join(root, file)))]).toEqual([row, true, []]);
    }
  });
});

describe('every document', () => {
  const documents = citing('docs', 'README.md', 'CONTRIBUTING.md', 'src/README.md', 'bench/README.md');

  it.each(citing('docs'))('%s names files of the repository that exist', (document) => {
    const folders = ['', 'src'];
    const named = [...read(document).matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|md|json|mjs))`/g)].map(
      ([, path]) => path!,
    );
    expect(named.filter((path) => !folders.some((folder) => existsSync(join(root, folder, path))))).toEqual([]);
  });

  it.each(documents)('%s links to files and headings that exist', (document) => {
    const slugs = (path: string): Set<string> =>
      new Set(
        [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
          title!
            .toLowerCase()
            .replace(/[^\p{L}\p{N}\- _]/gu, '')
            .replaceAll(' ', '-'),
        ),
      );
    const broken = [...read(document).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g)].filter(
      ([, path, anchor]) => {
        const target = path === '' ? document : join(document, '..', path!);
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !slugs(target).has(anchor);
      },
    );
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

describe('SECURITY.md', () => {
  const page = read('SECURITY.md');
  const rows = page.split('\n').filter((line) => /^\| (?!threat|-)/.test(line));

  it('has a test for every threat, and promises that are made', () => {
    expect(rows.length).toBeGreaterThan(10);
    const promised = new Set([...read('docs/promises.md').matchAll(/^### (P\d+) /gm)].map(([, id]) => id));
    for (const row of rows) {
      const files = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!);
      expect([row, files.length > 0, files.filter((file) => !existsSync(join(root, file)))]).toEqual([row, true, []]);
      expect([...row.matchAll(/\bP\d+/g)].filter(([id]) => !promised.has(id))).toEqual([]);
    }
  });
});
