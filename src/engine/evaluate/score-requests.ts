/**
 * Requests to a scorer, for scores of the text and the files of a message that can still change the
 * verdict.
 */

import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { CompiledRule, CompiledRuleSet } from '../compile/compiled-rule-set.js';
import type { ScoredOperand } from '../compile/operands.js';
import { keyOf, mostScoredFiles } from '../media.js';
import type { Hits } from './hits.js';
import type { Observation } from './observation.js';
import { holdsScores, scoredText, scoresOver } from './scores.js';

/** A text or a file to be scored: one of `text` and `url` is there. */
export interface ScoreRequest {
  /** The operand that it is to be scored as. */
  readonly operand: ScoredOperand;
  /**
   * The text of the message; of `custom` content all of its texts, a line each. Never white space
   * alone.
   */
  readonly text?: string | undefined;
  /** The address of the file. It may be signed: the query is as good as a password. */
  readonly url?: string | undefined;
  /** The type of the file, as the message states it. */
  readonly mimeType?: string | undefined;
  /**
   * The labels of the thresholds on the operand, as the rules write them; `AnyOf` stands for every
   * label.
   */
  readonly labels: readonly string[];
  /** The message that holds it, as the caller gave it; `{ data: { text } }` for a text. */
  readonly message: MessageDraft;
}

/** Returns, for each operand, the labels of the thresholds of running rules, each once. */
export function neededLabels({
  conditions,
  scoredConditions,
}: CompiledRuleSet): ReadonlyMap<string, readonly string[]> {
  const needed = new Map<string, Map<string, string>>();
  for (const index of scoredConditions) {
    const { operand, thresholds } = conditions[index]!;
    const labels = needed.get(operand) ?? new Map<string, string>();
    needed.set(operand, labels);
    for (const { key, label } of thresholds) if (!labels.has(key)) labels.set(key, label);
  }
  return new Map([...needed].map(([operand, labels]) => [operand, [...labels.values()]]));
}

/**
 * Returns requests for the text and the first `mostScoredFiles` files with an address, where
 * conditions need scores that the caller did not give.
 */
export function requestsOf(
  observation: Observation,
  needed: ReadonlyMap<string, readonly string[]>,
): readonly ScoreRequest[] {
  if (needed.size === 0) return [];
  const { texts, scores } = observation;
  const message = observation.message as MessageDraft;
  const given = new Set(scores.flatMap(({ operand, url }) => (url === undefined ? [] : [keyOf({ operand, url })])));
  const ofText = needed.get(texts.operand);
  const text = ofText === undefined || holdsScores(scores, texts.operand) ? undefined : scoredText(texts);
  const files = observation.files.flatMap(({ operand, url, mimeType }): ScoreRequest[] => {
    const labels = needed.get(operand);
    if (labels === undefined || url === undefined || given.has(keyOf({ operand, url }))) return [];
    return [{ operand, url, mimeType, labels, message }];
  });
  return [
    ...(text === undefined ? [] : [{ operand: texts.operand, text, labels: ofText!, message }]),
    ...files.slice(0, mostScoredFiles),
  ];
}

/**
 * Returns the requests whose scores can change the verdict: those of rules that may match by them,
 * and that are stronger than what matches without. `hits` are those of the message with the scores
 * that are there, and `applies` says whether the filters of a rule hold.
 */
export function openRequests(
  requests: readonly ScoreRequest[],
  { rules, conditions, scoredConditions, verdicts }: CompiledRuleSet,
  { held, heldCount, holds }: Hits,
  { scores }: Observation,
  { all, applies }: { readonly all: boolean; readonly applies: (rule: CompiledRule) => boolean },
): readonly ScoreRequest[] {
  const requested = new Set<string>(requests.map(({ operand }) => operand));
  const open = new Set(
    scoredConditions.filter((index) => {
      const { operand, thresholds } = conditions[index]!;
      return requested.has(operand) && scoresOver(thresholds, operand, scores, 1).length === 0;
    }),
  );
  /** Reports whether a rule decides when its open conditions hold, or when they do not. */
  const decides = (rule: CompiledRule, openHolds: 0 | 1): boolean => {
    if (rule.shadow || rule.rank === verdicts.length) return false;
    let holding = 0;
    for (let index = rule.firstCondition; index < rule.endCondition; index++)
      holding += open.has(index) ? openHolds : holds[index]!;
    return holding > 0 && (!all || holding === rule.endCondition - rule.firstCondition) && applies(rule);
  };
  const rulesOf = (indices: Iterable<number>) => [...new Set([...indices].map((index) => conditions[index]!.rule))];
  const certain = rulesOf(held.subarray(0, heldCount)).filter((rule) => decides(rules[rule]!, 0));
  const strongest = certain.reduce((least, rule) => Math.min(least, rules[rule]!.rank), verdicts.length);
  const possible = rulesOf(open).filter((rule) => rules[rule]!.rank < strongest && decides(rules[rule]!, 1));
  const ranks = possible.map((rule) => rules[rule]!.rank);
  // A rule that allows what is allowed anyway changes something only where a weaker one may stop
  // it.
  const changes = (rank: number) =>
    verdicts[rank] !== (verdicts[strongest] ?? 'allow') || ranks.some((higher) => higher > rank);
  const changing = new Set(possible.filter((rule) => changes(rules[rule]!.rank)));
  const operands = new Set(
    [...open].flatMap((index) => {
      const { rule, operand } = conditions[index]!;
      return changing.has(rule) ? [operand] : [];
    }),
  );
  return requests.filter(({ operand }) => operands.has(operand));
}
