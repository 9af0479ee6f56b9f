import { Agent, type Dispatcher } from 'undici';
import { UsageError } from '../errors.js';
import type { Client } from './client.js';
import { type ClientOptions, readClientOptions, type Settings } from './client-options.js';
import { createOperations } from './operations.js';
import { createSend, type Send } from './send.js';
import { walkMessages } from './walk-messages.js';

/**
 * Makes a client of the platform's interface (§4), or of the local service. It talks to one origin, follows no
 * redirect, heeds no proxy variable of the environment, and keeps the key out of everything it shows.
 * Throws `UsageError` when an option cannot be used.
 */
export function createClient(options: ClientOptions): Client {
  const settings = readClientOptions(options);
  const pool = options.dispatcher === undefined ? ownPool(settings) : undefined;
  const send = createSend(settings, (options.dispatcher ?? pool) as Dispatcher);
  let closing: Promise<void> | undefined;

  const sendWhileOpen: Send = async (name, call) => {
    if (closing !== undefined) throw new UsageError('the client is closed: make another one');
    return send(name, call);
  };
  const operations = createOperations(sendWhileOpen);
  return Object.freeze({
    users: Object.freeze({ get: operations.getUser, updateConversation: operations.updateConversation }),
    groups: Object.freeze({
      get: operations.getGroup,
      markAsRead: operations.markAsRead,
      markAsUnread: operations.markAsUnread,
    }),
    messages: Object.freeze({
      list: operations.listMessages,
      iterate: (query = {}, walkOptions = {}) => walkMessages(operations.listMessages, query, walkOptions),
    } satisfies Client['messages']),
    rules: Object.freeze({ list: operations.listRules, get: operations.getRule }),
    keywords: Object.freeze({ get: operations.getKeywordList }),
    close: () => {
      closing ??= pool?.close() ?? Promise.resolve();
      return closing;
    },
  });
}

function ownPool(settings: Settings): Agent {
  return new Agent({ connect: { timeout: settings.connectMs } });
}
