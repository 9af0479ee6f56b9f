/**
 * The files of a message: its pictures, videos, sounds and others. They are read here alone, so
 * that the engine, scorers and lookups of scores by address see the same files. §2.4 does not show
 * these fields; real messages have them, written by anyone.
 *
 * - Each object in `data.attachments` is a file of the operand that the first half of its
 *   `mimeType` names (`image/png`, in any case). A type that is absent or names no operand (`null`,
 *   `application/octet-stream`) says nothing: the file is then what the type of the message says,
 *   and where that is not an operand either, a `file`.
 * - `data.url` of a message whose type is an operand is a file of that operand.
 * - One operand and one address are one file, however often they are listed. A file without an
 *   address is one of its own.
 * - A message whose type is an operand holds a file of it, even when none is listed: then one
 *   without an address. The type `file` names no other kind than any attachment is: it adds none to
 *   a message that lists some, except for a `data.url` of none of them.
 */

import type { MediaOperand } from '../platform/contract/rule.js';
import { isMediaOperand } from './compile/operands.js';
import { asFields, asString, type Fields, isArray, read, readItems } from './compile/untrusted.js';

export type { MediaOperand };
export { isMediaOperand };

/** A file of a message. */
export interface MessageFile {
  readonly operand: MediaOperand;
  /** Absent if the message has no address of the file. Never empty. */
  readonly url?: string | undefined;
  /** The type as the message states it. */
  readonly mimeType?: string | undefined;
}

/**
 * The most files of a message that are scored: with thousands, one message would hold up all
 * others.
 */
export const mostScoredFiles = 20;

const none: readonly MessageFile[] = [];

/**
 * Returns the files of a message, in the order of its attachments, then that of `data.url`, in time
 * proportional to the attachments.
 */
export function filesOf(message: Fields): readonly MessageFile[] {
  const data = asFields(read(message, 'data'));
  const type = read(message, 'type');
  const ownOperand = isMediaOperand(type) ? type : undefined;
  const attachments = read(data, 'attachments');
  // Nearly every message: nothing to list, and nothing to allocate.
  if (ownOperand === undefined && attachments === undefined) return none;
  const files: MessageFile[] = [];
  const listed = new Set<string>();
  const add = (operand: MediaOperand, url: string | undefined, mimeType: string | undefined): void => {
    if (url !== undefined) {
      const key = keyOf({ operand, url });
      if (listed.has(key)) return;
      listed.add(key);
    }
    files.push({ operand, ...(url !== undefined && { url }), ...(mimeType !== undefined && { mimeType }) });
  };
  for (const attachment of readItems(attachments).map(asFields)) {
    if (attachment === undefined) continue;
    const mimeType = asString(read(attachment, 'mimeType'));
    add(operandOf(mimeType) ?? ownOperand ?? 'file', addressOf(attachment), mimeType);
  }
  if (ownOperand === undefined) return files;
  const url = addressOf(data);
  if (ownOperand === 'file' && files.some((file) => url === undefined || file.url === url)) return files;
  if (url !== undefined || !files.some(({ operand }) => operand === ownOperand)) add(ownOperand, url, undefined);
  return files;
}

/** Returns what identifies a file that has an address: the address and its operand. */
export function keyOf({ operand, url }: { readonly operand: string; readonly url: string }): string {
  return `${operand} ${url}`;
}

/**
 * Reports whether the files of a message cannot be read: `data.attachments` is there and is not an
 * array.
 */
export function hasUnreadableFiles(message: Fields): boolean {
  const attachments = read(asFields(read(message, 'data')), 'attachments') ?? undefined;
  return attachments !== undefined && !isArray(attachments);
}

function operandOf(mimeType: string | undefined): MediaOperand | undefined {
  const kind = firstHalf(mimeType);
  return isMediaOperand(kind) ? kind : undefined;
}

/** Returns `image` for `IMAGE/png`; undefined for a text without a slash. */
function firstHalf(mimeType: unknown): string | undefined {
  const type = asString(mimeType);
  const at = type?.indexOf('/') ?? -1;
  return at > 0 ? type!.slice(0, at).toLowerCase() : undefined;
}

function addressOf(fields: Fields | undefined): string | undefined {
  const url = asString(read(fields, 'url'));
  return url === '' ? undefined : url;
}
