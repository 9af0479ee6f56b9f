/**
 * A hook for Fastify that decides a message before its route takes it in:
 *
 *   app.post('/messages', { preHandler: moderated(moderator, ['profanity-filter']) }, async (request) => store(request.body.data.text));
 *
 * Rules read the category of a message, and the role of its sender. A client could set both so that they leave its message alone, so the
 * hook takes nothing but the text from the client; all else is what the server knows.
 */
import { type MessageDraft, type Moderator, UsageError } from 'sluice';

/** What the hook uses of Fastify's request and reply. */
interface IncomingRequest {
  readonly body: unknown;
  /** Set by your authentication. */
  readonly user?: { readonly uid: string; readonly role: string };
}
interface OutgoingReply {
  code(status: number): OutgoingReply;
  send(body: unknown): OutgoingReply;
}

/** The message as the server vouches for it. The route must store the same text, and no other field of the client. */
function draftOf({ body, user }: IncomingRequest): MessageDraft {
  const text = (body as { data?: { text?: unknown } | null } | null | undefined)?.data?.text;
  if (typeof text !== 'string') throw new UsageError('a message has its text at `data.text`, a string');
  const entities = user && { sender: { entity: { uid: user.uid, role: user.role }, entityType: 'user' } };
  const data = { text, ...(entities && { entities }) };
  return { category: 'message', type: 'text', ...(user && { sender: user.uid }), data };
}

/** Makes the hook. A message that no rule stops is refused all the same when one of `mustBeAsked`, ids of rules, could not be asked. */
export function moderated(moderator: Pick<Moderator, 'explainAsync'>, mustBeAsked: readonly string[] = []) {
  return async (request: IncomingRequest, reply: OutgoingReply): Promise<unknown> => {
    try {
      const { verdict, matched, unevaluated } = await moderator.explainAsync(draftOf(request));
      if (verdict === 'blockMessage') {
        return reply.code(422).send({ error: 'message refused', because: matched[0]?.ruleName });
      }
      // A message that is dropped is gone, and its sender sees no difference: the same answer as of the route.
      if (verdict === 'dropMessage') return reply.code(200).send({ ok: true });
      if (unevaluated.some(({ ruleId }) => mustBeAsked.includes(ruleId))) {
        return reply.code(422).send({ error: 'message could not be checked' });
      }
      return undefined;
    } catch (error) {
      if (error instanceof UsageError) return reply.code(400).send({ error: error.message });
      throw error;
    }
  };
}
