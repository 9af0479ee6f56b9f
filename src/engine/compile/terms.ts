/** Reads keyword lists (§2.6) as terms. */
import { inRanges, PORTION, type Portions } from '../../foundation/portions.js';
import type { IssueLog } from './issue.js';
import { checkFields } from './known-fields.js';
import { asFields, asList, asString } from './untrusted.js';

/**
 * A keyword list (§2.6) as read for compilation: its terms, and its revision to be reported with
 * matches.
 */
export interface TermList {
  readonly id: string;
  readonly revisionId?: string;
  /**
   * `word` or `pattern`; read only from lists of exceptions, since conditions determine the kind of
   * their lists.
   */
  readonly category?: string;
  /**
   * Terms by their position in `searchTerms`; blank and malformed ones and repetitions left out.
   */
  readonly terms: ReadonlyMap<number, string>;
  /** The part of it that could not be read, as text for people. */
  readonly fault?: string;
}

/**
 * Reads the keyword lists of a rule set into a map by id, in portions; of two with the same id the
 * first one is used.
 */
export function* readTermLists(lists: readonly unknown[], log: IssueLog): Portions<ReadonlyMap<string, TermList>> {
  const read = new Map<string, TermList>();
  for (const [position, value] of lists.entries()) {
    if (position % PORTION === 0) yield;
    if (!(position in lists)) continue;
    const fields = asFields(value);
    const id = asString(fields?.id);
    if (fields === undefined || id === undefined || id === '') {
      log.add('malformed-list', { index: position }, `list ${position + 1} has no \`id\``);
    } else if (!Array.isArray(fields.searchTerms)) {
      checkFields('list', fields, { listId: id }, log);
      log.add('malformed-list', { listId: id }, 'has no array of `searchTerms`');
    } else if (read.has(id)) {
      log.add('duplicate-list', { listId: id }, 'occurs again; the first one counts');
    } else {
      log.leftOut = undefined;
      checkFields('list', fields, { listId: id }, log);
      const revisionId = asString(fields.revisionId);
      const terms = yield* readTerms(id, fields.searchTerms, fields.isCSV === true, log);
      const category = asString(fields.category);
      const fault = log.leftOut as string | undefined;
      read.set(id, {
        id,
        terms,
        ...(revisionId !== undefined && { revisionId }),
        ...(category !== undefined && { category }),
        ...(fault !== undefined && { fault }),
      });
    }
  }
  return read;
}

function* readTerms(
  listId: string,
  values: readonly unknown[],
  isCsv: boolean,
  log: IssueLog,
): Portions<Map<number, string>> {
  const terms = new Map<number, string>();
  const seen = new Set<string>();
  const read = (value: unknown, index: number): void => {
    if (typeof value !== 'string') {
      log.add('malformed-list', { listId, index }, `term ${index + 1} is not a string`);
      return;
    }
    const term = isCsv ? unquoteCsv(value) : value;
    if (term.trim() === '') log.add('empty-term', { listId, index }, `term ${index + 1} is empty and never matches`);
    else if (!seen.has(term)) terms.set(index, term);
    seen.add(term);
  };
  const list = asList(values);
  yield* inRanges(list.length, (begin, end) => {
    for (let index = begin; index < end; index++) if (index in list) read(list[index], index);
  });
  return terms;
}

/** Returns the content of a CSV cell: lists imported from CSV files keep the quotes of cells. */
export function unquoteCsv(cell: string): string {
  const trimmed = cell.trim();
  const quoted = /^"([\s\S]*)"$/.exec(trimmed);
  return quoted ? quoted[1]!.replaceAll('""', '"').trim() : trimmed;
}
