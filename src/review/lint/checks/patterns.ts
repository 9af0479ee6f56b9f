import { textOperands } from '../../../engine/compile/operands.js';
import { misreadEdge } from '../../../engine/compile/slips.js';
import { partsAtCommas, unboundedIn, wordOf } from '../../../engine/match/patterns/syntax.js';
import type { Check, LintContext } from '../context.js';
import type { Entry } from '../entries.js';
import type { Found } from '../finding.js';

/** Each pattern that runs, with its place. */
const patternsOf = ({ languages, sources }: LintContext) => sources.placed(languages.patterns());

/** Finds patterns that the empty text fires, and so every text. */
export const matchesEmpty: Check = {
  id: 'matches-empty',
  severity: 'error',
  *find(context) {
    const empty = context.languages.firedBy('');
    for (const { entry, place } of patternsOf(context)) {
      if (!empty.has(entry.language)) continue;
      const mend = 'require something: `+` for `*`, or at least one of the parts';
      yield { ...place, detail: 'matches the empty text', mend, witness: '' };
    }
  },
};

/** Finds patterns that no text fires. */
export const neverFires: Check = {
  id: 'never-fires',
  severity: 'error',
  *find(context) {
    for (const { entry, place } of patternsOf(context)) {
      if (context.languages.shortestOf(entry.language)?.kind !== 'included') continue;
      const detail = 'no text fires it: what it requires in one place excludes what it requires in another';
      yield { ...place, detail, mend: 'take out the anchor or word edge that cannot hold', proof: 'proved' };
    }
    yield* exceptedAlways(context);
  },
};

/** Finds terms that are exceptions to themselves, in all conditions that name their list. */
function* exceptedAlways({ compiled, languages, sources }: LintContext): Generator<Found> {
  if (compiled.exceptions === undefined) return;
  // Lists whose terms are found in another way as well: as the whole text, or as patterns.
  const others = textOperands.flatMap((operand) => [
    ...compiled.words.references[operand].references.filter(({ condition }) => sources.isWhole(condition)),
    ...compiled.patterns.references[operand].references,
  ]);
  const foundOtherwise = new Set(others.map(({ listId }) => listId));
  const keyOf = ({ reference }: Entry) => JSON.stringify([reference.listId, reference.written]);
  const firing = new Set<string>();
  for (const entry of languages.terms()) {
    if (languages.exceptionTo(entry) !== undefined) continue;
    firing.add(keyOf(entry));
  }
  for (const { entry, place } of sources.placed(languages.terms())) {
    const by = languages.exceptionTo(entry);
    const { listId } = entry.reference;
    if (by === undefined || (listId !== undefined && (firing.has(keyOf(entry)) || foundOtherwise.has(listId))))
      continue;
    const witness = languages.sampleOf(entry.language);
    yield {
      ...place,
      detail: `each of its matches lies inside exception \`${by.written.slice(0, 60)}\``,
      mend: sources.exceptionLists.has(listId ?? '')
        ? 'name its list in rules or in exceptions, not in both'
        : 'take out the term or the exception',
      ...(witness !== undefined && { witness }),
    };
  }
}

/** Finds patterns of lists that are several patterns joined by commas, so that one of the parts is not found alone. */
export const joinedPatterns: Check = {
  id: 'joined-patterns',
  severity: 'error',
  *find(context) {
    for (const { entry, place } of patternsOf(context)) {
      if (place.listId === undefined || place.pattern === undefined) continue;
      const parts = partsAtCommas(place.pattern);
      if (parts.length < 2 || !areSeveral(parts)) continue;
      const witness = context.languages.missedOf(parts, entry);
      if (witness === undefined) continue;
      const detail = `is ${parts.length} patterns joined by commas, and fires only where all of them stand in a row`;
      const mend = `split it into ${parts.length} entries; a comma within a pattern is an ordinary character`;
      yield { ...place, detail, mend, witness };
    }
  },
};

/** Matches a joint of two patterns: an end of the text before the comma, a beginning after it, or word edges on both sides. */
const meeting = /(?:\$|\\z)\n|\n(?:\^|\\A|\(\?i\))|\\b\n\\b/;
/** Reports whether a part is a pattern of its own, with a word and something else. In a sentence, a blank follows the comma. */
const isSentence = (part: string) =>
  !/^(?:\\s|[\s?*+{])/.test(part) && /\p{L}{3}/u.test(part.replace(/\\[a-zA-Z]/g, '')) && /[\\[(.*+?|]/.test(part);

/** Reports whether the parts look like patterns of their own: they have anchors at the joints, or each has a word and more. */
function areSeveral(parts: readonly string[]): boolean {
  if (parts.some((part) => part.trim() === '')) return false;
  return meeting.test(parts.map((part) => part.trim()).join('\n')) || parts.every(isSentence);
}

/** Finds each `\b` that is not an edge of the adjacent word. The engine reports only the first of a list. */
export const misreadEdges: Check = {
  id: 'misread-edge',
  severity: 'error',
  *find(context) {
    for (const { place } of patternsOf(context)) {
      const found = misreadEdge(place.pattern ?? '');
      if (found !== undefined) yield { ...place, detail: found.detail, mend: found.fix };
    }
  },
};

/** Finds patterns that are words: a term finds them too, in all spellings that count as equal. */
export const plainWord: Check = {
  id: 'plain-word',
  severity: 'info',
  *find(context) {
    for (const { place } of patternsOf(context)) {
      const word = wordOf(place.pattern ?? '');
      if (word === undefined || misreadEdge(place.pattern ?? '') !== undefined) continue;
      yield {
        ...place,
        detail: `is the word \`${word}\``,
        mend: 'write it as a term of a condition or list of category `word`',
      };
    }
  },
};

/** Finds repetition without a bound, which the documents of the platform advise against. */
export const discouragedPattern: Check = {
  id: 'discouraged-pattern',
  severity: 'info',
  *find(context) {
    for (const { place } of patternsOf(context)) {
      const repeated = unboundedIn(place.pattern ?? '');
      if (repeated === undefined) continue;
      const detail = `repeats without a bound, \`${repeated.slice(0, 40)}\`, which the platform advises against`;
      yield { ...place, detail, mend: 'bound it, as in `[a-z]{1,50}`' };
    }
  },
};
