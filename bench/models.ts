import { createContext, Script } from 'node:vm';
import { re2wasm } from '../src/engine/match/patterns/re2-wasm.js';
import { auditContenders } from './contenders/audit.js';
import { httpContenders } from './contenders/http.js';
import { judgeContenders } from './contenders/judge.js';
import { rowContenders } from './contenders/rows.js';
import { compileContenders, decideContenders } from './contenders/rules.js';
import { patternContenders, wordContenders } from './contenders/searches.js';
import type { Contender, Model } from './measure.js';
import { charCodeFloor, localRunner, ours, type Workload, wholeEngine } from './rules/contenders.js';
import { nativePattern } from './rules/searches.js';

type Ask = Workload['ask'];

interface ModelWithContenders extends Model {
  /** Without those that need packages of their own. */
  contenders(ask: Ask): readonly Contender[];
}

/** Limit of one pass of a backtracking engine over hostile texts. */
const limitMs = 2000;

/**
 * `RegExp` under a time limit: V8 can be interrupted while it backtracks, in a context of its own.
 */
const limitedRegExp: Contender = {
  name: 'RegExp per pattern',
  note: `backtracking; given up after ${limitMs} ms for one pass`,
  prepare: ({ texts, patterns }) => {
    const compiled = patterns.map(nativePattern);
    const matches = (text: string) => compiled.reduce((found, pattern) => found + (pattern.test(text) ? 1 : 0), 0);
    const runner = localRunner(texts, matches);
    try {
      new Script('pass()').runInContext(createContext({ pass: () => runner.pass(0) }), { timeout: limitMs });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      return `one pass over ${texts.length} messages was not done after ${limitMs} ms`;
    }
    return runner;
  },
};

/** Without `re2-wasm`: its heap of 16 MiB aborts on some of the patterns. */
function hostileContenders(ask: Ask): Contender[] {
  return patternContenders(ask)
    .filter(({ name }) => !name.includes('re2-wasm'))
    .map((contender) => (contender.name === limitedRegExp.name ? limitedRegExp : contender));
}

const decide: ModelWithContenders = {
  name: 'decide',
  question: 'the strongest verdict of all rules on a message',
  unit: 'message',
  contenders: () => decideContenders,
};

/** Every model by its name. The counts are those of `bench/README.md`. */
export const models = {
  compile: {
    name: 'compile',
    question: 'compile everything, then answer for the first twenty messages',
    unit: 'compilation',
    contenders: () => compileContenders,
  },
  decide,
  explain: {
    name: 'explain',
    question: 'the verdict on a message and every match behind it, with its place and origin',
    unit: 'message',
    contenders: () => [
      wholeEngine(ours, {}, 'explain'),
      wholeEngine(`${ours}: decide`),
      wholeEngine(`${ours} on re2-wasm`, { engine: re2wasm }, 'explain'),
      charCodeFloor,
    ],
  },
  audit: {
    name: 'audit',
    question: 'the decision on every message of a platform, page by page over HTTP',
    unit: 'message',
    contenders: () => auditContenders,
  },
  judge: {
    name: 'judge',
    question: 'the verdict on every message of a stream of lines, as a line',
    unit: 'message',
    contenders: () => judgeContenders,
  },
  rows: {
    name: 'rows',
    question: 'the counts of all rows of a file, each of some 800 bytes',
    unit: 'message',
    contenders: () => rowContenders,
  },
  http: {
    name: 'http',
    question: 'the decision on a message that is sent over HTTP, by the rules of the demo',
    unit: 'message',
    contenders: () => httpContenders,
  },
  words: {
    name: 'words',
    question: 'which terms occur in a text, as parts of words too, in any case',
    unit: 'message',
    contenders: wordContenders,
  },
  patterns: {
    name: 'patterns',
    question: 'which patterns match a text',
    unit: 'message',
    contenders: patternContenders,
  },
  clean: { ...decide, name: 'clean' },
  dirty: { ...decide, name: 'dirty' },
  hostile: {
    name: 'hostile',
    question: 'which patterns match a text, where both were made to take long',
    unit: 'message',
    contenders: hostileContenders,
  },
  hardened: {
    ...decide,
    name: 'hardened',
    contenders: () => [
      wholeEngine(ours),
      { ...wholeEngine(`${ours}, hardened`, { folding: 'hardened' }), note: '`folding: hardened`' },
      charCodeFloor,
    ],
  },
} as const satisfies Record<string, ModelWithContenders>;

export type ModelName = keyof typeof models;
