import { re2wasm } from '../../match/patterns/re2-wasm.js';
import { wholeEngine } from '../contenders/decide-contenders.js';
import { charCodeFloor } from '../contenders/floor.js';
import { type Model, ours } from '../model.js';

/** What an explanation costs beyond a verdict. Nobody else gives one, so this compares our engine with itself. */
export const explainModel: Model = {
  name: 'explain',
  question: 'the verdict on a message and every match behind it, with its place and origin',
  count: '1 for every message that is blocked, 2 for every one that is dropped',
  unit: 'message',
  contenders: () => [
    wholeEngine(ours, {}, 'explain'),
    wholeEngine(`${ours}: decide`),
    wholeEngine(`${ours} on re2-wasm`, { engine: re2wasm }, 'explain'),
    charCodeFloor,
  ],
};
