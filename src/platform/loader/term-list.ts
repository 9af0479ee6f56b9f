/**
 * The text of a keyword list: a head of `# name:`, `# category:` and `# owner:`, then one term on
 * each line, with comments above or after it. A term that would be misread (one with ` #`, blanks
 * at an end, a line break, a leading quotation mark, or nothing) is a JSON string. Comments and
 * blank lines belong to the term below them, so that a changed list keeps those of the terms that
 * stay.
 */

import { ShapeError } from '../../foundation/errors.js';
import { safeJson } from '../../foundation/files/ndjson.js';
import type { ListComments } from '../contract/rule-set.js';

/**
 * The fields in the head of a list: two of the list itself, and its owner, which is not part of it.
 */
type HeadField = 'name' | 'category' | 'owner';

/** A list as it was read from its text. */
interface TermList {
  readonly head: Readonly<Partial<Record<HeadField, string>>>;
  readonly terms: readonly string[];
  /** Comments by term. A comment of several lines has line breaks. */
  readonly comments: ReadonlyMap<string, string>;
  /** Comments that look like terms, each with its line: ``line 3, `#nsfw` ``. */
  readonly hashtags: readonly string[];
  /**
   * Offsets in the text of the comments and blank lines before each term, with the rest of the text
   * last, and of the line of each term.
   */
  readonly leads: readonly number[];
  readonly lines: readonly number[];
}

const hashtag = /^#[\p{L}\p{N}_]+$/u;
/** A line that git leaves between two versions in conflict. */
const conflict = /^(?:[<>|]{7}(?: |$)|={7}$)/;
const headLine = /^#[ \t]*(name|category|owner)[ \t]*:[ \t]*(.*)$/s;

/**
 * Reads the text of a list. Throws `ShapeError` that names the line for a term that can be read in
 * two ways, a carriage return inside a line, and a conflict that git left.
 */
export function parseTermList(text: string, path: string): TermList {
  const head: Partial<Record<HeadField, string>> = {};
  const terms: string[] = [];
  const comments = new Map<string, string>();
  const [leads, lines, hashtags]: [number[], number[], string[]] = [[], [], []];
  let isHead = true;
  let lead = 0;
  let above: string[] = [];
  for (let at = 0, number = 1; at < text.length; number++) {
    const found = text.indexOf('\n', at);
    const next = found < 0 ? text.length : found + 1;
    const line = text.slice(at, next).trim();
    refuseDamaged(line, `${path}:${number}`);
    const inHead: RegExpExecArray | null = isHead ? headLine.exec(line) : null;
    isHead = inHead !== null;
    if (inHead !== null) {
      if (inHead[2] !== '') head[inHead[1] as HeadField] = inHead[2]!;
      lead = next;
    } else if (line === '') {
      above = [];
    } else if (line.startsWith('#')) {
      const commentText = commentIn(line);
      if (commentText !== '') above.push(commentText);
      if (hashtag.test(line)) hashtags.push(`line ${number}, \`${line}\``);
    } else {
      const isPlain = !line.includes('#') && !line.startsWith('"');
      const { term, behind } = isPlain ? { term: line, behind: undefined } : readTerm(line, `${path}:${number}`);
      if (behind !== undefined || above.length > 0) {
        if (behind) above.push(behind);
        const [commentText, known] = [above.join('\n'), comments.get(term)];
        if (commentText !== '') comments.set(term, known === undefined ? commentText : `${known}\n${commentText}`);
        above = [];
      }
      terms.push(term);
      leads.push(lead);
      lines.push(at);
      lead = next;
    }
    at = next;
  }
  return { head, terms, comments, hashtags, leads: [...leads, lead], lines };
}

function refuseDamaged(line: string, where: string): void {
  if (line.includes('\r')) {
    throw new ShapeError(
      where,
      'the whole line',
      'must not hold a carriage return alone: save the file with line feeds as line ends',
    );
  }
  if (!conflict.test(line)) return;
  const advice = 'must not be left of a conflict of git: resolve it; a term that looks so stands in quotation marks';
  throw new ShapeError(where, 'the whole line', advice);
}

/** Returns the text of a comment that begins with `#`. */
function commentIn(text: string): string {
  let at = 1;
  while (text[at] === '#') at += 1;
  return text.slice(at).trim();
}

function readTerm(line: string, where: string): { readonly term: string; readonly behind?: string | undefined } {
  if (line.startsWith('"')) return readQuoted(line, where);
  for (let at = line.indexOf('#'); at >= 0; at = line.indexOf('#', at + 1)) {
    if (!isBlank(line, at - 1)) continue;
    if (at + 1 < line.length && !isBlank(line, at + 1)) {
      const advice = 'must have a blank behind the `#` of a comment; a term that holds ` #` stands in quotation marks';
      throw new ShapeError(where, 'the whole line', advice);
    }
    return { term: line.slice(0, at).trimEnd(), behind: commentIn(line.slice(at)) };
  }
  return { term: line };
}

function readQuoted(line: string, where: string) {
  let end = line.indexOf('"', 1);
  while (end > 0 && isEscaped(line, end)) end = line.indexOf('"', end + 1);
  const rest = line.slice(end + 1).trimStart();
  try {
    const term: unknown = JSON.parse(line.slice(0, end + 1));
    if (typeof term === 'string' && (rest === '' || rest.startsWith('#'))) {
      return { term, behind: rest === '' ? undefined : commentIn(rest) };
    }
  } catch {
    // The error below does not quote the message of the parser.
  }
  throw new ShapeError(where, 'the whole line', 'must be a term, or a whole term in quotation marks as JSON has them');
}

/** Reports whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text[first - 1] === '\\') first -= 1;
  return (position - first) % 2 === 1;
}

function isBlank(text: string, position: number): boolean {
  const character = text.charAt(position);
  return character === ' ' || (character !== '' && character.trim() === '');
}

/** A list to be written. */
interface WrittenList {
  readonly head: TermList['head'];
  readonly terms: readonly string[];
  readonly comments: ListComments['terms'];
}

/**
 * Writes the text of a list over an old one: the lines of terms that stay are kept with the
 * comments and blank lines above them, and so are the owner, and comments below all terms. Throws
 * `ShapeError` if the old text cannot be read.
 */
export function printTermList({ head, terms, comments = {} }: WrittenList, oldText: string, path: string): string {
  const old = parseTermList(oldText, path);
  const end = oldText.includes('\r\n') ? '\r\n' : '\n';
  const positions = positionsOf(old.terms);
  const kept = terms.map((term) => positions.get(term)?.pop());
  const isSaid = new Set<string>();
  const lines = terms.map((term, index) => {
    const keptIndex = kept[index];
    const given = isSaid.has(term) || !Object.hasOwn(comments, term) ? undefined : comments[term];
    isSaid.add(term);
    if (keptIndex === undefined) return printTerm(term, given, end);
    if (given !== undefined && given !== old.comments.get(term)) return printTerm(term, given, end);
    const line = oldText.slice(old.leads[keptIndex], old.leads[keptIndex + 1]);
    return line.endsWith('\n') ? line : line + end;
  });
  const body = lines.join('') + oldText.slice(old.leads.at(-1));
  const { name, category, owner = old.head.owner } = head;
  const top = Object.entries({ name, category, owner }).flatMap(([field, value]) =>
    value === undefined ? [] : `# ${field}: ${value}${end}`,
  );
  const [first = ''] = /^.*/.exec(body) ?? [];
  const isMisread = headLine.test(first.trim());
  const isApart = isMisread || (oldText === '' && top.length > 0 && body !== '');
  return `${top.join('')}${isApart ? end : ''}${body}`;
}

/** Maps terms to their positions, the first one last. */
function positionsOf(terms: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (let termIndex = terms.length - 1; termIndex >= 0; termIndex--) {
    const known = positions.get(terms[termIndex]!);
    if (known === undefined) positions.set(terms[termIndex]!, [termIndex]);
    else known.push(termIndex);
  }
  return positions;
}

function printTerm(term: string, comment: string | undefined, end: string): string {
  const written = mustBeQuoted(term) ? safeJson(term) : term;
  const commentLines = (comment ?? '').split(/[\r\n\u2028\u2029]+/).flatMap((line) => line.trim() || []);
  if (commentLines.length === 1) return `${written}  # ${commentLines[0]}${end}`;
  return `${commentLines.map((line) => `# ${line}${end}`).join('')}${written}${end}`;
}

function mustBeQuoted(term: string): boolean {
  return (
    term === '' || term !== term.trim() || conflict.test(term) || /^[#"]|\s#|[\p{Cc}\p{Cs}\u2028\u2029]/u.test(term)
  );
}

/** Reports whether a value can be written into the head of a list and read back. */
export function fitsHead(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value === value.trim() && !/[\p{Cc}\p{Cs}]/u.test(value);
}

/** Bytes of a file name that every file system accepts. */
const mostNameBytes = 200;

/**
 * Returns the name of the file of a list: its id, with unsafe characters as `%xx`; undefined for an
 * id without one.
 */
export function listFileName(id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '' || !id.isWellFormed()) return undefined;
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  const name = encodeURIComponent(id).replace(/[!'()*]|^\.|^(?=(?:con|nul|aux|prn|com\d|lpt\d)(?:\.|$))./gi, escaped);
  return name.length > mostNameBytes ? undefined : `${name}.txt`;
}

/** Returns the id of the list that a file is named for. */
export function listIdOf(name: string): string {
  const id = name.slice(0, -'.txt'.length);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
