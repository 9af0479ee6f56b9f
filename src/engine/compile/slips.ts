/**
 * Terms and patterns that are found in practically no message as they are written: several words
 * on one line, and patterns with their slashes. Lint finds other slips.
 */

/** The codes of such slips, each a warning. */
export type SlipCode = 'joined-terms' | 'unread-pattern';

/** Characters that most terms lack, so that they are examined no further. */
const unusual = /[,;/\n\r\v\f\u0085\u2028\u2029]/u;
const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;
/**
 * Matches a pattern as JavaScript writes it; without flags only if it cannot be the name of a place
 * (`/pol/`, `/r/all`).
 */
const slashed = /^\/(..+)\/([dgimsuvy]+)$|^(?=.*\/$)\/(.*[\\[({|*+?^$].*)\/$/s;

/** Returns the slip of a term or pattern. */
export function slipOf(written: string, isWords: boolean): SlipCode | undefined {
  if (!isWords) return slashed.exec(written)?.[2] === undefined ? undefined : 'unread-pattern';
  const term = written.trim();
  if (!unusual.test(term)) return undefined;
  return isJoined(term) ? 'joined-terms' : slashed.test(term) ? 'unread-pattern' : undefined;
}

/** Reports whether a term or pattern is found in practically no message: not words on lines. */
export function isIdleTerm(written: string, isWords: boolean): boolean {
  return slipOf(written, isWords) !== undefined && !(isWords && lineBreak.test(written.trim()));
}

/**
 * Reports whether a term is several words with commas or line breaks between them. `1,000`, `:,(`,
 * `f,u,c,k` and a sentence with a blank after its comma are single terms.
 */
function isJoined(term: string): boolean {
  if (lineBreak.test(term)) return true;
  const items = term.split(/[,;]/).filter((item) => item !== '');
  if (!items.every((item) => /^\S/.test(item) && /\p{L}/u.test(item))) return false;
  return items.filter((item) => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(item)).length > 1;
}

/** Returns the detail of the issue for a slip. */
export function slipDetail(code: SlipCode, written: string, isWords: boolean, repeats: string): string {
  const name = `${isWords ? 'term' : 'pattern'} \`${written.length > 60 ? `${written.slice(0, 60)}…` : written}\``;
  if (code === 'joined-terms') {
    const joint = lineBreak.test(written.trim()) ? 'a line break' : 'a comma or semicolon';
    return `${name} is several words with ${joint} between them, and is found only as a whole${repeats}; make a term of each`;
  }
  const [, body = '', flags = '', alternative = body] = slashed.exec(written.trim())!;
  const read = flags.replace(/[^ims]/g, '');
  const pattern = `${read === '' ? '' : `(?${read})`}${alternative}`;
  const where = isWords ? ' in a condition or list of category `pattern`' : '';
  return `${name} is looked for with its slashes${repeats}; as a pattern, write \`${pattern.slice(0, 60)}\`${where}`;
}
