import { clientOf } from '../../support/http.js';
import { quickOptions } from './play-faults.js';
import type { Row } from './rows.js';
import { type Ending, watchCall } from './watch-call.js';

/** How the calls of these rows end at a peer, each with a client of its own. */
export async function watchAll(
  url: string,
  over: readonly Row[],
  options = quickOptions,
): Promise<Ending['outcome'][]> {
  const endings = over.map((row) => watchCall(() => row.call(clientOf({ url }, options)), row.right));
  return (await Promise.all(endings)).map(({ outcome }) => outcome);
}

/** The same ending for all of them. */
export const all = (outcome: Ending['outcome'], over: readonly Row[]) => over.map(() => outcome);
