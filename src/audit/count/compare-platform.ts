import type { Engine } from '../../engine.js';
import type { MediaScores } from '../../evaluate/media.js';
import { readingChoices, type Semantics } from '../../semantics.js';
import type { Auditable, AuditEntry } from '../audit.js';
import { createBoundedCounts } from './tally.js';

/** What the platform decided, as a message carries it in `data.moderation`; the interface document does not show this field. */
export interface PlatformDecision {
  /** In small letters: `approved`, `disapproved`, `pending`, or another name. */
  readonly status: string;
  /** The rule that it rests on, where one is named. */
  readonly ruleId?: string | undefined;
}

/** One reading other than that of the engine that decides. */
export interface AlternativeReading {
  readonly reading: string;
  readonly value: string;
}

/** Messages of one rule about which the engine and the platform differ. */
export interface DisagreementCount {
  /** Of the engine for `onlyHere`, of the platform for `onlyThere`; null where the platform names none. */
  readonly ruleId: string | null;
  /** Stopped by this rule of the engine, and approved by the platform. */
  readonly onlyHere: number;
  /** Allowed by the engine, and disapproved by the platform for this rule. */
  readonly onlyThere: number;
}

/** What a reading would change about the agreement, on all messages that were compared. */
export interface ReadingEffect extends AlternativeReading {
  /** Messages about which the engine and the platform differ, and would not by this reading. */
  readonly resolves: number;
  /** Messages about which they agree, and would not by this reading. */
  readonly breaks: number;
}

/** The decisions of an engine beside those of the platform. Plain JSON. */
export interface PlatformComparison {
  readonly messages: number;
  /** Messages that carry a decision of the platform, by its status, the most frequent first. */
  readonly statuses: readonly { readonly status: string; readonly messages: number }[];
  readonly carrying: number;
  /** Messages with a `data.moderation` that says no status; not among `carrying`, and not compared. */
  readonly unreadable: number;
  /** Messages that the platform approved or disapproved; others are not compared. */
  readonly compared: number;
  /** Of those compared: allowed by both, stopped by both, stopped by the engine alone, by the platform alone. */
  readonly bothAllow: number;
  readonly bothStop: number;
  readonly onlyHere: number;
  readonly onlyThere: number;
  /** Of `bothStop`: messages for which the platform names a rule, and those where it is one that the verdict rests on here. */
  readonly ruleNamed: number;
  readonly sameRule: number;
  /** Messages that the platform disapproved, whose `rule` is there and cannot be read: for the counts it names none. */
  readonly unreadableRules: number;
  /** The most disagreements first. A message that several rules stop counts for each of them. */
  readonly rules: readonly DisagreementCount[];
  /** The best first: by `resolves` less `breaks`. */
  readonly readings: readonly ReadingEffect[];
  /** Ids of messages about which they differ, at most `mostExamples` each, in the order of the messages. */
  readonly examples: { readonly onlyHere: readonly string[]; readonly onlyThere: readonly string[] };
}

/** A running comparison. Memory grows with the rules alone. */
export interface PlatformComparer {
  /** Compares one message. `media` are the scores that its decision was made with. */
  add(entry: Pick<AuditEntry, 'message' | 'messageId' | 'decision'>, media?: readonly MediaScores[]): void;
  toJSON(): PlatformComparison;
}

const mostExamples = 5;
/** Names of statuses, and of rules of the platform, of which counts are kept: both come from messages. */
const mostNames = 1_000;

/** Each reading that is a choice, with each of its values that the semantics do not have; `broken` decides no message. */
export function alternativeReadings(semantics: Semantics): AlternativeReading[] {
  return Object.entries(readingChoices).flatMap(([reading, values]) =>
    reading === 'broken'
      ? []
      : values
          .filter((value) => value !== semantics[reading as keyof typeof readingChoices])
          .map((value) => ({ reading, value })),
  );
}

/** The decision of the platform that a message carries; `undefined` when it carries none. */
export function platformDecision(message: Auditable): PlatformDecision | undefined {
  const moderation = fieldsOf(moderationOf(message));
  const status = moderation?.status;
  if (typeof status !== 'string' || status.trim() === '') return undefined;
  const ruleId = ruleIdOf(moderation?.rule);
  return { status: status.trim().toLowerCase(), ...(ruleId !== undefined && { ruleId }) };
}

function moderationOf(message: Auditable): unknown {
  return typeof message === 'string' ? undefined : (message.data?.moderation ?? undefined);
}

/** The id of a rule that is given as an object, or as its id alone. */
function ruleIdOf(rule: unknown): string | undefined {
  const id = fieldsOf(rule)?.id ?? rule;
  return (typeof id === 'string' && id !== '') || Number.isSafeInteger(id) ? String(id) : undefined;
}

/** Whether a decision of the platform has a rule that is there and cannot be read. */
function hasUnreadableRule(message: Auditable): boolean {
  const rule = fieldsOf(moderationOf(message))?.rule ?? undefined;
  return rule !== undefined && ruleIdOf(rule) === undefined;
}

function fieldsOf(value: unknown): { readonly [field: string]: unknown } | undefined {
  return typeof value === 'object' && value !== null ? (value as { readonly [field: string]: unknown }) : undefined;
}

/**
 * Starts a comparison of decisions with those of the platform. `alternatives` are engines of the same rules, each with one other
 * reading: all of them decide every message that is compared, so that what a reading would break is counted as exactly as what
 * it would resolve.
 */
export function createPlatformComparer(
  alternatives: readonly (AlternativeReading & { readonly engine: Pick<Engine, 'decide'> })[],
): PlatformComparer {
  const counts = { messages: 0, bothAllow: 0, bothStop: 0, onlyHere: 0, onlyThere: 0, ruleNamed: 0, sameRule: 0 };
  const unread = { unreadable: 0, unreadableRules: 0 };
  const statuses = createBoundedCounts(mostNames);
  const here = createBoundedCounts(Number.POSITIVE_INFINITY);
  const there = createBoundedCounts(mostNames);
  let thereUnnamed = 0;
  const effects = alternatives.map(({ reading, value, engine }) => ({
    reading,
    value,
    engine,
    resolves: 0,
    breaks: 0,
  }));
  const examples = { onlyHere: [] as string[], onlyThere: [] as string[] };
  return {
    add({ message, messageId, decision }, media) {
      counts.messages += 1;
      const platform = platformDecision(message);
      if (platform === undefined) {
        unread.unreadable += Number(moderationOf(message) !== undefined);
        return;
      }
      const { status, ruleId } = platform;
      statuses.add(status, 1);
      if (status !== 'approved' && status !== 'disapproved') return;
      const isStoppedThere = status === 'disapproved';
      unread.unreadableRules += Number(isStoppedThere && hasUnreadableRule(message));
      const isStoppedHere = decision.verdict !== 'allow';
      const deciding = decision.matched.filter(({ determining }) => determining);
      if (isStoppedHere === isStoppedThere) {
        counts[isStoppedHere ? 'bothStop' : 'bothAllow'] += 1;
        if (isStoppedHere && ruleId !== undefined) {
          counts.ruleNamed += 1;
          counts.sameRule += Number(deciding.some((hit) => hit.ruleId === ruleId));
        }
      } else {
        const side = isStoppedHere ? 'onlyHere' : 'onlyThere';
        counts[side] += 1;
        if (messageId !== undefined && examples[side].length < mostExamples) examples[side].push(messageId);
        if (isStoppedHere) for (const id of new Set(deciding.map((hit) => hit.ruleId))) here.add(id, 1);
        else if (ruleId !== undefined) there.add(ruleId, 1);
        else thereUnnamed += 1;
      }
      for (const effect of effects) {
        const agrees = (effect.engine.decide(message, media) !== 'allow') === isStoppedThere;
        if (agrees && isStoppedHere !== isStoppedThere) effect.resolves += 1;
        if (!agrees && isStoppedHere === isStoppedThere) effect.breaks += 1;
      }
    },
    toJSON() {
      const { bothAllow, bothStop, onlyHere, onlyThere } = counts;
      const ofRules = new Map<string | null, { onlyHere: number; onlyThere: number }>();
      const countRule = (ruleId: string | null, side: 'onlyHere' | 'onlyThere', count: number) => {
        if (count === 0) return;
        const row = ofRules.get(ruleId) ?? { onlyHere: 0, onlyThere: 0 };
        row[side] += count;
        ofRules.set(ruleId, row);
      };
      for (const [ruleId, count] of here.rows()) countRule(ruleId, 'onlyHere', count);
      for (const [ruleId, count] of there.rows()) countRule(ruleId, 'onlyThere', count);
      countRule(null, 'onlyThere', thereUnnamed + there.others);
      const names = statuses.rows().map(([status, messages]) => ({ status, messages }));
      return {
        ...counts,
        ...unread,
        statuses: names,
        carrying: names.reduce((sum, { messages }) => sum + messages, statuses.others),
        compared: bothAllow + bothStop + onlyHere + onlyThere,
        rules: [...ofRules]
          .map(([ruleId, row]) => ({ ruleId, ...row }))
          .sort((left, right) => right.onlyHere + right.onlyThere - left.onlyHere - left.onlyThere),
        readings: effects
          .map(({ engine: _, ...effect }) => effect)
          .sort((left, right) => right.resolves - right.breaks - (left.resolves - left.breaks)),
        examples,
      };
    },
  };
}
