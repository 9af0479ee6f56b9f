import type { MediaOperand } from '../contract/rule.js';

const isScored: Readonly<Record<MediaOperand, true>> = { image: true, video: true, audio: true, file: true };

/** The operands of scored conditions: what of a message has scores (§2.5). `src/media.ts` says which files of a message are which. */
export const mediaOperands = Object.keys(isScored) as readonly MediaOperand[];

/** Whether conditions on the operand are thresholds over scores of files. */
export function isMediaOperand(operand: unknown): operand is MediaOperand {
  return typeof operand === 'string' && Object.hasOwn(isScored, operand);
}
