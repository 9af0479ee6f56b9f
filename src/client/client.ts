import type { Conversation } from '../contract/conversation.js';
import type { endpoints, Operation } from '../contract/endpoints.js';
import type { Group } from '../contract/group.js';
import type { KeywordList } from '../contract/keyword-list.js';
import type { Message } from '../contract/message.js';
import type { MessageQuery } from '../contract/message-query.js';
import type { Meta } from '../contract/meta.js';
import type { Rule } from '../contract/rule.js';
import type { User } from '../contract/user.js';

type Acting<Mode> = Mode extends 'required'
  ? { readonly onBehalfOf: string }
  : Mode extends 'optional'
    ? { readonly onBehalfOf?: string | undefined }
    : unknown;

/** Options that every call of an operation takes; `onBehalfOf` (a uid, §5) as its row in the table says. */
export type CallOptions<Name extends Operation> = Acting<(typeof endpoints)[Name]['onBehalfOf']> & {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
};

/** One page of a list (§2.7). */
export interface Page<T> {
  readonly data: T[];
  readonly meta: Meta;
}

/** What a read marker answers (§4.5, §4.6). */
export interface Confirmation {
  readonly success: boolean;
  readonly message: string;
}

/** Up to which message, or after which one, a conversation is marked. A decimal string is sent as the integer it is. */
export interface MarkerOptions {
  readonly messageId?: number | string | undefined;
}

/** How a walk over messages is told apart from one page. */
export type WalkOptions = CallOptions<'listMessages'> & {
  /** Called with every page as it is taken up; `limit` is the page size that the service says it applied. */
  readonly onPage?: ((page: { readonly count: number; readonly limit: number | undefined }) => void) | undefined;
};

/**
 * The operations of the interface document (§4), typed. Every method answers a promise that rejects with `UsageError`
 * before anything is sent, with `NetworkError`, `TimeoutError`, `HttpError` or `ShapeError` after, or with the reason of
 * the caller's own signal. Where an operation can be repeated safely it is, see `RetryOptions`; the error is then that of
 * the last attempt. Limits that the platform's answers state hold for all calls of the client.
 */
export interface Client {
  readonly users: {
    /** Fetches a user (§4.4). */
    get(uid: string, options?: CallOptions<'getUser'>): Promise<User>;
    /** Sets the tags of a conversation of a user (§4.1). Which one, and how tags apply, the document does not show. */
    updateConversation(
      uid: string,
      options: CallOptions<'updateConversation'> & { readonly tags?: readonly string[] | undefined },
    ): Promise<Conversation[]>;
  };
  readonly groups: {
    /** Fetches a group (§4.3). */
    get(guid: string, options?: CallOptions<'getGroup'>): Promise<Group>;
    /** Marks a group conversation as read, up to a message when one is given (§4.5). */
    markAsRead(guid: string, options: CallOptions<'markAsRead'> & MarkerOptions): Promise<Confirmation>;
    /** Marks a group conversation as unread, after a message when one is given (§4.6). */
    markAsUnread(guid: string, options?: CallOptions<'markAsUnread'> & MarkerOptions): Promise<Confirmation>;
  };
  readonly messages: {
    /** Fetches one page of messages (§4.2). */
    list(query?: MessageQuery, options?: CallOptions<'listMessages'>): Promise<Page<Message>>;
    /**
     * Walks over all messages that a query finds, following `meta.next` (§2.7), each message once. `query.limit` is the
     * page size, 1000 by default. The next page is fetched while the consumer works on the current one.
     */
    iterate(query?: MessageQuery, options?: WalkOptions): AsyncIterable<Message>;
  };
  readonly rules: {
    /** Fetches the moderation rules (§4.7). `limit` is beyond the document; live platforms take it. */
    list(options?: CallOptions<'listRules'> & { readonly limit?: number | undefined }): Promise<Page<Rule>>;
    /** Fetches a rule or a keyword list, whichever answers to the id (§4.8); a list has `searchTerms`. */
    get(ruleId: string, options?: CallOptions<'getRule'>): Promise<Rule | KeywordList>;
  };
  readonly keywords: {
    /** Fetches a keyword list where live platforms serve it, `/moderation/keywords/{listId}`; beyond the document. */
    get(listId: string, options?: CallOptions<'getKeywordList'>): Promise<KeywordList>;
  };
  /** Waits for the calls under way, their retries included, then closes the client's own connections; an injected dispatcher stays open. */
  close(): Promise<void>;
}
