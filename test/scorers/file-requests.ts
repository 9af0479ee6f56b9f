/** What a scorer is asked for of the files of a message, by rules on every kind of file. */
import { mediaOperands } from '../../src/engine/compile/operands.js';
import { createEngine, type MessageDraft, type Scores } from '../../src/index.js';

export function fileRequests(message: string | MessageDraft, scores?: readonly Scores[], operands = mediaOperands) {
  const conditions = operands.map((operand) => ({ operand, value: ['violence_greaterThan_50'] }));
  const engine = createEngine({ rules: [{ id: 'files', action: ['blockMessage'], conditions }], lists: [] });
  return engine.scoreRequests(message, scores, { all: true });
}
