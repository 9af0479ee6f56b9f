/**
 * Slips in the writing of a term or pattern: it is looked for as written, which its author probably
 * did not mean.
 */
import { marksAlone } from '../match/accents.js';
import { foreignSyntaxIn } from '../match/patterns/foreign-syntax.js';
import { type EdgeSide, edgesBesideForeignLetters, wordOf } from '../match/patterns/syntax.js';
import { hasWildEnd } from './word-readings.js';

/** The codes of such slips, each a warning. */
export type SlipCode =
  | 'empty-term'
  | 'unread-wildcard'
  | 'trimmed-term'
  | 'joined-terms'
  | 'hidden-character'
  | 'unread-pattern'
  | 'misread-edge'
  | 'misread-pattern';

/** Characters that most terms lack, so that they are examined no further. */
const unusual = /[,;/\n\r\v\f\u0085\u2028\u2029\p{Cf}]/u;
const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;
/**
 * Characters that cannot be seen. Not those that a script needs: joiners in emoji, and between
 * letters that are neither Latin, Greek nor Cyrillic, and U+200B between words of scripts that are
 * written without spaces.
 */
const hidden =
  /[\u00AD\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]|(?<![\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{M}])\u200B|(?<=^|[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}])[\u200C\u200D]/u;
/**
 * Matches a pattern as JavaScript writes it; without flags only if it cannot be the name of a place
 * (`/pol/`, `/r/all`).
 */
const slashed = /^\/(..+)\/([dgimsuvy]+)$|^(?=.*\/$)\/(.*[\\[({|*+?^$].*)\/$/s;

/**
 * Reports whether a term or pattern is found in practically no message: several words on one line,
 * or a pattern with its slashes.
 */
export function isIdleTerm(written: string, isWords: boolean): boolean {
  if (!isWords) return slashed.exec(written)?.[2] !== undefined;
  const term = written.trim();
  return unusual.test(term) && !lineBreak.test(term) && (isJoined(term) || slashed.test(term));
}

/**
 * Calls `note` with each slip of a term, or of a pattern. `whole`: it is compared with whole texts.
 */
export function noteSlips(
  written: string,
  { isWords, whole }: { readonly isWords: boolean; readonly whole: boolean },
  note: (code: SlipCode) => void,
): void {
  if (!isWords) {
    if (misreadEdge(written) !== undefined) note('misread-edge');
    if (foreignSyntaxIn(written) !== undefined) note('misread-pattern');
    if (isIdleTerm(written, isWords)) note('unread-pattern');
    return;
  }
  const term = written.trim();
  if (marksAlone.test(term) && !(whole && /\s/.test(term))) note('empty-term');
  if (!whole && hasWildEnd(written)) note('unread-wildcard');
  if (!whole && written !== term) note('trimmed-term');
  if (!unusual.test(term)) return;
  if (isJoined(term)) note('joined-terms');
  if (hidden.test(term)) note('hidden-character');
  if (slashed.test(term)) note('unread-pattern');
}

/**
 * Reports whether a term is several words with commas or line breaks between them. `1,000`, `:,(`,
 * `f,u,c,k` and a sentence with a blank after its comma are single terms.
 */
function isJoined(term: string): boolean {
  if (lineBreak.test(term)) return true;
  const parts = term.split(/[,;]/).filter((part) => part !== '');
  if (!parts.every((part) => /^\S/.test(part) && /\p{L}/u.test(part))) return false;
  return parts.filter((part) => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(part)).length > 1;
}

/** A `\b` of a pattern that is not the edge of a word, and how to write one. */
interface MisreadEdge {
  readonly detail: string;
  readonly fix: string;
}

/**
 * Finds a `\b` beside a letter that is not ASCII, where RE2 sees no edge, or one whose backslash is
 * doubled.
 */
export function misreadEdge(pattern: string): MisreadEdge | undefined {
  if (!pattern.includes('\\b')) return undefined;
  if (/(?<!\\)\\\\b\)*$|^(?:\(\?[a-zA-Z]+\)|\()*\\\\b(?=[([\\])/.test(pattern)) {
    return {
      detail: '`\\\\b` is a backslash and a `b`, not the edge of a word',
      fix: 'write the edge as `\\b`, in JSON `"\\\\b"`',
    };
  }
  const edges = edgesBesideForeignLetters(pattern);
  if (edges.length === 0) return undefined;
  const letter = `\`\\b\` beside \`${edges[0]!.letter.slice(0, 20)}\``;
  const detail = `${letter} is an edge of a word in ASCII text alone, so it does not hold between that letter and a blank`;
  if (pattern.length > 200) {
    return { detail, fix: `write \`${realEdge.start}\` for \`\\b\` before a word, and \`${realEdge.end}\` behind one` };
  }
  const sides = new Map(edges.map(({ at, side }) => [at, side]));
  const fixed = pattern.replace(/\\b/g, (edge, at: number) => (sides.has(at) ? realEdge[sides.get(at)!] : edge));
  const asTerm = wordOf(pattern) === undefined ? '' : 'it as a term of category `word`, or ';
  return { detail, fix: `write ${asTerm}\`${fixed}\`` };
}

const realEdge: Readonly<Record<EdgeSide, string>> = {
  start: '(?:^|[^\\p{L}\\p{M}\\p{N}_])',
  end: '(?:$|[^\\p{L}\\p{M}\\p{N}_])',
};

/** Returns the detail of the issue for a slip. */
export function slipDetail(code: SlipCode, written: string, isWords: boolean, others: string): string {
  const name = `${isWords ? 'term' : 'pattern'} \`${written.length > 60 ? `${written.slice(0, 60)}…` : written}\``;
  switch (code) {
    case 'empty-term':
      return `${name} consists of marks${others}, which do not count under \`accents\`: it never matches`;
    case 'unread-wildcard':
      return `${name} matches its asterisk as written${others}; for parts of words, set the reading \`wildcards: 'asterisk'\``;
    case 'trimmed-term':
      return `${name} is read without the blanks at its ends${others}; write it without them`;
    case 'joined-terms': {
      const joint = lineBreak.test(written.trim()) ? 'a line break' : 'a comma or semicolon';
      return `${name} is several words with ${joint} between them, and is found only as a whole${others}; make a term of each`;
    }
    case 'hidden-character': {
      const code = hidden.exec(written.trim())![0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      return `${name} holds a character that cannot be seen, U+${code}${others}; write it without`;
    }
    case 'unread-pattern': {
      const [, body = '', flags = '', other = body] = slashed.exec(written.trim())!;
      const read = flags.replace(/[^ims]/g, '');
      const pattern = `${read === '' ? '' : `(?${read})`}${other}`;
      const where = isWords ? ' in a condition or list of category `pattern`' : '';
      return `${name} is looked for with its slashes${others}; as a pattern, write \`${pattern.slice(0, 60)}\`${where}`;
    }
    case 'misread-edge': {
      const { detail, fix } = misreadEdge(written)!;
      return `${name}: ${detail}${others}; ${fix}`;
    }
    case 'misread-pattern': {
      const { construct, fix } = foreignSyntaxIn(written)!;
      return `${name}: RE2 reads \`${construct.slice(0, 30)}\` as plain characters${others}; ${fix}`;
    }
  }
}
