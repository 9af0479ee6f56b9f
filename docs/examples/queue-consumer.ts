/**
 * A consumer of a queue, of whatever make: deliveries come as an async iterable. Each is acknowledged once its message is handled;
 * one that fails goes back to the queue, and the others go on. A value that is not a message (`UsageError`) comes back each time: a queue
 * should put aside what was given back too often.
 */
import { type MessageDraft, type Moderator, UsageError, type Verdict } from 'sluice';

export interface Delivery {
  /** As the client sent it. A client may say anything of itself, so only the text is taken from here. */
  readonly message: MessageDraft;
  /** What the server that put the message on the queue knows by itself: who sent it, and which files were uploaded with it. */
  readonly sender?: { readonly uid: string; readonly role: string };
  readonly files?: readonly { readonly url: string; readonly mimeType: string }[];
  acknowledge(): Promise<void>;
  giveBack(): Promise<void>;
}

/** The message as the server vouches for it: no category, role or entities of the client decide which rules apply. */
function draftOf({ message, sender, files = [] }: Delivery): MessageDraft {
  const text: unknown = message.data?.text ?? '';
  if (typeof text !== 'string') throw new UsageError('`data.text` must be a string');
  const entities = sender && { sender: { entity: { uid: sender.uid, role: sender.role }, entityType: 'user' } };
  const data = { text, attachments: [...files], ...(entities && { entities }) };
  return { category: 'message', type: 'text', ...(sender && { sender: sender.uid }), data };
}

/** Handles deliveries until there are no more; resolves to the number of each verdict, and of those that were given back. */
export async function consume(
  deliveries: AsyncIterable<Delivery>,
  moderator: Pick<Moderator, 'decideAsync'>,
  publish: (message: MessageDraft) => Promise<void>,
): Promise<Record<Verdict | 'givenBack', number>> {
  const counts = { allow: 0, blockMessage: 0, dropMessage: 0, givenBack: 0 };
  for await (const delivery of deliveries) {
    try {
      const message = draftOf(delivery);
      const verdict = await moderator.decideAsync(message);
      if (verdict === 'allow') await publish(message);
      await delivery.acknowledge();
      counts[verdict]++;
    } catch {
      await delivery.giveBack();
      counts.givenBack++;
    }
  }
  return counts;
}
