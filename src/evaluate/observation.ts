/** The parts of a message that conditions are evaluated against: its fields, read once, its texts, and the caller's media. */
import type { TextOperand } from '../compile/compiled-rule-set.js';
import { asFields, type Fields, keysOf, read } from '../compile/untrusted.js';
import { UsageError } from '../errors.js';
import { filesOf, type MessageFile } from '../media.js';
import type { PathNode } from './json-path.js';
import { checkMedia, type MediaScores } from './media.js';

/** A message as it is evaluated: each field is read once, so that a getter cannot return another value later. */
export class Observation {
  readonly message: Fields;
  readonly texts: MessageTexts;
  /** The scores that the caller brought. */
  readonly media: readonly MediaScores[];
  #files: readonly MessageFile[] | undefined;

  constructor(message: Fields, texts: MessageTexts, media: readonly MediaScores[]) {
    this.message = message;
    this.texts = texts;
    this.media = media;
  }

  /** The files of the message, listed when a condition first asks for them. */
  get files(): readonly MessageFile[] {
    this.#files ??= filesOf(this.message);
    return this.#files;
  }
}

/**
 * Observes a message. Throws `UsageError` for what is neither a text nor an object, for an object with a `text` of its own
 * and no `data`, and for malformed media.
 */
export function observe(message: unknown, media: unknown, customText: readonly PathNode[]): Observation {
  const checked = checkMedia(media);
  if (typeof message === 'string') return new Observation({ data: { text: message } }, textsOfString(message), checked);
  if (typeof message !== 'object' || message === null) {
    throw new UsageError('a message must be a text, or an object with its text at `data.text`');
  }
  const fields = asFields(message) ?? {};
  if (isMisplacedText(fields)) {
    throw new UsageError('the text of a message stands at `data.text`; this one has a `text` of its own and no `data`');
  }
  return new Observation(fields, textsOfMessage(fields, customText), checked);
}

/** One text of a message. Its path is printed only when a match in it is reported. */
export interface TextPart {
  readonly text: string;
  readonly at: PathNode;
}

/** The texts of a message, and the operand whose conditions apply to them; a message has one operand, never both. */
export interface MessageTexts {
  readonly operand: TextOperand;
  readonly parts: readonly TextPart[];
  /** A message that should have a text, of which `data.text` is not a string. */
  readonly unreadable?: boolean;
}

const dataText: PathNode = { key: 'text', parent: { key: 'data' }, printed: 'data.text' };

/** The texts of a message that is given as a string. */
export function textsOfString(text: string): MessageTexts {
  return { operand: 'text', parts: [{ text, at: dataText }] };
}

/**
 * The texts that conditions apply to (§2.4, §2.5). `text`: `data.text` when it is a string, of any message that is not
 * `custom` or `action`. `custom`: the string leaves at the given paths, of messages of category `custom`.
 */
export function textsOfMessage(message: Fields, customText: readonly PathNode[]): MessageTexts {
  const category = read(message, 'category');
  if (category === 'custom') return { operand: 'custom', parts: stringLeaves(message, customText) };
  if (category === 'action') return { operand: 'text', parts: [] };
  const text = read(asFields(read(message, 'data')), 'text');
  if (typeof text === 'string') return { operand: 'text', parts: [{ text, at: dataText }] };
  return { operand: 'text', parts: [], unreadable: isAbsent(read(message, 'deletedAt')) && needsText(message, text) };
}

/** Whether a message without a string at `data.text` is one that could not be read: a text message, or one whose text is something else. */
function needsText(message: Fields, text: unknown): boolean {
  if (!isAbsent(text)) return true;
  const category = read(message, 'category');
  const type = read(message, 'type');
  return (isAbsent(category) || category === 'message') && (isAbsent(type) || type === 'text');
}

/** Whether the text stands beside `data`, where it would not be evaluated: `{ text: 'you moron' }`. */
export function isMisplacedText(message: Fields): boolean {
  return !isAbsent(read(message, 'text')) && isAbsent(read(message, 'data'));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
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

function resolve(message: Fields, path: PathNode): unknown {
  const from = path.parent === undefined ? message : resolve(message, path.parent);
  return typeof from === 'object' && from !== null ? read(from as Fields, path.key) : undefined;
}
