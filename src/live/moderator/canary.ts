/** The canary of a moderator: the last messages decided, judged by new rules before these are swapped in. */

import type { Engine } from '../../engine/engine.js';
import { UsageError } from '../../foundation/errors.js';
import { runWithPauses } from '../../foundation/portions.js';
import { refuseUnknownOptions } from '../../foundation/unknown-options.js';
import { type Judged, type VerdictChanges, verdictChanges } from '../../review/compare/verdict-changes.js';

/** Options of the canary. Shares are from 0 to 1, of the messages that were judged. */
export interface CanaryOptions {
  /** So many of the last messages are kept, 1 to 100,000, of 10 MB together at the most, in memory alone. */
  readonly messages: number;
  /** The largest share of messages that were allowed and would not be. One message alone exceeds no share but 0. */
  readonly maxNewlyStopped: number;
  /** The same the other way: messages that were stopped, and would be allowed. Absent: any number may. */
  readonly maxReleased?: number | undefined;
}

/** What a rule set would do with the last messages. */
export interface CanaryCounts {
  /** Messages that were judged. */
  readonly messages: number;
  readonly newlyStopped: number;
  readonly released: number;
}

/** Counts that are beyond a limit, and that in words. */
export interface CanaryFinding {
  readonly canary: CanaryCounts;
  readonly reason: string;
}

/** Bytes of all messages. A UTF-16 unit counts as two, though most texts take one. */
const MOST_BYTES = 10_000_000;
/** Bytes of a message; a larger one is not kept, so that some dozens always are. */
const MOST_BYTES_OF_ONE = 200_000;
const MOST_MESSAGES = 100_000;

/**
 * See the head of the file. Messages are kept as JSON, with the scores that they were decided with. Its constructor throws `UsageError` that
 * names the option.
 */
export class Canary {
  readonly #options: Readonly<Record<keyof CanaryOptions, number>>;
  /** A ring: the oldest message is at `#oldest`, `#count` of them stand from there on. */
  readonly #kept: string[] = [];
  #oldest = 0;
  #count = 0;
  #bytes = 0;

  constructor(options: CanaryOptions) {
    if (typeof options !== 'object' || options === null || Array.isArray(options))
      throw new UsageError('`canary` must be an object { messages, maxNewlyStopped, maxReleased }');
    refuseUnknownOptions('`canary`', options, ['messages', 'maxNewlyStopped', 'maxReleased']);
    const { messages, maxNewlyStopped, maxReleased = 1 } = options;
    if (!(Number.isSafeInteger(messages) && messages >= 1 && messages <= MOST_MESSAGES))
      throw new UsageError(`\`canary.messages\` must be a whole number from 1 to ${MOST_MESSAGES}`);
    for (const [name, share] of Object.entries({ maxNewlyStopped, maxReleased })) {
      if (typeof share === 'number' && share >= 0 && share <= 1) continue;
      throw new UsageError(`\`canary.${name}\` must be a share from 0 to 1`);
    }
    this.#options = { messages, maxNewlyStopped, maxReleased };
  }

  /** Keeps a message that was decided, in the place of the oldest ones where there is no room. */
  keep(...judged: Judged): void {
    let json: string;
    try {
      json = JSON.stringify(judged);
    } catch {
      // What has no JSON was decided all the same.
      return;
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

  /** What new rules do with the messages that is beyond a limit; nothing where there are no messages. Rejects with the reason of `signal`. */
  async judge(before: Engine, after: Engine, signal: AbortSignal): Promise<CanaryFinding | undefined> {
    const changes = await runWithPauses(verdictChanges(this.#messages(), before, after), signal);
    const { causes: _, ...canary } = changes;
    const beyond = [this.#beyond(changes, 'newlyStopped'), this.#beyond(changes, 'released')];
    const reasons = beyond.filter((reason) => reason !== undefined);
    return reasons.length === 0 ? undefined : { canary, reason: reasons.join(', ') };
  }

  /** Those that are kept now: more are decided while they are judged. */
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
    const words = `${count} of the last ${messages} messages would be ${would}, over the limit of ${limit}`;
    const cause = causes.find((cause) => cause.kind === kind);
    return cause === undefined ? words : `${words}; ${cause.messages} of them by ${describeCause(cause)}`;
  }
}

type Cause = VerdictChanges['causes'][number];

/** A term, a pattern or a threshold of a rule, in words. */
function describeCause(cause: Cause): string {
  const { kind, ruleId, ruleName, conditionId, threshold, exception } = cause;
  const excepted = kind === 'released' ? 'which would be excepted by' : 'which would not be excepted any more by';
  return [
    threshold && `threshold ${shown(threshold.label)} over ${threshold.greaterThan}`,
    entryOf(cause) ?? (threshold === undefined ? `condition ${conditionId}` : undefined),
    `of rule ${shown(ruleName)}${ruleName === ruleId ? '' : ` (\`${ruleId}\`)`}`,
    exception && `${excepted} ${entryOf(exception)}`,
  ]
    .filter((words) => words !== undefined)
    .join(' ');
}

function entryOf({ term, pattern, listId }: Partial<Cause>): string | undefined {
  const list = listId === undefined ? '' : ` of keyword list \`${listId}\``;
  if (term !== undefined) return `term ${shown(term)}${list}`;
  return pattern === undefined ? undefined : `pattern ${shown(pattern)}${list}`;
}

/** A pattern may be as long as a page. */
function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
