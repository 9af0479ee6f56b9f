/**
 * Lists of messages that rules stopped, and that a reviewer decided about, which live platforms
 * have beyond the interface document. The messages are those whose stored `data.moderation` says
 * `disapproved`, newest first.
 */
import * as z from 'zod';
import { digest } from '../../../foundation/digest.js';
import { ruleLimit, ruleParameters } from '../../contract/message-query.js';
import { ruleSchema } from '../../contract/rule.js';
import { serveMessage } from '../embed.js';
import { readQuery } from '../request.js';
import type { StoredMessage } from '../store.js';
import type { OperationHandler, ServiceState } from './operation.js';

const querySchema = z.object(ruleParameters).partial();

/** `data.moderation` of a message. */
const moderationSchema = z.object({
  status: z.string(),
  rule: z.object({ id: z.string(), name: z.string().optional() }).optional(),
});

export const listBlockedMessages: OperationHandler<'listBlockedMessages'> = ({ search }, state) =>
  pageOf(search, state, (entry) => entry);

/**
 * Lists the decisions of a reviewer about two of three blocked messages. The decisions follow from
 * the ids of message and rule alone, so they are the same in every run: of each rule up to half of
 * its messages are approved.
 */
export const listReviewedMessages: OperationHandler<'listReviewedMessages'> = ({ search }, state) =>
  pageOf(search, state, (entry, { id }) => {
    if (chance(['reviewed', id]) > 2 / 3) return undefined;
    const isApproved = chance(['approved', id]) < chance(['rule', entry.ruleId]) / 2;
    const { createdAt } = entry;
    const updatedAt = createdAt + Math.floor(3600 * chance(['after', id]));
    return {
      ...entry,
      status: isApproved ? 'approved' : 'rejected',
      reviewed: true,
      blockedAt: `${createdAt}`,
      updatedAt,
    };
  });

type BlockedEntry = ReturnType<typeof entryOf>;

function pageOf(
  search: URLSearchParams,
  state: ServiceState,
  toEntry: (entry: BlockedEntry, message: StoredMessage) => object | undefined,
) {
  const { limit = ruleLimit } = readQuery(querySchema, search);
  const { messages } = state.store;
  const data: object[] = [];
  for (let at = messages.length - 1; at >= 0 && data.length < limit; at--) {
    const message = messages[at]!;
    const { data: moderation } = moderationSchema.safeParse(message.data?.moderation);
    const isBlocked = moderation?.status === 'disapproved';
    const entry = isBlocked ? toEntry(entryOf(message, moderation.rule, state), message) : undefined;
    if (entry !== undefined) data.push(entry);
  }
  return { data, meta: { current: { limit, count: data.length } } };
}

/**
 * Returns the entry of a stopped message, with its rule as it is served now and the first condition
 * on such messages.
 */
function entryOf(
  message: StoredMessage,
  named: z.infer<typeof moderationSchema>['rule'],
  { store, moderation }: ServiceState,
) {
  const { id: ruleId, name: ruleName } = named ?? {};
  // A broken rule is served all the same, but adds nothing here.
  const { data: rule } = ruleSchema.safeParse(ruleId === undefined ? undefined : moderation.rules.get(ruleId));
  const conditions = rule?.conditions ?? [];
  const operand = message.category === 'custom' ? 'custom' : message.type;
  const createdAt = message.sentAt + 1;
  return {
    ruleId,
    ruleName,
    revisionId: rule?.revisionId,
    condition: conditions.find((condition) => condition.operand === operand) ?? conditions[0],
    message: serveMessage(message, { actor: undefined }, store),
    action: rule?.action,
    createdAt,
    updatedAt: createdAt,
  };
}

/** Returns a number from 0 to 1 that looks random and follows from a value. */
function chance(value: unknown): number {
  return Number.parseInt(digest(value).slice(0, 8), 16) / 0xffff_ffff;
}
