import { wordContenders } from '../contenders/word-contenders.js';
import type { Model } from '../model.js';

/** Terms alone: what does searching for words cost, without rules, fields or verdicts. */
export const wordsModel: Model = {
  name: 'words',
  question: 'which terms occur in a text, as parts of words too, in any case',
  count: '`first`: texts that hold a term; `all`: occurrences of terms, overlapping ones included',
  unit: 'message',
  contenders: wordContenders,
};
