import type { Check } from '../context.js';
import { type Entry, named, type Place } from '../entries.js';

/** Two of a rule that are one word by different edges or case: neither covers the other, though that was probably meant. */
export const nearlyCovered: Check = {
  id: 'nearly-covered',
  severity: 'info',
  *find({ languages, semantics, sources }) {
    if (semantics.conditions === 'all') return;
    const known = new Map<string, { readonly entry: Entry; readonly place: Place }>();
    for (const { entry, place } of sources.placed(languages.all())) {
      const word = entry.reference.scopes === undefined ? languages.wordOf(entry) : undefined;
      if (word === undefined) continue;
      const key = JSON.stringify([place.ruleId, entry.operand, word]);
      const other = known.get(key);
      if (other === undefined) known.set(key, { entry, place });
      const witness = other && languages.missedBoth(entry.language, other.entry.language);
      if (other === undefined || witness === undefined) continue;
      const detail = `is nearly ${named(other.place, place.ruleId)}: they differ in word edges or case, and each fires on texts of its own`;
      yield { ...place, detail, mend: 'write the one that is meant', witness };
    }
  },
};
