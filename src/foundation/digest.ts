/**
 * The identity of plain data: a digest of its canonical JSON identifies rule sets, semantics and
 * engines. It uses neither `node:` modules nor `Buffer`, since engines run in browsers too.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { type Portions, runAtOnce } from './portions.js';

/** An array or an object that is being written. */
interface Frame {
  readonly of: object;
  /** The keys of an object; absent for an array. */
  readonly keys?: readonly string[];
  readonly values: readonly unknown[];
  /** The number of `values` that have been begun. */
  begun: number;
}

/**
 * Writes JSON with the keys of every object in code unit order and no white space, so that equal
 * data gives equal text. Values are read as JSON reads them: `undefined` and functions are left out
 * of objects and are `null` elsewhere. Half of a surrogate pair is written as its escape. Any depth
 * works, since the stack of frames is an array: `JSON.stringify` overflows the call stack at some
 * thousand levels. Throws `TypeError`, as JSON does, for a cycle and for a bigint.
 */
export function canonicalJson(value: unknown): string {
  return [...canonicalPieces(value)].join('');
}

/** Yields canonical JSON in pieces, one for each value of an array or object. */
function* canonicalPieces(value: unknown): Generator<string, void, undefined> {
  const open: Frame[] = [];
  const around = new Set<object>();
  const begin = (item: unknown): string => {
    const plain = plainValue(item);
    if (typeof plain !== 'object' || plain === null) return JSON.stringify(plain) ?? 'null';
    if (around.has(plain)) throw new TypeError('an object inside itself has no JSON');
    around.add(plain);
    const frame = frameOf(plain);
    open.push(frame);
    return frame.keys === undefined ? '[' : '{';
  };
  yield begin(value);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    if (frame.begun === frame.values.length) {
      yield frame.keys === undefined ? ']' : '}';
      around.delete(frame.of);
      open.pop();
      continue;
    }
    const comma = frame.begun > 0 ? ',' : '';
    const key = frame.keys === undefined ? '' : `${JSON.stringify(frame.keys[frame.begun])}:`;
    yield comma + key + begin(frame.values[frame.begun++]);
  }
}

/** Digests a value: the first 32 hexadecimal characters of the SHA-256 of its canonical JSON. */
export function digest(value: unknown): string {
  return runAtOnce(digestInPortions(value));
}

const encoder = new TextEncoder();

/** Digests a value in portions. */
export function* digestInPortions(value: unknown): Portions<string> {
  const hash = sha256.create();
  let text = '';
  for (const piece of canonicalPieces(value)) {
    text += piece;
    if (text.length < PIECE) continue;
    // No piece ends within a pair of surrogates: a lone half is written as its escape.
    hash.update(encoder.encode(text));
    text = '';
    yield;
  }
  const bytes = hash.update(encoder.encode(text)).digest();
  return Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Number of UTF-16 units that are hashed at once. */
const PIECE = 1 << 15;

/** Returns the value that JSON writes: that of `toJSON` if there is one, as dates have. */
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

/**
 * Returns the SHA-256 of a text, each byte as one character, so that neither hexadecimal digits are
 * parsed nor buffers allocated. Node's own hash is used if there is one: a hash in JavaScript took
 * a third of the time of a diff.
 */
export const sha256Of: (text: string) => string =
  /* @__PURE__ */ hashOfNode() ?? ((text) => String.fromCharCode(...sha256(encoder.encode(text))));

function hashOfNode(): ((text: string) => string) | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const crypto = process?.getBuiltinModule?.('crypto') as
    | { hash?: (algorithm: string, text: string, encoding: 'binary') => string }
    | undefined;
  const { hash } = crypto ?? {};
  return hash && ((text) => hash('sha256', text, 'binary'));
}
