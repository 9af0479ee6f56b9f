/** How long the windows of a query should be: each some pages of messages, however dense these are. */
import type { MessageDraft } from '../../contract/message-draft.js';
import type { MessageQuery } from '../../contract/message-query.js';

/** One page of messages (§4.2). */
export type ListPage = (query: MessageQuery) => Promise<readonly MessageDraft[]>;

/** A query has at most so many windows, of at least so many seconds. */
const mostWindows = 5_000;
const leastSeconds = 60;
/** A window should have so many pages. */
const aimedPages = 2;
/** Pages that are looked at, at even distances. */
const samples = 5;

/**
 * The seconds of a window, by how dense messages are on a few pages of the query. It is the same whenever it is counted over the same
 * messages, so an audit that is begun again finds the results of its windows.
 */
export async function secondsOfWindow(
  list: ListPage,
  { since, until, pageSize }: { readonly since: number; readonly until: number; readonly pageSize: number },
): Promise<number> {
  const seconds = Math.max(1, until - since + 1);
  const stretch = seconds / samples;
  let expected = 0;
  for (let sample = 0; sample < samples; sample++) {
    const from = Math.max(1, Math.floor(since + sample * stretch));
    const page = await list({ fromTimestamp: from, toTimestamp: until, limit: pageSize });
    const times = page.flatMap(({ sentAt }) => (typeof sentAt === 'number' ? [sentAt] : []));
    // A page that is not full has all messages up to the end of the query.
    const last = page.length < pageSize ? until : times.reduce((latest, time) => Math.max(latest, time), from);
    expected += (times.length / (last - from + 1)) * stretch;
  }
  const windows = Math.min(mostWindows, Math.max(1, Math.ceil(expected / (aimedPages * pageSize))));
  return Math.max(leastSeconds, Math.ceil(seconds / windows));
}
