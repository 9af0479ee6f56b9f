import { decideContenders } from '../contenders/decide-contenders.js';
import type { Model } from '../model.js';

/** The main question: the verdict on a message, by every rule. */
export const decideModel: Model = {
  name: 'decide',
  question: 'the strongest verdict of all rules on a message',
  count: '1 for every message that is blocked, 2 for every one that is dropped',
  unit: 'message',
  contenders: decideContenders,
};
