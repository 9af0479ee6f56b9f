import { RE2 } from 're2-wasm';
import { RE2JS, RE2Set } from 're2js';
import type { PatternEngine } from '../../match/patterns/engine.js';
import { re2wasm } from '../../match/patterns/re2-wasm.js';
import { re2js } from '../../match/patterns/re2js.js';
import { translatePattern } from '../../match/patterns/translate.js';
import { type Ask, type Contender, type Material, type Needle, ours, type Runner } from '../model.js';
import { localRunner } from '../pass.js';
import { charCodeFloor } from './floor.js';
import { nativePattern } from './regexp-source.js';

/** Our pattern stage by itself, on one of its engines. Terms that are asked for with the patterns are none of its business. */
function seam(name: string, engine: PatternEngine): Contender {
  return {
    name,
    prepare: ({ texts, patterns, ask }) => {
      const set = engine.compile(
        patterns.map(({ text }) => ({ source: translatePattern(text), insensitive: false, whole: false })),
      );
      let found = 0;
      const onMatch = () => {
        found += 1;
      };
      const close = () => set.close();
      return localRunner(
        texts,
        (text) => {
          found = 0;
          set.mark(text, onMatch);
          return ask === 'all' || found === 0 ? found : 1;
        },
        close,
      );
    },
  };
}

/** Asks patterns one after the other; at the first that matches it stops, where that is the question. */
function oneByOne<Pattern>(
  { texts, patterns, ask }: Material,
  compile: (pattern: Needle) => Pattern,
  test: (pattern: Pattern, text: string) => boolean,
): Runner {
  const compiled = patterns.map(compile);
  if (ask === 'first') {
    return localRunner(texts, (text) => {
      for (const pattern of compiled) if (test(pattern, text)) return 1;
      return 0;
    });
  }
  return localRunner(texts, (text) => {
    let found = 0;
    for (const pattern of compiled) if (test(pattern, text)) found += 1;
    return found;
  });
}

/** `re2-wasm` takes no inline flags before its own translation, and wants `u`. */
export function wasmPattern({ text }: Needle): RE2 {
  return text.startsWith('(?i)') ? new RE2(text.slice(4), 'iu') : new RE2(text, 'u');
}

const each: readonly Contender[] = [
  {
    name: 'RegExp per pattern',
    note: 'backtracking: fast here, without end on hostile input',
    prepare: (material) => oneByOne(material, nativePattern, (pattern, text) => pattern.test(text)),
  },
  {
    name: 're2-wasm per pattern',
    prepare: (material) => oneByOne(material, wasmPattern, (pattern, text) => pattern.test(text)),
  },
  {
    name: 're2js per pattern',
    prepare: (material) =>
      oneByOne(
        material,
        ({ text }) => RE2JS.compile(translatePattern(text)),
        (pattern, text) => pattern.test(text),
      ),
  },
  {
    name: 're2js RE2Set',
    note: 'one pass for all patterns',
    prepare: ({ texts, patterns, ask }) => {
      const set = new RE2Set();
      for (const { text } of patterns) set.add(translatePattern(text));
      set.compile();
      return localRunner(texts, (text) =>
        ask === 'all' ? set.match(text).length : Math.min(1, set.match(text).length),
      );
    },
  },
];

/** Where one answer is enough, all patterns can be one expression. */
const oneRegExp: Contender = {
  name: 'one RegExp',
  note: 'patterns of equal flags joined',
  prepare: ({ texts, patterns }) => {
    const byFlags = new Map<string, string[]>();
    for (const { source, flags } of patterns.map(nativePattern)) {
      byFlags.set(flags, [...(byFlags.get(flags) ?? []), `(?:${source})`]);
    }
    const joined = [...byFlags].map(([flags, sources]) => new RegExp(sources.join('|'), flags));
    return localRunner(texts, (text) => {
      for (const expression of joined) if (expression.test(text)) return 1;
      return 0;
    });
  },
};

/** Who matches patterns without needing a package that Sluice does not have. */
export function patternContenders(ask: Ask): readonly Contender[] {
  const joined = ask === 'first' ? [oneRegExp] : [];
  return [seam(ours, re2js), seam(`${ours} on re2-wasm`, re2wasm), ...each, ...joined, charCodeFloor];
}
