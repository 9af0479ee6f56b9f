/**
 * The naive evaluator that decides disputes: every term and every pattern of every rule is tried on
 * every text, every threshold on every score. Slow and, one hopes, obviously right. It shares
 * nothing with the engine but types. `oracle-text.ts` finds, `oracle-world.ts` reads messages and
 * lists; what follows from that is decided here.
 */
import type { Condition, Rule, Verdict } from '../../src/index.js';
import { exceptionsOf, sift } from './oracle-exceptions.js';
import { patternFinder, wordFinder } from './oracle-text.js';
import {
  askFilter,
  everyMediumIsScored,
  hasFlags,
  hidesFiles,
  holdsMedia,
  isScore,
  lacksText,
  type Readings,
  several,
  termsOf,
  textsOf,
  type World,
} from './oracle-world.js';

export interface OracleAnswer {
  verdict: Verdict;
  exempt: boolean;
  actions: string[];
  /** Ids of the rules that the verdict rests on. */
  restsOn: string[];
  /**
   * By rule and condition: `path start end term-or-pattern list`, or `path label score threshold`;
   * sorted.
   */
  matched: Record<string, Record<number, string[]>>;
  /** `rule#condition why`. */
  unevaluated: string[];
  /**
   * Matches that are none, of rules whose filters hold: `rule#condition path start end term-or-
   * pattern list < exception list`; sorted.
   */
  excepted: string[];
}

export function judge(world: World): OracleAnswer {
  const { rules, message, readings } = world;
  const answer: OracleAnswer = {
    verdict: 'allow',
    exempt: false,
    actions: [],
    restsOn: [],
    matched: {},
    unevaluated: [],
    excepted: [],
  };
  if (readings.exempt.some((filter) => askFilter(filter, message) === 'holds')) return { ...answer, exempt: true };
  for (const rule of rules.filter((candidate) => runs(candidate, readings.runs))) {
    const filters = several(rule.filters).map((filter) => askFilter(filter, message));
    const asked = conditionsOf(rule).map((item, index) => ({
      id: item.id ?? index + 1,
      ...askCondition(item, rule.id, world),
    }));
    if (filters.every((says) => says === 'holds')) {
      answer.excepted.push(
        ...asked.flatMap(({ id, excepted = [] }) => excepted.map((one) => `${rule.id}#${id} ${one}`)),
      );
    }
    const held = asked.filter(({ found }) => found !== undefined);
    const enough = held.length > 0 && (readings.conditions === 'any' || held.length === asked.length);
    if (enough && filters.every((says) => says === 'holds')) {
      answer.matched[rule.id] = Object.fromEntries(held.map(({ id, found }) => [id, found!.sort()]));
    } else if (!filters.includes('fails')) {
      const ofRule = ['not-compiled', 'not-answerable'].find((why) => filters.some((says) => says === why));
      const silent = asked.filter(({ present, why }) => present && (ofRule ?? why) !== undefined);
      answer.unevaluated.push(...silent.map(({ id, why }) => `${rule.id}#${id} ${ofRule ?? why}`));
    }
  }
  const deciding = rules.filter(({ id }) => Object.hasOwn(answer.matched, id) && !readings.shadow.includes(id));
  answer.actions = [...new Set(deciding.flatMap(({ action }) => several(action)))];
  const strongest = readings.precedence.find((name) => answer.actions.includes(name)) as Verdict | undefined;
  const restsOn = deciding.filter(({ action }) => strongest !== undefined && several(action).includes(strongest));
  answer.excepted.sort();
  return { ...answer, verdict: strongest ?? 'allow', restsOn: restsOn.map(({ id }) => id) };
}

/** What is not a condition is one about nobody knows what. */
function conditionsOf({ conditions }: Rule): readonly Condition[] {
  const written: readonly unknown[] = Array.isArray(conditions)
    ? conditions
    : conditions === undefined
      ? []
      : [undefined];
  return written.map(
    (item) => (typeof item === 'object' && item !== null && !Array.isArray(item) ? item : {}) as Condition,
  );
}

function runs({ enabled, active }: Rule, which: Readings['runs']): boolean {
  return which === 'all' || (enabled !== false && (which === 'enabled' || active !== false));
}

interface ConditionAnswer {
  /** Its matches, when it holds. */
  found?: string[];
  /** Those of its matches that are none. */
  excepted?: string[];
  /** The message has what the condition is about. */
  present: boolean;
  /** Why it could not be answered, or not in full. */
  why?: string | undefined;
}

function askCondition(condition: Condition, rule: string, world: World): ConditionAnswer {
  const entity = condition.entity ?? 'message';
  const operator = condition.operator ?? 'contains';
  const category = condition.category ?? 'word';
  const operand: string = typeof condition.operand === 'string' ? condition.operand : '';
  const isPlain = /^(word|pattern)$/.test(category);
  const values = several(condition.value ?? undefined);
  // Of another category, and all of its values have a label and `_greaterThan_`.
  const isThreshold = !isPlain && values.length > 0 && values.every((text) => /.+_greaterThan_/s.test(text));
  const known = entity === 'message' && /^(contains|equals)$/.test(operator) && (isPlain || isThreshold);
  if (isThreshold && known && operator === 'contains' && /^(text|custom)$/.test(operand)) {
    return askScores(condition, operand, world);
  }
  if (operand !== 'text' && operand !== 'custom') {
    const scored = known && operator === 'contains' && /^(image|video|audio|file)$/.test(operand);
    if (scored) return askScores(condition, operand, world);
    // A kind that nobody knows may be in any message.
    const isMedia = /^(image|video|audio|file)$/.test(operand);
    const present = !isMedia || holdsMedia(operand, world) || hidesFiles(world.message);
    return { present, why: 'not-compiled' };
  }
  const texts = textsOf(operand, world);
  const unreadable = operand === 'text' && lacksText(world.message);
  const present = texts.length > 0 || unreadable;
  if (!known || isThreshold) return { present, why: 'not-compiled' };
  const { terms, missing } = termsOf(condition, rule, world);
  const finderOf = category === 'word' ? wordFinder : patternFinder;
  const finders = terms.map(({ term, from }) => ({ term, from, find: finderOf(term, operator, world.readings, from) }));
  const exceptions = exceptionsOf(world);
  const found: string[] = [];
  const excepted: string[] = [];
  for (const { term, from, find } of finders) {
    for (const { path, text } of texts) {
      const parted = sift(find?.(text) ?? [], text, { rule, from }, exceptions);
      found.push(...parted.standing.map(([start, end]) => `${path} ${start} ${end} ${term} ${from}`));
      excepted.push(...parted.excepted.map(({ start, end, by }) => `${path} ${start} ${end} ${term} ${from} < ${by}`));
    }
  }
  const broken = missing || finders.some(({ find }) => find === undefined);
  const why = broken ? 'not-compiled' : unreadable ? 'not-answerable' : undefined;
  const runs = finders.some(({ find }) => find !== undefined);
  if (unreadable && runs && world.readings.unreadable === 'block') {
    return { present, found: [], why: broken ? why : undefined };
  }
  return { present, why, excepted, ...(found.length > 0 && { found }) };
}

function askScores(condition: Condition, operand: string, world: World): ConditionAnswer {
  const { media, readings } = world;
  const isText = operand === 'text' || operand === 'custom';
  const values = several(condition.value ?? undefined);
  const written = values.map((text) => /^(.*\S.*)_greaterThan_(\d+(?:\.\d+)?)$/s.exec(text));
  const readable = written.flatMap((parts) =>
    parts === null || Number(parts[2]) >= 100 ? [] : [{ label: parts[1]!, limit: Number(parts[2]) }],
  );
  const texts = isText ? textsOf(operand, world) : [];
  const unreadable = operand === 'text' && lacksText(world.message);
  const given = readable.length > 0 && media.some((entry) => entry.operand === operand);
  const holds = isText ? texts.length > 0 || unreadable || given : holdsMedia(operand, world);
  const hidden = !isText && hidesFiles(world.message);
  const present = holds || hidden;
  const isBroken = readable.length < Math.max(1, written.length) || !hasFlags(condition);
  const why = isBroken ? 'not-compiled' : undefined;
  const scores = media.flatMap((entry, at) =>
    Object.entries(entry.operand === operand ? entry.labels : {}).map(([label, score]) => ({ at, label, score })),
  );
  const same = (label: string) => label.toLowerCase().replace(/[\s_-]/g, ' ');
  const isSame = (one: { label: string; limit: number }, other: { label: string; limit: number }) =>
    same(one.label) === same(other.label) && one.limit === other.limit;
  const thresholds = readable.filter((one, at) => readable.findIndex((other) => isSame(one, other)) === at);
  const asking = thresholds.flatMap(({ label: asked, limit }) =>
    scores
      .filter(({ label }) => [same(label), 'anyof'].includes(same(asked)))
      .map((scored) => ({ ...scored, asked, limit })),
  );
  const found = asking
    .filter(({ score, limit }) => isScore(score) && score > limit)
    .map(({ at, label, score, asked, limit }) => `scores[${at}] ${label} ${score} ${asked} ${limit}`);
  if (found.length > 0) return { present, why, found };
  if (unreadable && thresholds.length > 0 && readings.unreadable === 'block') return { present, found: [], why };
  if (isText && !given) {
    if (unreadable) return { present, why: why ?? 'not-answerable' };
    if (texts.every(({ text }) => text.trim() === '')) return { present, why };
  }
  const wanting = hidden ? (why ?? 'not-answerable') : why;
  // Every label of a text; of files, one that is left out was not seen.
  const isWhole = !isText || thresholds.every(({ label }) => asking.some(({ asked }) => same(asked) === same(label)));
  if (isWhole && asking.every(({ score }) => isScore(score)) && everyMediumIsScored(operand, world))
    return { present, why: wanting };
  const counts = holds && !isText && thresholds.length > 0 && readings.missingScores === 'block';
  return { present, why: wanting ?? 'no-scores', ...(counts && { found: [], why }) };
}
