import { UsageError } from '../errors.js';

/**
 * A message id as the read markers send it (§4.5, §4.6): an integer, though messages carry it as a decimal string
 * (§2.4). Throws `UsageError` for one that an integer cannot hold exactly.
 */
export function markerMessageId(messageId: number | string | undefined): number | undefined {
  if (messageId === undefined) return undefined;
  const number = typeof messageId === 'string' && /^\d+$/.test(messageId) ? Number(messageId) : messageId;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw new UsageError(
    `\`messageId\` should be a whole number up to ${Number.MAX_SAFE_INTEGER}, or one written as a string`,
  );
}
