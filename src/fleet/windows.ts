/** Windows of time as jobs of a queue: what the workers of an audit on many machines share. */
import type { JudgedPart } from '../audit/judge.js';

/** So many whole seconds, from one on. */
export interface WindowBounds {
  readonly from: number;
  readonly seconds: number;
}

/** The name of a window's file, which also names its job: of which a queue has one at most. */
export function nameOfWindow({ from, seconds }: WindowBounds): string {
  return `${from}-${seconds}`;
}

/**
 * A queue of windows. It may be lost at any time, and may hand a window to several workers: which windows are judged, their results in
 * the audit's directory say.
 */
export interface WindowQueue {
  /** Puts windows on the queue. One that is there already is there once. */
  add(windows: readonly WindowBounds[]): Promise<void>;
  /** How many windows wait or are being judged. */
  pending(): Promise<number>;
  /** How many of them workers have taken. */
  taken(): Promise<number>;
  /** What keeps windows from being judged though workers run: the queue is paused, or so many jobs on it are no windows. */
  obstacles(): Promise<QueueObstacles>;
  /** Takes windows off the queue and calls `judge` for each, with so many at once. A window whose promise rejects is off the queue too. */
  work(judge: (window: WindowBounds) => Promise<void>, options: { readonly concurrency: number }): WindowWorker;
  /** Takes the queue away, and all that is on it. */
  remove(): Promise<void>;
  /** Ends the connections. */
  close(): Promise<void>;
}

/** What keeps windows on a queue from being judged. */
export interface QueueObstacles {
  readonly isPaused: boolean;
  /** Jobs that somebody else put there. */
  readonly foreign: number;
}

/** What takes windows off a queue. */
export interface WindowWorker {
  /** Takes no more windows, and waits for those that are being judged. */
  close(): Promise<void>;
}

/** What judging a window gave. A platform's messages are no lines, so none of them is bad. */
export type JudgedWindow = Omit<JudgedPart, 'fault'>;
