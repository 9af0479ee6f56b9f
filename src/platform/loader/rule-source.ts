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
   * What the rules come from: a client's is the base address of its app, and never holds a key. Snapshots are bound to it: one that
   * was kept from another source is refused. Those of a source without one are not bound.
   */
  readonly id?: string | undefined;
  readonly rules: {
    /** One page of rules (§4.7). */
    list(
      options?: Abortable & { readonly limit?: number | undefined },
    ): Promise<{ readonly data: readonly Rule[]; readonly meta: Meta }>;
    /** The rule or the keyword list of an id (§4.8). */
    get(id: string, options?: Abortable): Promise<Rule | KeywordList>;
  };
  /**
   * The readings that the rules are written for, as plain data; undefined when there are none. A client has no such method: no platform
   * gives readings.
   */
  readonly semantics?: ((options?: Abortable) => Promise<RuleSet['semantics']>) | undefined;
  /**
   * All of it at once, for a source that has rules, lists and readings of one moment; the other methods are not called then. `lists` are ids
   * of keyword lists that are needed beside those that its rules and readings name.
   */
  readonly load?:
    | ((options?: Abortable & { readonly lists?: readonly string[] | undefined }) => Promise<RuleSet>)
    | undefined;
  /**
   * Calls `onChange` whenever its rules may be others, until `signal` is aborted; a moderator then refreshes, once for several calls that
   * come together. `since` is the rule set in use: what changed after it was loaded and before this call counts. Nothing that it holds may
   * keep the process alive.
   */
  readonly watch?:
    | ((onChange: () => void, options: { readonly signal: AbortSignal; readonly since: RuleSet }) => void)
    | undefined;
  /** The path at which live platforms have keyword lists; requested when `rules.get` does not return one. */
  readonly keywords?: { get(id: string, options?: Abortable): Promise<KeywordList> } | undefined;
}
