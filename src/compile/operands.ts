/** The operands of conditions (§2.5): what of a message a condition looks at, a text or the scores of files. */
import type { MediaOperand } from '../contract/rule.js';
import type { TextOperand } from './compiled-rule-set.js';

const isRead: Readonly<Record<TextOperand, true>> = { text: true, custom: true };
const isScored: Readonly<Record<MediaOperand, true>> = { image: true, video: true, audio: true, file: true };

/** The operands of scored conditions: what of a message has scores. `src/media.ts` says which files of a message are which. */
export const mediaOperands = Object.keys(isScored) as readonly MediaOperand[];

/** All operands. */
export const operands: readonly (TextOperand | MediaOperand)[] = [
  ...(Object.keys(isRead) as readonly TextOperand[]),
  ...mediaOperands,
];

/** Whether conditions on the operand are terms and patterns that are looked for in texts. */
export function isTextOperand(operand: unknown): operand is TextOperand {
  return typeof operand === 'string' && Object.hasOwn(isRead, operand);
}

/** Whether conditions on the operand are thresholds over scores of files. */
export function isMediaOperand(operand: unknown): operand is MediaOperand {
  return typeof operand === 'string' && Object.hasOwn(isScored, operand);
}
