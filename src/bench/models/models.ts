import type { Model, ModelName } from '../model.js';
import { auditModel } from './audit.js';
import { cleanModel } from './clean.js';
import { compileModel } from './compile.js';
import { decideModel } from './decide.js';
import { dirtyModel } from './dirty.js';
import { explainModel } from './explain.js';
import { hardenedModel } from './hardened.js';
import { hostileModel } from './hostile.js';
import { patternsModel } from './patterns.js';
import { wordsModel } from './words.js';

/** Every model by its name. */
export const models: Readonly<Record<ModelName, Model>> = {
  compile: compileModel,
  decide: decideModel,
  explain: explainModel,
  audit: auditModel,
  words: wordsModel,
  patterns: patternsModel,
  clean: cleanModel,
  dirty: dirtyModel,
  hostile: hostileModel,
  hardened: hardenedModel,
};
