import { Agent } from 'undici';
import { UsageError } from '../errors.js';
import type { Client } from './client.js';
import { type ClientOptions, readClientOptions, type Settings } from './client-options.js';
import { createOperations } from './operations.js';
import { createSend, type Send } from './send.js';
import type { Dispatchers } from './settle.js';
import { type Surroundings, systemSurroundings } from './surroundings.js';
import { walkMessages } from './walk-messages.js';

/**
 * Makes a client of the platform's interface (§4), or of the local service. It talks to one origin, follows no
 * redirect, heeds no proxy variable of the environment, and keeps the key out of everything it shows.
 * Throws `UsageError` when an option cannot be used.
 */
export function createClient(options: ClientOptions): Client {
  return createClientIn(systemSurroundings, options);
}

/** The same, in surroundings of one's own. */
export function createClientIn(surroundings: Surroundings, options: ClientOptions): Client {
  const settings = readClientOptions(options);
  const { dispatchers, closeOwn } = connections(options, settings);
  const send = createSend(settings, dispatchers, surroundings);
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  const sendWhileOpen: Send = async (name, call) => {
    if (closing !== undefined) throw new UsageError('the client is closed: make another one');
    const sending = send(name, call);
    underWay.add(sending);
    try {
      return await sending;
    } finally {
      underWay.delete(sending);
    }
  };
  const close = async (): Promise<void> => {
    // A call that waits for its next attempt needs the pool again, so the pool is the last to close. Nothing waits for
    // an answer then: destroying loses none, where closing would wait for a connection that a dead call has asked for.
    await Promise.allSettled(underWay);
    await closeOwn();
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
      closing ??= close();
      return closing;
    },
  });
}

function connections(
  { dispatcher }: ClientOptions,
  { connectMs }: Settings,
): { readonly dispatchers: Dispatchers; readonly closeOwn: () => Promise<unknown> } {
  if (dispatcher !== undefined) {
    return { dispatchers: { pooled: dispatcher, fresh: dispatcher }, closeOwn: async () => {} };
  }
  const connect = { timeout: connectMs };
  const pooled = new Agent({ connect });
  const fresh = new Agent({ connect, pipelining: 0 });
  return { dispatchers: { pooled, fresh }, closeOwn: () => Promise.all([pooled.destroy(), fresh.destroy()]) };
}
