import type { KeywordList } from './keyword-list.js';
import type { Rule } from './rule.js';

/** Rules with the keyword lists that they refer to: the input of an engine, as plain JSON that round-trips through a file. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  readonly lists: readonly KeywordList[];
  /** Lists that a rule refers to and that could not be fetched, with the reason. */
  readonly missing: readonly { readonly listId: string; readonly reason: string }[];
  /** The rule list was as long as its page limit, so rules may be missing (§2.7). */
  readonly truncated: boolean;
  /** Digest of `rules` and `lists`. */
  readonly revision: string;
}
