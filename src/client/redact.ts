/** Removes the api key from a text. */
export type Redact = (text: string) => string;

/** Shorter keys occur in any text by chance; a real one has dozens of characters. */
const shortestSecret = 6;

/**
 * Creates the function that every text from outside passes through before it enters an error: an error code may quote
 * the key, a redirect may carry it in its host, the message of a fault may contain the request.
 */
export function redactor(apiKey: string): Redact {
  if (apiKey.length < shortestSecret) return (text) => text;
  const literal = apiKey.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  // Ignores case, since the URL parser writes hosts in lower case.
  const occurrence = new RegExp(literal, 'gi');
  return (text) => text.replace(occurrence, '[redacted]');
}
