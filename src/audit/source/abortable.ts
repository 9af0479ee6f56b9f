/**
 * Yields the items of a source; a wait for the next item rejects with `signal.reason` as soon as
 * the signal aborts. `Promise.race` with one long-lived promise would keep a reaction per item
 * alive for the whole run; one listener that rejects the current wait does not.
 */
export async function* abortable<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  if (signal === undefined || !(Symbol.asyncIterator in items)) {
    yield* items;
    return;
  }
  const source = items[Symbol.asyncIterator]();
  let endWait: (reason: unknown) => void = () => undefined;
  const onAbort = () => endWait(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const next = () =>
    new Promise<IteratorResult<Item>>((resolve, reject) => {
      endWait = reject;
      source.next().then(resolve, reject);
    });
  let open = true;
  try {
    while (true) {
      const step = await next().catch((error: unknown) => {
        open = signal.aborted;
        throw error;
      });
      if (step.done === true) {
        open = false;
        return;
      }
      yield step.value;
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (open) await close(source, signal);
  }
}

/**
 * Calls `return` of the source. A pending `next` delays its result without bound, so it is not
 * awaited after an abort.
 */
async function close(source: AsyncIterator<unknown>, signal: AbortSignal): Promise<void> {
  const closed = Promise.resolve(source.return?.());
  if (signal.aborted) closed.catch(() => undefined);
  else await closed;
}
