/**
 * Slips in terms and patterns, which are read as they are written, probably not as their author
 * meant. Each list has at most one finding of a kind. It shows the first term or pattern with the
 * slip, how many there are, and three of them.
 */
import { marksAlone } from '../../../engine/match/accents.js';
import type { Check, LintContext } from '../context.js';
import type { Entry, Place } from '../entries.js';
import type { FindingId, Found } from '../finding.js';
import { foreignSyntaxIn } from '../foreign-syntax.js';
import { piecesOf } from '../pattern-syntax.js';

/** The finding for one term or pattern. */
type Slip = Pick<Found, 'detail' | 'mend' | 'witness'>;

/**
 * A term or pattern without blanks at its ends. Links are not checked, since the way that they are
 * written does not matter.
 */
interface Written {
  readonly text: string;
  readonly entry: Entry;
  readonly context: LintContext;
}

function slipCheck(id: FindingId, kind: Entry['kind'], slipOf: (written: Written) => Slip | undefined): Check {
  return {
    id,
    severity: 'warning',
    *find(context) {
      const { firing, sources } = context;
      const found = new Map<string, { readonly place: Place; readonly slip: Slip; readonly alike: string[] }>();
      for (const { entry, place } of sources.placed(kind === 'word' ? firing.terms() : firing.patterns())) {
        if (kind === 'word' && firing.readOf(entry).reading === 'links') continue;
        const { written } = entry.reference;
        const slip = slipOf({ text: written, entry, context });
        if (slip === undefined) continue;
        const key = JSON.stringify(place.listId ?? [place.ruleId, place.conditionId]);
        const first = found.get(key);
        if (first === undefined) found.set(key, { place, slip, alike: [] });
        else first.alike.push(written);
      }
      for (const { place, slip, alike } of found.values())
        yield { ...place, ...slip, detail: `${slip.detail}${more(alike)}` };
    },
  };
}

/** Returns the end of a detail: `; 5 more are like it: `f*ck`, `x*y`, …`. */
function more(alike: readonly string[]): string {
  if (alike.length === 0) return '';
  const named = alike.slice(0, 2).map((written) => `\`${written.slice(0, 60)}\``);
  return `; ${alike.length + 1} are like this, among them ${named.join(' and ')}`;
}

/**
 * Invisible characters, except those that a script needs: joiners in emoji, joiners between letters
 * that are not Latin, Greek or Cyrillic, and U+200B between words of scripts that are written
 * without spaces.
 */
const hidden =
  /[\u00AD\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]|(?<![\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{M}])\u200B|(?<=^|[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}])[\u200C\u200D]/u;

/**
 * Constructs of patterns that do not occur in words: classes, alternatives, escapes, repetitions,
 * and the arrow of a table of replacements.
 */
const expression =
  /\\[bBdDsSwW]|\(\?|\([^()]*\|[^()]*\)|\[[^\]\s]{2,}\]|[)\]]?[\p{L}\p{N})\]]\{\d+(?:,\d*)?\}|\.[*+]|[\p{L}\p{N})\]][*+]\?|^=>|\s=>\s/u;

/**
 * An asterisk beside a letter: at an end of a term, as in `cat*`, or inside it, but not as in
 * `f***`.
 */
const wildEnd = /^\*[\p{L}\p{N}\p{M}_]|[\p{L}\p{N}\p{M}_]\*$/u;
const wildInside = /[\p{L}\p{N}\p{M}]\*[\p{L}\p{N}]/u;

/** Checks of how terms and patterns are written. */
export const slipChecks: readonly Check[] = [
  slipCheck('empty-term', 'word', ({ text, entry, context }) => {
    const { reading, folding } = context.firing.readOf(entry);
    if (folding !== 'accents' || !marksAlone.test(text.trim()) || (reading === 'whole' && /\s/.test(text.trim())))
      return undefined;
    return { detail: 'consists of marks, which do not count under `accents`: it never matches', mend: 'take it out' };
  }),
  slipCheck('unread-wildcard', 'word', ({ text, entry, context: { firing, semantics } }) => {
    if (firing.readOf(entry).reading === 'whole') return undefined;
    const isRead = semantics.wildcards !== 'off';
    if (isRead ? !wildInside.test(text) : !wildEnd.test(text)) return undefined;
    return isRead
      ? {
          detail: 'matches the asterisk inside it as it is written; only one at an end stands for more letters',
          mend: 'write the word, or a pattern',
        }
      : {
          detail: 'matches its asterisk as it is written',
          mend: "for parts of words, set the reading `wildcards: 'asterisk'`",
        };
  }),
  slipCheck('trimmed-term', 'word', ({ text, entry, context }) => {
    if (context.firing.readOf(entry).reading === 'whole' || text === text.trim()) return undefined;
    return { detail: 'is read without the blanks at its ends', mend: 'write it without them' };
  }),
  slipCheck('hidden-character', 'word', ({ text, entry, context }) => {
    const found = hidden.exec(text.trim())?.[0];
    // Under `hardened`, messages need not contain the hidden characters.
    if (found === undefined || context.firing.readOf(entry).folding === 'hardened') return undefined;
    const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return { detail: `holds a character that cannot be seen, U+${code}`, mend: 'write it without' };
  }),
  slipCheck('unread-expression', 'word', ({ text }) => {
    if (!expression.test(text)) return undefined;
    return {
      detail: 'looks like a pattern, and is found as it is written',
      mend: 'give the condition or list the category `pattern`, or write the words',
    };
  }),
  slipCheck('misread-pattern', 'pattern', ({ text }) => {
    const found = foreignSyntaxIn(text);
    return found && { detail: `RE2 reads \`${found.construct.slice(0, 30)}\` as plain characters`, mend: found.fix };
  }),
  slipCheck('one-case-pattern', 'pattern', ({ text, entry, context: { firing, semantics } }) => {
    const small = caseOf(text);
    if (semantics.patterns === 'insensitive' || small === undefined) return undefined;
    const sample = firing.sampleOf(entry);
    const witness = small ? sample?.toUpperCase() : sample?.toLowerCase();
    if (witness === undefined || firing.firedBy(witness).has(entry.language)) return undefined;
    const [has, lacks] = small ? ['small', 'capitals'] : ['capital', 'small letters'];
    return { detail: `has ${has} letters alone, and does not find ${lacks}`, mend: 'begin it with `(?i)`', witness };
  }),
];

/**
 * Reports whether all letters of a pattern are lowercase (true) or all are capitals (false).
 * Undefined if it has both or no letters, or `(?i)`.
 */
function caseOf(pattern: string): boolean | undefined {
  let [hasSmall, hasCapitals] = [false, false];
  for (const { text } of piecesOf(pattern)) {
    if (/^\(\?[a-zA-Z]*i/.test(text)) return undefined;
    // Letters in classes, such as `\p{Lu}` and `[[:upper:]]`, and in the syntax of groups are not
    // literal.
    const isLiteral = /^(?:\[|[\s\S]$)/u.test(text);
    const letters = isLiteral ? text.replace(/\\[pP](?:\{[^}]*\}|.)|\[:\^?\w+:\]|\\x\{?[0-9A-Fa-f]+\}?|\\./g, '') : '';
    hasSmall ||= /\p{Ll}/u.test(letters);
    hasCapitals ||= /\p{Lu}/u.test(letters);
  }
  return hasSmall === hasCapitals ? undefined : hasSmall;
}
