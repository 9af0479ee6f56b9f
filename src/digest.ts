/**
 * The identity of plain data: the digest of its canonical JSON identifies rule sets, semantics and engines.
 * No `node:` module and no `Buffer`: engines run in a browser.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** An array or an object that is being written. */
interface Frame {
  readonly of: object;
  /** Absent for an array. */
  readonly keys?: readonly string[];
  readonly values: readonly unknown[];
  /** How many of `values` have been begun. */
  begun: number;
}

/**
 * JSON with the keys of every object in code unit order and no white space, so that equal data is equal text.
 * Reads values as JSON does: `undefined` and functions are left out of objects and are `null` elsewhere. Half of a
 * surrogate pair is written as its escape. Any depth is fine, since the stack of frames is an array: `JSON.stringify`
 * overflows the call stack at some thousand levels. Throws `TypeError`, as JSON does, for a cycle and for a bigint.
 */
export function canonicalJson(value: unknown): string {
  const written: string[] = [];
  const open: Frame[] = [];
  const around = new Set<object>();
  const begin = (item: unknown): void => {
    const plain = plainValue(item);
    if (typeof plain !== 'object' || plain === null) {
      written.push(JSON.stringify(plain) ?? 'null');
      return;
    }
    if (around.has(plain)) throw new TypeError('an object inside itself has no JSON');
    around.add(plain);
    const frame = frameOf(plain);
    written.push(frame.keys === undefined ? '[' : '{');
    open.push(frame);
  };
  begin(value);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    if (frame.begun === frame.values.length) {
      written.push(frame.keys === undefined ? ']' : '}');
      around.delete(frame.of);
      open.pop();
      continue;
    }
    if (frame.begun > 0) written.push(',');
    if (frame.keys !== undefined) written.push(JSON.stringify(frame.keys[frame.begun]), ':');
    begin(frame.values[frame.begun++]);
  }
  return written.join('');
}

/** Digest of a value: the first 32 hexadecimal characters of the SHA-256 of its canonical JSON. */
export function digest(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value)))).slice(0, 32);
}

/** The value that JSON writes: that of `toJSON` where there is one, as dates have. */
function plainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
}

function frameOf(value: object): Frame {
  if (Array.isArray(value)) return { of: value, values: value, begun: 0 };
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined && typeof field !== 'function' && typeof field !== 'symbol')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { of: value, keys: entries.map(([key]) => key), values: entries.map(([, field]) => field), begun: 0 };
}
