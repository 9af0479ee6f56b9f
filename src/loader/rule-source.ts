import type { KeywordList } from '../contract/keyword-list.js';
import type { Meta } from '../contract/meta.js';
import type { Rule } from '../contract/rule.js';

interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

/** Where rules and keyword lists come from. A client is one; so is anything with these methods. */
export interface RuleSource {
  readonly rules: {
    /** One page of rules (§4.7). */
    list(
      options?: Abortable & { readonly limit?: number | undefined },
    ): Promise<{ readonly data: readonly Rule[]; readonly meta: Meta }>;
    /** The rule or the keyword list of an id (§4.8). */
    get(id: string, options?: Abortable): Promise<Rule | KeywordList>;
  };
  /** Where live platforms serve keyword lists; asked when `rules.get` has none. */
  readonly keywords?: { get(id: string, options?: Abortable): Promise<KeywordList> } | undefined;
}
