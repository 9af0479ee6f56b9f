/** What happens to an audit on many machines, as values; and a queue that reports what happens to it. */
import type { SluiceError } from '../errors.js';
import { codeOfQueueFailure, openWindowQueue } from './queue.js';
import type { QueueObstacles, WindowQueue } from './windows.js';

/** Something that people may want to know of. */
export type FleetEvent =
  /** The queue does not answer; said once, until it does. */
  | { readonly kind: 'queue-away'; readonly code: string | undefined }
  | { readonly kind: 'queue-back' }
  /** The queue cannot be opened; said once for each reason. */
  | { readonly kind: 'queue-refused'; readonly reason: Error }
  /** Somebody else put a job on the queue, which was taken off; said once. */
  | { readonly kind: 'foreign-job' }
  /** So many windows, of so many seconds, are there to be judged. */
  | { readonly kind: 'queued'; readonly windows: number; readonly seconds: number }
  /** The windows are on the queue, and no worker has taken one; then that one has. The second is said after the first alone. */
  | { readonly kind: 'untaken' }
  | { readonly kind: 'taken' }
  /** Nothing was judged for half a minute. */
  | ({ readonly kind: 'idle' } & QueueObstacles)
  /** A worker waits for an audit to begin in its directory. */
  | { readonly kind: 'waiting' }
  /** A worker begins with the windows of a plan. */
  | { readonly kind: 'judging' }
  /** A worker has judged a window. */
  | { readonly kind: 'judged'; readonly messages: number }
  /** A worker could not judge a window, which is judged later; said once for each reason. */
  | { readonly kind: 'put-back'; readonly reason: SluiceError };

/** Called with each event; it is not waited for. */
export type OnFleetEvent = (event: FleetEvent) => void;

/** Opens the queue of a plan, named by the digest of its file, and reports when it fails and works again. Throws as `openWindowQueue` does. */
export function openReportingQueue(url: string, name: string, onEvent: OnFleetEvent): Promise<WindowQueue> {
  let isAway = false;
  let isForeignSaid = false;
  return openWindowQueue({
    url,
    name,
    onFailure: (reason) => {
      if (!isAway) onEvent({ kind: 'queue-away', code: codeOfQueueFailure(reason) });
      isAway = true;
    },
    onAnswer: () => {
      if (isAway) onEvent({ kind: 'queue-back' });
      isAway = false;
    },
    onForeignJob: () => {
      if (!isForeignSaid) onEvent({ kind: 'foreign-job' });
      isForeignSaid = true;
    },
  });
}
