/** Requests to a handler, and rules to answer them by. */
import type { RuleSetInput } from '../../src/index.js';

export type Handler = (request: Request) => Promise<Response>;

interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a handler answers to a body, which is JSON unless it is bytes or a stream. */
export async function call(handler: Handler, target: string, body?: unknown, options: CallOptions = {}) {
  const isRaw = body === undefined || body instanceof Uint8Array || body instanceof ReadableStream;
  const init: RequestInit & { duplex: 'half' } = {
    ...{ method: body === undefined ? 'GET' : 'POST', duplex: 'half', ...options },
    ...(body !== undefined && { body: isRaw ? (body as ReadableStream) : JSON.stringify(body) }),
  };
  const response = await handler(new Request(`http://moderation.example${target}`, init));
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

const word = (value: string[]) => ({ id: 1, operand: 'text', category: 'word', operator: 'contains', value });

/** A rule for each thing that an answer may rest on. */
export const ruleSet: RuleSetInput = {
  rules: [
    { id: 'insults', name: 'Insults', action: ['blockMessage'], conditions: [word(['moron'])] },
    {
      id: 'scams',
      action: ['dropMessage', 'kick'],
      conditions: [{ ...word(['scam-words']), isKeywordsReferencePresent: true }],
    },
    { id: 'links', action: ['flagMessage'], conditions: [{ ...word(['https?://\\w+']), category: 'pattern' }] },
    { id: 'gore', action: ['blockMessage'], conditions: [{ id: 1, operand: 'image', value: ['gore_greaterThan_70'] }] },
    { id: 'resting', enabled: false, action: ['blockMessage'], conditions: [word(['nap'])] },
    { id: 'trial', action: ['blockMessage'], conditions: [word(['trial'])] },
  ],
  lists: [{ id: 'scam-words', searchTerms: ['buy now'] }],
  semantics: { shadow: ['trial'] },
};
