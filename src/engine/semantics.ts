/**
 * The readings of what the interface document leaves open: one name, one default, one reason each.
 * `createEngine(ruleSet, { words: 'substring' })` changes one of them; docs/readings.md lists them
 * all.
 */

import { RuleSetError, UsageError } from '../foundation/errors.js';
import { checkValue, oneOf } from '../foundation/options.js';
import type { MessageDraft } from '../platform/contract/message-draft.js';
import type { Filter, Rule } from '../platform/contract/rule.js';
import { compileFilter } from './compile/filter.js';
import { IssueLog } from './compile/issue.js';
import { parsePath } from './compile/json-path.js';
import { verdicts } from './compile/verdicts.js';
import type { PatternEngine } from './match/patterns/engine.js';
import { re2js } from './match/patterns/re2js.js';
import type { WordReading } from './match/word-edges.js';

/**
 * Exceptions and what they are for. Each of `terms`, `patterns` and `lists` holds some; one of the
 * three is there.
 */
export interface Exception {
  /** Read as terms of rules are that stand in conditions. */
  readonly terms?: readonly string[];
  /** RE2 syntax, with the flags of the reading `patterns`. */
  readonly patterns?: readonly string[];
  /**
   * Ids of keyword lists that hold exceptions: patterns if the list's category is `pattern`, else
   * terms, with the list's own reading.
   */
  readonly lists?: readonly string[];
  /** The rules and the keyword lists whose matches are excepted; both must apply. Absent: all. */
  readonly for?: { readonly rules?: readonly string[]; readonly lists?: readonly string[] };
}

/** The reading of the terms of one keyword list; absent fields are those of all terms. */
export interface ListReading {
  readonly reading?: WordReading | 'links';
  /** In place of the reading `folding`. */
  readonly folding?: Semantics['folding'];
}

/**
 * The readings: how rules are understood where the interface document is silent. `defaultSemantics`
 * has the defaults.
 */
export interface Semantics {
  /**
   * How the conditions of a rule combine. `any` (default): a rule matches when one of its
   * conditions holds. `all`: when all hold. `any`, because built-in rules pair a `text` and a
   * `custom` condition, which no single message can satisfy together.
   */
  readonly conditions: 'any' | 'all';
  /**
   * Which rules are evaluated. `enabled-and-active` (default): those of which neither `enabled` nor
   * `active` is false, since the document has both flags and no lifecycle (§3). `enabled`: `active`
   * is ignored. An absent flag counts as true.
   */
  readonly runs: 'enabled-and-active' | 'enabled' | 'all' | ((rule: Rule) => boolean);
  /**
   * The three verdicts, each once, strongest first. `dropMessage` is before `blockMessage` by
   * default: to discard a message silently is the stronger act.
   */
  readonly precedence: readonly string[];
  /**
   * The operator `contains` for terms. `word` (default): a match has a word edge at both ends,
   * since lists hold `kill` and `spic`, which as substrings block "skill" and "spice". `substring`:
   * a match may stand anywhere. `prefix`: words that begin with the term, so only its start is an
   * edge. `suffix`: words that end with it. Letters, numbers and marks are word characters, but no
   * variation selector and no U+20E3, which choose how a character is displayed: `❤️kill` holds
   * `kill`. A run of `_` between two word characters joins them (`snake_case`) and is an edge
   * elsewhere (`_kill_`), as in Markdown. No edge is required where the term itself ends with
   * another character, as `c++` does. A character of a script written without spaces (Han, Kana,
   * Thai, Lao, Khmer, Myanmar) has an edge on either side.
   *
   * An object has readings of keyword lists by their ids, also of lists that hold exceptions; other
   * lists and terms without a list have the `default`, which is `word` when absent. A list may have
   * a `folding` too: `{ reading: 'word', folding: 'exact' }`. That is for `equals` as well.
   *
   * `links`, for lists alone: a term is a domain, with or without a path, and matches a link whose
   * host is the domain or below it, and whose path begins with the term's. Links are read as
   * browsers read them, since `HTTPS://ann@EVIL.com:80/` and `www.evil.com` lead to one site. The
   * term `*` matches any link: one with a scheme or `www.`, or whose last label is a top-level
   * domain.
   */
  readonly words:
    | WordReading
    | {
        readonly default?: WordReading;
        readonly lists: Readonly<Record<string, WordReading | 'links' | ListReading>>;
      };
  /**
   * Asterisks at the ends of a term. `off` (default): they are characters like others, since
   * existing lists hold such terms. `asterisk`: `cat*` has the reading `prefix`, `*cat` is a
   * `suffix` and `*cat*` a `substring`, whatever `words` says; a match is what `cat` matched. An
   * asterisk elsewhere is itself, and so is a term of nothing else. Applies to `contains` and to
   * exceptions, not to `equals` and not to patterns.
   */
  readonly wildcards: 'off' | 'asterisk';
  /**
   * Which forms of a word are equal. `exact`: none but the same characters. `case` (default):
   * simple case folding, so `Scam` is `scam` and `ß` is not `ss`, and what keyboards set by
   * themselves is the plain form: `’ ‘ ʼ ′` are `'`, `‐ ‑ – −` are `-`, `…` is three dots. The
   * platform documents no normalisation. `accents`: marks of Latin, Greek, Cyrillic, Arabic and
   * Hebrew letters do not count either, in terms or in texts (`judíos` is `judios`, and `pêche` is
   * `péché`), nor does the tatweel; `ø ł đ ı ß æ œ` are `o l d i ss ae oe`, `ی ک` are `ي ك`, and
   * composed and decomposed spellings of any script are one. `hardened`: that, and obfuscated
   * spellings (confusable characters, `sc4m`, `s c a m`, hidden characters), which finds more at
   * the price of an occasional false positive; `transforms` of a match lists what was undone. Under
   * all but `exact` a text is also read without pairs of Markdown signs (`kill **your**self`). A
   * list may have another one, by `words`. White space inside a term matches any run of white space
   * under every folding.
   */
  readonly folding: 'exact' | 'case' | 'accents' | 'hardened';
  /**
   * Flags of patterns. `as-written` (default): case-sensitive, with `^ $` at the ends of the text;
   * authors write `[a-zA-Z]` or `(?i)` where they mean it. `insensitive`: as if each began with
   * `(?i)`.
   */
  readonly patterns: 'as-written' | 'insensitive';
  /**
   * A condition on scores of files that has none. `allow` (default): it is `unevaluated`. `block`:
   * it holds when the message carries such files, with the actions of its rule. A text without
   * scores is `unevaluated` under both.
   */
  readonly missingScores: 'allow' | 'block';
  /**
   * A condition on `text` of a message whose text cannot be read: one that should have a text, and
   * whose `data.text` is not a string. `allow` (default): it is `unevaluated`, since the interface
   * document does not say that the platform stops such messages. `block`: it holds, with the
   * actions of its rule, if it has a threshold, or a term or a pattern that runs. Deleted messages
   * need no text.
   */
  readonly unreadable: 'allow' | 'block';
  /**
   * A condition that cannot be compiled. `skip` (default): it is an issue, and `unevaluated` for
   * messages that it applies to. `fail`: `createEngine` throws `RuleSetError`.
   */
  readonly broken: 'skip' | 'fail';
  /**
   * JSON paths of a `custom` message whose string leaves are scanned, in this order; the document
   * states none.
   */
  readonly customText: readonly string[];
  /**
   * Exceptions: inside an occurrence of one of these nothing matches, neither a term nor a pattern.
   * With "Dick van Dyke", `dick` does not match there. A text is a term for everything. Occurrences
   * of patterns are successive, as matches are, and leftmost first.
   */
  readonly exceptions: readonly (string | Exception)[];
  /**
   * Messages that are allowed without evaluation: those for which one of these filters holds, or
   * for which the function returns true. Their decisions have `exempt: true`.
   */
  readonly exempt: readonly Filter[] | ((message: MessageDraft) => boolean);
  /** Ids of rules that are evaluated and reported but never decide. */
  readonly shadow: readonly string[];
  /**
   * The pattern engine: `re2js` by default; `import { re2wasm } from 'sluice/re2-wasm'` for
   * Google's own RE2.
   */
  readonly engine: PatternEngine;
}

/** The defaults of all readings. */
export const defaultSemantics: Semantics = Object.freeze({
  conditions: 'any',
  runs: 'enabled-and-active',
  precedence: Object.freeze([...verdicts].reverse()),
  words: 'word',
  wildcards: 'off',
  folding: 'case',
  patterns: 'as-written',
  missingScores: 'allow',
  unreadable: 'allow',
  broken: 'skip',
  customText: Object.freeze(['data.customData', 'data.text']),
  exceptions: Object.freeze([]),
  exempt: Object.freeze([]),
  shadow: Object.freeze([]),
  engine: re2js,
});

const choices = {
  conditions: ['any', 'all'],
  runs: ['enabled-and-active', 'enabled', 'all'],
  wildcards: ['off', 'asterisk'],
  folding: ['exact', 'case', 'accents', 'hardened'],
  patterns: ['as-written', 'insensitive'],
  missingScores: ['allow', 'block'],
  unreadable: ['allow', 'block'],
  broken: ['skip', 'fail'],
} as const satisfies Partial<Record<keyof Semantics, readonly string[]>>;

const wordReadings: readonly WordReading[] = ['word', 'substring', 'prefix', 'suffix'];
const listReadings = [...wordReadings, 'links'];

/**
 * The readings that are a choice between names, with all of their values; `words` may be more than
 * one of these.
 */
export const readingChoices = { words: wordReadings, ...choices };

/** A reading that is a choice, with a value of it. */
export interface ReadingValue {
  readonly reading: string;
  readonly value: string;
}

/**
 * Returns the values in use of a reading that is a choice; of `words` and `folding` those of single
 * lists too, `links` aside.
 */
export function valuesInUse(semantics: Semantics, reading: string): ReadonlySet<unknown> {
  const { words } = semantics;
  const readingValue = semantics[reading as keyof Semantics];
  if (typeof words === 'string' || (reading !== 'words' && reading !== 'folding')) return new Set([readingValue]);
  const all = reading === 'folding' ? readingValue : (words.default ?? 'word');
  const field = reading === 'folding' ? 'folding' : 'reading';
  const ofLists = Object.values(words.lists).map((list) => asListReading(list)[field] ?? all);
  return new Set([all, ...ofLists.filter((value) => value !== 'links')]);
}

/**
 * Returns semantics with another value of a reading that is a choice, also for lists with a value
 * of their own. All else stays as it is, and so do lists of links.
 */
export function withValue(semantics: Partial<Semantics>, { reading, value }: ReadingValue): Partial<Semantics> {
  const { words } = semantics;
  if (typeof words !== 'object' || (reading !== 'words' && reading !== 'folding'))
    return { ...semantics, [reading]: value };
  const all = value as never;
  const lists = Object.entries(words.lists).map(([listId, list]): [string, ListReading] => {
    const listReading = asListReading(list);
    if (reading === 'words')
      return [listId, listReading.reading === 'links' ? listReading : { ...listReading, reading: all }];
    return [listId, listReading.folding === undefined ? listReading : { ...listReading, folding: all }];
  });
  const given = { ...words, lists: Object.fromEntries(lists) };
  if (reading === 'folding') return { ...semantics, folding: all, words: given };
  return { ...semantics, words: { ...given, default: all } };
}

function asListReading(list: WordReading | 'links' | ListReading): ListReading {
  return typeof list === 'string' ? { reading: list } : list;
}

/**
 * Returns the defaults with a caller's semantics over them. Throws `UsageError` with the reading
 * and its possible values when a name is unknown or a value is not one of them: a misspelt reading
 * must not be taken for the default.
 */
export function resolveSemantics(semantics: Partial<Semantics> = {}): Semantics {
  if (typeof semantics !== 'object' || semantics === null || Array.isArray(semantics)) {
    throw new UsageError('semantics must be an object of readings');
  }
  const given = Object.entries(semantics).filter(([, value]) => value !== undefined);
  for (const [reading, value] of given) checkReading(reading, value);
  const all: Semantics = { ...defaultSemantics, ...Object.fromEntries(given) };
  return Object.freeze({ ...all, words: frozen(all.words) });
}

/**
 * Returns the readings of an engine: those that a rule set brings as its `semantics`, and over them
 * those that are given, one by one. Throws `RuleSetError` for wrong ones of the rule set, also
 * where others are given in their place.
 */
export function semanticsOf(ruleSet: unknown, given: Partial<Semantics> = {}): Partial<Semantics> {
  const { semantics: brought } = (ruleSet ?? {}) as { readonly semantics?: unknown };
  if (brought === undefined || typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...ownSemantics(brought, '`semantics` of the rule set'), ...Object.fromEntries(known) };
}

/**
 * Returns the readings of a rule set, checked: plain data, since they go through files and to other
 * threads and machines. Throws `RuleSetError` that begins with `place`.
 */
export function ownSemantics(given: unknown, source: string): Partial<Semantics> {
  const refuse = (problem: string): never => {
    throw new RuleSetError(`${source}: ${problem}`);
  };
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return refuse('must be an object of readings');
  for (const [reading, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (reading === 'engine') refuse('reading `engine` must not stand with the rules; choose it where they are judged');
    if (typeof value === 'function') refuse(`reading \`${reading}\` must be plain data; give functions as an argument`);
    try {
      checkReading(reading, value);
    } catch (error) {
      refuse((error as Error).message);
    }
  }
  return given;
}

/** Copies a reading, so that later changes by the caller do not reach the engine. */
function frozen(reading: Semantics['words']): Semantics['words'] {
  if (typeof reading === 'string') return reading;
  const lists = Object.entries(reading.lists).map(([listId, listReading]) => [
    listId,
    typeof listReading === 'string' ? listReading : Object.freeze({ ...listReading }),
  ]);
  return Object.freeze({ ...reading, lists: Object.freeze(Object.fromEntries(lists)) });
}

function checkReading(reading: string, value: unknown): void {
  const readings = Object.keys(defaultSemantics);
  if (!readings.includes(reading)) {
    throw new UsageError(`unknown reading \`${reading}\`; there are ${readings.join(', ')}`);
  }
  if (typeof value === 'function' && (reading === 'runs' || reading === 'exempt')) return;
  if (Object.hasOwn(choices, reading)) {
    checkValue(`reading \`${reading}\``, value, oneOf(choices[reading as keyof typeof choices]));
  } else checks[reading as keyof typeof checks](value);
}

/** The checks of readings that are not a choice. Each throws `UsageError` for a wrong value. */
const checks: Readonly<Record<Exclude<keyof Semantics, keyof typeof choices>, (value: unknown) => void>> = {
  words: checkWords,
  shadow: (value) => void textsOf('shadow', value),
  precedence: (value) => {
    const names = textsOf('precedence', value);
    if (names.length === verdicts.length && verdicts.every((verdict) => names.includes(verdict))) return;
    throw new UsageError(`reading \`precedence\` must name each of ${verdicts.join(', ')} once, strongest first`);
  },
  customText: (value) => {
    const wrong = textsOf('customText', value).find((path) => parsePath(path) === undefined);
    if (wrong === undefined) return;
    throw new UsageError(`reading \`customText\`: \`${wrong}\` is not a JSON path such as data.customData.body[2]`);
  },
  exceptions: checkExceptions,
  exempt: checkFilters,
  engine: (value) => {
    if (typeof (value as { compile?: unknown } | null)?.compile === 'function') return;
    throw new UsageError('reading `engine` must be a pattern engine, such as `re2wasm` from `sluice/re2-wasm`');
  },
};

function textsOf(reading: string, value: unknown): readonly string[] {
  if (isTexts(value)) return value;
  throw new UsageError(`reading \`${reading}\` must be an array of strings`);
}

function checkFilters(value: unknown): void {
  if (!Array.isArray(value)) throw new UsageError('reading `exempt` must be an array of filters, or a function');
  for (const [index, filter] of value.entries()) {
    const log = new IssueLog();
    if (compileFilter(filter, { index }, log) !== undefined) continue;
    throw new UsageError(`reading \`exempt\`: filter ${index + 1} ${log.leftOut}`);
  }
}

function checkWords(value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuseLinks('reading `words`', value);
    checkValue('reading `words`', value, oneOf(wordReadings, ', or an object { default, lists }'));
    return;
  }
  const { default: defaultReading = 'word', lists } = checkObject(value, 'words', ['default', 'lists']);
  refuseLinks('`words.default`', defaultReading);
  checkValue('`words.default`', defaultReading, oneOf(wordReadings));
  if (typeof lists !== 'object' || lists === null || Array.isArray(lists)) {
    throw new UsageError('`words.lists` must be an object of readings by list id');
  }
  for (const [listId, listReading] of Object.entries(lists)) {
    const where = `words.lists.${cut(listId)}`;
    if (typeof listReading !== 'object' || listReading === null || Array.isArray(listReading)) {
      checkValue(`\`${where}\``, listReading, oneOf(listReadings, ', or an object { reading, folding }'));
      continue;
    }
    const { reading = 'word', folding = 'case' } = checkObject(listReading, where, ['reading', 'folding']);
    checkValue(`\`${where}.reading\``, reading, oneOf(listReadings));
    checkValue(`\`${where}.folding\``, folding, oneOf(choices.folding));
  }
}

function refuseLinks(where: string, value: unknown): void {
  if (value === 'links')
    throw new UsageError(`${where} must not be links, which is a reading of single lists: { lists: { ID: 'links' } }`);
}

function checkExceptions(value: unknown): void {
  if (!Array.isArray(value)) throw new UsageError('reading `exceptions` must be an array');
  for (const [index, exception] of value.entries()) {
    if (typeof exception === 'string') continue;
    const where = `exceptions[${index}]`;
    const { for: target = {}, ...held } = checkObject(exception, where, ['terms', 'patterns', 'lists', 'for']);
    checkTexts(held, where);
    checkTexts(checkObject(target, `${where}.for`, ['rules', 'lists']), `${where}.for`);
    if (Object.values(held).every((items) => items === undefined))
      throw new UsageError(`\`${where}\` must have \`terms\`, \`patterns\` or \`lists\``);
  }
}

function checkObject(value: unknown, where: string, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`\`${where}\` must be an object { ${names.join(', ')} }`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return value as Record<string, unknown>;
  throw new UsageError(`unknown \`${where}.${cut(unknown)}\`; there are ${names.join(', ')}`);
}

function checkTexts(fields: Readonly<Record<string, unknown>>, where: string): void {
  for (const [name, items] of Object.entries(fields)) {
    if (items === undefined || isTexts(items)) continue;
    throw new UsageError(`\`${where}.${name}\` must be an array of strings`);
  }
}

/**
 * Reports whether a value is an array of strings. It is spread, since `every` passes over the holes
 * of a sparse array.
 */
function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && [...value].every((item) => typeof item === 'string');
}

/**
 * Returns the ids of the keyword lists that hold exceptions, each once. They must be fetched beside
 * the lists of rules. Throws `UsageError` for semantics that cannot be resolved.
 */
export function exceptionLists(semantics?: Partial<Semantics>): readonly string[] {
  const { exceptions } = resolveSemantics(semantics);
  return [...new Set(exceptions.flatMap((entry) => (typeof entry === 'string' ? [] : (entry.lists ?? []))))];
}

const cut = (name: string) => name.slice(0, 40);
