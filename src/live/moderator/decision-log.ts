import { createWriteStream, type WriteStream } from 'node:fs';
import { stops } from '../../engine/compile/verdicts.js';
import { UsageError } from '../../foundation/errors.js';
import { fileReason } from '../../foundation/files/file-reason.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { refuseUnknownOptions } from '../../foundation/unknown-options.js';
import { type DecisionEvent, decisionChannel } from './watch.js';

/** Options of `createDecisionLog`. */
export interface DecisionLogOptions {
  /** The file that rows are appended to; made with mode 0600 when it is not there. */
  readonly file: string;
  /** Log every decision. Default false: plainly allowed messages are left out. */
  readonly all?: boolean | undefined;
  /** Bytes that may wait to be written, 1,024 or more. Default 1 MiB. Rows beyond it are dropped and counted. */
  readonly maxQueuedBytes?: number | undefined;
}

/** A log of the decisions of all moderators of this process. */
export interface DecisionLog {
  /** Rows that are in the file, and rows that were dropped: the queue was full, or the file could not be written. */
  readonly written: number;
  readonly dropped: number;
  /** Why the file could not be written last; absent while it can. */
  readonly lastError?: string;
  /** Stops logging, and resolves when what waits is written or failed. */
  close(): Promise<void>;
}

/** After a failure the file is opened again by the first decision that comes this much later. */
const reopenMs = 1_000;

/**
 * Appends a row of JSON to a file for each decision that a moderator of this process takes (`DecisionEvent`): ids, rules,
 * spans, no text of a message. Decisions never wait for the disk: when it is slow or full rows are dropped, and when it
 * recovers a row `{ "at", "dropped" }` says how many. Throws `UsageError` for bad options.
 */
export function createDecisionLog(options: DecisionLogOptions): DecisionLog {
  if (typeof options !== 'object' || options === null) throw new UsageError('createDecisionLog needs a `file`');
  refuseUnknownOptions('createDecisionLog', options, ['file', 'all', 'maxQueuedBytes']);
  const { file, all = false, maxQueuedBytes = 2 ** 20 } = options;
  if (typeof file !== 'string' || file === '' || file.includes('\0')) {
    throw new UsageError('`file` must be the path of a file');
  }
  if (!(maxQueuedBytes >= 1_024)) throw new UsageError('`maxQueuedBytes` must be 1,024 or more');
  let written = 0;
  let dropped = 0;
  /** How many of the dropped rows the file says. */
  let reported = 0;
  let lastError: string | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let stream: WriteStream | undefined;

  const open = (): WriteStream => {
    const opened = createWriteStream(file, { flags: 'a', mode: 0o600 });
    opened.on('error', (error) => {
      lastError = fileReason(error) ?? 'unknown fault';
      failedAt = performance.now();
      if (stream === opened) stream = undefined;
    });
    // A failed write may have left half a line.
    if (lastError !== undefined) opened.write('\n');
    return opened;
  };
  /** Hands a row to the stream; `false` when there is no room for it. */
  const append = (row: object, onEnd: (error: unknown) => void): boolean => {
    if (stream === undefined && performance.now() - failedAt >= reopenMs) stream = open();
    if (stream === undefined || stream.writableLength >= maxQueuedBytes) return false;
    stream.write(ndjsonLine(row), onEnd);
    return true;
  };
  const onDecision = (event: unknown): void => {
    const decision = event as DecisionEvent;
    const isPlain = !stops(decision.verdict) && decision.matched.length === 0 && decision.unevaluated.length === 0;
    if (isPlain && !all) return;
    const lost = dropped - reported;
    const isReported =
      lost > 0 &&
      append({ at: decision.at, dropped: lost }, (error) => {
        if (error) reported -= lost;
      });
    if (isReported) reported += lost;
    const isQueued = append(decision, (error) => {
      if (error) dropped++;
      else {
        written++;
        lastError = undefined;
      }
    });
    if (!isQueued) dropped++;
  };
  decisionChannel.subscribe(onDecision);
  return {
    get written() {
      return written;
    },
    get dropped() {
      return dropped;
    },
    get lastError() {
      return lastError;
    },
    close: async () => {
      decisionChannel.unsubscribe(onDecision);
      const last = stream;
      stream = undefined;
      if (last === undefined) return;
      await new Promise<void>((resolve) => {
        last.once('close', resolve);
        // Rows that were dropped since the last one that was written; beyond the limit of the queue, but only once.
        if (dropped > reported) last.write(ndjsonLine({ at: Date.now(), dropped: dropped - reported }), () => {});
        last.end();
      });
    },
  } as DecisionLog;
}
