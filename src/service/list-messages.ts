import { JsonText } from './json-text.js';
import { cutPage } from './message-page.js';
import { countUnread, findReference, selectMessages } from './message-selection.js';
import { messageWriter } from './message-writer.js';
import type { Handler } from './operation-call.js';
import { readMessageQuery } from './query.js';

/** List messages (§4.2): select, cut a page, embed. `count=true` counts the unread among all that is selected. */
export const listMessages: Handler<'listMessages'> = ({ search, actor }, { store, markers }) => {
  const query = readMessageQuery(search);
  const selection = selectMessages(query, actor, store, markers);
  const reference = findReference(query, store);
  const { positions, next } = cutPage(selection, reference, query.affix ?? 'append', query.limit, store);
  const unread = query.count === true ? { unreadMessageCount: String(countUnread(selection, actor, markers)) } : {};
  const data = positions.map(messageWriter({ ...query, actor }, store));
  const meta = {
    current: { limit: query.limit, count: positions.length },
    ...(next === undefined ? {} : { next }),
    ...unread,
  };
  return new JsonText(`{"data":[${data.join(',')}],"meta":${JSON.stringify(meta)}}`);
};
