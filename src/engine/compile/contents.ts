/** The contents of a compiled rule set: its rules, the terms and patterns that they look for, and its size. */
import type { CompiledRuleSet, CompileStage } from './compiled-rule-set.js';
import { textOperands } from './operands.js';
import type { Reference } from './references.js';

/** A rule that runs. */
export interface EngineRule {
  readonly ruleId: string;
  /** For people; the id when the rule has no name. */
  readonly ruleName: string;
  /** The ids of all of its conditions, broken ones included, as decisions name them. */
  readonly conditionIds: readonly number[];
}

/** A term or a pattern that a condition looks for. */
export interface EngineReference {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly kind: 'word' | 'pattern';
  /** The term or pattern as its author wrote it. */
  readonly written: string;
  /** The keyword list that holds it; absent for one in the rule itself. */
  readonly listId?: string;
}

/** Size and compilation time of a compiled rule set. Times and bytes vary by machine; counts are the same everywhere. */
export interface EngineCost {
  /**
   * The keyword automaton: its states, its alphabet classes (words or characters), and the bytes of its tables. Rows that are
   * filled while texts are scanned, 4 MiB at most, are not included.
   */
  readonly words: { readonly states: number; readonly classes: number; readonly bytes: number };
  /**
   * Patterns by how they are evaluated: `scanned` in the same scan of a text as the terms, `separate` in a pass of their own,
   * or `rejected` (each of these is an issue). `classes` is the size of the alphabet of the automaton that is scanned with.
   */
  readonly patterns: {
    readonly scanned: number;
    readonly separate: number;
    readonly rejected: number;
    readonly classes: number;
  };
  /** Milliseconds of compilation, by stage; of `compileEngine` with the pauses. */
  readonly compileMs: Readonly<Record<CompileStage, number>>;
}

export function* runningRulesOf({ rules, conditions }: CompiledRuleSet): Generator<EngineRule> {
  for (const { id, name, firstCondition, endCondition } of rules) {
    const conditionIds = conditions.slice(firstCondition, endCondition).map((condition) => condition.id);
    yield { ruleId: id, ruleName: name, conditionIds };
  }
}

export function* referencesOf({ rules, conditions, words, patterns }: CompiledRuleSet): Generator<EngineReference> {
  const found: Reference[][] = conditions.map(() => []);
  // A condition looks for terms or for patterns.
  const kinds: EngineReference['kind'][] = [];
  const take = (kind: EngineReference['kind'], references: readonly Reference[]) => {
    for (const reference of references) {
      found[reference.condition]!.push(reference);
      kinds[reference.condition] = kind;
    }
  };
  for (const operand of textOperands) {
    take('word', words.references[operand].references);
    take('pattern', patterns.references[operand].references);
  }
  for (const [index, { rule, id: conditionId }] of conditions.entries()) {
    for (const { written, listId } of found[index]!) {
      const place = { ruleId: rules[rule]!.id, conditionId, kind: kinds[index]!, written };
      yield { ...place, ...(listId !== undefined && { listId }) };
    }
  }
}

export function costOf({ words, patterns, exceptions, stages }: CompiledRuleSet): EngineCost {
  const { matcher } = words;
  const excepting = exceptions?.words?.matcher;
  const rejected = patterns.set?.rejected.length ?? 0;
  const running = patterns.set === undefined ? 0 : patterns.count - rejected;
  const dfa = patterns.set?.dfa;
  return {
    words: {
      states: matcher.states + (excepting?.states ?? 0),
      classes: matcher.classes,
      bytes: matcher.bytes + (excepting?.bytes ?? 0),
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
