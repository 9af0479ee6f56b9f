/** A rule set: rules, keyword lists, and the lists that could not be fetched. */
import type { KeywordList } from './keyword-list.js';
import type { Rule } from './rule.js';

/**
 * The reason why a keyword list is missing. `gone`: the platform has no list with this id.
 * `refused`: the platform may have the list, but refused it or returned another. `unreachable`: the
 * platform could not be reached, or its answer was incomplete, so the next attempt may succeed.
 */
export type MissingKind = 'gone' | 'refused' | 'unreachable';

/** A keyword list that a rule refers to and that could not be fetched. */
export interface MissingList {
  readonly listId: string;
  /** For people. */
  readonly reason: string;
  /** Absent in rule sets that were written by hand. */
  readonly kind?: MissingKind | undefined;
}

/** Comments of people on a keyword list, kept with its terms. */
export interface ListComments {
  /** The owner of the list. */
  readonly owner?: string | undefined;
  /**
   * The reason for a term, by term. `until 2027-01-31` in it names the last day for which the term
   * is meant.
   */
  readonly terms?: Readonly<Record<string, string>> | undefined;
}

/**
 * A warning of the reader of the files of lists, which an engine has too: a line or a file that is
 * not read.
 */
export interface ListNotice {
  readonly code: 'unread-line' | 'duplicate-list';
  readonly listId: string;
  /** For people. */
  readonly detail: string;
}

/** Digests of rules and keyword lists by id, as a platform last had them. */
export interface PulledDigests {
  readonly rules: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, string>>;
}

/** Facts about the apply before which a rule set was kept. */
export interface BeforeApply {
  /** Digest of the platform and of the rules that it was to get; absent once the apply is done. */
  readonly target?: string | undefined;
  /** Digests of lists between their two writes, by id. */
  readonly between: Readonly<Record<string, string>>;
}

/**
 * Rules with the keyword lists that they refer to: the input of an engine, as plain JSON that
 * round-trips through a file.
 */
export interface RuleSet {
  readonly rules: readonly Rule[];
  readonly lists: readonly KeywordList[];
  readonly missing: readonly MissingList[];
  /** The rule list was as long as its page limit, so rules may be missing (§2.7). */
  readonly truncated: boolean;
  /** Digest of `rules` and `lists`. */
  readonly revision: string;
  /**
   * Readings that the rules are written for, as plain data: an engine has each of them unless it is
   * given another one.
   */
  readonly semantics?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Findings that lint leaves out: `{ ignore: [...] }`, or the array alone. No decision and no
   * revision depends on it.
   */
  readonly lint?: Readonly<Record<string, unknown>> | readonly unknown[] | undefined;
  /** Comments of people by the id of a list. No decision and no revision depends on it. */
  readonly comments?: Readonly<Record<string, ListComments>> | undefined;
  /**
   * The parts as they were pulled, by which a change on the platform is noticed. No decision and no
   * revision depends on it.
   */
  readonly pulled?: PulledDigests | undefined;
  /**
   * Present in the rules of a platform that `sluice apply` kept before its first write. No decision
   * and no revision depends on it.
   */
  readonly before?: BeforeApply | undefined;
  /** Warnings from reading the lists from files. No decision and no revision depends on it. */
  readonly notices?: readonly ListNotice[] | undefined;
}

/**
 * Lists the missing lists that the platform may have: all but those that do not exist. Rules that
 * lack one are not the rules of the platform, so they replace no others, and no lasting result is
 * made of them. A list without a `kind` is among them: a file written by hand does not say that the
 * list does not exist.
 */
export function lostLists({ missing }: Pick<RuleSet, 'missing'>): readonly MissingList[] {
  return missing.filter(({ kind }) => kind !== 'gone');
}
