/**
 * The answers of the service other than 200. The document does not show them (§7): shape and codes
 * are those that live platforms send, or are made like them, and the texts are our own. No answer
 * contains an api key.
 */
import { Refusal } from '../../foundation/requests/refusal.js';

type Details = Readonly<Record<string, readonly string[]>>;

/** Ends a request with `{ "error": { message, devMessage, source, code, details? } }`. */
class Problem extends Refusal {
  readonly error: object;

  /** `advice` tells a developer what to do, `details` what is wrong with each field. */
  constructor(
    status: number,
    code: string,
    message: string,
    advice: string,
    { headers = {}, details }: { headers?: Readonly<Record<string, string>>; details?: Details } = {},
  ) {
    super(status, message, headers);
    this.error = { message, devMessage: advice, source: 'chat-api', code, details };
  }
}

const authenticate = { headers: { 'www-authenticate': 'apikey' } };
const last = { headers: { connection: 'close' } };
const bad = 'ERR_BAD_REQUEST';
const missing = (code: string, what: string, advice: string) => new Problem(404, code, `there is no ${what}`, advice);

/** The problems of the interface, each with its status and code. */
export const problems = {
  noApiKey: () =>
    new Problem(401, 'AUTH_ERR_EMPTY_APIKEY', 'the request has no api key', 'send it in `apikey`', authenticate),
  wrongApiKey: () =>
    new Problem(401, 'AUTH_ERR_APIKEY_NOT_FOUND', 'the api key is not known', 'send that of the service', authenticate),
  noSuchPath: () =>
    new Problem(404, 'ERR_API_NOT_FOUND', 'there is nothing at this path', 'compare it with those of the interface'),
  malformed: (where: 'path' | 'query') =>
    new Problem(400, bad, `the ${where} is malformed`, 'percent-encode ids and values as utf-8'),
  /** Headers, query or body are wrong; `details` says what, by field. */
  badRequest: (details: Details) => {
    const [field = '', reasons = []] = Object.entries(details)[0] ?? [];
    return new Problem(400, bad, `\`${field}\` ${reasons[0]}`, 'see `details` for every field to fix', { details });
  },
  noSuchUser: (uid: string) => missing('ERR_UID_NOT_FOUND', `user ${quoted(uid)}`, 'uids are case-sensitive'),
  noSuchGroup: (guid: string) => missing('ERR_GUID_NOT_FOUND', `group ${quoted(guid)}`, 'guids are case-sensitive'),
  noSuchMessage: (id: string) =>
    missing('ERR_MESSAGE_ID_NOT_FOUND', `message ${quoted(id)} here`, 'take ids from list messages'),
  noSuchRule: (id: string) =>
    missing('ERR_RULE_NOT_FOUND', `rule or keyword list ${quoted(id)}`, 'take ids from list moderation rules'),
  noSuchList: (id: string) =>
    missing('ERR_KEYWORD_NOT_FOUND', `keyword list ${quoted(id)}`, 'take ids from the conditions of rules'),
  noSuchConversation: (user: string, peer: string) => {
    const what = `conversation of ${quoted(user)} and ${quoted(peer)}`;
    return missing('ERR_CONVERSATION_NOT_FOUND', what, 'a conversation begins with its first message');
  },
  alreadyThere: (kind: 'rule' | 'keyword list', id: string) => {
    const code = kind === 'rule' ? 'ERR_RULE_ALREADY_EXISTS' : 'ERR_KEYWORD_ALREADY_EXISTS';
    return new Problem(409, code, `there is a ${kind} ${quoted(id)} already`, 'replace it, or choose another id');
  },
  notAMember: (uid: string, guid: string) => {
    const fact = `${quoted(uid)} is not a member of ${quoted(guid)}`;
    return new Problem(403, 'ERR_NOT_A_MEMBER', fact, 'act on behalf of a member');
  },
  notJson: () =>
    new Problem(415, 'ERR_UNSUPPORTED_MEDIA_TYPE', 'the body is not declared as json', 'send `application/json`'),
  tooLarge: (bytes: number) =>
    new Problem(413, 'ERR_PAYLOAD_TOO_LARGE', `the body is larger than ${bytes} bytes`, 'send less', last),
  tooManyHeaders: (most: number) =>
    new Problem(431, bad, `the request has more than ${most} headers`, 'send fewer', last),
  ourFault: () => new Problem(500, 'ERR_EXCEPTION', 'the service failed', 'this is a bug of it, please report it'),
} as const;

/** Returns the response of a refusal, with its own error if it is a `Problem`. */
export function refusedResponse(refusal: Refusal): Response {
  const { status, message, headers } = refusal;
  const code = status === 405 ? 'ERR_METHOD_NOT_ALLOWED' : status === 500 ? 'ERR_EXCEPTION' : bad;
  const problem = refusal instanceof Problem ? refusal : new Problem(status, code, message, 'compare it with RFC 9112');
  return jsonResponse({ error: problem.error }, status, headers);
}

/** Returns a document as it is sent, with its length. */
export function jsonResponse(document: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  const body = JSON.stringify(document);
  const length = String(Buffer.byteLength(body));
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': length, ...headers },
  });
}

/** Puts user input on one line, cut to a length that fits an error. */
function quoted(input: string): string {
  const cut = input.length > 100 ? `${input.slice(0, 100)}…` : input;
  return `\`${JSON.stringify(cut).slice(1, -1)}\``;
}

/**
 * A bug of the service itself: its position in the code, without any content of a request or a
 * message.
 */
export interface ServiceBug {
  /**
   * The operation by method and path template, such as `GET /users/{uid}`; `the connection` outside
   * of one.
   */
  readonly operation: string;
  /** The class of the thrown value. */
  readonly error: string;
  /** Function, file, line and column of each frame, innermost first. */
  readonly at: readonly string[];
}

/** Called with each bug; the request that met it is answered with a 500. */
export type OnBug = (bug: ServiceBug) => void;

/**
 * Describes what was thrown. Its message, which may quote what was served, is left out; of the
 * stack, only frames are read.
 */
export function describeBug(thrown: unknown, operation: string): ServiceBug {
  if (!(thrown instanceof Error)) return { operation, error: typeof thrown, at: [] };
  const { name, message, stack = '' } = thrown;
  const behind = stack.slice(Math.max(0, stack.indexOf(message)) + message.length);
  const at = behind.split('\n').flatMap((line) => {
    const frame = /^\s+at (?:(?:async )?([\w$.<># ]+) \()?(?:.*[\\/])?([\w.-]+:\d+:\d+)\)?$/.exec(line);
    return frame === null ? [] : [`${frame[1] ?? 'anonymous'} (${frame[2]})`];
  });
  return { operation, error: /^\w{1,60}$/.test(name) ? name : 'Error', at };
}

/** Prints a bug on standard error, in one line. */
export function printBug({ operation, error, at }: ServiceBug): void {
  process.stderr.write(`sluice service: bug in ${operation}: ${[error, ...at.slice(0, 5)].join(' < ')}\n`);
}
