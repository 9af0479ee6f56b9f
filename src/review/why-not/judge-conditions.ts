/**
 * Judges conditions one by one: each is a rule of its own with the same id, so that the exceptions for its rule apply, without filters. A unique key
 * replaces the number of the condition, since a rule set may repeat rules and conditions.
 */
import { leavesOut } from '../../engine/compile/issue.js';
import { asFields, asList, type Fields } from '../../engine/compile/untrusted.js';
import { createEngine, type RuleSetInput } from '../../engine/engine.js';
import type { Decision, Match, Unevaluated } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { exceptionLists, readingChoices, type Semantics, withValue } from '../../engine/semantics.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { NearMatch, NearReading } from './answer.js';

/** A condition in question. */
export interface Question {
  /** A number that no other condition has, above 1, which the engine gives to a condition that is not an object. */
  readonly key: number;
  readonly conditionId: number;
  readonly rule: Fields;
  /** `undefined` for a condition that is not an object. */
  readonly fields: Fields | undefined;
}

/** The input that conditions are judged with. */
export interface Judged {
  readonly ruleSet: RuleSetInput;
  readonly semantics: Semantics;
  readonly message: string | MessageDraft;
  readonly scores: readonly Scores[];
}

/** The results of the conditions, by their keys. */
export interface Judgement {
  readonly decision: Decision;
  /** The conditions that hold, with their first match; without one where missing scores or texts count as a match. */
  readonly held: ReadonlyMap<number, Match | undefined>;
  /** Why conditions, or parts of them, could not be compiled. */
  readonly broken: ReadonlyMap<number, string>;
  readonly unevaluated: ReadonlyMap<number, Unevaluated>;
}

/** Judges conditions by an engine of them alone, with other readings where they are given. */
export function judgeConditions(
  questions: readonly Question[],
  { ruleSet, semantics, message, scores }: Judged,
  readings: Partial<Semantics> = {},
): Judgement {
  const rules = questions.flatMap(({ key, rule, fields }) =>
    fields === undefined ? [] : [{ ...rule, filters: [], conditions: [{ ...fields, id: key }] } as unknown as Rule],
  );
  const named = new Set<unknown>(exceptionLists(semantics));
  for (const { fields } of questions) for (const value of asList(fields?.value)) named.add(value);
  const { lists = [], missing = [] } = ruleSet;
  const own = { runs: 'all', conditions: 'any', broken: 'skip', exempt: [], shadow: [] } as const;
  const engine = createEngine(
    { rules, lists: lists.filter((list) => named.has(asFields(list)?.id)), missing },
    { ...semantics, ...readings, ...own },
  );
  try {
    const broken = new Map<number, string>();
    for (const issue of engine.issues) {
      const { conditionId: key } = issue;
      if (key !== undefined && leavesOut(issue) && !broken.has(key)) broken.set(key, issue.detail);
    }
    const decision = engine.explain(message, scores);
    const hits = decision.matched.flatMap(({ conditions }) => conditions);
    const held = new Map(hits.map(({ conditionId, matches }) => [conditionId, matches[0]]));
    return { decision, held, broken, unevaluated: new Map(decision.unevaluated.map((one) => [one.conditionId, one])) };
  } finally {
    engine.close();
  }
}

/** Other values of readings, by which terms and patterns may match more. */
export const nearReadings: Readonly<Record<'words' | 'patterns', readonly NearReading[]>> = {
  words: [
    ...(['prefix', 'suffix', 'substring'] as const).map((value) => ({ reading: 'words', value }) as const),
    ...readingChoices.folding.slice(1).map((value) => ({ reading: 'folding', value }) as const),
    { reading: 'wildcards', value: 'asterisk' },
  ],
  patterns: (['insensitive', 'as-written'] as const).map((value) => ({ reading: 'patterns', value })),
};

/** Returns what conditions match with other readings, one at a time. */
export function nearMatches(questions: readonly Question[], judged: Judged): ReadonlyMap<number, readonly NearMatch[]> {
  const near = new Map<number, NearMatch[]>();
  for (const kind of ['words', 'patterns'] as const) {
    const own = questions.filter(({ fields }) => (kind === 'patterns') === (fields?.category === 'pattern'));
    for (const reading of own.length === 0 ? [] : nearReadings[kind]) {
      const { held } = judgeConditions(own, judged, withValue(judged.semantics, reading));
      for (const [key, match] of held) {
        if (match !== undefined) near.set(key, [...(near.get(key) ?? []), { ...reading, match }]);
      }
    }
  }
  return near;
}
