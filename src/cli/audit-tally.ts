import type { AuditEntry } from '../audit/audit.js';
import type { Unevaluated } from '../evaluate/decision.js';
import { reasonWords } from './plain-words.js';

/** Messages that could not be checked by every rule for one reason. */
export interface UncheckedCount {
  readonly words: string;
  readonly why: Unevaluated['why'];
  readonly messages: number;
}

/** What the screen of an audit shows beyond its summary, which is the same for the same input and has its own schema. */
export interface AuditTally {
  add(entry: Pick<AuditEntry, 'message' | 'decision'>): void;
  /** Messages stopped by day, in days since the epoch, UTC; a day with messages of which none was stopped has 0. */
  readonly days: ReadonlyMap<number, number>;
  /** By rule id: messages that this rule alone stopped. */
  readonly alone: ReadonlyMap<string, number>;
  /** Reasons for which a message could not be checked by every rule, the most frequent first. */
  unchecked(): UncheckedCount[];
}

const secondsOfDay = 86_400;

/** Starts an empty tally. Memory grows with the days, the rules and the reasons, not with the messages. */
export function createAuditTally(): AuditTally {
  const days = new Map<number, number>();
  const alone = new Map<string, number>();
  const unchecked = new Map<string, UncheckedCount>();
  return {
    days,
    alone,
    add({ message, decision: { verdict, matched, unevaluated } }) {
      const isStopped = verdict !== 'allow';
      const sentAt = typeof message === 'string' ? undefined : message.sentAt;
      if (typeof sentAt === 'number') {
        const day = Math.floor(sentAt / secondsOfDay);
        days.set(day, (days.get(day) ?? 0) + Number(isStopped));
      }
      const deciding = isStopped ? matched.filter(({ determining }) => determining) : [];
      if (deciding.length === 1) alone.set(deciding[0]!.ruleId, (alone.get(deciding[0]!.ruleId) ?? 0) + 1);
      const seen = new Set<string>();
      for (const entry of unevaluated) {
        const words = reasonWords(entry);
        if (seen.has(words)) continue;
        seen.add(words);
        unchecked.set(words, { words, why: entry.why, messages: (unchecked.get(words)?.messages ?? 0) + 1 });
      }
    },
    unchecked: () => [...unchecked.values()].sort((left, right) => right.messages - left.messages),
  };
}
