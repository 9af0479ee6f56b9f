/** Compares the decisions of the engine with those of the platform, and tries other readings. */
import { stops } from '../../engine/compile/verdicts.js';
import type { Engine } from '../../engine/engine.js';
import type { Decision } from '../../engine/evaluate/decision.js';
import { type ReadingValue, readingChoices, type Semantics, valuesInUse } from '../../engine/semantics.js';
import type { Auditable, JudgedMessage } from '../audit-entry.js';
import { leastIds } from './least-examples.js';
import { addNumbers, createTally } from './tally.js';

/**
 * The decision of the platform, as a message carries it in `data.moderation`; the interface
 * document does not show this field.
 */
interface PlatformDecision {
  /** The status in lower case: `approved`, `disapproved`, `pending`, or another name. */
  readonly status: string;
  /** The rule on which the decision rests, if the message names one. */
  readonly ruleId?: string | undefined;
}

/** A reading with a value that the deciding engine does not have. */
export type AlternativeReading = ReadingValue;

interface StatusCount {
  readonly status: string;
  readonly messages: number;
}

/** Messages of one rule about which the engine and the platform differ. */
export interface DisagreementCount {
  /**
   * A rule of the engine for `onlyHere`, of the platform for `onlyThere`; null if the platform
   * names no rule.
   */
  readonly ruleId: string | null;
  /** Messages that this rule of the engine stopped and the platform approved. */
  readonly onlyHere: number;
  /** Messages that the engine allowed and the platform disapproved for this rule. */
  readonly onlyThere: number;
}

/** The effect of another reading on the agreement about all compared messages. */
export interface ReadingEffect extends AlternativeReading {
  /** Messages about which the engine and the platform differ, but would agree with this reading. */
  readonly resolves: number;
  /** Messages about which they agree, but would differ with this reading. */
  readonly breaks: number;
}

/**
 * A comparison of the decisions of an engine with those of the platform. Plain JSON. The
 * comparisons of disjoint parts add up to that of the whole.
 */
export interface PlatformComparison {
  readonly messages: number;
  /** Messages that carry a decision of the platform, by its status, the most frequent first. */
  readonly statuses: readonly StatusCount[];
  readonly carrying: number;
  /** Messages of `carrying` whose status is neither `approved` nor `disapproved`, by its name. */
  readonly undecided: readonly StatusCount[];
  /** Messages without `data.moderation`. */
  readonly without: number;
  /**
   * Messages whose `data.moderation` has no status; they are not among `carrying`, and not
   * compared.
   */
  readonly unreadable: number;
  /** Messages that the platform approved or disapproved; others are not compared. */
  readonly compared: number;
  /** Compared messages that both allow or both stop. */
  readonly agreed: number;
  /**
   * Compared messages that are allowed by both, stopped by both, stopped by the engine alone, by
   * the platform alone.
   */
  readonly bothAllow: number;
  readonly bothStop: number;
  readonly onlyHere: number;
  readonly onlyThere: number;
  /**
   * Messages of `bothStop` for which the platform names a rule, and those whose verdict here rests
   * on the same rule.
   */
  readonly ruleNamed: number;
  readonly sameRule: number;
  /**
   * Messages that the platform disapproved with a `rule` that cannot be read; they count as naming
   * no rule.
   */
  readonly unreadableRules: number;
  /**
   * The disagreements by rule, the most frequent first. A message that several rules stop counts
   * for each of them.
   */
  readonly rules: readonly DisagreementCount[];
  /** The effects of other readings, the best first: by `resolves` minus `breaks`. */
  readonly readings: readonly ReadingEffect[];
  /**
   * Ids of messages about which they differ, at most five for each side, chosen as `leastIds` does.
   */
  readonly examples: { readonly onlyHere: readonly string[]; readonly onlyThere: readonly string[] };
}

/** A message to compare, with the scores by which it was decided. */
type ComparedEntry = Pick<JudgedMessage, 'message' | 'messageId' | 'decision' | 'scores'>;

const mostExamples = 5;

/**
 * Returns the alternatives to the semantics: for every reading that is a choice, each value that it
 * does not have for all lists. `broken` is left out, since it decides about no message.
 */
export function alternativeReadings(semantics: Semantics): AlternativeReading[] {
  return Object.entries(readingChoices).flatMap(([reading, values]) =>
    reading === 'broken'
      ? []
      : values
          .filter((value) => [...valuesInUse(semantics, reading)].some((used) => used !== value))
          .map((value) => ({ reading, value })),
  );
}

/** Returns the decision of the platform in a message; `undefined` for a message without one. */
export function platformDecision(message: Auditable): PlatformDecision | undefined {
  const moderation = fieldsOf(moderationOf(message));
  const status = moderation?.status;
  if (typeof status !== 'string' || status.trim() === '') return undefined;
  const ruleId = ruleIdOf(moderation?.rule);
  return { status: status.trim().toLowerCase(), ...(ruleId !== undefined && { ruleId }) };
}

function isDecided(status: string): boolean {
  return status === 'approved' || status === 'disapproved';
}

function moderationOf(message: Auditable): unknown {
  return typeof message === 'string' ? undefined : (message.data?.moderation ?? undefined);
}

/** Returns the id of a rule that is given as an object, or as its id alone. */
function ruleIdOf(rule: unknown): string | undefined {
  const id = fieldsOf(rule)?.id ?? rule;
  return (typeof id === 'string' && id !== '') || Number.isSafeInteger(id) ? String(id) : undefined;
}

/** Reports whether the rule of a decision of the platform cannot be read. */
function hasUnreadableRule(message: Auditable): boolean {
  const rule = fieldsOf(moderationOf(message))?.rule ?? undefined;
  return rule !== undefined && ruleIdOf(rule) === undefined;
}

function fieldsOf(value: unknown): { readonly [field: string]: unknown } | undefined {
  return typeof value === 'object' && value !== null ? (value as { readonly [field: string]: unknown }) : undefined;
}

/**
 * A reading to compare, with an engine of the same rules that has it. A counter that only merges
 * parts needs no engines.
 */
type ComparedReading = AlternativeReading & { readonly engine?: Pick<Engine, 'decide'> | undefined };

/**
 * Starts a comparison of decisions with those of the platform. The engine of each of `readings`
 * decides every compared message, so that what a reading would break is counted as exactly as what
 * it would resolve. Memory grows only with the rules.
 */
export function createPlatformCounter(readings: readonly ComparedReading[]) {
  const sums = startSums(readings);
  return {
    /** Compares one message. Throws `TypeError` if there is a reading without an engine. */
    add: (entry: ComparedEntry): void => compare(sums, entry),
    /**
     * Adds the comparison of another part of the same audit, by the same readings; no message may
     * be in both.
     */
    merge: (added: PlatformComparison): void => addPart(sums, added),
    toJSON: (): PlatformComparison => comparisonOf(sums),
  };
}

type Sums = ReturnType<typeof startSums>;

function startSums(readings: readonly ComparedReading[]) {
  const examples: Record<Side, readonly string[]> = { onlyHere: [], onlyThere: [] };
  return {
    counts: {
      messages: 0,
      bothAllow: 0,
      bothStop: 0,
      onlyHere: 0,
      onlyThere: 0,
      ruleNamed: 0,
      sameRule: 0,
      unreadable: 0,
      unreadableRules: 0,
    },
    statuses: createTally<StatusCount>({ ids: ['status'], size: 'messages' }),
    rules: createTally<DisagreementCount>({ ids: ['ruleId'], size: 'onlyHere' }),
    effects: readings.map(({ reading, value, engine }) => ({ reading, value, engine, resolves: 0, breaks: 0 })),
    examples,
  };
}

function compare(sums: Sums, entry: ComparedEntry): void {
  const { counts } = sums;
  const { message, decision, scores } = entry;
  counts.messages += 1;
  const platform = platformDecision(message);
  if (platform === undefined) {
    counts.unreadable += Number(moderationOf(message) !== undefined);
    return;
  }
  const { status, ruleId } = platform;
  sums.statuses.sumOf([status], () => ({ status, messages: 0 })).messages += 1;
  if (!isDecided(status)) return;
  const isStoppedThere = status === 'disapproved';
  counts.unreadableRules += Number(isStoppedThere && hasUnreadableRule(message));
  const isStoppedHere = stops(decision.verdict);
  const isAgreed = isStoppedHere === isStoppedThere;
  counts[isAgreed ? (isStoppedHere ? 'bothStop' : 'bothAllow') : isStoppedHere ? 'onlyHere' : 'onlyThere'] += 1;
  if (!isAgreed) differ(sums, isStoppedHere ? 'onlyHere' : 'onlyThere', entry, ruleId);
  else if (isStoppedHere && ruleId !== undefined) {
    counts.ruleNamed += 1;
    counts.sameRule += Number(decidingRules(decision).has(ruleId));
  }
  for (const effect of sums.effects) {
    if (effect.engine === undefined) throw new TypeError('a reading without an engine decides no message');
    const agrees = stops(effect.engine.decide(message, scores)) === isStoppedThere;
    if (agrees && !isAgreed) effect.resolves += 1;
    if (!agrees && isAgreed) effect.breaks += 1;
  }
}

function differ(sums: Sums, side: Side, { messageId, decision }: ComparedEntry, ruleId: string | undefined): void {
  const { examples, rules } = sums;
  if (messageId !== undefined) examples[side] = leastIds(examples[side], [messageId], mostExamples);
  for (const id of side === 'onlyHere' ? decidingRules(decision) : [ruleId ?? null])
    rules.sumOf([id], () => ({ ruleId: id, onlyHere: 0, onlyThere: 0 }))[side] += 1;
}

function addPart(sums: Sums, added: PlatformComparison): void {
  const { counts, examples } = sums;
  addNumbers(counts, added);
  sums.statuses.merge(added.statuses);
  sums.rules.merge(added.rules);
  for (const effect of sums.effects) {
    const same = added.readings.find(({ reading, value }) => reading === effect.reading && value === effect.value);
    if (same !== undefined) addNumbers(effect, { resolves: same.resolves, breaks: same.breaks });
  }
  for (const side of ['onlyHere', 'onlyThere'] as const)
    examples[side] = leastIds(examples[side], added.examples[side], mostExamples);
}

function comparisonOf({ counts, statuses, rules, ...sums }: Sums): PlatformComparison {
  const { bothAllow, bothStop, onlyHere, onlyThere } = counts;
  const names = statuses.rows();
  const carrying = names.reduce((sum, { messages }) => sum + messages, 0);
  return {
    ...counts,
    statuses: names,
    carrying,
    without: counts.messages - carrying - counts.unreadable,
    undecided: names.filter(({ status }) => !isDecided(status)),
    compared: bothAllow + bothStop + onlyHere + onlyThere,
    agreed: bothAllow + bothStop,
    rules: rules.rows().sort((left, right) => disagreementsOf(right) - disagreementsOf(left)),
    readings: sums.effects
      .map(({ engine: _, ...effect }) => effect)
      .sort((left, right) => right.resolves - right.breaks - (left.resolves - left.breaks)),
    examples: { ...sums.examples },
  };
}

/** The side that stops a message about which they differ. */
type Side = 'onlyHere' | 'onlyThere';

function decidingRules({ matched }: Decision): ReadonlySet<string> {
  return new Set(matched.filter(({ determining }) => determining).map(({ ruleId }) => ruleId));
}

const disagreementsOf = ({ onlyHere, onlyThere }: DisagreementCount) => onlyHere + onlyThere;
