/** List messages (§4.2): select, cut a page, embed. */
import { messageQuerySchema, pageLimit } from '../../contract/message-query.js';
import { serveMessage } from '../embed.js';
import { cutPage, selectMessages } from '../paging.js';
import { readQuery } from '../request.js';
import type { OperationHandler } from './operation.js';

/** With `count`, the unread are counted among all that is selected, whatever the page. */
export const listMessages: OperationHandler<'listMessages'> = ({ search, actor }, { store, markers }) => {
  const query = readQuery(messageQuerySchema, search);
  const { limit = pageLimit.default, affix = 'append', count } = query;
  const selection = selectMessages(query, actor, store, markers);
  const { positions, hasMore } = cutPage(selection, query, store);
  const edge = store.messages[positions.at(affix === 'append' ? -1 : 0) ?? -1];
  return {
    data: positions.map((position) => serveMessage(store.messages[position]!, { ...query, actor }, store)),
    meta: {
      current: { limit, count: positions.length },
      ...(hasMore && edge !== undefined ? { next: { affix, sentAt: edge.sentAt, id: edge.id } } : {}),
      ...(count === true ? { unreadMessageCount: String(selection.countUnread()) } : {}),
    },
  };
};
