/** A digest of many messages that does not depend on their order. */
import type { Scores } from '../../engine/evaluate/scores.js';
import { canonicalJson, sha256Of } from '../../foundation/digest.js';
import { UsageError } from '../../foundation/errors.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { Auditable } from '../audit-entry.js';

/** The number of 32-bit numbers in which a digest is kept, the most significant first. */
const limbs = 4;

/**
 * Starts a digest: the sum modulo 2^128 of the first 16 bytes of the SHA-256 of each message as
 * JSON, followed by its scores. Two runs with equal digests had the same messages, each equally
 * often; somebody who chooses messages at will could construct others with an equal sum. The JSON
 * is that of `JSON.stringify`, since writing canonical JSON would take much of the time of a diff.
 */
export function createMessagesDigest() {
  const sum = new Uint32Array(limbs);
  const plus = (limbOf: (at: number) => number) => {
    let carry = 0;
    for (let at = limbs - 1; at >= 0; at--) {
      const limb = sum[at]! + limbOf(at) + carry;
      sum[at] = limb;
      carry = limb > 0xffffffff ? 1 : 0;
    }
  };
  return {
    /** Adds a message with its scores. Throws `UsageError` for a value that has no JSON. */
    add(message: Auditable, scores: readonly Scores[] | undefined): void {
      const json = `${jsonOf(message)}${scores === undefined || scores.length === 0 ? '' : jsonOf(scores)}`;
      const bytes = sha256Of(json);
      plus((at) => {
        const from = 4 * at;
        const low = (bytes.charCodeAt(from + 1) << 16) | (bytes.charCodeAt(from + 2) << 8) | bytes.charCodeAt(from + 3);
        return bytes.charCodeAt(from) * 2 ** 24 + low;
      });
    },
    /** Adds the digest of other messages, 32 hexadecimal characters. */
    merge: (hex: string): void => plus((at) => Number.parseInt(hex.slice(8 * at, 8 * at + 8), 16)),
    /** Returns 32 hexadecimal characters; zeros if nothing was added. */
    toJSON: (): string => Array.from(sum, (limb) => limb.toString(16).padStart(8, '0')).join(''),
  };
}

/**
 * Returns JSON with the fields of an object in code unit order; inner objects keep their order.
 * Reading a message again, for instance from a file, reorders only the outer fields.
 */
function jsonOf(value: Auditable | readonly Scores[]): string {
  const sorted = typeof value === 'object' && !Array.isArray(value) ? inKeyOrder(value as MessageDraft) : value;
  try {
    return JSON.stringify(sorted);
  } catch (error) {
    // The call stack is too short for a value that is nested some thousand levels deep.
    if (error instanceof RangeError) return canonicalJson(sorted);
    throw new UsageError(
      'a message of a diff must be plain JSON: it holds a cycle, or a value that JSON has no word for',
      { cause: error },
    );
  }
}

/**
 * Copies an object with its fields in order, one by one: `Object.fromEntries` took half as long
 * again.
 */
function inKeyOrder(message: MessageDraft): object {
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(message).sort()) sorted[key] = message[key];
  return sorted;
}
