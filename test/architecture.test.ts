import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

/**
 * The plan of the house (src/README.md) as a test: imports go down from storey to storey and from
 * room to room, `engine` and `review` run in a browser, and files are short. A storey is a folder
 * of `src`; a room is a folder of a storey, or a file that stands in one.
 */
const source = new URL('../src/', import.meta.url).pathname;

/**
 * The storeys from the top down, each with its rooms from the top down. A file imports from its own
 * room, from rooms further down in its storey, and from storeys below it. Types may be imported
 * from any room of a storey, and those of `platform/contract` from anywhere. Rooms of one rank
 * stand in one entry. `audit/` itself holds the files that run an audit.
 */
const storeys: Record<string, readonly string[]> = {
  index: ['index'],
  cli: ['cli'],
  play: ['handler', 'page', 'worker'],
  live: ['moderator', 'scorers', 'http'],
  review: ['lint', 'apply', 'compare', 'cases', 'precision', 'why-not', 'precision-interval'],
  audit: ['audit keep', 'source sample', 'count', 'tables'],
  platform: ['service', 'loader', 'client', 'contract'],
  engine: [
    ...['browser', 're2-wasm', 'mask', 'reason', 'engine', 'evaluate', 'media'],
    ...['score-scale', 'semantics', 'compile', 'match'],
  ],
  foundation: [
    ...['listener', 'files', 'deadline', 'options', 'digest', 'portions', 'requests'],
    ...['nearest-names', 'errors', 'version'],
  ],
};

/** Which storeys and rooms may import a package, or a module of Node (`node:`). */
const packages: Record<string, readonly string[]> = {
  '@hono/node-server': ['service', 'listener'],
  '@noble/hashes': ['digest'],
  hono: ['http', 'service', 'requests'],
  hyparquet: ['tables'],
  'hyparquet-writer': ['tables'],
  'node:': ['cli', 'live', 'audit', 'loader', 'service', 'listener', 'files', 'deadline'],
  'p-limit': ['client', 'loader', 'source'],
  papaparse: ['sample'],
  preact: ['play'],
  're2-wasm': ['match'],
  re2js: ['match'],
  tinypool: ['audit'],
  undici: ['client', 'scorers'],
  zod: ['cli', 'live', 'review', 'audit', 'platform'],
};

/**
 * Storeys and rooms that run in a browser: with all that they import, they have no `node:` module,
 * no Buffer, no process, no timer of Node's own.
 */
const pure = ['play', 'engine', 'review', 'http', 'contract'];

interface Import {
  readonly from: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.split('\\').join('/'))
  .sort();
const textOf = (file: string) => readFileSync(join(source, file), 'utf8');
const storeyOf = (file: string) => file.replace(/\.tsx?$/, '').split('/')[0]!;
/**
 * Returns the room of a file: the storey itself where that is one room, or where its files stand in
 * the folder of the storey.
 */
function roomOf(file: string): string {
  const [storey, ...rest] = file.replace(/\.tsx?$/, '').split('/');
  const rooms = (storeys[storey!] ?? []).flatMap((entry) => entry.split(' '));
  return rooms.includes(storey!) && (rest.length === 1 || rooms.length === 1) && !rooms.includes(rest[0]!)
    ? storey!
    : rest[0]!;
}
/** Returns the rank of a room in its storey: 0 is at the top. */
const rankOf = (file: string) => storeys[storeyOf(file)]!.findIndex((entry) => entry.split(' ').includes(roomOf(file)));

/**
 * The imports of a file, also those in the middle of its code: `await import('…')` and `typeof
 * import('…')`.
 */
function importsOf(file: string): Import[] {
  const inCode = [...textOf(file).matchAll(/(typeof )?\bimport\('([^']+)'\)/g)].map(([, type, specifier]) => ({
    ...{ from: file, target: targetOf(file, specifier!), typeOnly: type !== undefined },
  }));
  return [...statementsOf(file), ...inCode];
}

function targetOf(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  const target = posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts');
  return files.includes(`${target}x`) ? `${target}x` : target;
}

function statementsOf(file: string): Import[] {
  const statements = textOf(file).matchAll(/^(?:import|export)\s+(type\s)?(?:([^'";]*?)\s+from\s+)?'([^']+)'/gm);
  return [...statements].map(([, type, names, specifier]) => {
    const target = targetOf(file, specifier!);
    const listed =
      /\{([^}]*)\}/
        .exec(names ?? '')?.[1]
        ?.split(',')
        .filter((name) => name.trim() !== '') ?? [];
    const typeOnly =
      type !== undefined || (listed.length > 0 && listed.every((name) => name.trim().startsWith('type ')));
    return { from: file, target, typeOnly };
  });
}

/** The one module outside `src` that a room loads: data. */
const madeModules = ['../fixtures/everyday/texts.ts'];
const imports = files.flatMap(importsOf).filter(({ target }) => !madeModules.includes(target));

const isFile = (target: string) => /\.tsx?$/.test(target);
const fits = (name: string, target: string) =>
  target === name || target.startsWith(name.endsWith(':') ? name : `${name}/`);

function isAllowed({ from, target, typeOnly }: Import): boolean {
  if (!isFile(target)) {
    const rooms = Object.entries(packages).find(([name]) => fits(name, target))?.[1] ?? [];
    return rooms.includes(roomOf(from)) || rooms.includes(storeyOf(from));
  }
  if (typeOnly && (target.startsWith('platform/contract/') || storeyOf(from) === storeyOf(target))) return true;
  const [above, below] = [from, target].map((file) => Object.keys(storeys).indexOf(storeyOf(file)));
  return above === below ? rankOf(from) <= rankOf(target) : above! < below!;
}

/** Returns the files that a file imports values from, directly or not, itself included. */
function reachedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { target, typeOnly } of importsOf(file)) if (!typeOnly && files.includes(target)) reachedBy(target, seen);
  return seen;
}

/**
 * How much there may be of what the house refuses. The numbers only ever fall: whoever takes some
 * of it away lowers them, and 0 of a kind is its rule.
 */
const most = { longFunctions: 0, foreignComments: 0, literalSpreads: 0 };

/**
 * How large the storeys may be: lines of code, which are those that are neither blank nor comments,
 * and lines of comments that are wider than 100 columns. Whoever takes something away lowers the
 * numbers to what is left. A number of lines of code is raised only with a reason in the message of
 * the commit; one of wide comments never is: a new or rewritten file wraps its comments at 100.
 */
const sizes: Readonly<Record<string, { readonly code: number; readonly wide: number }>> = {
  index: { code: 113, wide: 0 },
  cli: { code: 7_847, wide: 0 },
  play: { code: 2_283, wide: 0 },
  live: { code: 2_648, wide: 5 },
  review: { code: 3_499, wide: 0 },
  audit: { code: 5_086, wide: 2 },
  platform: { code: 3_784, wide: 8 },
  engine: { code: 11_409, wide: 7 },
  foundation: { code: 1_477, wide: 0 },
};

/** Columns of a comment at the most. */
const widestComment = 100;

const isComment = (line: string) => /^\s*(?:\/\/|\/\*|\*)/.test(line);

/** Returns the size of a storey, as `sizes` has it. */
function sizeOf(storey: string): { readonly code: number; readonly wide: number } {
  const lines = files.filter((file) => storeyOf(file) === storey).flatMap((file) => textOf(file).split('\n'));
  return {
    code: lines.filter((line) => line.trim() !== '' && !isComment(line)).length,
    wide: lines.filter((line) => isComment(line) && line.length > widestComment).length,
  };
}

/** Lines of a function at the most. */
const longestFunction = 60;

/** A node of a syntax tree: what stands where, and its parts. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly argument?: Node;
}

/** Returns the nodes of a file that `isFound` takes, with the lines in which they begin and end. */
function nodesOf(file: string, isFound: (node: Node) => boolean): { readonly place: string; readonly lines: number }[] {
  const text = textOf(file);
  const lineOf = (position: number) => text.slice(0, position).split('\n').length;
  const nodesIn = (value: unknown): Node[] => {
    if (typeof value !== 'object' || value === null) return [];
    const below = Object.values(value).flatMap(nodesIn);
    return 'type' in value && isFound(value as Node) ? [value as Node, ...below] : below;
  };
  return nodesIn(parseSync(file, text).program).map(({ start, end }) => ({
    place: `${file}:${lineOf(start)}`,
    lines: lineOf(end) - lineOf(start) + 1,
  }));
}

/** Returns the functions of a file that are too long, with the line in which each begins. */
function longFunctionsOf(file: string): string[] {
  return nodesOf(file, ({ type }) => /^(?:Arrow)?Function(?:Declaration|Expression)$/.test(type))
    .filter(({ lines }) => lines > longestFunction)
    .map(({ place, lines }) => `${place}: ${lines} lines`);
}

/** Returns the comments of a file that begin with a word that hides what they are about. */
function foreignCommentsOf(file: string): string[] {
  const lines = textOf(file).split('\n');
  return lines.flatMap((line, index) => {
    const word = /(?:\/\*\*?|\/\/|^\s*\*) (Of|By|As|What|Where)\b/.exec(line);
    if (word === null) return [];
    const before = lines[index - 1] ?? '';
    // A line that goes on begins nothing.
    const goesOn = word[0].startsWith('//')
      ? /^\s*\/\//.test(before)
      : !word[0].startsWith('/') && !/\/\*\*?\s*$/.test(before);
    return goesOn ? [] : [`${file}:${index + 1}: ${line.trim().slice(0, 80)}`];
  });
}

/**
 * Returns the literals of a file that are spread into another one, which only moves a line break.
 */
function literalSpreadsOf(file: string): string[] {
  return nodesOf(file, ({ type, argument }) => type === 'SpreadElement' && argument?.type === 'ObjectExpression').map(
    ({ place }) => place,
  );
}

/** Fails with the whole list where there is more than `limit`. */
function expectAtMost(limit: number, found: readonly string[]): void {
  expect(found.length > limit ? found : []).toEqual([]);
}

describe('source tree', () => {
  it('imports: the scan finds them', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(files.length);
    expect(imports.filter(({ target }) => isFile(target) && !files.includes(target))).toEqual([]);
  });

  it('imports: they go down, or stay in their room', () => {
    expect(imports.filter((edge) => !isAllowed(edge)).map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
  });

  it('imports: every storey, room and package of the plan is there', () => {
    const rooms = Object.entries(storeys).map(
      ([storey, names]) =>
        `${storey}: ${names
          .flatMap((name) => name.split(' '))
          .sort()
          .join(' ')}`,
    );
    const found = Object.keys(storeys).map((storey) => {
      const own = files.filter((file) => storeyOf(file) === storey).map(roomOf);
      return `${storey}: ${[...new Set(own)].sort().join(' ')}`;
    });
    expect(found).toEqual(rooms);
    expect([...new Set(files.map(storeyOf))].sort()).toEqual(Object.keys(storeys).sort());
    const needless = Object.entries(packages).flatMap(([name, places]) => {
      const users = imports
        .filter(({ target }) => fits(name, target))
        .flatMap(({ from }) => [roomOf(from), storeyOf(from)]);
      return places.filter((place) => !users.includes(place)).map((place) => `${place} -> ${name}`);
    });
    expect(needless).toEqual([]);
  });

  it('plan: the pages of the storeys have their rooms in the same order', () => {
    const pages = Object.entries(storeys).filter(([, rooms]) => rooms.length > 1);
    for (const [storey, rooms] of pages) {
      const page = readFileSync(join(source, storey, 'README.md'), 'utf8');
      const named = [...page.matchAll(/^\| `([\w-]+?)(?:\/|\.ts)` /gm)].map(([, name]) => name!);
      const other = (name: string) => name !== storey;
      const all = rooms.flatMap((entry) => entry.split(' '));
      expect([storey, ...named.filter(other)]).toEqual([storey, ...all.filter(other)]);
      expect(page.split('\n').length, storey).toBeLessThanOrEqual(81);
    }
    expect(readFileSync(join(source, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(151);
  });

  it('plan: the pages name files that are there', () => {
    const namesIn = (folder: string) => readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' });
    const pages = namesIn('.').filter((name) => name.endsWith('README.md'));
    const there = ['', '../test', '../bench'].flatMap((folder) => namesIn(folder).map((name) => `/${name}`));
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(source, page), 'utf8').matchAll(/`([\w./-]+\.ts)`/g)]
        .map(([, name]) => name!.replace(/^(?:\.\.|test|bench)\//, ''))
        .filter((name) => !there.some((file) => file.endsWith(`/${name}`)))
        .map((name) => `${page}: ${name}`),
    );
    expect(pages.length).toBeGreaterThan(5);
    expect(missing).toEqual([]);
  });

  it('imports: no cycles, type imports included, in `bench` either', () => {
    const measuring = readdirSync(join(source, '../bench'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `../bench/${name}`);
    expect(measuring.length).toBeGreaterThan(10);
    const next = new Map([...files, ...measuring].map((file) => [file, importsOf(file).map(({ target }) => target)]));
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (state.get(file) === 'open') cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (state.has(file)) return;
      state.set(file, 'open');
      for (const target of next.get(file) ?? []) visit(target, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of next.keys()) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('pure storeys: with all that they import, nothing that a browser lacks', () => {
    const words = /'node:|\bBuffer\b|\bprocess\.|\brequire\(|\bglobal\.|\bsetImmediate\b/;
    const code = (file: string) => textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    const isRoot = (file: string) => pure.includes(roomOf(file)) || pure.includes(storeyOf(file));
    const roots = files.filter(isRoot);
    const reached = new Set(roots.flatMap((file) => [...reachedBy(file)]));
    expect([...reached].filter((file) => words.test(code(file))).sort()).toEqual([]);
  });

  it('words: no room below the command line and `play` names its options, variables or pages', () => {
    // Comments go; strings are taken whole, so that what looks like a comment in one is none.
    const parts = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
    const code = (text: string) => text.replace(parts, (part) => (/^\/[/*]/.test(part) ? '' : part));
    const named = /(?<=[\s`'"(])--[a-z][\w-]*|\bSLUICE_\w+|\breport\.html\b/g;
    const namedIn = (file: string) => code(textOf(file)).match(named) ?? [];
    expect(namedIn('cli/failure.ts')).toEqual(expect.arrayContaining(['--base-url', 'SLUICE_API_KEY']));
    const found = files.filter((file) => !['cli', 'play'].includes(storeyOf(file)) && namedIn(file).length > 0);
    expect(found).toEqual([]);
  });

  it('words: nobody takes a message apart', () => {
    const taken =
      /\b(?:message|reason|detail)\.(?:match|replace|replaceAll|includes|startsWith|split|slice)\(|\.(?:test|exec)\(\w*(?:[eE]rror|[rR]eason|fault)\.(?:message|reason)\)/;
    expect(files.filter((file) => taken.test(textOf(file)))).toEqual([
      // Messages of other programs, which say it no other way: zod, RE2.
      'engine/match/patterns/rejection.ts',
      'platform/contract/parse.ts',
    ]);
  });

  it('files of more than 60 lines begin with a comment that says what they are', () => {
    const isLong = (file: string) => textOf(file).split('\n').length > 61;
    expect(files.filter((file) => isLong(file) && !/^(?:#!.*\n)?\/(?:\*\*|\/)\s/.test(textOf(file)))).toEqual([]);
  });

  it('files: 500 lines at most', () => {
    const lengthOf = (file: string) => textOf(file).split('\n').length - 1;
    expect(Math.max(...files.map(lengthOf))).toBeGreaterThan(100);
    expect(files.filter((file) => lengthOf(file) > 500)).toEqual([
      // Longer ones, each with the reason why it is one concept.
    ]);
  });

  it('storeys: no more lines of code, and no more comments over 100 columns, than they have', () => {
    const found = Object.fromEntries(Object.keys(storeys).map((storey) => [storey, sizeOf(storey)]));
    const over = Object.keys(storeys).flatMap((storey) =>
      (['code', 'wide'] as const)
        .filter((kind) => found[storey]![kind] > (sizes[storey]?.[kind] ?? 0))
        .map((kind) => `${storey}: ${found[storey]![kind]} ${kind}, at most ${sizes[storey]?.[kind]}`),
    );
    const words =
      'take lines away, or wrap comments at 100 columns; lines of code may be raised in `sizes` of this file, ' +
      `with the reason in the message of the commit. All storeys: ${JSON.stringify(found)}`;
    expect(over, words).toEqual([]);
    expect(Object.keys(sizes)).toEqual(Object.keys(storeys));
  });

  it('functions: 60 lines at most', () => {
    expectAtMost(most.longFunctions, files.flatMap(longFunctionsOf));
  });

  it('comments: none begins with Of, By, As, What or Where', () => {
    expectAtMost(most.foreignComments, files.flatMap(foreignCommentsOf));
  });

  it('literals: none is spread into another', () => {
    expectAtMost(most.literalSpreads, files.flatMap(literalSpreadsOf));
  });

  it('files: no `index.ts` but the public one', () => {
    expect(files.filter((file) => file.includes('/') && file.endsWith('/index.ts'))).toEqual([
      'platform/service/index.ts',
    ]);
  });

  it('exports: named only; no folders such as `utils`', () => {
    expect(files.filter((file) => /^export default|^export \*/m.test(textOf(file)))).toEqual([]);
    expect(files.filter((file) => /(^|[/-])(utils?|helpers?|common|misc|shared|manager)([/.-]|$)/.test(file))).toEqual(
      [],
    );
  });

  it('imports: relative paths stay inside `src`', () => {
    const outside = imports.filter(({ target }) => target.startsWith('..'));
    expect(outside.map(({ from, target }) => `${relative('.', from)} -> ${target}`)).toEqual([]);
  });
});
