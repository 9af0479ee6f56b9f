import { Refusal } from './refusal.js';
import { refusals } from './refusals.js';

/**
 * The refusal of bytes that are not HTTP, or too much of it, or too slow; undefined when the connection itself broke and nobody
 * is left to read one. The error of the parser is not passed on, for it may hold what was sent.
 */
export function refusalOfFault({ code = '' }: NodeJS.ErrnoException): Refusal | undefined {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusals.headTooLarge();
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Refusal(413, 'ERR_PAYLOAD_TOO_LARGE', 'the chunk extensions are too large', 'send none');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusals.tooSlow();
    default:
      return code.startsWith('HPE_') ? refusals.notHttp() : undefined;
  }
}
