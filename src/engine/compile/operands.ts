/**
 * The operands of conditions (§2.5): what of a message a condition looks at, a text or files.
 * Either may have scores.
 */
import type { Portions } from '../../foundation/portions.js';
import type { MediaOperand, TextOperand } from '../../platform/contract/rule.js';

export type { TextOperand };

/**
 * The text operands: their names for people, and the categories of the messages that they read.
 * `text` reads all other categories except actions. `evaluate/observation.ts` selects the texts of
 * these messages.
 */
const texts: Readonly<Record<TextOperand, { readonly words: string; readonly category?: string }>> = {
  text: { words: 'text' },
  custom: { words: 'custom content', category: 'custom' },
};
const isFile: Readonly<Record<MediaOperand, true>> = { image: true, video: true, audio: true, file: true };

export const textOperands = Object.keys(texts) as readonly TextOperand[];

/** The operands that are files. `engine/media.ts` determines the kind of each file of a message. */
export const mediaOperands = Object.keys(isFile) as readonly MediaOperand[];

/** An operand that can be scored: any of them. */
export type ScoredOperand = TextOperand | MediaOperand;

export const operands: readonly ScoredOperand[] = [...textOperands, ...mediaOperands];

/**
 * Reports whether conditions on the operand read texts: for terms, for patterns, or for the scores
 * of these texts.
 */
export function isTextOperand(operand: unknown): operand is TextOperand {
  return typeof operand === 'string' && Object.hasOwn(texts, operand);
}

/** Reports whether conditions on the operand are thresholds over scores of files. */
export function isMediaOperand(operand: unknown): operand is MediaOperand {
  return typeof operand === 'string' && Object.hasOwn(isFile, operand);
}

/** Returns the text operand that reads messages of a category. Each message has one. */
export function textOperandOf(category: unknown): TextOperand {
  return byCategory.get(category) ?? 'text';
}

const byCategory: ReadonlyMap<unknown, TextOperand> = new Map(
  textOperands.flatMap((operand) =>
    texts[operand].category === undefined ? [] : [[texts[operand].category, operand]],
  ),
);

/** Returns the name of an operand for people. */
export function operandWords(operand: string): string {
  return isTextOperand(operand) ? texts[operand].words : operand;
}

/** Makes a value for each text operand. */
export function byTextOperand<T>(make: (operand: TextOperand) => T): Record<TextOperand, T> {
  return Object.fromEntries(textOperands.map((operand) => [operand, make(operand)])) as Record<TextOperand, T>;
}

/** `byTextOperand` in portions. */
export function* portionsByTextOperand<T>(
  make: (operand: TextOperand) => Portions<T>,
): Portions<Record<TextOperand, T>> {
  const made = byTextOperand<T | undefined>(() => undefined);
  for (const operand of textOperands) made[operand] = yield* make(operand);
  return made as Record<TextOperand, T>;
}
