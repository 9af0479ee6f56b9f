import { namesLists } from '../../../engine/compile/list-flags.js';
import { asFields, asList } from '../../../engine/compile/untrusted.js';
import { charactersOf, createTermReader } from '../../../engine/compile/word-readings.js';
import { foldText } from '../../../engine/match/folding.js';
import { joinsWords } from '../../../engine/match/word-edges.js';
import type { Check } from '../context.js';
import type { Found } from '../finding.js';

/** Finds keyword lists that no rule and no reading names. */
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
    for (const listId of sources.lists.keys()) {
      if (!used.has(listId))
        yield { listId, detail: 'no rule names it', mend: 'take it out, or name it in a condition' };
    }
  },
};

/** Finds terms of one letter or digit, which occur as words in messages: `u`, `2`. */
export const oneLetterTerm: Check = {
  id: 'one-letter-term',
  severity: 'warning',
  *find({ languages, semantics, sources }) {
    const { read } = createTermReader(semantics);
    for (const { entry, place } of sources.placed(languages.terms())) {
      const { written, listId, condition } = entry.reference;
      const { text, reading, folding } = read(written, listId);
      if (text.length > 2 || reading === 'links' || sources.isWhole(condition)) continue;
      const [symbol, ...others] = foldText(text, charactersOf(folding));
      if (symbol === undefined || others.length > 0 || symbol < 0 || !joinsWords(symbol)) continue;
      const detail = 'is a single letter or digit, which many messages have as a word';
      const found: Found = {
        ...place,
        detail,
        mend: 'take it out, or write the words that it is part of',
      };
      yield { ...found, witness: text };
    }
  },
};
