/**
 * The canary of a moderator: it judges the last decided messages by new rules before these are
 * swapped in.
 */

import type { Engine } from '../../engine/engine.js';
import { checkOptions, isShare, type OptionChecks } from '../../foundation/options.js';
import { runWithPauses } from '../../foundation/portions.js';
import { type Judged, type VerdictChanges, verdictChanges } from '../../review/compare/verdict-changes.js';

/** Options of the canary. Shares are from 0 to 1, of the messages that were judged. */
export interface CanaryOptions {
  /**
   * How many of the last messages are kept, 1 to 100,000. They take at most 10 MB, in memory alone.
   */
  readonly messages: number;
  /**
   * The largest share of messages that may be newly stopped. A single message exceeds only a share
   * of 0.
   */
  readonly maxNewlyStopped: number;
  /** The largest share of stopped messages that may be released. Absent: no limit. */
  readonly maxReleased?: number | undefined;
}

/** Counts of what a rule set would do with the last messages. */
export interface CanaryCounts {
  /** Messages that were judged. */
  readonly messages: number;
  readonly newlyStopped: number;
  readonly released: number;
}

/** Counts that exceed a limit, and the reason in words. */
interface CanaryFinding {
  readonly canary: CanaryCounts;
  readonly reason: string;
}

/** Bytes of all messages. A UTF-16 unit counts as two bytes, though most texts take one. */
const MOST_BYTES = 10_000_000;
/** Bytes of one message. A larger one is not kept, so that there is room for some dozens. */
const MOST_BYTES_OF_ONE = 200_000;
const MOST_MESSAGES = 100_000;

const checks: OptionChecks<CanaryOptions> = {
  messages: [
    (count: number) => Number.isSafeInteger(count) && count >= 1 && count <= MOST_MESSAGES,
    `a whole number from 1 to ${MOST_MESSAGES}`,
    'required',
  ],
  maxNewlyStopped: [isShare, 'a share from 0 to 1', 'required'],
  maxReleased: [isShare, 'a share from 0 to 1'],
};

/**
 * Keeps the last messages as JSON, with their scores, and judges them. The constructor throws
 * `UsageError` that names the option.
 */
export class Canary {
  readonly #options: CanaryOptions & { readonly maxReleased: number };
  /** A ring of `#count` messages; the oldest is at `#oldest`. */
  readonly #kept: string[] = [];
  #oldest = 0;
  #count = 0;
  #bytes = 0;

  constructor(options: CanaryOptions) {
    checkOptions('`canary`', options, checks, 'canary.');
    this.#options = { ...options, maxReleased: options.maxReleased ?? 1 };
  }

  /** Keeps a decided message, in place of the oldest ones if there is no room. */
  keep(...judged: Judged): void {
    let json: string;
    try {
      json = JSON.stringify(judged);
    } catch {
      return; // A message without JSON is decided, but not kept.
    }
    const bytes = 2 * json.length;
    if (bytes > MOST_BYTES_OF_ONE) return;
    const { messages } = this.#options;
    while (this.#count === messages || this.#bytes + bytes > MOST_BYTES) {
      this.#bytes -= 2 * this.#kept[this.#oldest]!.length;
      this.#kept[this.#oldest] = '';
      this.#oldest = (this.#oldest + 1) % messages;
      this.#count -= 1;
    }
    this.#kept[(this.#oldest + this.#count) % messages] = json;
    this.#count += 1;
    this.#bytes += bytes;
  }

  /**
   * Resolves to what the new rules would do with the messages, if that exceeds a limit. Rejects
   * with the reason of `signal`.
   */
  async judge(before: Engine, after: Engine, signal: AbortSignal): Promise<CanaryFinding | undefined> {
    const changes = await runWithPauses(verdictChanges(this.#messages(), before, after), signal);
    const { causes: _, ...canary } = changes;
    const beyond = [this.#beyond(changes, 'newlyStopped'), this.#beyond(changes, 'released')];
    const reasons = beyond.filter((reason) => reason !== undefined);
    return reasons.length === 0 ? undefined : { canary, reason: reasons.join(', ') };
  }

  /** Yields the messages that are kept now: more may be decided while these are judged. */
  *#messages(): Generator<Judged> {
    const kept = this.#kept.filter((json) => json !== '');
    for (const json of kept) {
      const [message, scores] = JSON.parse(json) as [Judged[0], Judged[1] | null];
      yield [message, scores ?? undefined];
    }
  }

  #beyond({ causes, ...counts }: VerdictChanges, kind: 'newlyStopped' | 'released'): string | undefined {
    const option = kind === 'released' ? 'maxReleased' : 'maxNewlyStopped';
    const { [option]: limit } = this.#options;
    const { messages, [kind]: count } = counts;
    if (count === 0 || count / messages <= limit || (count === 1 && limit > 0)) return undefined;
    const would = kind === 'released' ? 'released' : 'newly stopped';
    const wording = `${count} of the last ${messages} messages would be ${would}, over the limit of ${limit}`;
    const cause = causes.find((cause) => cause.kind === kind);
    return cause === undefined ? wording : `${wording}; ${cause.messages} of them by ${describeCause(cause)}`;
  }
}

type Cause = VerdictChanges['causes'][number];

/** Describes a term, a pattern or a threshold of a rule. */
function describeCause(cause: Cause): string {
  const { kind, ruleId, ruleName, conditionId, threshold, exception } = cause;
  const excepted = kind === 'released' ? 'which would be excepted by' : 'which would not be excepted any more by';
  return [
    threshold && `threshold ${shown(threshold.label)} over ${threshold.greaterThan}`,
    entryOf(cause) ?? (threshold === undefined ? `condition ${conditionId}` : undefined),
    `of rule ${shown(ruleName)}${ruleName === ruleId ? '' : ` (\`${ruleId}\`)`}`,
    exception && `${excepted} ${entryOf(exception)}`,
  ]
    .filter((wording) => wording !== undefined)
    .join(' ');
}

function entryOf({ term, pattern, listId }: Partial<Cause>): string | undefined {
  const list = listId === undefined ? '' : ` of keyword list \`${listId}\``;
  if (term !== undefined) return `term ${shown(term)}${list}`;
  return pattern === undefined ? undefined : `pattern ${shown(pattern)}${list}`;
}

/** Quotes a text, shortened: a pattern may be as long as a page. */
function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
