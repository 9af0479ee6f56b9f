import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * The plan of the house (src/README.md) as a test: which room may import which, what must run in a browser, and how long
 * a file may be. A room is a folder of src, or a file that stands directly in it.
 */
const source = new URL('../src/', import.meta.url).pathname;

/** What each room may import: rooms, and packages in `packages`. `(types)` rooms lend types only. */
const arrows: Record<string, { rooms: readonly string[]; types?: readonly string[]; packages?: readonly string[] }> = {
  errors: { rooms: [] },
  portions: { rooms: [] },
  'json-bounds': { rooms: [] },
  digest: { rooms: ['portions'], packages: ['@noble/hashes'] },
  contract: { rooms: ['errors'], types: ['portions'], packages: ['zod'] },
  match: { rooms: ['portions'], packages: ['re2js', 're2-wasm'] },
  semantics: { rooms: ['compile', 'errors', 'match'], types: ['contract'] },
  compile: { rooms: ['match', 'nearest-names', 'portions'], types: ['contract', 'semantics'] },
  media: { rooms: ['compile'], types: ['contract'] },
  'score-scale': { rooms: [] },
  evaluate: { rooms: ['compile', 'errors', 'match', 'media'], types: ['contract', 'semantics'] },
  engine: {
    rooms: ['compile', 'digest', 'errors', 'evaluate', 'portions', 'semantics', 'unknown-options'],
    types: ['contract', 'match'],
  },
  client: {
    rooms: ['contract', 'errors', 'json-bounds', 'portions', 'unknown-options'],
    packages: ['p-limit', 'undici', 'zod', 'node:'],
  },
  loader: {
    rooms: [
      'compile',
      'contract',
      'digest',
      'errors',
      'files',
      'json-bounds',
      'portions',
      'semantics',
      'unknown-options',
    ],
    packages: ['p-limit', 'zod', 'node:'],
  },
  audit: {
    rooms: [
      'compile',
      'contract',
      'digest',
      'engine',
      'errors',
      'evaluate',
      'files',
      'json-bounds',
      'media',
      're2-wasm',
      'score-scale',
      'semantics',
      'tables',
      'unknown-options',
    ],
    types: ['match'],
    packages: ['papaparse', 'tinypool', 'zod', 'node:'],
  },
  compare: {
    rooms: ['audit', 'compile', 'digest', 'errors', 'portions', 'precision', 'semantics', 'unknown-options', 'version'],
    types: ['contract', 'engine', 'evaluate'],
  },
  cases: {
    rooms: [
      'audit',
      'compile',
      'contract',
      'engine',
      'errors',
      'evaluate',
      'nearest-names',
      'precision',
      'semantics',
      'unknown-options',
      'why-not',
    ],
    packages: ['zod', 'node:'],
  },
  evade: { rooms: ['audit', 'compile', 'engine', 'precision-interval', 'semantics'], types: ['contract', 'evaluate'] },
  precision: {
    rooms: ['audit', 'contract', 'errors', 'files', 'precision-interval'],
    types: ['evaluate'],
    packages: ['zod', 'node:'],
  },
  tables: { rooms: [], types: ['audit', 'evaluate'], packages: ['hyparquet', 'hyparquet-writer'] },
  files: { rooms: ['errors', 'json-bounds'], packages: ['node:'] },
  listener: { rooms: ['errors', 'http'], types: [], packages: ['node:'] },
  service: {
    rooms: ['contract', 'errors', 'files', 'listener', 'loader', 'unknown-options'],
    packages: ['@hono/node-server', 'hono', 'zod', 'node:'],
  },
  bench: {
    rooms: ['compile', 'engine', 'match', 'portions', 'semantics'],
    types: ['contract', 'evaluate'],
    packages: ['re2js', 're2-wasm', 'node:'],
  },
  scorers: {
    rooms: ['client', 'compile', 'contract', 'digest', 'errors', 'score-scale', 'unknown-options'],
    types: ['evaluate'],
    packages: ['undici', 'zod', 'node:'],
  },
  moderator: {
    rooms: [
      'compare',
      'compile',
      'digest',
      'engine',
      'errors',
      'evaluate',
      'files',
      'loader',
      'portions',
      'scorers',
      'score-scale',
      'semantics',
      'unknown-options',
    ],
    types: ['contract'],
    packages: ['node:'],
  },
  http: {
    rooms: ['compile', 'errors', 'evaluate', 'json-bounds', 'nearest-names', 'portions', 'reason', 'unknown-options'],
    types: ['contract'],
  },
  mask: { rooms: ['errors', 'unknown-options'], types: ['evaluate', 'match'] },
  'precision-interval': { rooms: ['errors', 'unknown-options'] },
  reason: { rooms: ['errors', 'unknown-options'], types: ['evaluate'] },
  'why-not': {
    rooms: ['compile', 'engine', 'errors', 'evaluate', 'nearest-names', 'semantics', 'unknown-options'],
    types: ['contract'],
  },
  lint: {
    rooms: [
      'audit',
      'compare',
      'compile',
      'digest',
      'engine',
      'errors',
      'match',
      'nearest-names',
      'portions',
      'precision-interval',
      'semantics',
      'unknown-options',
    ],
    types: ['contract', 'evaluate'],
  },
  'nearest-names': { rooms: [] },
  'unknown-options': { rooms: ['errors', 'nearest-names'] },
  're2-wasm': { rooms: ['match'] },
  version: { rooms: [] },
  browser: {
    rooms: ['engine', 'errors', 'mask', 'reason', 'semantics'],
    types: ['compile', 'contract', 'evaluate', 'match'],
  },
  index: {
    rooms: [
      'audit',
      'cases',
      'client',
      'compare',
      'engine',
      'errors',
      'lint',
      'loader',
      'mask',
      'moderator',
      'precision-interval',
      'reason',
      'scorers',
      'semantics',
      'why-not',
    ],
    types: ['compile', 'contract', 'evaluate', 'match', 'precision'],
  },
  cli: {
    rooms: [
      'audit',
      'bench',
      'cases',
      'client',
      'compare',
      'compile',
      'contract',
      'digest',
      'engine',
      'errors',
      'evade',
      'evaluate',
      'files',
      'http',
      'lint',
      'listener',
      'loader',
      'media',
      'moderator',
      'nearest-names',
      'precision',
      're2-wasm',
      'score-scale',
      'scorers',
      'semantics',
      'service',
      'tables',
      'version',
      'why-not',
    ],
    packages: ['papaparse', 'zod', 'node:'],
  },
};

/** Rooms that must run in a browser: no `node:` module, no Buffer, no process, no timer of Node's own. */
const pure = [
  'errors',
  'portions',
  'json-bounds',
  'digest',
  'nearest-names',
  'unknown-options',
  'contract',
  'match',
  'semantics',
  'compile',
  'media',
  'score-scale',
  'evaluate',
  'engine',
  'http',
  'mask',
  'precision-interval',
  'reason',
  'why-not',
  'evade',
  'browser',
];

interface Import {
  readonly from: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.split('\\').join('/'))
  .sort();
const textOf = (file: string) => readFileSync(join(source, file), 'utf8');
const roomOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.ts$/, ''));

/** The imports of a file, also those in the middle of its code: `await import('…')` and `typeof import('…')`. */
function importsOf(file: string): Import[] {
  const inCode = [...textOf(file).matchAll(/(typeof )?\bimport\('([^']+)'\)/g)].map(([, type, specifier]) => ({
    ...{ from: file, target: targetOf(file, specifier!), typeOnly: type !== undefined },
  }));
  return [...statementsOf(file), ...inCode];
}

function targetOf(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts') : specifier;
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

/** The one module outside `src` that a room loads: data, made by `npm run fixtures`. */
const madeModules = ['../fixtures/everyday/texts.ts'];
const imports = files.flatMap(importsOf).filter(({ target }) => !madeModules.includes(target));

function isAllowed({ from, target, typeOnly }: Import): boolean {
  const room = roomOf(from);
  const allowed = arrows[room];
  if (allowed === undefined) return false;
  if (!target.endsWith('.ts')) {
    return (allowed.packages ?? []).some(
      (name) => target === name || target.startsWith(name.endsWith(':') ? name : `${name}/`),
    );
  }
  const other = roomOf(target);
  return other === room || allowed.rooms.includes(other) || (typeOnly && (allowed.types ?? []).includes(other));
}

describe('source tree', () => {
  it('imports: the scan finds them', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(files.length);
    expect(imports.filter(({ target }) => target.endsWith('.ts') && !files.includes(target))).toEqual([]);
  });

  it('imports: every edge between folders is allowed', () => {
    expect(imports.filter((edge) => !isAllowed(edge)).map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
  });

  it('imports: every arrow and every package of the table is a real import, and is there once', () => {
    const needless = Object.entries(arrows).flatMap(([room, { rooms, types = [], packages = [] }]) => {
      const own = imports.filter(({ from }) => roomOf(from) === room);
      const isTarget = (name: string, edge: Import) => edge.target.endsWith('.ts') && roomOf(edge.target) === name;
      const isUsed = (name: string) => own.some((edge) => isTarget(name, edge) && !edge.typeOnly);
      const isUsedAsType = (name: string) => !isUsed(name) && own.some((edge) => isTarget(name, edge));
      const isTaken = (name: string) =>
        own.some(({ target }) => target === name || target.startsWith(name.endsWith(':') ? name : `${name}/`));
      const doubled = [...rooms, ...types].filter((name, index, all) => all.indexOf(name) !== index);
      return [
        ...rooms.filter((name) => !isUsed(name)).map((name) => `${room} -> ${name}`),
        ...types.filter((name) => !isUsedAsType(name)).map((name) => `${room} -> ${name} (types)`),
        ...packages.filter((name) => !isTaken(name)).map((name) => `${room} -> ${name}`),
        ...doubled.map((name) => `${room} -> ${name}, twice`),
      ];
    });
    expect(needless).toEqual([]);
    expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(arrows).sort());
  });

  it('imports: the page of the plan has the same table', () => {
    const page = readFileSync(join(source, 'README.md'), 'utf8');
    const block = /^## Arrows\n[^`]*(?:`[^`\n]+`[^`]*)*```\n([\s\S]*?)```$/m.exec(page)?.[1] ?? '';
    const written = block.replace(/\n +/g, ' ').trimEnd().split('\n');
    const lines = Object.entries(arrows).map(([room, { rooms, types = [] }]) => {
      const targets = [rooms.join(', '), types.length > 0 ? `types: ${types.join(', ')}` : ''];
      return `${room} → ${targets.filter((words) => words !== '').join('; ') || 'nothing'}`;
    });
    expect(written).toEqual(lines);
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

  it('engine: imports nothing that a browser lacks', () => {
    const words = /'node:|\bBuffer\b|\bprocess\.|\brequire\(|\bglobal\.|\bsetImmediate\b/;
    const code = (file: string) => textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    expect(files.filter((file) => pure.includes(roomOf(file)) && words.test(code(file)))).toEqual([]);
  });

  it('words: no room below the command line names its options, variables or pages', () => {
    // Comments go; strings are taken whole, so that what looks like a comment in one is none.
    const parts = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
    const code = (text: string) => text.replace(parts, (part) => (/^\/[/*]/.test(part) ? '' : part));
    const named = /(?<=[\s`'"(])--[a-z][\w-]*|\bSLUICE_\w+|\breport\.html\b/g;
    const namedIn = (file: string) => code(textOf(file)).match(named) ?? [];
    expect(namedIn('cli/exit-code.ts')).toEqual(expect.arrayContaining(['--base-url', 'SLUICE_API_KEY']));
    const found = files.filter((file) => roomOf(file) !== 'cli' && namedIn(file).length > 0);
    expect(found).toEqual([
      // An option of V8.
      'bench/heap.ts',
    ]);
  });

  it('words: nobody takes a message apart', () => {
    const taken =
      /\b(?:message|reason|detail)\.(?:match|replace|replaceAll|includes|startsWith|split|slice)\(|\.(?:test|exec)\(\w*(?:[eE]rror|[rR]eason|fault)\.(?:message|reason)\)/;
    expect(files.filter((file) => taken.test(textOf(file)))).toEqual([
      // Messages of other programs, which say it no other way: zod, RE2.
      'contract/parse.ts',
      'match/patterns/rejection.ts',
    ]);
  });

  it('files: 400 lines at most', () => {
    const lengthOf = (file: string) => textOf(file).split('\n').length - 1;
    expect(Math.max(...files.map(lengthOf))).toBeGreaterThan(100);
    expect(files.filter((file) => lengthOf(file) > 400)).toEqual([
      // Longer ones, each with the reason why it is one concept.
    ]);
  });

  it('files: no `index.ts` but the public one', () => {
    expect(files.filter((file) => file.includes('/') && file.endsWith('/index.ts'))).toEqual(['service/index.ts']);
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
