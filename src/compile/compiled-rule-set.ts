import type { KeywordMatcher } from '../match/keyword-matcher.js';
import type { PatternSet } from '../match/pattern-engine.js';
import type { Span } from '../match/span.js';
import type { FilterCheck } from './filter.js';
import type { Issue } from './issue.js';
import type { Threshold } from './threshold.js';

/** Where a term or a pattern comes from: which condition uses it, as written, and which list if any. */
export interface Use {
  /** Index into `CompiledRuleSet.conditions`. */
  readonly condition: number;
  readonly written: string;
  readonly listId?: string;
  readonly listRevisionId?: string;
}

/** Which text of a message a condition reads. */
export type TextOperand = 'text' | 'custom';

/** One condition of a rule that runs. */
export interface CompiledCondition {
  /** Index into `CompiledRuleSet.rules`. */
  readonly rule: number;
  /** Its number within the rule (§2.5). */
  readonly id: number;
  readonly operand: string;
  readonly message?: readonly string[];
  /** Thresholds of a media condition; empty for others. */
  readonly thresholds: readonly Threshold[];
  /** Indices of the patterns it asks for. */
  readonly patterns: readonly number[];
  /** What could not be compiled of it, for people; absent when all of it was. */
  readonly trouble?: string;
}

/** One rule that runs. Its conditions are `firstCondition` up to but not including `endCondition`. */
export interface CompiledRule {
  readonly id: string;
  readonly name: string;
  readonly revisionId?: string;
  readonly actions: readonly string[];
  readonly shadow: boolean;
  /** Position of its strongest verdict in `verdicts`; `verdicts.length` when it has none. */
  readonly rank: number;
  readonly filters: readonly FilterCheck[];
  /** A filter that could not be compiled: nobody knows whom the rule is for, so it never applies. */
  readonly filterTrouble?: string;
  readonly firstCondition: number;
  readonly endCondition: number;
}

/** Who asks for what, in the order of what they ask for: `uses[from[n]]` up to but not including `uses[from[n + 1]]`. */
export interface UseIndex {
  readonly from: Int32Array;
  readonly uses: readonly Use[];
}

/** A whole text that equals a term, and where in it the term stands: all of it but the white space around. */
export interface WholeText {
  readonly use: Use;
  readonly span: Span;
  /** As in `WordIndex.transformsOf`; absent unless folding is hardened. */
  readonly transforms?: readonly string[];
}

/** Terms that a whole text must equal: the operator `equals`. */
export interface WholeTexts {
  readonly size: number;
  /** Whether it is worth asking for a text, which may have white space around it. */
  mayEqual(text: string): boolean;
  /** Who asks for a text as a whole. */
  occurrencesIn(text: string): readonly WholeText[];
}

/** All words of all rules, behind one automaton. A key is a term that is different once folded. */
export interface WordIndex {
  readonly matcher: KeywordMatcher;
  /** What made a stretch of text and a key equal beyond case, once the matcher found it; absent unless folding is hardened. */
  readonly transformsOf?: (key: number, text: string, span: Span) => readonly string[];
  /** By operand and key: who asks for it. */
  readonly uses: Readonly<Record<TextOperand, UseIndex>>;
  /** How many keys there are. */
  readonly count: number;
  /** Terms that differ once folded, allow-terms included. */
  readonly distinct: number;
  /** The allow-terms; absent when there are none. */
  readonly allowed?: KeywordMatcher;
  /** `equals`, by operand. */
  readonly wholeTexts: Readonly<Record<TextOperand, WholeTexts>>;
}

/** All patterns of all rules, behind one set. */
export interface PatternIndex {
  /** Absent when the engine could not be brought up; then `fault` says why. */
  readonly set?: PatternSet;
  readonly fault?: string;
  readonly count: number;
  readonly uses: Readonly<Record<TextOperand, UseIndex>>;
}

/** By term or pattern, for one operand: what its occurrence means for the verdict. Ranks are positions in `verdicts`. */
export interface VerdictTable {
  /** The strongest verdict that follows by itself; the number of verdicts when none does. */
  readonly certain: Uint8Array;
  /** The strongest verdict of rules that need more than the occurrence: filters, or all of their conditions. */
  readonly possible: Uint8Array;
  /** The strongest of all: no occurrence gives a stronger one. */
  readonly strongest: number;
}

/** What is known of verdicts before any message is read; made by `tabulateVerdicts`. */
export interface VerdictTables {
  /** The strongest rank that any rule can give. */
  readonly strongest: number;
  readonly words: Readonly<Record<TextOperand, VerdictTable>>;
  readonly patterns: Readonly<Record<TextOperand, VerdictTable>>;
}

/** The steps of a compilation: reading keyword lists, lowering rules, linking patterns, linking terms. */
export type CompileStage = 'lists' | 'rules' | 'patterns' | 'words';

/** A rule set, ready to answer. Immutable. */
export interface CompiledRuleSet {
  readonly rules: readonly CompiledRule[];
  readonly conditions: readonly CompiledCondition[];
  /** Indices of the conditions that have thresholds. */
  readonly mediaConditions: readonly number[];
  readonly words: WordIndex;
  readonly patterns: PatternIndex;
  readonly tables: VerdictTables;
  /** The verdicts of the semantics' precedence, strongest first. */
  readonly verdicts: readonly ('allow' | 'blockMessage' | 'dropMessage')[];
  readonly issues: readonly Issue[];
  /** Milliseconds of each stage. */
  readonly stages: Readonly<Record<CompileStage, number>>;
}
