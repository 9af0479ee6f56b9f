import { wholeEngine } from '../contenders/decide-contenders.js';
import { charCodeFloor } from '../contenders/floor.js';
import { type Model, ours } from '../model.js';
import { decideModel } from './decide.js';

/** `decide` with either folding: what it costs to see through disguises where there are none. */
export const hardenedModel: Model = {
  ...decideModel,
  name: 'hardened',
  contenders: () => [wholeEngine(ours), hardened, charCodeFloor],
};

const hardened = {
  ...wholeEngine(`${ours}, hardened`, { folding: 'hardened' }),
  note: '`folding: hardened`',
};
