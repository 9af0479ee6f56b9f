import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { wasmPattern } from './contenders/searches.js';
import { isDropped } from './corpora/rule-set.js';
import { curveSchema, type Definition, definitionSchema, definitionsOf } from './definition.js';
import type { ModelName } from './models.js';
import { projectRoot } from './record.js';
import type { Workload } from './rules/contenders.js';
import { nativePattern } from './rules/searches.js';
import { createWorkload, type Mode } from './workload.js';

/**
 * The right count of a definition: every term by `indexOf` in the lower-case text, every pattern by
 * `RegExp`, or by RE2 for the hostile ones, on which `RegExp` would not finish. It shares no code
 * with the engine.
 */
export function naiveCount(model: ModelName, { texts, terms, patterns, ruleSet, ask }: Workload): number {
  const lower = terms.map((term) => term.toLowerCase());
  const compiled = patterns.map((text) => (model === 'hostile' ? wasmPattern(text) : nativePattern(text)));
  const sum = (count: (folded: string, text: string) => number, items = texts) =>
    items.reduce((total, text) => total + count(text.toLowerCase(), text), 0);
  const weigh = (found: boolean, index: number) => (found ? (isDropped(index, ruleSet.rules.length) ? 2 : 1) : 0);
  const weight = (folded: string, text: string) =>
    Math.max(
      0,
      ...lower.map((term, index) => weigh(folded.includes(term), index)),
      ...compiled.map((pattern, index) => weigh(pattern.test(text), index)),
    );
  if (model === 'words') return sum((folded) => wordCount(folded, lower, ask));
  if (model === 'patterns' || model === 'hostile') {
    return sum((_, text) => {
      const found = compiled.filter((pattern) => pattern.test(text)).length;
      return ask === 'all' ? found : Math.min(1, found);
    });
  }
  // Each message that is answered as an engine decides.
  if (model === 'http') return texts.length;
  if (model === 'compile') return sum((folded, text) => Math.min(1, weight(folded, text)), texts.slice(0, 20));
  return sum(weight);
}

function wordCount(folded: string, terms: readonly string[], ask: Workload['ask']): number {
  let hits = 0;
  for (const term of terms) {
    for (let at = folded.indexOf(term); at >= 0; at = folded.indexOf(term, at + 1)) hits += 1;
    if (hits > 0 && ask === 'first') return 1;
  }
  return hits;
}

/**
 * Writes the naive counts into the definitions and curves. For a definition or a corpus that is
 * meant to change, never to make a failing run pass: a review reads the difference.
 */
export function writeCounts(isWanted: (named: { name: string }) => boolean, onProgress: (line: string) => void): void {
  const count = (definition: Definition, mode: Mode) => {
    const right = naiveCount(definition.model, createWorkload(definition, mode));
    onProgress(`${definition.name}, ${mode}: ${right}`);
    return right;
  };
  const counts = (definition: Definition) => ({ quick: count(definition, 'quick'), full: count(definition, 'full') });
  rewrite('bench/definitions', (raw) => {
    const definition = definitionSchema.parse(raw);
    return isWanted(definition) ? { ...raw, expected: counts(definition) } : raw;
  });
  rewrite('bench/curves', (raw) => {
    const curve = curveSchema.parse(raw);
    if (!isWanted(curve)) return raw;
    const expected = definitionsOf(curve).map(counts);
    return { ...raw, points: (raw.points as object[]).map((point, at) => ({ ...point, expected: expected[at] })) };
  });
}

function rewrite(folder: string, change: (raw: Record<string, unknown>) => unknown): void {
  for (const name of readdirSync(join(projectRoot, folder)).filter((entry) => entry.endsWith('.json'))) {
    const path = join(projectRoot, folder, name);
    const entries = z.array(z.looseObject({})).parse(JSON.parse(readFileSync(path, 'utf8')));
    writeFileSync(path, `${JSON.stringify(entries.map(change), null, 2)}\n`);
  }
}
