/** What codes of undici and of its HTTP parser say, for people; those of the system (`ECONNREFUSED`) are known as they are. */
const words: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'the connection ended before the answer did',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'it is not as long as it says',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'it is larger than the dispatcher takes',
  UND_ERR_CLOSED: 'the dispatcher is closed',
  UND_ERR_DESTROYED: 'the dispatcher is closed',
  UND_ERR_ABORTED: 'the dispatcher gave the request up',
  UND_ERR_INVALID_ARG: 'the dispatcher does not take the request',
  UND_ERR_NOT_SUPPORTED: 'the dispatcher does not take the request',
  UND_ERR_PRX_TLS: 'the proxy allowed no secure connection',
  UND_ERR_REQ_RETRY: 'the dispatcher tried again in vain',
  // How undici fails at a status line such as `HTTP/1.1 000`.
  ERR_ASSERTION: 'no valid HTTP',
};

/** A fault in plain words, with the code that it is looked up by; `code` as `faultCode` gives it. */
export function faultWords(code: string): string {
  if (code.startsWith('HPE_')) return `no valid HTTP, ${code}`;
  return Object.hasOwn(words, code) ? `${words[code]}, ${code}` : code;
}
