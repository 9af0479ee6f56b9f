/**
 * Every reading where the interface document is silent: one name, one default, one reason each.
 * `createEngine(ruleSet, { words: 'substring' })` changes one of them; README lists them all.
 */
import type { MessageDraft } from './contract/message-draft.js';
import type { Filter, Rule } from './contract/rule.js';
import { UsageError } from './errors.js';
import type { PatternEngine } from './match/patterns/engine.js';
import { re2js } from './match/patterns/re2js.js';

export interface Semantics {
  /**
   * How the conditions of a rule combine. `any`, because built-in rules pair a `text` and a `custom` condition that no
   * one message can satisfy together.
   */
  readonly conditions: 'any' | 'all';
  /**
   * Which rules run. Two flags and no lifecycle (§3), so a rule runs when neither `enabled` nor `active` is false; an
   * absent flag counts as true.
   */
  readonly runs: 'enabled-and-active' | 'enabled' | 'all' | ((rule: Rule) => boolean);
  /** Verdicts, strongest first. A silent discard is the stronger act. Actions not named here never become a verdict. */
  readonly precedence: readonly string[];
  /**
   * `contains` for words. `word`: both ends of a match are word edges, since lists hold `kill` and `spic`, which as
   * substrings block "skill" and "spice". A word character is a letter, number, mark or `_`; an end of the term that is
   * none needs no edge; a character of a script written without spaces (Han, Kana, Thai, Lao, Khmer, Myanmar) is an edge
   * on either side.
   */
  readonly words: 'word' | 'substring';
  /**
   * Which forms of a word are equal. `case`: simple case folding, `ß` is not `ss`; the platform claims no normalisation.
   * `hardened`: words in disguise too (look-alikes, `sc4m`, `s c a m`, hidden characters), for whoever would rather meet
   * an innocent word now and then than miss what was dressed up to pass; a match says what it was read through.
   * White space inside a term matches any run of white space under every folding.
   */
  readonly folding: 'exact' | 'case' | 'hardened';
  /** `as-written`: case-sensitive, `^ $` at the ends of the text; a pattern's author writes its own `[a-zA-Z]` or `(?i)`. */
  readonly patterns: 'as-written' | 'insensitive';
  /** A media condition with no scores to ask is `unevaluated`; `block` counts it as matched, with its rule's actions. */
  readonly missingScores: 'allow' | 'block';
  /** A condition that cannot be compiled is an issue and `unevaluated`; `fail` makes `createEngine` throw `RuleSetError`. */
  readonly broken: 'skip' | 'fail';
  /** JSON paths of a `custom` message whose string leaves are scanned, in this order. Not stated anywhere. */
  readonly customText: readonly string[];
  /** A word match that lies inside an occurrence of one of these is no match: "Scunthorpe", "Dick van Dyke". */
  readonly allowTerms: readonly string[];
  /** Whose messages are allowed unseen: any one of these filters, or a function. The decision says so. */
  readonly exempt: readonly Filter[] | ((message: MessageDraft) => boolean);
  /** Ids of rules that are evaluated and reported but never decide. */
  readonly shadow: readonly string[];
  /** What runs the patterns; `import { re2wasm } from 'sluice/re2-wasm'` for Google's own RE2. */
  readonly engine: PatternEngine;
}

/** The readings that hold when a caller changes nothing. */
export const defaultSemantics: Semantics = Object.freeze({
  conditions: 'any',
  runs: 'enabled-and-active',
  precedence: Object.freeze(['dropMessage', 'blockMessage', 'allow']),
  words: 'word',
  folding: 'case',
  patterns: 'as-written',
  missingScores: 'allow',
  broken: 'skip',
  customText: Object.freeze(['data.customData', 'data.text']),
  allowTerms: Object.freeze([]),
  exempt: Object.freeze([]),
  shadow: Object.freeze([]),
  engine: re2js,
} satisfies Semantics);

const choices = {
  conditions: ['any', 'all'],
  runs: ['enabled-and-active', 'enabled', 'all'],
  words: ['word', 'substring'],
  folding: ['exact', 'case', 'hardened'],
  patterns: ['as-written', 'insensitive'],
  missingScores: ['allow', 'block'],
  broken: ['skip', 'fail'],
} as const satisfies Partial<Record<keyof Semantics, readonly string[]>>;

const stringLists = ['precedence', 'customText', 'allowTerms', 'shadow'] as const;

/**
 * The defaults with a caller's changes over them. Throws `UsageError` that names the reading and its values when one is
 * unknown or has a value it cannot have: a misspelt reading must not pass for the default.
 */
export function resolveSemantics(changes: Partial<Semantics> = {}): Semantics {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) {
    throw new UsageError('semantics must be an object of readings');
  }
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  for (const [reading, value] of given) checkReading(reading, value);
  return { ...defaultSemantics, ...Object.fromEntries(given) };
}

function checkReading(reading: string, value: unknown): void {
  if (!Object.hasOwn(defaultSemantics, reading)) {
    throw new UsageError(`unknown reading \`${reading}\`; there are ${Object.keys(defaultSemantics).join(', ')}`);
  }
  if (Object.hasOwn(choices, reading)) {
    const allowed: readonly string[] = choices[reading as keyof typeof choices];
    if (typeof value === 'string' && allowed.includes(value)) return;
    if (reading === 'runs' && typeof value === 'function') return;
    throw new UsageError(`reading \`${reading}\` must be one of ${allowed.join(', ')}`);
  }
  if ((stringLists as readonly string[]).includes(reading)) {
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return;
    throw new UsageError(`reading \`${reading}\` must be an array of strings`);
  }
  if (reading === 'exempt') {
    const filters = Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
    if (filters || typeof value === 'function') return;
    throw new UsageError('reading `exempt` must be an array of filters, or a function');
  }
  if (typeof (value as { compile?: unknown } | null)?.compile !== 'function') {
    throw new UsageError('reading `engine` must be a pattern engine, such as `re2wasm` from `sluice/re2-wasm`');
  }
}
