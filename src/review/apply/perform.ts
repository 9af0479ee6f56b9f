/**
 * Performs the writes of a plan. Each part is read again before it is written, and afterwards it is
 * read back and compared.
 */
import { bodyOf, type Part, type PartKind } from '../../platform/loader/part-form.js';
import type { Write } from './order.js';
import { stateOf } from './parts.js';

/** Reads and writes single parts of a platform. */
export interface PartStore {
  /** Resolves to undefined if the part does not exist. */
  readonly read: (kind: PartKind, id: string) => Promise<Part | undefined>;
  readonly create: (kind: PartKind, part: Part) => Promise<unknown>;
  readonly replace: (kind: PartKind, id: string, part: Part) => Promise<unknown>;
  readonly delete: (kind: PartKind, id: string) => Promise<unknown>;
}

/** How many of the writes were made. */
export interface Performed {
  /** Number of writes whose result is on the platform. */
  readonly done: number;
  /**
   * Why the next write was not made, or why its result was not found. Absent if all writes were
   * made.
   */
  readonly stopped?:
    | { readonly why: 'changed' | 'not-taken' | 'interrupted'; readonly write: Write }
    | { readonly why: 'failed'; readonly write: Write; readonly error: unknown };
}

interface PerformOptions {
  readonly onDone?: ((done: number) => void) | undefined;
  /** Stops after the current write. */
  readonly interrupted?: AbortSignal | undefined;
}

/**
 * Makes the writes in their order, and stops at the first that cannot be made as planned. A part
 * that already has its new content is not written. If the answer to a write is lost, what is read
 * back decides whether it was made. Never rejects.
 */
export async function perform(
  writes: readonly Write[],
  store: PartStore,
  options: PerformOptions = {},
): Promise<Performed> {
  for (const [done, write] of writes.entries()) {
    if (options.interrupted?.aborted === true) return { done, stopped: { why: 'interrupted', write } };
    const stopped = await performOne(write, store);
    if (stopped !== undefined) return { done, stopped };
    options.onDone?.(done + 1);
  }
  return { done: writes.length };
}

async function performOne(write: Write, store: PartStore): Promise<Performed['stopped']> {
  const { kind, id, before, after } = write;
  let failure: { readonly error: unknown } | undefined;
  const attempt = <Result>(work: () => Promise<Result>) =>
    work().then(
      (value) => ({ value }),
      (error: unknown) => {
        failure ??= { error };
        return undefined;
      },
    );
  const found = await attempt(() => store.read(kind, id));
  if (found === undefined) return { why: 'failed', write, error: failure!.error };
  if (stateOf(kind, found.value) === stateOf(kind, after)) return undefined;
  if (stateOf(kind, found.value) !== stateOf(kind, before)) return { why: 'changed', write };
  await attempt(async () => {
    if (after === undefined) await store.delete(kind, id);
    else if (before === undefined) await store.create(kind, bodyOf(kind, after));
    else await store.replace(kind, id, bodyOf(kind, after));
  });
  const left = await attempt(() => store.read(kind, id));
  if (left !== undefined && stateOf(kind, left.value) === stateOf(kind, after)) return undefined;
  return failure === undefined ? { why: 'not-taken', write } : { why: 'failed', write, error: failure.error };
}
