import type { Model } from '../model.js';
import { decideModel } from './decide.js';

/** `decide` over messages in each of which something is found. */
export const dirtyModel: Model = { ...decideModel, name: 'dirty' };
