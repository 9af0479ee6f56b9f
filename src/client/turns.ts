import pLimit from 'p-limit';

/** Runs some work when it is its turn. Rejects with the signal's reason when that aborts before the turn has come. */
export type InTurn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Lets so much work run at a time; the rest waits in line. */
export function createTurns(concurrency: number): InTurn {
  const limit = pLimit(concurrency);
  return <T>(signal: AbortSignal, work: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      if (signal.aborted) {
        onAbort();
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      // The line has no way out: what was aborted in it comes up, finds that out and makes room.
      void limit(async () => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted) return;
        await work().then(resolve, reject);
      });
    });
}
