/** A log of decisions: a row of NDJSON for each message that is not plainly allowed. */
import { createWriteStream, type WriteStream } from 'node:fs';
import { stops } from '../../engine/compile/verdicts.js';
import { fileReason } from '../../foundation/files/file-reason.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { checkOptions, isText, type OptionChecks } from '../../foundation/options.js';
import { type DecisionEvent, decisionChannel } from './watch.js';

/** Options of `createDecisionLog`. */
export interface DecisionLogOptions {
  /** The file that rows are appended to; a new one has mode 0600. */
  readonly file: string;
  /** Whether to log every decision. Default false: plainly allowed messages are left out. */
  readonly all?: boolean | undefined;
  /**
   * Bytes that may wait to be written, 1,024 or more. Default 1 MiB. Rows beyond it are dropped and
   * counted.
   */
  readonly maxQueuedBytes?: number | undefined;
}

/** A log of the decisions of all moderators of this process. */
export interface DecisionLog {
  /**
   * Number of rows in the file, and of rows that were dropped because the queue was full or the
   * file could not be written.
   */
  readonly written: number;
  readonly dropped: number;
  /** The last error of writing the file; absent while it can be written. */
  readonly lastError?: string;
  /** Stops logging, and resolves when the queued rows are written or have failed. */
  close(): Promise<void>;
}

const checks: OptionChecks<DecisionLogOptions> = {
  file: [(path: unknown) => isText(path) && !path.includes('\0'), 'the path of a file', 'required'],
  all: undefined,
  maxQueuedBytes: [(bytes: number) => bytes >= 1_024, '1,024 or more'],
};

/** Milliseconds after a failure until the next decision opens the file again. */
const reopenMs = 1_000;

/**
 * Creates a log that appends a row of JSON to a file for each decision of the moderators of this
 * process (`DecisionEvent`): ids, rules and spans, no text of a message. Decisions never wait for
 * the disk: if it is slow or full, rows are dropped, and when it recovers a row
 * `{ "at", "dropped" }` has their number. Throws `UsageError` for invalid options.
 */
export function createDecisionLog(options: DecisionLogOptions): DecisionLog {
  checkOptions('createDecisionLog', options, checks);
  return new FileLog(options);
}

class FileLog implements DecisionLog {
  written = 0;
  dropped = 0;
  lastError?: string;
  readonly #options: DecisionLogOptions;
  /** Dropped rows that a row of the file has counted. */
  #reported = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #stream: WriteStream | undefined;

  constructor(options: DecisionLogOptions) {
    this.#options = options;
    decisionChannel.subscribe(this.#onDecision);
  }

  async close(): Promise<void> {
    decisionChannel.unsubscribe(this.#onDecision);
    const last = this.#stream;
    this.#stream = undefined;
    if (last === undefined) return;
    await new Promise<void>((resolve) => {
      last.once('close', resolve);
      // The number of rows dropped since the last written one; it may exceed the limit of the queue
      // once.
      const lost = this.dropped - this.#reported;
      if (lost > 0) last.write(ndjsonLine({ at: Date.now(), dropped: lost }), () => {});
      last.end();
    });
  }

  readonly #onDecision = (event: unknown): void => {
    const decision = event as DecisionEvent;
    const isPlain = !stops(decision.verdict) && decision.matched.length === 0 && decision.unevaluated.length === 0;
    if (isPlain && !this.#options.all) return;
    const lost = this.dropped - this.#reported;
    const isReported =
      lost > 0 &&
      this.#append({ at: decision.at, dropped: lost }, (error) => {
        if (error) this.#reported -= lost;
      });
    if (isReported) this.#reported += lost;
    const isQueued = this.#append(decision, (error) => {
      if (error) this.dropped++;
      else {
        this.written++;
        delete this.lastError;
      }
    });
    if (!isQueued) this.dropped++;
  };

  /** Hands a row to the stream; returns false if there is no room for it. */
  #append(row: object, onEnd: (error: unknown) => void): boolean {
    const { maxQueuedBytes = 2 ** 20 } = this.#options;
    if (this.#stream === undefined && performance.now() - this.#failedAt >= reopenMs) this.#stream = this.#open();
    if (this.#stream === undefined || this.#stream.writableLength >= maxQueuedBytes) return false;
    this.#stream.write(ndjsonLine(row), onEnd);
    return true;
  }

  #open(): WriteStream {
    const opened = createWriteStream(this.#options.file, { flags: 'a', mode: 0o600 });
    opened.on('error', (error) => {
      this.lastError = fileReason(error) ?? 'unknown error';
      this.#failedAt = performance.now();
      if (this.#stream === opened) this.#stream = undefined;
    });
    // A failed write may have left half a line.
    if (this.lastError !== undefined) opened.write('\n');
    return opened;
  }
}
