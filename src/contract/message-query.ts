/**
 * The query parameters of list messages (§4.2), as one table that client and service share.
 * `hasLinks` is the parameter whose name the document leaves out.
 */

type Parameter =
  | { readonly kind: 'boolean' | 'integer' | 'string' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly style: 'comma' | 'repeat' };

const boolean = { kind: 'boolean' } as const;
const integer = { kind: 'integer' } as const;
const string = { kind: 'string' } as const;
const commaList = { kind: 'list', style: 'comma' } as const;

export const messageParameters = {
  searchKey: string,
  hideMessagesFromBlockedUsers: boolean,
  hasAttachments: boolean,
  attachmentTypes: { kind: 'enum', values: ['image', 'video', 'audio', 'file'] },
  hasMentions: boolean,
  mentionedUids: commaList,
  hasReactions: boolean,
  hasLinks: boolean,
  receiverType: { kind: 'enum', values: ['user', 'group'] },
  affix: { kind: 'enum', values: ['append', 'prepend'] },
  id: string,
  category: { kind: 'enum', values: ['message', 'action', 'custom'] },
  type: string,
  sender: string,
  mentionsWithBlockedInfo: boolean,
  mentionsWithTagInfo: boolean,
  hideDeleted: boolean,
  onlyDeleted: boolean,
  hideReplies: boolean,
  count: boolean,
  unread: boolean,
  sentAt: integer,
  limit: integer,
  conversationId: string,
  withTags: boolean,
  tags: commaList,
  categories: commaList,
  types: { kind: 'list', style: 'repeat' },
  fromTimestamp: integer,
  toTimestamp: integer,
} as const satisfies Record<string, Parameter>;

export type MessageParameter = keyof typeof messageParameters;

type ParameterValue<P extends Parameter> = P extends { kind: 'boolean' }
  ? boolean
  : P extends { kind: 'integer' }
    ? number
    : P extends { kind: 'enum'; values: readonly (infer V)[] }
      ? V
      : P extends { kind: 'list' }
        ? readonly string[]
        : string;

/** Filters and cursor of list messages (§4.2), typed; all optional. Timestamps in seconds, `limit` 1..1000. */
export type MessageQuery = {
  readonly [Name in MessageParameter]?: ParameterValue<(typeof messageParameters)[Name]> | undefined;
};

/** Page size of §4.2 and §8. */
export const pageLimit = { default: 10, min: 1, max: 1000 } as const;
