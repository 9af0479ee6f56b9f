import * as z from 'zod';
import { identifier, maybe, timestamp } from './fields.js';

/** A keyword list (§2.6). Lists of category `pattern` hold patterns. */
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
});

export type KeywordList = z.infer<typeof keywordListSchema>;
