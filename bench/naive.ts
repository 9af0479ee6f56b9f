import { RE2 } from 're2-wasm';
import type { Material, ModelName, Needle } from '../src/bench/model.js';

/**
 * The right count of a definition, found the long way: every term by `indexOf` in the lower-case text, every pattern by
 * `RegExp`, or by Google's RE2 where that would not finish. Definitions carry what this answered when they were written; it shares no code with the engine.
 */
export function naiveCount(model: ModelName, { texts, terms, patterns, ask }: Material): number {
  const lower = terms.map(({ text, weight }) => ({ text: text.toLowerCase(), weight }));
  const compiled = patterns.map(model === 'hostile' ? compileWasm : compileNative);
  const sum = (count: (folded: string, text: string) => number, items = texts) =>
    items.reduce((total, text) => total + count(text.toLowerCase(), text), 0);
  const weight = (folded: string, text: string) =>
    Math.max(
      0,
      ...lower.filter((term) => folded.includes(term.text)).map((term) => term.weight),
      ...compiled.filter(({ test }) => test(text)).map((pattern) => pattern.weight),
    );
  if (model === 'words') return sum((folded) => wordCount(folded, lower, ask));
  if (model === 'patterns' || model === 'hostile') {
    return sum((_, text) => {
      const found = compiled.filter(({ test }) => test(text)).length;
      return ask === 'all' ? found : Math.min(1, found);
    });
  }
  if (model === 'compile') return sum((folded, text) => Math.min(1, weight(folded, text)), texts.slice(0, 20));
  return sum(weight);
}

function wordCount(folded: string, terms: readonly Needle[], ask: Material['ask']): number {
  let hits = 0;
  for (const { text } of terms) {
    for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + 1)) hits += 1;
    if (hits > 0 && ask === 'first') return 1;
  }
  return hits;
}

function compileWasm({ text, weight }: Needle) {
  const expression = text.startsWith('(?i)') ? new RE2(text.slice(4), 'iu') : new RE2(text, 'u');
  return { weight, test: (subject: string) => expression.test(subject) };
}

function compileNative({ text, weight }: Needle) {
  const source = text
    .replace(/^\(\?i\)/, '')
    .replaceAll('\\x{', '\\u{')
    .replaceAll('\\p{Cyrillic}', '\\p{sc=Cyrl}');
  const flags = (text.startsWith('(?i)') ? 'i' : '') + (/\\[pu]\{|[^ -~]/.test(source) ? 'u' : '');
  const expression = new RegExp(source, flags);
  return { weight, test: (subject: string) => expression.test(subject) };
}
