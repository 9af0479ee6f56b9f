/** The operands of conditions (§2.5): what of a message a condition looks at, a text or files. Either may have scores. */
import type { MediaOperand } from '../../platform/contract/rule.js';

/** Which text of a message a condition reads. */
export type TextOperand = 'text' | 'custom';

const isRead: Readonly<Record<TextOperand, true>> = { text: true, custom: true };
const isFile: Readonly<Record<MediaOperand, true>> = { image: true, video: true, audio: true, file: true };

/** The operands that are files. `src/engine/media.ts` says which files of a message are which. */
export const mediaOperands = Object.keys(isFile) as readonly MediaOperand[];

/** What scores are of: any operand. */
export type ScoredOperand = TextOperand | MediaOperand;

/** All operands. */
export const operands: readonly ScoredOperand[] = [
  ...(Object.keys(isRead) as readonly TextOperand[]),
  ...mediaOperands,
];

/** Whether conditions on the operand read texts: by terms and patterns that are looked for in them, or by their scores. */
export function isTextOperand(operand: unknown): operand is TextOperand {
  return typeof operand === 'string' && Object.hasOwn(isRead, operand);
}

/** Whether conditions on the operand are thresholds over scores of files. */
export function isMediaOperand(operand: unknown): operand is MediaOperand {
  return typeof operand === 'string' && Object.hasOwn(isFile, operand);
}
