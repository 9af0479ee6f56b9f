/** Counters of a run over many messages, made in each thread from plain options. */
import type { JudgedMessage } from '../audit-entry.js';
import type { Engines } from '../engines.js';

/**
 * Running counts of messages. The counts of all parts, merged in the order of the parts, equal the
 * counts of the whole, however it was divided.
 */
export interface Counter<Part> {
  add(entry: JudgedMessage): void;
  /**
   * Counts a text message with nothing to report, as `add` would, by its time in seconds; absent in
   * a counter that needs more of each message.
   */
  addAllowed?: ((sentAt: number | undefined) => void) | undefined;
  /** Counts a message that was left out because it has no time. */
  addUndated?(): void;
  /** Adds the counts of the next part. */
  merge(counts: Part): void;
  /** The counts so far, as plain data. */
  toJSON(): Part;
}

/** Starts a counter of one part, in the thread that judges it. */
export type StartCounter<Part> = () => Counter<Part>;

/**
 * Prepares the counters of one thread: called once in each, so that what all parts share is made
 * once. Engines are needed only to add messages; merging parts needs no engine.
 */
export type PrepareCounter<Options, Part> = (options: Options, engines?: Engines) => StartCounter<Part>;

/** A counter as plain data, for threads. */
export interface CounterPlan {
  /** The URL of a module that exports its `prepareCounter`. */
  readonly module: string;
  readonly options: unknown;
}

/** A counter with its options, for a run. */
export interface Counting<Part> extends CounterPlan {
  prepare(engines?: Engines): StartCounter<Part>;
}

/**
 * Makes the counter of a run. The options are plain data; `module` is the `import.meta.url` of a
 * module that exports `prepareCounter` by that name.
 */
export function countingBy<Options, Part>(
  module: string,
  prepareCounter: PrepareCounter<Options, Part>,
  options: Options,
): Counting<Part> {
  return { module, options, prepare: (engines) => prepareCounter(options, engines) };
}

/** Prepares the counters of a plan in the calling thread. */
export async function prepareFrom({ module, options }: CounterPlan, engines: Engines): Promise<StartCounter<unknown>> {
  const { prepareCounter } = (await import(module)) as { prepareCounter: PrepareCounter<unknown, unknown> };
  return prepareCounter(options, engines);
}
