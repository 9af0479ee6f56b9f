import type { KeywordList } from '../contract/keyword-list.js';
import type { Meta } from '../contract/meta.js';
import type { Rule } from '../contract/rule.js';
import type { RuleSet } from '../contract/rule-set.js';

interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

/** A source of rules and keyword lists: a client, or any object with these methods. */
export interface RuleSource {
  /**
   * The origin of the rules, such as the base address of a client; it never contains a key.
   * Snapshots are bound to it: one of another source is refused. Snapshots of a source without an
   * id are not bound.
   */
  readonly id?: string | undefined;
  readonly rules: {
    /** Resolves to one page of rules (§4.7). */
    list(
      options?: Abortable & { readonly limit?: number | undefined },
    ): Promise<{ readonly data: readonly Rule[]; readonly meta: Meta }>;
    /** Resolves to the rule or the keyword list of an id (§4.8). */
    get(id: string, options?: Abortable): Promise<Rule | KeywordList>;
  };
  /**
   * Resolves to the readings that the rules are written for, as plain data; undefined if there are
   * no readings. A client lacks this method, since platforms have no readings.
   */
  readonly semantics?: ((options?: Abortable) => Promise<RuleSet['semantics']>) | undefined;
  /**
   * Loads everything at once, for a source with rules, lists and readings of the same moment; the
   * other methods are not called then. `lists` are ids of further keyword lists, beside those that
   * its rules and readings name.
   */
  readonly load?:
    | ((options?: Abortable & { readonly lists?: readonly string[] | undefined }) => Promise<RuleSet>)
    | undefined;
  /**
   * Calls `onChange` whenever its rules may have changed, until `signal` is aborted; a moderator
   * then refreshes, once for several calls that come together. `since` is the rule set in use: a
   * change after it was loaded and before this call counts. The method must not keep the process
   * alive.
   */
  readonly watch?:
    | ((onChange: () => void, options: { readonly signal: AbortSignal; readonly since: RuleSet }) => void)
    | undefined;
  /**
   * The path at which live platforms have keyword lists; requested if `rules.get` does not return
   * one.
   */
  readonly keywords?: { get(id: string, options?: Abortable): Promise<KeywordList> } | undefined;
}
