import * as z from 'zod';
import { identifier, maybe, type Open, timestamp } from './fields.js';

/**
 * A keyword list: terms, or patterns, that conditions refer to by its id (§2.6). Only `id` and
 * `searchTerms` are required. Other fields are kept, but do not compile in a literal.
 *
 * @example
 * ```ts
 * const list: KeywordList = { id: 'scam-words', searchTerms: ['buy now', 'free money'] };
 * const condition: Condition = { operand: 'text', isKeywordsReferencePresent: true, value: ['scam-words'] };
 * ```
 */
export interface KeywordList {
  /** The id that conditions name in `value`; matches carry it as `listId`. */
  readonly id: string;
  /** For people. */
  readonly name?: string | undefined;
  /**
   * For people; the `category` of the condition determines whether entries are terms or patterns.
   */
  readonly category?: Open<'word' | 'pattern'> | undefined;
  /** `true`: entries are cells of a CSV file, and their surrounding quotes are removed. */
  readonly isCSV?: boolean | undefined;
  /** The terms, or for conditions of category `pattern` the patterns. */
  readonly searchTerms: readonly string[];
  /** Seconds since the epoch. */
  readonly createdAt?: number | undefined;
  /** Seconds since the epoch. */
  readonly updatedAt?: number | undefined;
  /** Names the state of the list; matches carry it as `listRevisionId`. */
  readonly revisionId?: string | undefined;
  /** Not read: a list that is not active is used all the same. */
  readonly active?: boolean | undefined;
  /** Whether the list is one that comes with the platform. */
  readonly default?: boolean | undefined;
}

export const keywordListSchema = z.looseObject({
  id: identifier,
  name: maybe(z.string()),
  category: maybe(z.string()),
  isCSV: maybe(z.boolean()),
  searchTerms: z.array(z.string()),
  createdAt: maybe(timestamp),
  updatedAt: maybe(timestamp),
  revisionId: maybe(z.string()),
  active: maybe(z.boolean()),
  default: maybe(z.boolean()),
}) satisfies z.ZodType<KeywordList>;
