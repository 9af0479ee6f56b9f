/** Spans of time as jobs of a queue: what the workers of an audit on many machines share. */
import type { JudgedBlock } from '../audit/judge-lines.js';

/** So many whole seconds, from one on. */
export interface Span {
  readonly from: number;
  readonly seconds: number;
}

/** The name of a span's file, which also names its job: of which a queue has one at most. */
export function nameOfSpan({ from, seconds }: Span): string {
  return `${from}-${seconds}`;
}

/**
 * A queue of spans. It may be lost at any time, and may hand a span to several workers: which spans are judged, their results in
 * the audit's directory say.
 */
export interface SpanQueue {
  /** Puts spans on the queue. One that is there already is there once. */
  add(spans: readonly Span[]): Promise<void>;
  /** How many spans wait or are being judged. */
  pending(): Promise<number>;
  /** What keeps spans from being judged though workers run: the queue is paused, or so many jobs on it are no spans. */
  obstacles(): Promise<QueueObstacles>;
  /** Takes spans off the queue and calls `judge` for each, with so many at once. A span whose promise rejects is off the queue too. */
  work(judge: (span: Span) => Promise<void>, options: { readonly concurrency: number }): SpanWorker;
  /** Takes the queue away, and all that is on it. */
  remove(): Promise<void>;
  /** Ends the connections. */
  close(): Promise<void>;
}

/** What keeps spans on a queue from being judged. */
export interface QueueObstacles {
  readonly isPaused: boolean;
  /** Jobs that somebody else put there. */
  readonly foreign: number;
}

/** What takes spans off a queue. */
export interface SpanWorker {
  /** Takes no more spans, and waits for those that are being judged. */
  close(): Promise<void>;
}

/** What judging a span gave. A platform's messages are no lines, so none of them is bad. */
export type JudgedSpan = Omit<JudgedBlock, 'fault'>;
