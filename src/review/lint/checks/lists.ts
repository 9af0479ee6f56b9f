import { namesLists } from '../../../engine/compile/list-flags.js';
import { asFields, asList } from '../../../engine/compile/untrusted.js';
import { charactersOf } from '../../../engine/compile/word-readings.js';
import { foldText } from '../../../engine/match/folding.js';
import { joinsWords } from '../../../engine/match/word-edges.js';
import { nearestNames } from '../../../foundation/nearest-names.js';
import type { Check } from '../context.js';

/** Finds keyword lists that neither a rule nor a reading names. */
export const unusedList: Check = {
  id: 'unused-list',
  severity: 'warning',
  *find({ ruleSet, semantics, sources }) {
    const conditions = ruleSet.rules.flatMap((rule) => asList(asFields(rule)?.conditions).map(asFields));
    const used = new Set(conditions.flatMap((fields) => (fields && namesLists(fields) ? asList(fields.value) : [])));
    for (const exception of semantics.exceptions) {
      if (typeof exception === 'string') continue;
      for (const listId of [...(exception.lists ?? []), ...(exception.for?.lists ?? [])]) used.add(listId);
    }
    if (typeof semantics.words === 'object') for (const listId of Object.keys(semantics.words.lists)) used.add(listId);
    const missing = [...used].filter((id): id is string => typeof id === 'string' && !sources.lists.has(id));
    for (const listId of sources.lists.keys()) {
      if (used.has(listId)) continue;
      const [near] = nearestNames(listId, missing);
      const hint = near === undefined ? '' : `; \`${near}\` is named and is not there, and this may be it`;
      yield { listId, detail: `no rule names it${hint}`, mend: 'take it out, or name it in a condition' };
    }
  },
};

/** Finds terms of one letter or digit, such as `u` and `2`, which messages use as words. */
export const oneLetterTerm: Check = {
  id: 'one-letter-term',
  severity: 'warning',
  *find({ firing, sources }) {
    for (const { entry, place } of sources.placed(firing.terms())) {
      const { text, reading, folding } = firing.readOf(entry);
      if (text.length > 2 || reading === 'links' || reading === 'whole') continue;
      const [symbol, ...rest] = foldText(text, charactersOf(folding));
      if (symbol === undefined || rest.length > 0 || symbol < 0 || !joinsWords(symbol)) continue;
      const detail = 'is a single letter or digit, which many messages have as a word';
      yield { ...place, detail, mend: 'take it out, or write the words that it is part of', witness: text };
    }
  },
};
