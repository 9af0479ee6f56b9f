import type { MediaOperand } from '../contract/rule.js';

/** The operands of scored conditions: what of a message has scores (§2.5). `src/media.ts` says which files of a message are which. */
export const mediaOperands = ['image', 'video', 'audio', 'file'] as const satisfies readonly MediaOperand[];

/** Whether conditions on the operand are thresholds over scores of files. */
export function isMediaOperand(operand: unknown): operand is MediaOperand {
  return (mediaOperands as readonly unknown[]).includes(operand);
}
