/**
 * Faults of a connection that came to nothing or broke off, and the dispatcher's own clocks. Not among them: bad
 * certificates, answers that are no HTTP or give two lengths, headers over the cap, a closed dispatcher. They would stay.
 */
const transientCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Whether a fault may be gone by the next attempt; `code` as `faultCode` gives it. */
export function isTransientFault(code: string): boolean {
  return transientCodes.has(code);
}

/** Whether a status may be gone by the next attempt. 501 says that the platform cannot do this at all. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status <= 599 && status !== 501);
}
