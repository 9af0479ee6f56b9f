import { Refusal } from './refusal.js';

const authenticate = { headers: { 'www-authenticate': 'apikey' } };

/**
 * Every answer of the service that is not 200. The document gives none (§7): the codes are those that live platforms send, or
 * are made like them, and the sentences are ours. No api key ever stands in one.
 */
export const refusals = {
  noApiKey: () =>
    new Refusal(
      401,
      'AUTH_ERR_EMPTY_APIKEY',
      'the request has no api key',
      'send it in the header `apikey`',
      authenticate,
    ),

  wrongApiKey: () =>
    new Refusal(
      401,
      'AUTH_ERR_APIKEY_NOT_FOUND',
      'the api key is not known',
      'send the key the service was started with',
      authenticate,
    ),

  noSuchPath: () =>
    new Refusal(
      404,
      'ERR_API_NOT_FOUND',
      'there is nothing at this path',
      'compare it with the paths of the interface document',
    ),

  wrongMethod: (method: string, allowed: readonly string[]) =>
    new Refusal(
      405,
      'ERR_METHOD_NOT_ALLOWED',
      `the path does not take ${quoted(method)}`,
      `use ${allowed.join(' or ')}`,
      {
        headers: { allow: allowed.join(', ') },
      },
    ),

  malformedPath: () =>
    new Refusal(400, 'ERR_BAD_REQUEST', 'the path has a broken percent escape', 'percent-encode ids as utf-8'),

  malformedQuery: () =>
    new Refusal(400, 'ERR_BAD_REQUEST', 'the query has a broken percent escape', 'percent-encode values as utf-8'),

  notAcceptable: () =>
    new Refusal(
      406,
      'ERR_NOT_ACCEPTABLE',
      'the answer is json, which `accept` leaves out',
      'accept `application/json`',
    ),

  otherProtocol: () =>
    new Refusal(400, 'ERR_BAD_REQUEST', 'the service speaks http/1.1 and nothing else', 'send no `upgrade`', {
      headers: { connection: 'close' },
    }),

  otherVersion: () =>
    new Refusal(505, 'ERR_BAD_REQUEST', 'the version of http is not known', 'send http/1.1', {
      headers: { connection: 'close' },
    }),

  unknownCoding: () =>
    new Refusal(
      501,
      'ERR_NOT_IMPLEMENTED',
      'the transfer coding is not known',
      'send the body as it is, or `chunked`',
      {
        headers: { connection: 'close' },
      },
    ),

  /** Something in headers, query or body; `details` says what, by field. */
  badRequest: (details: Readonly<Record<string, readonly string[]>>) => {
    const [field = '', reasons = []] = Object.entries(details)[0] ?? [];
    return new Refusal(400, 'ERR_BAD_REQUEST', `\`${field}\` ${reasons[0]}`, 'see `details` for every field to mend', {
      details,
    });
  },

  noSuchUser: (uid: string) =>
    new Refusal(404, 'ERR_UID_NOT_FOUND', `there is no user ${quoted(uid)}`, 'uids are case-sensitive'),

  noSuchGroup: (guid: string) =>
    new Refusal(404, 'ERR_GUID_NOT_FOUND', `there is no group ${quoted(guid)}`, 'guids are case-sensitive'),

  noSuchMessage: (id: string) =>
    new Refusal(
      404,
      'ERR_MESSAGE_ID_NOT_FOUND',
      `there is no message ${quoted(id)} here`,
      'take ids from list messages',
    ),

  noSuchRule: (id: string) =>
    new Refusal(
      404,
      'ERR_RULE_NOT_FOUND',
      `there is no rule or keyword list ${quoted(id)}`,
      'take ids from list moderation rules',
    ),

  noSuchList: (id: string) =>
    new Refusal(
      404,
      'ERR_KEYWORD_NOT_FOUND',
      `there is no keyword list ${quoted(id)}`,
      'take ids from the conditions of rules',
    ),

  noSuchConversation: (one: string, other: string) =>
    new Refusal(
      404,
      'ERR_CONVERSATION_NOT_FOUND',
      `${quoted(one)} and ${quoted(other)} have no conversation`,
      'a conversation begins with its first message',
    ),

  notAMember: (uid: string, guid: string) =>
    new Refusal(403, 'ERR_NOT_A_MEMBER', `${quoted(uid)} is no member of ${quoted(guid)}`, 'act on behalf of a member'),

  notJson: () =>
    new Refusal(
      415,
      'ERR_UNSUPPORTED_MEDIA_TYPE',
      'the body is not declared as json',
      'send `content-type: application/json`',
    ),

  tooLarge: (bytes: number) =>
    new Refusal(413, 'ERR_PAYLOAD_TOO_LARGE', `the body is larger than ${bytes} bytes`, 'send less', {
      headers: { connection: 'close' },
    }),

  headTooLarge: () =>
    new Refusal(431, 'ERR_BAD_REQUEST', 'the head of the request is too large', 'send shorter headers and queries'),

  tooSlow: () =>
    new Refusal(408, 'ERR_REQUEST_TIMEOUT', 'the request took too long to arrive', 'send it in one go', {
      headers: { connection: 'close' },
    }),

  notHttp: () => new Refusal(400, 'ERR_BAD_REQUEST', 'the request is not well-formed http', 'use an http client'),

  ourFault: () =>
    new Refusal(500, 'ERR_EXCEPTION', 'the service failed', 'this is a bug of the local service, please report it'),
} as const;

/** User input on one line, cut to a length that fits an error. */
function quoted(input: string): string {
  const cut = input.length > 100 ? `${input.slice(0, 100)}…` : input;
  return `\`${JSON.stringify(cut).slice(1, -1)}\``;
}
