/**
 * Checks of patterns that match everything or nothing, or that are not read as their author meant.
 */
import type { Check, LintContext } from '../context.js';
import type { Found } from '../finding.js';
import { edgeBesideForeignLetter, partsAtCommas, realEdge } from '../pattern-syntax.js';
import { placeKeyOf, placesIn } from '../places.js';

/** Returns each pattern that runs, with its place. */
const patternsOf = ({ firing, sources }: LintContext) => sources.placed(firing.patterns());

/** Finds patterns that match the empty text, and so every text. */
export const matchesEmpty: Check = {
  id: 'matches-empty',
  severity: 'error',
  *find(context) {
    const empty = context.firing.firedBy('');
    for (const { entry, place } of patternsOf(context)) {
      if (!empty.has(entry.language)) continue;
      const mend = 'require something: `+` for `*`, or at least one of the parts';
      yield { ...place, detail: 'matches the empty text', mend, witness: '' };
    }
  },
};

/** Finds patterns that match no text. */
export const neverFires: Check = {
  id: 'never-fires',
  severity: 'error',
  *find(context) {
    for (const { entry, place } of patternsOf(context)) {
      const shortest = context.firing.shortestOf(entry);
      if (shortest === undefined || shortest.text !== undefined) continue;
      const detail = 'no text fires it: what it requires in one place excludes what it requires in another';
      yield { ...place, detail, mend: 'take out the anchor or word edge that cannot hold' };
    }
    yield* exceptedAlways(context);
  },
};

/**
 * Finds terms to which an exception applied in every text that was tried, in all conditions that
 * name their list.
 */
function* exceptedAlways({ unfiltered, firing, sources }: LintContext): Generator<Found> {
  // Another rule may use the same list for patterns.
  const asPatterns = new Set([...firing.patterns()].flatMap(({ reference }) => reference.listId ?? []));
  for (const { entry, place } of sources.placed(firing.terms())) {
    const { reading, folding } = firing.readOf(entry);
    const hasTooManyForms = reading === 'links' || folding === 'hardened';
    if (entry.reference.scopes === undefined || hasTooManyForms || asPatterns.has(place.listId ?? '')) continue;
    const key = placeKeyOf(place);
    let by: string | undefined;
    let firstText: string | undefined;
    for (const { text } of firing.textsOf(entry)) {
      const { matched, excepted } = unfiltered.explain(text);
      const found = excepted.find(
        ({ ruleId, conditionId, match }) =>
          match.kind === 'word' && placeKeyOf({ ruleId, conditionId, ...match }) === key,
      );
      by = [...placesIn(matched)].some((hit) => hit.key === key)
        ? undefined
        : (found?.exception.term ?? found?.exception.pattern);
      firstText ??= text;
      if (by === undefined) break;
    }
    if (by === undefined) continue;
    yield {
      ...place,
      detail: `exception \`${by.slice(0, 60)}\` applies to it in every text that was tried`,
      mend: sources.exceptionLists.has(place.listId ?? '')
        ? 'name its list in rules or in exceptions, not in both'
        : 'take out the term or the exception',
      ...(firstText !== undefined && { witness: firstText }),
    };
  }
}

/**
 * Finds entries of lists that are several patterns joined by commas. Such an entry matches only all
 * of them in a row.
 */
export const joinedPatterns: Check = {
  id: 'joined-patterns',
  severity: 'error',
  *find(context) {
    for (const { entry, place } of patternsOf(context)) {
      if (place.listId === undefined || place.pattern === undefined) continue;
      const patterns = partsAtCommas(place.pattern);
      if (patterns.length < 2 || !areSeveral(patterns)) continue;
      const texts = patterns.map((pattern) => context.firing.shortestOf(entry, pattern)?.text);
      if (texts.includes(undefined)) continue;
      const witness = texts.find((text) => !context.firing.firedBy(text!).has(entry.language));
      if (witness === undefined) continue;
      const detail = `is ${patterns.length} patterns joined by commas, and fires only where all of them stand in a row`;
      const mend = `split it into ${patterns.length} entries; a comma within a pattern is an ordinary character`;
      yield { ...place, detail, mend, witness };
    }
  },
};
/**
 * Matches where two patterns are joined: an end of the text before the comma, a beginning of the
 * text after it, or word edges on both sides.
 */
const meeting = /(?:\$|\\z)\n|\n(?:\^|\\A|\(\?i\))|\\b\n\\b/;
/**
 * Reports whether a piece looks like a pattern by itself: it has a word and something else. In a
 * sentence, a blank follows the comma.
 */
const isSentence = (piece: string) =>
  !/^(?:\\s|[\s?*+{])/.test(piece) && /\p{L}{3}/u.test(piece.replace(/\\[a-zA-Z]/g, '')) && /[\\[(.*+?|]/.test(piece);

/**
 * Reports whether the pieces look like separate patterns: they have anchors where they are joined,
 * or each has a word and more.
 */
function areSeveral(pieces: readonly string[]): boolean {
  if (pieces.some((piece) => piece.trim() === '')) return false;
  return meeting.test(pieces.map((piece) => piece.trim()).join('\n')) || pieces.every(isSentence);
}

/**
 * Finds each `\b` beside a letter that is not ASCII, where RE2 sees no word edge, and each `\b`
 * with a doubled backslash.
 */
export const misreadEdges: Check = {
  id: 'misread-edge',
  severity: 'error',
  *find(context) {
    for (const { place } of patternsOf(context)) {
      const pattern = place.pattern ?? '';
      const beside = edgeBesideForeignLetter(pattern);
      if (/(?<!\\)\\\\b\)*$|^(?:\(\?[a-zA-Z]+\)|\()*\\\\b(?=[([\\])/.test(pattern)) {
        const detail = '`\\\\b` is a backslash and a `b`, not the edge of a word';
        yield { ...place, detail, mend: 'write the edge as `\\b`, in JSON `"\\\\b"`' };
      } else if (beside !== undefined) {
        const letter = `\`\\b\` beside \`${beside.letter.slice(0, 20)}\``;
        const detail = `${letter} is an edge of a word in ASCII text alone, so it does not hold between that letter and a blank`;
        const edges = `write \`${realEdge.start}\` for \`\\b\` before a word, and \`${realEdge.end}\` behind one`;
        yield { ...place, detail, mend: pattern.length > 200 ? edges : `write \`${beside.mended}\`` };
      }
    }
  },
};
