import { runs } from '../../engine/compile/compile-rule-set.js';
import { parsePath } from '../../engine/compile/json-path.js';
import { isScored, labelKey, parseThreshold } from '../../engine/compile/threshold.js';
import { asFields, asList, asString, type Fields } from '../../engine/compile/untrusted.js';
import type { RuleSetInput } from '../../engine/engine.js';
import type { ExceptedMatch } from '../../engine/evaluate/decision.js';
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
import { type Judged, type Judgement, judgeConditions, nearMatches, type Question } from './judge-conditions.js';

/** Options of `whyNot`. */
export interface WhyNotOptions {
  /** Readings other than the defaults, as `createEngine` takes them. */
  readonly semantics?: Partial<Semantics> | undefined;
  /** The only rule in question; absent: all. */
  readonly ruleId?: string | undefined;
  /** Scores of the message, as `decide` takes them. */
  readonly scores?: readonly Scores[] | undefined;
}

/**
 * Returns why rules did not match a message: for each rule that did not, in the order of the rule set, the reason, or the reasons of its
 * conditions, with what would have matched by another reading. A rule that matched is not in the answer. Rules are compiled again, once for each other reading; name a
 * rule where there are many.
 *
 * Throws `UsageError` for unknown options, for the id of an unknown rule, and if the value is not a message, and what `createEngine`
 * throws; but broken rules have an answer, also under `broken: 'fail'`.
 *
 * @example
 * ```ts
 * const ruleSet: RuleSetInput = {
 *   rules: [{ id: 'spam', action: 'blockMessage', conditions: [{ operand: 'text', value: ['buy now'] }] }],
 *   lists: [],
 * };
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

/** A rule in question: a reason of the whole rule, or its conditions, or both if it would match without the reason. */
interface Asked {
  readonly ruleId: string;
  readonly whole: readonly WhyNot[];
  readonly questions: readonly Question[];
}

/** Returns why those of the rules that did not match did not. Throws `UsageError` if the value is not a message. */
export function reasonsOf(
  rules: readonly unknown[],
  judged: Judged,
  { near }: { readonly near: boolean },
): readonly WhyNot[] {
  const { semantics, message, scores } = judged;
  const paths = semantics.customText.flatMap((path) => parsePath(path) ?? []);
  const observation = observe(message, scores, paths);
  let key = 1;
  const asked = rules.flatMap((rule): Asked[] => {
    const fields = asFields(rule);
    const ruleId = asString(fields?.id);
    if (fields === undefined || ruleId === undefined || ruleId === '') return [];
    const whole = ofWhole(ruleId, fields, semantics, observation.message);
    const isEvaluated = whole.every(({ why }) => why === 'exempt' || why === 'filtered');
    if (!isEvaluated) return [{ ruleId, whole, questions: [] }];
    const questions = asList(fields.conditions).flatMap((condition, position): Question[] => {
      const own = asFields(condition);
      key += 1;
      return [{ key, conditionId: typeof own?.id === 'number' ? own.id : position + 1, rule: fields, fields: own }];
    });
    return [{ ruleId, whole, questions }];
  });
  const questions = asked.flatMap((one) => one.questions);
  const judgement = judgeConditions(questions, judged);
  const found = { ...judgement, excepted: exceptedBy(questions, judgement, judged) };
  const isMatch = ({ questions: own }: Asked) =>
    own.length > 0 &&
    own[semantics.conditions === 'all' ? 'every' : 'some'](({ key: condition }) => found.held.has(condition));
  const answers = asked.flatMap((one): Answer[] => {
    if (one.whole.length > 0) {
      const match = isMatch(one)
        ? one.questions.map((question) => found.held.get(question.key)).find(Boolean)
        : undefined;
      return one.whole.map((answer) => ({ ...answer, ...(match && { match }) }));
    }
    if (isMatch(one)) return [];
    const missed = one.questions.filter((question) => !found.held.has(question.key));
    return missed.map((question) => ({ question, ...ofCondition(one.ruleId, question, found, observation) }));
  });
  const open = answers.flatMap(({ question, why }) => (question && mayBeNear.has(why) ? [question] : []));
  const nearBy = near ? nearMatches(open, judged) : undefined;
  return answers.map(({ question, ...answer }) => {
    const matches = question && nearBy?.get(question.key);
    return { ...answer, ...(matches && { near: matches }) };
  });
}

/** A reason with its condition. */
type Answer = WhyNot & { readonly question?: Question };

/** Reasons of conditions that may match by another reading. */
const mayBeNear: ReadonlySet<WhyNotReason> = new Set(['no-match', 'not-compiled']);

/** Returns the reasons of a whole rule. */
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

/** Returns the conditions that hold without exceptions, with the excepted matches that the decision lists, at most 100. */
function exceptedBy(questions: readonly Question[], { decision, held }: Judgement, judged: Judged) {
  const excepted = new Map<number, ExceptedMatch[]>();
  if (judged.semantics.exceptions.length === 0) return excepted;
  const missed = questions.filter(({ key }) => !held.has(key));
  const without = judgeConditions(missed, judged, { exceptions: [] });
  for (const { key, conditionId } of missed) {
    const own = decision.excepted.filter((one) => one.conditionId === key);
    if (without.held.has(key))
      excepted.set(
        key,
        own.map((one) => ({ ...one, conditionId })),
      );
  }
  return excepted;
}

/** Returns why a condition does not hold. */
function ofCondition(
  ruleId: string,
  { key, conditionId, fields }: Question,
  { broken, unevaluated, excepted }: Judgement & { readonly excepted: ReadonlyMap<number, readonly ExceptedMatch[]> },
  observation: Observation,
): WhyNot {
  const because = (why: WhyNotReason, detail: string) => ({ ruleId, conditionId, why, detail });
  const operand = asString(fields?.operand) ?? '';
  const spared = excepted.get(key);
  if (spared !== undefined) {
    const by = [...new Set(spared.map(({ exception: { term, pattern } }) => oneLine(term ?? pattern ?? '')))];
    const named = by.length === 0 ? '' : `: \`${by.slice(0, 3).join('`, `')}\`${by.length > 3 ? ' and others' : ''}`;
    const answer = because('excepted', `all that was found lies inside exceptions${named}`);
    return { ...answer, ...(spared.length > 0 && { excepted: spared }) };
  }
  const fault = fields === undefined ? 'is not an object' : broken.get(key);
  if (fault !== undefined) return because('not-compiled', fault);
  const isThreshold = fields !== undefined && isScored(fields);
  if (!isPresent(operand, isThreshold, observation))
    return because('operand-absent', `the message has nothing that conditions on \`${operand}\` read`);
  const unanswered = unevaluated.get(key);
  if (unanswered !== undefined) {
    const reasons = { 'not-answerable': 'operand-absent', 'engine-fault': 'not-compiled' } as const;
    const { why, detail } = unanswered;
    return because(why === 'not-answerable' || why === 'engine-fault' ? reasons[why] : why, detail);
  }
  if (!isThreshold) return because('no-match', 'nothing that it looks for is in the message');
  const scores = asList(fields.value).flatMap((value) => scoreMiss(value, operand, observation));
  const words = scores.map(({ label, greaterThan, score }) =>
    score === undefined ? `no score of ${oneLine(label)}` : `${oneLine(label)} ${score}, not over ${greaterThan}`,
  );
  return { ...because('below-threshold', words.join('; ')), scores };
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
