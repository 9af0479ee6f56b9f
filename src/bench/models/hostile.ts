import { createContext, Script } from 'node:vm';
import { patternContenders } from '../contenders/pattern-contenders.js';
import { nativePattern } from '../contenders/regexp-source.js';
import type { Contender, Model } from '../model.js';
import { localRunner } from '../pass.js';

/** How long a backtracking engine may take for one pass before it is given up. */
const limitMs = 2000;

/** `RegExp` under a time limit: V8 can be interrupted while it backtracks, in a context of its own. */
const limitedRegExp: Contender = {
  name: 'RegExp per pattern',
  note: `backtracking; given up after ${limitMs} ms for one pass`,
  prepare: ({ texts, patterns }) => {
    const compiled = patterns.map(nativePattern);
    const ask = (text: string) => compiled.reduce((found, pattern) => found + (pattern.test(text) ? 1 : 0), 0);
    const runner = localRunner(texts, ask);
    try {
      new Script('pass()').runInContext(createContext({ pass: () => runner.pass(0) }), { timeout: limitMs });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      return `one pass over ${texts.length} messages was not done after ${limitMs} ms`;
    }
    return runner;
  },
};

/** Patterns and texts that are made to take long. `re2-wasm` stays out of it: its heap of 16 MiB aborts on some of them. */
export const hostileModel: Model = {
  name: 'hostile',
  question: 'which patterns match a text, where both were made to take long',
  count: 'pairs of text and pattern that match',
  unit: 'message',
  contenders: (ask) =>
    patternContenders(ask)
      .filter(({ name }) => !name.includes('re2-wasm'))
      .map((contender) => (contender.name === limitedRegExp.name ? limitedRegExp : contender)),
};
