import { asFields, type Fields } from '../compile/untrusted.js';
import { UsageError } from '../errors.js';
import { checkMedia } from './media.js';
import type { MediaScores } from './media-scores.js';
import { type MessageTexts, type PathNode, textsOfMessage, textsOfString } from './text-parts.js';

/** A message as the evaluator sees it: each field read once, so that a getter cannot change its mind half-way. */
export interface Observation {
  readonly message: Fields;
  readonly texts: MessageTexts;
  readonly media: readonly MediaScores[];
}

/** Looks at a message. Throws `UsageError` for what is neither a text nor an object, and for malformed media. */
export function observe(message: unknown, media: unknown, customText: readonly PathNode[]): Observation {
  const checked = checkMedia(media);
  if (typeof message === 'string')
    return { message: { data: { text: message } }, texts: textsOfString(message), media: checked };
  if (typeof message !== 'object' || message === null) {
    throw new UsageError('a message must be a text, or an object such as { data: { text } }');
  }
  const fields = asFields(message) ?? {};
  return { message: fields, texts: textsOfMessage(fields, customText), media: checked };
}
