/**
 * A consumer of a queue, of whatever make: deliveries come as an async iterable. Each is acknowledged once its message is handled;
 * one that fails goes back to the queue, and the others go on. What is no message at all (`UsageError`) comes back each time: a queue
 * should put aside what was given back too often.
 */
import type { MessageDraft, Moderator, Verdict } from 'sluice';

export interface Delivery {
  readonly message: MessageDraft;
  acknowledge(): Promise<void>;
  giveBack(): Promise<void>;
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
      const verdict = await moderator.decideAsync(delivery.message);
      if (verdict === 'allow') await publish(delivery.message);
      await delivery.acknowledge();
      counts[verdict]++;
    } catch {
      await delivery.giveBack();
      counts.givenBack++;
    }
  }
  return counts;
}
