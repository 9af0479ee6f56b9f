/** Thresholds of scored conditions: the curve of right and wrong over the threshold, the point to propose, and the way to another scorer. */
import type { Auditable } from '../../audit/audit-entry.js';
import { isScored, labelKey, parseThreshold, type Threshold } from '../../engine/compile/threshold.js';
import { asFields, asList, asString } from '../../engine/compile/untrusted.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import type { Rule } from '../../platform/contract/rule.js';
import { type Change, type ThresholdPlace, withThreshold } from './changes.js';
import type { Item } from './items.js';
import { type Precision, precisionOf } from './trial.js';

/** A point of a curve: labelled messages whose score is over the threshold, by what is right for them. */
export interface CurvePoint extends Precision {
  readonly greaterThan: number;
  /** Labelled messages that should be stopped and have a score, at or below the threshold. */
  readonly missed: number;
}

/** A threshold of a rule with its curve. */
export interface ThresholdCurve extends ThresholdPlace {
  /** The points at which the labelled messages over the threshold change, and the threshold of the rule; ascending. Empty without labelled scores. */
  readonly curve: readonly CurvePoint[];
  /** The lowest point that reaches the precision asked for, or else the one of the best balance of precision and recall (F1). */
  readonly chosen?: number;
  /** How the threshold carries over to the scores of another scorer; only with such scores. */
  readonly newScores?: NewScores;
}

/** The way of a threshold to another scorer, over all messages that both of them scored. */
export interface NewScores {
  readonly messages: number;
  /** Messages over the threshold now. */
  readonly over: number;
  /** The threshold on the new scores over which as many messages are, as nearly as there is one. */
  readonly asMany: { readonly greaterThan: number; readonly over: number };
  /** The threshold on the new scores by which the most messages are on the same side. */
  readonly agrees: { readonly greaterThan: number; readonly differ: number };
  /** Ids of messages on another side by the threshold that agrees best, the first 20. */
  readonly differing: readonly string[];
}

/** A threshold with what its scores are of. */
interface ScoredPlace extends ThresholdPlace {
  readonly operand: string;
  readonly threshold: Threshold;
}

/** Returns the thresholds of rules, in their order. */
export function thresholdsOf(rules: readonly Rule[]): readonly ScoredPlace[] {
  return rules.flatMap((rule) =>
    asList(asFields(rule)?.conditions).flatMap((condition, at) => {
      const fields = asFields(condition);
      if (fields === undefined || !isScored(fields)) return [];
      return asList(fields.value).flatMap((written): ScoredPlace[] => {
        const threshold = parseThreshold(asString(written) ?? '');
        if (threshold === undefined) return [];
        const { label, greaterThan } = threshold;
        const conditionId = typeof fields.id === 'number' ? fields.id : at + 1;
        return [{ ruleId: rule.id, conditionId, label, greaterThan, operand: String(fields.operand), threshold }];
      });
    }),
  );
}

/** Returns the highest score that a threshold is compared with; undefined without one. */
function scoreOf({ operand, threshold }: ScoredPlace, scores: readonly Scores[]): number | undefined {
  let highest: number | undefined;
  for (const entry of scores) {
    if (entry.operand !== operand) continue;
    for (const [label, score] of Object.entries(entry.labels))
      if ((threshold.any || labelKey(label) === threshold.key) && score > (highest ?? -1)) highest = score;
  }
  return highest;
}

/** Returns the highest whole number that a score is over; -1 for a score of 0. */
const levelOf = (score: number) => Math.ceil(score) - 1;

/** Returns the curve of a threshold by labels of its rule, and of messages that the rule stopped or nothing did. */
export function curveOf(place: ScoredPlace, items: readonly Item[], precision: number | undefined): ThresholdCurve {
  const scored = items.flatMap((item) => {
    const { ruleId, isHit, decision } = item;
    const isOfRule = decision.matched.some((hit) => hit.ruleId === place.ruleId);
    const score = scoreOf(place, item.scores);
    if (score === undefined || (ruleId === undefined ? isHit && !isOfRule : ruleId !== place.ruleId)) return [];
    return [{ item, score }];
  });
  const { ruleId, conditionId, label, greaterThan } = place;
  const at = { ruleId, conditionId, label, greaterThan };
  if (scored.length === 0) return { ...at, curve: [] };
  const levels = new Set([greaterThan, ...scored.flatMap(({ score }) => [levelOf(score), levelOf(score) + 1])]);
  const wanted = scored.filter(({ item }) => item.isRight === item.isHit).length;
  const curve = [...levels]
    .filter((level) => level >= 0 && level < 100)
    .sort((one, other) => one - other)
    .map((level): CurvePoint => {
      const over = scored
        .filter(({ score }) => score > level)
        .map(({ item }) => ({ ...item, isHit: true, isRight: item.isRight === item.isHit }));
      const all = precisionOf(over);
      return { greaterThan: level, ...all, missed: wanted - all.right };
    })
    .filter((point, index, all) => point.greaterThan === greaterThan || isChange(point, all[index - 1]));
  // Labels of stopped messages alone say nothing about what a lower threshold would find.
  const mayLower = scored.some(({ item }) => !item.isHit);
  const open = curve.filter((point) => mayLower || point.greaterThan >= greaterThan);
  const chosen = precision === undefined ? bestBalance(open) : open.find((one) => (one.precision ?? 0) >= precision);
  return { ...at, curve, ...(chosen && { chosen: chosen.greaterThan }) };
}

function isChange(point: CurvePoint, before: CurvePoint | undefined): boolean {
  return before === undefined || point.labelled !== before.labelled || point.right !== before.right;
}

/** Returns the first of the points with the best F1; undefined where nothing is right at any. */
function bestBalance(curve: readonly CurvePoint[]): CurvePoint | undefined {
  const balanceOf = ({ right, labelled, missed }: CurvePoint) => (2 * right) / (right + labelled + missed || 1);
  return curve.reduce<CurvePoint | undefined>(
    (best, point) => (balanceOf(point) > (best === undefined ? 0 : balanceOf(best)) ? point : best),
    undefined,
  );
}

/**
 * Returns the changes to propose for a threshold: to the chosen point, and to the highest one that loses nothing that is right, which frees what
 * can be freed without a loss.
 */
export function thresholdChanges({ curve, chosen, ...place }: ThresholdCurve): readonly Change[] {
  const now = curve.find(({ greaterThan }) => greaterThan === place.greaterThan);
  const safe = curve.findLast(({ right, greaterThan }) => greaterThan > place.greaterThan && right === now?.right);
  return [...new Set([chosen, safe?.greaterThan])].flatMap((to): Change[] => {
    if (to === undefined || to === place.greaterThan) return [];
    const { ruleId, conditionId, label, greaterThan } = place;
    return [
      {
        kind: 'threshold',
        detail: `threshold \`${label}\` of rule \`${ruleId}\`, condition ${conditionId}: ${to} in the place of ${greaterThan}`,
        subject: `threshold ${JSON.stringify(place)}`,
        size: Math.abs(to - greaterThan),
        apply: (parts) => withThreshold(parts, place, to),
      },
    ];
  });
}

/** Collects the scores of two scorers, and says how thresholds carry over from the first to the second. Memory does not grow with messages. */
export function createScorerChange(places: readonly ScoredPlace[]) {
  const counts = places.map(() => ({ over: new Array<number>(101).fill(0), under: new Array<number>(101).fill(0) }));
  return {
    add(old: readonly Scores[], fresh: readonly Scores[]): void {
      for (const [index, place] of places.entries()) {
        const [before, now] = [scoreOf(place, old), scoreOf(place, fresh)];
        if (before === undefined || now === undefined) continue;
        const { over, under } = counts[index]!;
        (before > place.greaterThan ? over : under)[levelOf(now) + 1]! += 1;
      }
    },
    /** Returns the thresholds on the new scores; undefined for a condition without messages that both scored. */
    thresholds: () =>
      places.map((_, index) => {
        const { over, under } = counts[index]!;
        const sum = (levels: readonly number[]) => levels.reduce((all, one) => all + one, 0);
        const [isOver, messages] = [sum(over), sum(over) + sum(under)];
        if (messages === 0) return undefined;
        const points = Array.from({ length: 100 }, (_none, greaterThan) => {
          const [both, onlyNow] = [sum(over.slice(greaterThan + 1)), sum(under.slice(greaterThan + 1))];
          return { greaterThan, over: both + onlyNow, differ: isOver - both + onlyNow };
        });
        const least = (of: (point: (typeof points)[number]) => number) =>
          points.reduce((best, point) => (of(point) < of(best) ? point : best));
        const { differ: _differ, ...asMany } = least((point) => Math.abs(point.over - isOver));
        const { over: _over, ...agrees } = least((point) => point.differ);
        return { messages, over: isOver, asMany, agrees };
      }),
  };
}

/** Reports whether a message is on another side of a threshold by the new scores. */
export function isOnOtherSide(
  place: ScoredPlace,
  greaterThan: number,
  old: readonly Scores[],
  fresh: readonly Scores[],
): boolean {
  const [before, now] = [scoreOf(place, old), scoreOf(place, fresh)];
  return before !== undefined && now !== undefined && before > place.greaterThan !== now > greaterThan;
}

/** Scores of a message. */
export type ScoresOf = (message: Auditable) => readonly Scores[] | Promise<readonly Scores[]>;
