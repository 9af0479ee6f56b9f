/** The types of a compiled rule set, which all of `evaluate/` reads. */
import type { KeywordMatcher } from '../match/keyword-matcher.js';
import type { PatternSet } from '../match/patterns/engine.js';
import type { FilterCheck } from './filter.js';
import type { Issue } from './issue.js';
import type { TextOperand } from './operands.js';
import type { Reference, ReferenceIndex } from './references.js';
import type { Threshold } from './threshold.js';
import type { Verdict } from './verdicts.js';

export type { TextOperand };

/** A condition of a rule that runs. */
export interface CompiledCondition {
  /** Index into `CompiledRuleSet.rules`. */
  readonly rule: number;
  /** The number of the condition within the rule (§2.5). */
  readonly id: number;
  readonly operand: string;
  readonly message?: readonly string[];
  /** Thresholds of a scored condition; empty for others. */
  readonly thresholds: readonly Threshold[];
  /** Indices of the patterns that it refers to. */
  readonly patterns: readonly number[];
  /** Why a part of it could not be compiled, as text for people; absent when all of it was. */
  readonly compileError?: string;
}

/**
 * One rule that runs. Its conditions are `firstCondition` up to but not including `endCondition`.
 */
export interface CompiledRule {
  readonly id: string;
  readonly name: string;
  readonly revisionId?: string;
  readonly actions: readonly string[];
  readonly shadow: boolean;
  /** Position of its strongest verdict in `verdicts`; `verdicts.length` when it has none. */
  readonly rank: number;
  readonly filters: readonly FilterCheck[];
  /**
   * Set when a filter could not be compiled: to whom the rule applies is then undetermined, so it
   * never matches.
   */
  readonly filterError?: string;
  readonly firstCondition: number;
  readonly endCondition: number;
}

/** All terms of all rules, in one automaton. A key is the number of a distinct folded term. */
export interface WordIndex {
  readonly matcher: KeywordMatcher;
  /** The references of conditions to each key, by operand. */
  readonly references: Readonly<Record<TextOperand, ReferenceIndex>>;
  /** Number of keys. */
  readonly count: number;
  /** Terms that differ once folded, those of exceptions included. */
  readonly distinct: number;
  /** References that are left out, by the earlier one of their condition that they repeat. */
  readonly repeated: ReadonlyMap<Reference, readonly Reference[]>;
}

/** All patterns of all rules, in one set. */
export interface PatternIndex {
  /**
   * Absent when there are no patterns, or when the engine could not be created; `fault` is the
   * reason then.
   */
  readonly set?: PatternSet;
  readonly fault?: string;
  readonly count: number;
  readonly references: Readonly<Record<TextOperand, ReferenceIndex>>;
  readonly repeated: WordIndex['repeated'];
}

/** A term or a pattern of the exceptions. */
export interface ExceptionEntry {
  readonly kind: 'word' | 'pattern';
  /** The term or pattern as its author wrote it. */
  readonly written: string;
  readonly listId?: string;
  readonly scope: number;
  /** Position in the reading, or in the list. */
  readonly index: number;
}

/**
 * The exceptions of a rule set. `entries` of `words` and `patterns` are, for each term or pattern,
 * indices into `entries`.
 */
export interface CompiledExceptions {
  readonly entries: readonly ExceptionEntry[];
  /** The number of scopes: targets that exceptions are for. */
  readonly scopes: number;
  readonly words?: { readonly matcher: KeywordMatcher; readonly entries: readonly (readonly number[])[] } | undefined;
  readonly patterns?: { readonly set: PatternSet; readonly entries: readonly (readonly number[])[] } | undefined;
  /** A pattern of the semantics that was rejected, and why. No engine is made with one. */
  readonly refused?: string | undefined;
}

/**
 * For one operand, by term or pattern: the rank of the verdict that an occurrence gives. Ranks are
 * positions in `verdicts`.
 */
export interface VerdictTable {
  /**
   * The strongest verdict that follows from the occurrence alone; the number of verdicts when none
   * does.
   */
  readonly certain: Uint8Array;
  /**
   * The strongest verdict of rules that need more than the occurrence: filters, or all of their
   * conditions.
   */
  readonly possible: Uint8Array;
  /** The strongest rank in both arrays: no occurrence gives a stronger one. */
  readonly strongest: number;
}

/** The verdict tables of a rule set, computed at compile time by `tabulateVerdicts`. */
export interface VerdictTables {
  /** The strongest rank that any rule can give. */
  readonly strongest: number;
  readonly words: Readonly<Record<TextOperand, VerdictTable>>;
  readonly patterns: Readonly<Record<TextOperand, VerdictTable>>;
}

/** A compiled rule set. Immutable. */
export interface CompiledRuleSet {
  readonly rules: readonly CompiledRule[];
  readonly conditions: readonly CompiledCondition[];
  /** Indices of the conditions that have thresholds. */
  readonly scoredConditions: readonly number[];
  /**
   * Indices of the conditions that hold for a message whose text cannot be read: none under
   * `unreadable: 'allow'`.
   */
  readonly unreadableConditions: readonly number[];
  readonly words: WordIndex;
  readonly patterns: PatternIndex;
  /** Absent where there are none. */
  readonly exceptions?: CompiledExceptions | undefined;
  readonly tables: VerdictTables;
  /** The verdicts of the semantics' precedence, strongest first. */
  readonly verdicts: readonly Verdict[];
  readonly issues: readonly Issue[];
  /** The issues of parts that stop nothing and were meant to. */
  readonly idle: readonly Issue[];
}
