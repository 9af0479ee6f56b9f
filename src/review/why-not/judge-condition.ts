/**
 * Judges a single condition with an engine whose only rule has only this condition and no filters.
 * The rule keeps its id, so that the exceptions for it apply.
 */
import { leavesOut } from '../../engine/compile/issue.js';
import { asFields, asList, type Fields } from '../../engine/compile/untrusted.js';
import { createEngine, type RuleSetInput } from '../../engine/engine.js';
import type { ExceptedMatch, Match, Unevaluated } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { exceptionLists, readingChoices, type Semantics, withValue } from '../../engine/semantics.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { NearMatch, NearReading } from './answer.js';

/** A condition, and its rule. */
interface Question {
  readonly rule: Fields;
  readonly fields: Fields;
}

/** The input with which conditions are judged. */
export interface Judged {
  readonly ruleSet: RuleSetInput;
  readonly semantics: Semantics;
  readonly message: string | MessageDraft;
  readonly scores: readonly Scores[];
}

/** The result of a condition. */
export interface Judgement {
  readonly holds: boolean;
  /** The first match. Absent if missing scores or texts count as a match. */
  readonly match: Match | undefined;
  readonly excepted: readonly ExceptedMatch[];
  /** Why the condition, or something in it, could not be compiled. */
  readonly broken: string | undefined;
  readonly unevaluated: Unevaluated | undefined;
}

/** Judges a condition. */
export function judgeCondition({ rule, fields }: Question, { ruleSet, semantics, message, scores }: Judged): Judgement {
  const named = new Set<unknown>([...exceptionLists(semantics), ...asList(fields.value)]);
  const { lists = [], missing = [] } = ruleSet;
  const engine = createEngine(
    {
      rules: [{ ...rule, filters: [], conditions: [fields] } as unknown as Rule],
      lists: lists.filter((list) => named.has(asFields(list)?.id)),
      missing,
    },
    { ...semantics, runs: 'all', broken: 'skip', exempt: [], shadow: [] },
  );
  try {
    const { matched, excepted, unevaluated } = engine.explain(message, scores);
    return {
      holds: matched.length > 0,
      match: matched[0]?.conditions[0]?.matches[0],
      excepted,
      broken: engine.issues.find((issue) => issue.conditionId !== undefined && leavesOut(issue))?.detail,
      unevaluated: unevaluated[0],
    };
  } finally {
    engine.close();
  }
}

/** Other values of readings with which terms and patterns may match more. */
export const nearReadings: Readonly<Record<'words' | 'patterns', readonly NearReading[]>> = {
  words: [
    ...(['prefix', 'suffix', 'substring'] as const).map((value) => ({ reading: 'words', value }) as const),
    ...readingChoices.folding.slice(1).map((value) => ({ reading: 'folding', value }) as const),
    { reading: 'wildcards', value: 'asterisk' },
  ],
  patterns: (['insensitive', 'as-written'] as const).map((value) => ({ reading: 'patterns', value })),
};

/**
 * Returns what a condition that does not hold matches with other readings, changed one at a time.
 */
export function nearMatches(question: Question, judged: Judged): readonly NearMatch[] {
  return nearReadings[question.fields.category === 'pattern' ? 'patterns' : 'words'].flatMap((reading) => {
    const semantics = { ...judged.semantics, ...withValue(judged.semantics, reading) };
    const { match } = judgeCondition(question, { ...judged, semantics });
    return match === undefined ? [] : [{ ...reading, match }];
  });
}
