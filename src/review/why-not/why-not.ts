/** Finds out why a rule did not match a message. */
import { runs } from '../../engine/compile/compile-rule-set.js';
import { parsePath } from '../../engine/compile/json-path.js';
import { isScored, labelKey, parseThreshold } from '../../engine/compile/threshold.js';
import { asFields, asList, asString, type Fields } from '../../engine/compile/untrusted.js';
import type { RuleSetInput } from '../../engine/engine.js';
import { createExemption } from '../../engine/evaluate/filters.js';
import { type Observation, observe } from '../../engine/evaluate/observation.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { isPresent } from '../../engine/evaluate/unevaluated.js';
import { resolveSemantics, type Semantics, semanticsOf } from '../../engine/semantics.js';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { nearestNames } from '../../foundation/nearest-names.js';
import { refuseUnknownOptions } from '../../foundation/options.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { ScoreMiss, WhyNot, WhyNotReason } from './answer.js';
import { filterReasons, missWords, oneLine } from './filter-reasons.js';
import { type Judged, type Judgement, judgeCondition, nearMatches } from './judge-condition.js';

/** Options of `whyNot`. */
export interface WhyNotOptions {
  /** Readings other than the defaults, like those of `createEngine`. */
  readonly semantics?: Partial<Semantics> | undefined;
  /** The only rule to explain. If absent, all rules. */
  readonly ruleId?: string | undefined;
  /** Scores of the message, like those of `decide`. */
  readonly scores?: readonly Scores[] | undefined;
}

/**
 * Returns why rules did not match a message. For each rule that did not match, in the order of the
 * rule set, it gives the reason, or the reasons of its conditions, with what would match with
 * another reading. Rules that matched are left out. Conditions are compiled again for each other
 * reading, so name a rule if there are many.
 *
 * Throws `UsageError` for unknown options, for the id of an unknown rule, and if the value is not a
 * message, and the errors of `createEngine`. Broken rules do not throw, also under `broken:
 * 'fail'`: they have a reason.
 *
 * @example
 * ```ts
 * const condition = { operand: 'text', value: ['buy now'] };
 * const rules = [{ id: 'spam', action: 'blockMessage', conditions: [condition] }];
 * const ruleSet: RuleSetInput = { rules, lists: [] };
 * const [answer] = whyNot(ruleSet, 'BUY nowadays', { ruleId: 'spam' });
 * answer?.why; // 'no-match'
 * answer?.near?.[0]?.reading; // 'words'
 * answer?.near?.[0]?.value; // 'prefix'
 * ```
 */
export function whyNot(
  ruleSet: RuleSetInput,
  message: string | MessageDraft,
  options: WhyNotOptions = {},
): readonly WhyNot[] {
  refuseUnknownOptions('`whyNot`', options, ['semantics', 'ruleId', 'scores'] satisfies (keyof WhyNotOptions)[]);
  const { ruleId, scores = [] } = options;
  const { rules, lists = [] } = asFields(ruleSet) ?? {};
  if (!Array.isArray(rules)) throw new RuleSetError('a rule set must have an array of `rules`');
  if (!Array.isArray(lists)) throw new RuleSetError('`lists` of a rule set must be an array');
  const semantics = resolveSemantics(semanticsOf(ruleSet, options.semantics));
  const ids = rules.flatMap((rule) => asString(asFields(rule)?.id) ?? []);
  if (ruleId !== undefined && !ids.includes(ruleId)) {
    const near = nearestNames(ruleId, ids).map((id) => `\`${id}\``);
    const hint = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
    throw new UsageError(`\`ruleId\` must be the id of a rule, and no rule has this one${hint}`);
  }
  const asked = rules.filter((rule) => ruleId === undefined || asFields(rule)?.id === ruleId);
  return reasonsOf(asked, { ruleSet, semantics, message, scores }, { near: true });
}

/**
 * Returns why rules did not match. Rules that matched are left out. Throws `UsageError` if the
 * value is not a message.
 */
export function reasonsOf(
  rules: readonly unknown[],
  judged: Judged,
  options: { readonly near: boolean },
): readonly WhyNot[] {
  const { semantics, message, scores } = judged;
  const paths = semantics.customText.flatMap((path) => parsePath(path) ?? []);
  const observation = observe(message, scores, paths);
  return rules.flatMap((rule) => reasonsOfRule(asFields(rule), judged, observation, options));
}

/** Returns why a rule did not match. Empty for a rule that matched, and for one without an id. */
function reasonsOfRule(
  rule: Fields | undefined,
  judged: Judged,
  observation: Observation,
  { near }: { readonly near: boolean },
): readonly WhyNot[] {
  const { semantics } = judged;
  const ruleId = asString(rule?.id);
  if (rule === undefined || ruleId === undefined || ruleId === '') return [];
  const whole = ofWhole(ruleId, rule, semantics, observation.message);
  if (whole.some(({ why }) => why !== 'exempt' && why !== 'filtered')) return whole;
  const answers = asList(rule.conditions).map((condition, position) => {
    const fields = asFields(condition);
    const conditionId = typeof fields?.id === 'number' ? fields.id : position + 1;
    if (fields === undefined)
      return { miss: { ruleId, conditionId, why: 'not-compiled', detail: 'is not an object' } as WhyNot };
    const question = { rule, fields: { ...fields, id: conditionId } };
    const judgement = judgeCondition(question, judged);
    if (judgement.holds) return { match: judgement.match };
    const miss = { ruleId, conditionId, ...ofCondition(fields, judgement, observation) };
    const matches = near && mayBeNear.has(miss.why) ? nearMatches(question, judged) : [];
    return { miss: { ...miss, ...(matches.length > 0 && { near: matches }) } };
  });
  const misses = answers.flatMap(({ miss }) => miss ?? []);
  const isMatch = semantics.conditions === 'all' ? misses.length === 0 : misses.length < answers.length;
  if (whole.length === 0) return isMatch ? [] : misses;
  const match = isMatch ? answers.find((answer) => answer.match !== undefined)?.match : undefined;
  return whole.map((answer) => ({ ...answer, ...(match && { match }) }));
}

/** Reasons of conditions that may match with another reading. */
const mayBeNear: ReadonlySet<WhyNotReason> = new Set(['no-match', 'not-compiled']);

/** Returns the reasons that apply to a whole rule. */
function ofWhole(ruleId: string, fields: Fields, semantics: Semantics, message: Fields): readonly WhyNot[] {
  const because = (why: WhyNotReason, detail: string) => [{ ruleId, why, detail }];
  if (!runs(fields, semantics)) {
    if (fields.enabled === false) return because('disabled', '`enabled` of the rule is false');
    if (fields.active === false) return because('inactive', '`active` of the rule is false');
    return because('disabled', 'the reading `runs` leaves it out');
  }
  if (!Array.isArray(fields.conditions) || fields.conditions.length === 0) {
    return because('not-compiled', 'has no conditions, so it never matches');
  }
  const { broken, misses } = filterReasons(ruleId, fields.filters, message);
  if (broken !== undefined) return because('not-compiled', broken);
  if (createExemption(semantics.exempt)(message))
    return because('exempt', 'the reading `exempt` allows the message unseen');
  return misses.map((filter) => ({ ruleId, why: 'filtered', detail: missWords(filter, message), filter }));
}

/** Returns why a condition does not hold. */
function ofCondition(
  fields: Fields,
  { excepted, broken, unevaluated }: Judgement,
  observation: Observation,
): Pick<WhyNot, 'why' | 'detail' | 'excepted' | 'scores'> {
  if (excepted.length > 0) {
    const by = [...new Set(excepted.map(({ exception: { term, pattern } }) => oneLine(term ?? pattern ?? '')))];
    const named = `\`${by.slice(0, 3).join('`, `')}\`${by.length > 3 ? ' and others' : ''}`;
    return { why: 'excepted', detail: `all that was found lies inside exceptions: ${named}`, excepted };
  }
  if (broken !== undefined) return { why: 'not-compiled', detail: broken };
  const operand = asString(fields.operand) ?? '';
  const isThreshold = isScored(fields);
  if (!isPresent(operand, isThreshold, observation))
    return { why: 'operand-absent', detail: `the message has nothing that conditions on \`${operand}\` read` };
  if (unevaluated !== undefined) {
    const reasons = { 'not-answerable': 'operand-absent', 'engine-fault': 'not-compiled' } as const;
    const { why, detail } = unevaluated;
    return { why: why === 'not-answerable' || why === 'engine-fault' ? reasons[why] : why, detail };
  }
  if (!isThreshold) return { why: 'no-match', detail: 'nothing that it looks for is in the message' };
  const scores = asList(fields.value).flatMap((value) => scoreMiss(value, operand, observation));
  const texts = scores.map(({ label, greaterThan, score }) =>
    score === undefined ? `no score of ${oneLine(label)}` : `${oneLine(label)} ${score}, not over ${greaterThan}`,
  );
  return { why: 'below-threshold', detail: texts.join('; '), scores };
}

/** Returns a threshold with the highest score that it was compared with. */
function scoreMiss(value: unknown, operand: string, observation: Observation): ScoreMiss[] {
  const threshold = parseThreshold(asString(value) ?? '');
  if (threshold === undefined) return [];
  const scores = observation.scores
    .filter((entry) => entry.operand === operand)
    .flatMap(({ labels }) => Object.entries(labels))
    .flatMap(([label, score]) => (threshold.any || labelKey(label) === threshold.key ? [score] : []));
  const { label, greaterThan } = threshold;
  return [
    { label, greaterThan, ...(scores.length > 0 && { score: scores.reduce((most, score) => Math.max(most, score)) }) },
  ];
}
