import type { TextOperand } from '../compile/compiled-rule-set.js';
import { asFields, asString, type Fields, isArray } from '../compile/untrusted.js';

/** One text of a message. Its path is written only when somebody asks. */
export interface TextPart {
  readonly text: string;
  readonly at: PathNode;
}

/** A step of a JSON path, linked to the one before, so that deep data costs no long strings until a match is reported. */
export interface PathNode {
  readonly key: string | number;
  readonly parent?: PathNode;
  /** The path as it is written, of the one that nearly every message has. */
  readonly printed?: string;
}

/** The texts of a message and which conditions read them; a message has one operand or the other, never both. */
export interface MessageTexts {
  readonly operand: TextOperand;
  readonly parts: readonly TextPart[];
}

const dataText: PathNode = { key: 'text', parent: { key: 'data' }, printed: 'data.text' };

/** A message that is only a text. */
export function textsOfString(text: string): MessageTexts {
  return { operand: 'text', parts: [{ text, at: dataText }] };
}

/**
 * The texts that conditions read (§2.4, §2.5). `text`: `data.text` when it is a string, of any message that is not
 * `custom` or `action`. `custom`: the string leaves at the given paths, of messages of category `custom`.
 */
export function textsOfMessage(message: Fields, customText: readonly PathNode[]): MessageTexts {
  const category = read(message, 'category');
  if (category === 'custom') return { operand: 'custom', parts: stringLeaves(message, customText) };
  if (category === 'action') return { operand: 'text', parts: [] };
  const text = asString(read(asFields(read(message, 'data')), 'text'));
  return { operand: 'text', parts: text === undefined ? [] : [{ text, at: dataText }] };
}

/** Reads a field of an object that may have getters; one that throws has no value. */
export function read(fields: Fields | undefined, key: string | number): unknown {
  try {
    return fields?.[key];
  } catch {
    return undefined;
  }
}

/** Every string at or below the given paths, in document order. Iterative, and each object is entered once: cycles end. */
function stringLeaves(message: Fields, paths: readonly PathNode[]): TextPart[] {
  const parts: TextPart[] = [];
  for (const path of paths) {
    const entered = new Set<object>();
    const stack: { readonly value: unknown; readonly at: PathNode }[] = [{ value: resolve(message, path), at: path }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { value, at } = next;
      if (typeof value === 'string') parts.push({ text: value, at });
      if (typeof value !== 'object' || value === null || entered.has(value)) continue;
      entered.add(value);
      const keys = keysOf(value);
      for (let index = keys.length - 1; index >= 0; index--) {
        const key = keys[index]!;
        stack.push({ value: read(value as Fields, key), at: { key, parent: at } });
      }
    }
  }
  return parts;
}

/** The items of an array that can be read; anything else has none. */
export function readItems(value: unknown): readonly unknown[] {
  return isArray(value) ? keysOf(value).map((index) => read(value as unknown as Fields, index)) : [];
}

/** Keys of what is there: an array may be long and hold nearly nothing. */
function keysOf(value: object): readonly (string | number)[] {
  try {
    const keys = Object.keys(value);
    return isArray(value) ? keys.filter((key) => /^\d+$/.test(key)).map(Number) : keys;
  } catch {
    return [];
  }
}

function resolve(message: Fields, path: PathNode): unknown {
  const from = path.parent === undefined ? message : resolve(message, path.parent);
  return typeof from === 'object' && from !== null ? read(from as Fields, path.key) : undefined;
}

/** Reads a JSON path such as `data.customData.body[2]` or `data["a key"]`; nothing when it is none. */
export function parsePath(path: string): PathNode | undefined {
  const step = /\.?([^.[\]"\s]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  let node: PathNode | undefined;
  for (step.lastIndex = 0; step.lastIndex < path.length; ) {
    const found = step.exec(path);
    if (found === null) return undefined;
    const key = found[1] ?? (found[2] === undefined ? unquote(found[3]!) : Number(found[2]));
    if (key === undefined) return undefined;
    node = node === undefined ? { key } : { key, parent: node };
  }
  return node;
}

/** The key that a JSON string stands for; nothing when an escape in it is none of JSON's. */
function unquote(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

/** Writes a JSON path: `data.customData.body[2]`, with other keys quoted as in `data["a key"]`. */
export function printPath(node: PathNode): string {
  if (node.printed !== undefined) return node.printed;
  const steps: string[] = [];
  for (let at: PathNode | undefined = node; at !== undefined; at = at.parent) {
    if (typeof at.key === 'number') steps.push(`[${at.key}]`);
    else if (!/^[A-Za-z_$][\w$]*$/.test(at.key)) steps.push(`[${JSON.stringify(at.key)}]`);
    else steps.push(at.parent === undefined ? at.key : `.${at.key}`);
  }
  return steps.reverse().join('');
}
