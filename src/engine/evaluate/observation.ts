/**
 * The parts of a message that conditions are evaluated against: its fields, read once, its texts,
 * and the caller's scores.
 */
import type { PathNode } from '../compile/json-path.js';
import { type TextOperand, textOperandOf } from '../compile/operands.js';
import { type Fields, keysOf, read } from '../compile/untrusted.js';
import { filesOf, type MessageFile } from '../media.js';
import { checkMessage, textOf, UNREADABLE } from './message-text.js';
import { checkScores, type Scores } from './scores.js';

/**
 * A message as it is evaluated. Each field is read once, so that a getter cannot return another
 * value later.
 */
export class Observation {
  readonly message: Fields;
  readonly texts: MessageTexts;
  /** The scores that the caller brought. */
  readonly scores: readonly Scores[];
  #files: readonly MessageFile[] | undefined;

  constructor(message: Fields, texts: MessageTexts, scores: readonly Scores[]) {
    this.message = message;
    this.texts = texts;
    this.scores = scores;
  }

  /** The files of the message, listed when a condition first needs them. */
  get files(): readonly MessageFile[] {
    this.#files ??= filesOf(this.message);
    return this.#files;
  }
}

/**
 * Observes a message. Throws `UsageError` if the value is not a message (`checkMessage`), and if
 * scores are malformed.
 */
export function observe(message: unknown, scores: unknown, customText: readonly PathNode[]): Observation {
  const checked = checkScores(scores);
  if (typeof message === 'string') return new Observation({ data: { text: message } }, textsOfString(message), checked);
  checkMessage(message);
  const fields = message as Fields;
  return new Observation(fields, textsOfMessage(fields, customText), checked);
}

/** A text of a message. The path is printed only when a match in the text is reported. */
export interface TextPart {
  readonly text: string;
  readonly at: PathNode;
}

/**
 * The texts of a message, and the operand whose conditions apply to them; a message has one
 * operand, never both.
 */
interface MessageTexts {
  readonly operand: TextOperand;
  readonly parts: readonly TextPart[];
  /** Whether the message should have a text, and its `data.text` is not a string. */
  readonly unreadable?: boolean;
}

const dataText: PathNode = { key: 'text', parent: { key: 'data' }, printed: 'data.text' };

/** Returns the texts of a message that is given as a string. */
function textsOfString(text: string): MessageTexts {
  return { operand: 'text', parts: [{ text, at: dataText }] };
}

/** Returns the texts that conditions apply to (§2.4, §2.5). */
function textsOfMessage(message: Fields, customText: readonly PathNode[]): MessageTexts {
  const category = read(message, 'category');
  const operand = textOperandOf(category);
  return { operand, ...readers[operand](message, category, customText) };
}

/**
 * Readers of the texts of each operand. `text`: the one of `textOf`. `custom`: the string leaves at
 * the paths of the reading `customText`.
 */
const readers: Readonly<
  Record<
    TextOperand,
    (message: Fields, category: unknown, customText: readonly PathNode[]) => Omit<MessageTexts, 'operand'>
  >
> = {
  text: (message, category) => {
    const text = textOf(message, category);
    if (typeof text === 'string') return { parts: [{ text, at: dataText }] };
    return { parts: [], unreadable: text === UNREADABLE };
  },
  custom: (message, _, customText) => ({ parts: stringLeaves(message, customText) }),
};

/**
 * Returns every string at or below the given paths, in document order. Each object is entered once,
 * so cycles end; deep data needs no stack.
 */
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
