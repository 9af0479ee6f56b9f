import type { Model } from '../model.js';
import { decideModel } from './decide.js';

/** `decide` over messages in which nothing is found: no early end for anybody, and the bulk of real traffic. */
export const cleanModel: Model = { ...decideModel, name: 'clean' };
