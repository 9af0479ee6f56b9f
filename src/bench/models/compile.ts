import { compileContenders } from '../contenders/compile-contenders.js';
import type { Model } from '../model.js';

/** From rules to the first answers. Whoever compiles at the first question pays for it here too. */
export const compileModel: Model = {
  name: 'compile',
  question: 'compile everything, then answer for the first twenty messages',
  count: 'how many of the first twenty messages have a hit',
  unit: 'compilation',
  contenders: compileContenders,
};
