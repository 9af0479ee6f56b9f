import { compileRuleSet } from './compile/compile-rule-set.js';
import type { CompiledRuleSet, CompileStage } from './compile/compiled-rule-set.js';
import type { Issue } from './compile/issue.js';
import { asFields, asString } from './compile/untrusted.js';
import type { MessageDraft } from './contract/message-draft.js';
import type { RuleSet } from './contract/rule-set.js';
import { digest } from './digest.js';
import { RuleSetError } from './errors.js';
import type { Decision, Verdict } from './evaluate/decision.js';
import { createEvaluator } from './evaluate/evaluator.js';
import type { MediaScores } from './evaluate/media-scores.js';
import { resolveSemantics, type Semantics } from './semantics.js';

/** A compiled rule set that answers for messages. Synchronous; keeps nothing between messages. */
export interface Engine {
  /** The verdict alone. Throws `UsageError` for what is neither a text nor an object. */
  decide(message: string | MessageDraft, media?: readonly MediaScores[]): Verdict;
  /** The verdict, always the one of `decide`, and exactly why. */
  explain(message: string | MessageDraft, media?: readonly MediaScores[]): Decision;
  /** What is wrong with the rule set, in the order of lists, rules and conditions. */
  readonly issues: readonly Issue[];
  /** Digest of the canonical rule set and semantics: equal revisions answer equally. */
  readonly revision: string;
  /** How much was compiled. */
  readonly counts: EngineCounts;
  /** What the compiled rule set takes: a certificate to look at before it goes live. */
  readonly cost: EngineCost;
  /** Frees what garbage collection cannot. The engine must not be asked afterwards. */
  close(): void;
}

/** Sizes of a compiled rule set. */
export interface EngineCounts {
  /** Rules in the rule set, and how many of them run. */
  readonly rules: number;
  readonly running: number;
  readonly conditions: number;
  readonly lists: number;
  /** Terms that differ once folded, allow-terms included. */
  readonly terms: number;
  readonly patterns: number;
}

/** What a compiled rule set takes. Figures of one machine; only the counts are the same everywhere. */
export interface EngineCost {
  /**
   * The keyword automaton: its states, the words or characters it tells apart, and the bytes of its tables. What texts add to
   * these is not in here: rows of states that they come to, 4 MiB at most.
   */
  readonly words: { readonly states: number; readonly classes: number; readonly bytes: number };
  /**
   * Patterns by the way they take: stepped in the one scan of a text, asked for in a pass of their own, or refused (each of
   * these is an issue). `classes` are the kinds of characters that the patterns tell apart in the one scan.
   */
  readonly patterns: {
    readonly scanned: number;
    readonly separate: number;
    readonly rejected: number;
    readonly classes: number;
  };
  /** Milliseconds of compilation, by stage. */
  readonly compileMs: Readonly<Record<CompileStage, number>>;
}

/** What an engine is made from: a `RuleSet`, of which `rules` and `lists` are enough. */
export type RuleSetInput = Pick<RuleSet, 'rules' | 'lists'> & Partial<RuleSet>;

/**
 * Compiles a rule set (§2.5, §2.6) into an engine. Broken rules are issues; throws `RuleSetError` only when the value is
 * no rule set at all, or when something is broken and `broken: 'fail'` holds, and `UsageError` for unknown semantics.
 */
export function createEngine(ruleSet: RuleSetInput, changes?: Partial<Semantics>): Engine {
  const semantics = resolveSemantics(changes);
  const { rules, lists, missing } = readParts(ruleSet);
  const compiled = compileRuleSet({ rules, lists, missing }, semantics);
  if (semantics.broken === 'fail') refuseBroken(compiled);
  const revision = identify({ rules, lists, semantics: describe(semantics) });
  const evaluator = createEvaluator(compiled, semantics, revision);
  return {
    decide: evaluator.decide,
    explain: evaluator.explain,
    issues: compiled.issues,
    revision,
    counts: {
      rules: rules.length,
      running: compiled.rules.length,
      conditions: compiled.conditions.length,
      lists: lists.length,
      terms: compiled.words.distinct,
      patterns: compiled.patterns.count,
    },
    cost: costOf(compiled),
    close: () => compiled.patterns.set?.close(),
  };
}

function costOf({ words, patterns, stages }: CompiledRuleSet): EngineCost {
  const { matcher, allowed } = words;
  const rejected = patterns.set?.rejected.length ?? 0;
  const running = patterns.set === undefined ? 0 : patterns.count - rejected;
  const dfa = patterns.set?.dfa;
  return {
    words: {
      states: matcher.states + (allowed?.states ?? 0),
      classes: matcher.classes,
      bytes: matcher.bytes + (allowed?.bytes ?? 0),
    },
    patterns: {
      scanned: dfa === undefined ? 0 : running,
      separate: dfa === undefined ? running : 0,
      rejected,
      classes: dfa?.classCount ?? 0,
    },
    compileMs: stages,
  };
}

function readParts(ruleSet: unknown) {
  const fields = asFields(ruleSet);
  if (fields === undefined) throw new RuleSetError('a rule set must be an object { rules, lists }');
  const { rules, lists = [], missing = [] } = fields;
  if (!Array.isArray(rules)) throw new RuleSetError('a rule set must have an array of `rules`');
  if (!Array.isArray(lists)) throw new RuleSetError('`lists` of a rule set must be an array');
  const reasons = new Map<string, string>();
  for (const entry of Array.isArray(missing) ? missing : []) {
    const listId = asString(asFields(entry)?.listId);
    const reason = asString(asFields(entry)?.reason);
    if (listId !== undefined && reason !== undefined) reasons.set(listId, reason);
  }
  return { rules: rules as readonly unknown[], lists: lists as readonly unknown[], missing: reasons };
}

function refuseBroken({ issues }: CompiledRuleSet): void {
  const errors = issues.filter((issue) => issue.severity === 'error');
  const first = errors[0];
  if (first === undefined) return;
  const place = [first.ruleId && `rule \`${first.ruleId}\``, first.listId && `list \`${first.listId}\``]
    .filter(Boolean)
    .join(', ');
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  throw new RuleSetError(
    `${place === '' ? '' : `${place}: `}${first.code}: ${first.detail}${more}; mend it, or set \`broken\` to skip`,
  );
}

/** The digest, of what must be plain JSON for that. */
function identify(value: unknown): string {
  try {
    return digest(value);
  } catch (error) {
    throw new RuleSetError('a rule set must be plain JSON: it holds a cycle, or a value that JSON has no word for', {
      cause: error,
    });
  }
}

/** Semantics as plain data. Functions have no digest, so they are named as such. */
function describe(semantics: Semantics): unknown {
  const { engine, ...readings } = semantics;
  const plain = Object.entries(readings).map(([name, value]) => [
    name,
    typeof value === 'function' ? 'function' : value,
  ]);
  return { ...Object.fromEntries(plain), engine: engine.name };
}
