/** Removes the api key from a text. */
export type Redact = (text: string) => string;

/** Shorter keys occur in any text by chance; a real one has dozens of characters. */
const shortestSecret = 6;

/**
 * Makes the function that every text from outside passes before it enters an error: a platform may quote the key in its
 * error code, a redirect may carry it in its host, a fault may print the request.
 */
export function redactor(apiKey: string): Redact {
  if (apiKey.length < shortestSecret) return (text) => text;
  const literal = apiKey.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  // Hosts come out of the URL parser in lower case, so case does not tell.
  const occurrence = new RegExp(literal, 'gi');
  return (text) => text.replace(occurrence, '[redacted]');
}
