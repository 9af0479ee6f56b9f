import { UsageError } from '../errors.js';

/**
 * Printable ASCII without blanks at the edges. Peers trim blanks silently, so ` ann` would act as `ann`; beyond ASCII
 * one byte or several are guesswork.
 */
const sendable = /^[!-~](?:[ -~]*[!-~])?$/;

/** Checks an api key (§5). Throws `UsageError`, which never shows the key. */
export function checkApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw new UsageError('`apiKey` is missing: pass the REST api key of the app as a string');
  }
  if (!sendable.test(apiKey)) {
    throw new UsageError(
      '`apiKey` holds characters that a header cannot carry: only printable ASCII, no blank or line break at its ends',
    );
  }
  return apiKey;
}

/** Checks an acting user (§5, `onBehalfOf`). Throws `UsageError`, which does not show the uid. */
export function checkActingUser(uid: unknown, operation: string): string {
  if (typeof uid !== 'string' || uid === '') {
    throw new UsageError(`\`onBehalfOf\` of ${operation} should be a uid, a string with at least one character`);
  }
  if (!sendable.test(uid)) {
    throw new UsageError(
      `\`onBehalfOf\` of ${operation} holds characters that a header cannot carry: only printable ASCII, no blank at its ends`,
    );
  }
  return uid;
}
