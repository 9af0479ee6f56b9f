import type { Use, UseIndex } from './compiled-rule-set.js';

/** Puts uses in the order of what they use. `keys[n]` is what `uses[n]` uses. */
export function indexUses(uses: readonly Use[], keys: readonly number[], count: number): UseIndex {
  const from = new Int32Array(count + 1);
  for (const key of keys) from[key + 1]!++;
  for (let key = 0; key < count; key++) from[key + 1]! += from[key]!;
  const next = from.slice();
  const sorted = new Array<Use>(uses.length);
  for (const [index, use] of uses.entries()) sorted[next[keys[index]!]!++] = use;
  return { from, uses: sorted };
}
