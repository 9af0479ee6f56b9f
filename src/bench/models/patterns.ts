import { patternContenders } from '../contenders/pattern-contenders.js';
import type { Model } from '../model.js';

/** Patterns alone: which of them match somewhere in a text. */
export const patternsModel: Model = {
  name: 'patterns',
  question: 'which patterns match a text',
  count: '`first`: texts that match a pattern; `all`: pairs of text and pattern that match',
  unit: 'message',
  contenders: patternContenders,
};
