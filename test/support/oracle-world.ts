/** What the oracle is asked about, and how it reads messages, lists and filters. */
import type { Condition, Exception, Filter, KeywordList, Message, Rule, Scores, Semantics } from '../../src/index.js';
import { bareForm } from './oracle-accents.js';
import { linkTerm } from './oracle-links.js';
import { readTerm } from './oracle-text.js';
import { simpleFold } from './simple-fold.js';

/** The readings that are plain data and bear on an answer. */
export interface Readings extends Omit<Semantics, 'engine' | 'broken' | 'runs' | 'exempt'> {
  readonly runs: 'enabled-and-active' | 'enabled' | 'all';
  readonly exempt: readonly Filter[];
}

export interface World {
  readonly rules: readonly Rule[];
  readonly lists: readonly KeywordList[];
  readonly message: Partial<Message>;
  readonly media: readonly Scores[];
  readonly readings: Readings;
}

/** The defaults of the design, written out once more on purpose. */
export const defaultReadings: Readings = {
  conditions: 'any',
  runs: 'enabled-and-active',
  precedence: ['dropMessage', 'blockMessage', 'allow'],
  words: 'word',
  wildcards: 'off',
  folding: 'case',
  patterns: 'as-written',
  missingScores: 'allow',
  unreadable: 'allow',
  customText: ['data.customData', 'data.text'],
  exceptions: [],
  exempt: [],
  shadow: [],
};

/** One or several, as several. */
export const several = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value as T];

/** The texts that a condition on `text` or `custom` reads. */
export function textsOf(operand: 'text' | 'custom', { message, readings }: World): { path: string; text: string }[] {
  if (operand !== (message.category === 'custom' ? 'custom' : 'text') || message.category === 'action') return [];
  const paths = operand === 'text' ? ['data.text'] : readings.customText;
  return leaves(message, '').filter(({ path }) =>
    paths.some(
      (wanted) =>
        path === wanted || (operand === 'custom' && /^[.[]/.test(path.slice(wanted.length)) && path.startsWith(wanted)),
    ),
  );
}

function leaves(value: unknown, path: string): { path: string; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (Array.isArray(value)) return leaves(item, `${path}[${key}]`);
    if (!/^[a-z_$][\w$]*$/i.test(key)) return leaves(item, `${path}[${JSON.stringify(key)}]`);
    return leaves(item, path === '' ? key : `${path}.${key}`);
  });
}

/**
 * Whether something is a message at all, whose text stands where it is looked for; what is none is
 * refused.
 */
export function isMessage(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { data, text, category, type, deletedAt } = value as Record<string, unknown>;
  const inData = typeof data === 'object' && data !== null && 'text' in data ? data.text : undefined;
  if ((text ?? undefined) !== undefined && (inData ?? undefined) === undefined) return false;
  const says = [data, category, deletedAt].some((field) => (field ?? undefined) !== undefined);
  return says || ['image', 'video', 'audio', 'file'].some((kind) => kind === type);
}

/** A message that should have a text and has none that can be read; a deleted one needs none. */
export function lacksText({ category, type, deletedAt, data }: Partial<Message>): boolean {
  const text: unknown = data?.text;
  if (typeof text === 'string' || (deletedAt ?? undefined) !== undefined) return false;
  if (category === 'custom' || category === 'action') return false;
  return (text ?? undefined) !== undefined || ((category ?? 'message') === 'message' && (type ?? 'text') === 'text');
}

/** A number from 0 to 100. */
export const isScore = (score: unknown): boolean => typeof score === 'number' && score >= 0 && score <= 100;

/**
 * Addresses of the files of a kind that a message lists, each once; `undefined` for each that has
 * none.
 */
function filesOf(operand: string, { data, type }: Partial<Message>): (string | undefined)[] {
  const ownKind = /^(image|video|audio|file)$/.exec(type ?? '')?.[0];
  const objects = (Array.isArray(data?.attachments) ? data.attachments : []).filter(
    (one) => typeof one === 'object' && one !== null && !Array.isArray(one),
  );
  const all = objects.map(({ mimeType, url }) => {
    const named = /^(image|video|audio|file)\//i.exec(mimeType ?? '')?.[1]?.toLowerCase();
    return { kind: named ?? ownKind ?? 'file', url };
  });
  const own = data?.url;
  const isListed = all.some(({ url }) => typeof own !== 'string' || own === '' || url === own);
  const saysMore = ownKind !== 'file' || !isListed;
  if (ownKind !== undefined && saysMore && typeof own === 'string' && own !== '') all.push({ kind: ownKind, url: own });
  const urls = all.filter(({ kind }) => kind === operand).map(({ url }) => (url === '' ? undefined : url));
  const listed = urls.filter((url, at) => url === undefined || urls.indexOf(url) === at);
  return listed.length === 0 && ownKind === operand && saysMore ? [undefined] : listed;
}

/** Each file of a kind finds scores: those of its URL, else some that name no file. */
export function everyMediumIsScored(operand: string, { message, media }: World): boolean {
  const files = filesOf(operand, message);
  const scored = media.filter((entry) => entry.operand === operand && Object.values(entry.labels).some(isScore));
  if (files.length < 2) return scored.length > 0;
  const spare = scored.filter(({ url }) => url === undefined || !files.includes(url));
  const left = files.filter((url) => url === undefined || !scored.some((entry) => entry.url === url));
  // First those with a URL, which only scores without one may be for.
  for (const url of left.sort((a, b) => Number(a === undefined) - Number(b === undefined))) {
    const at = spare.findIndex((entry) => entry.url === undefined);
    const chosen = url !== undefined || at >= 0 ? at : 0;
    if (chosen < 0 || spare.length === 0) return false;
    spare.splice(chosen, 1);
  }
  return true;
}

/**
 * The terms or patterns that a condition of a rule asks for, with the list each is from; and
 * whether some could not be had.
 */
export function termsOf(condition: Condition, rule: string, { lists, readings }: World) {
  const { isKeywordsReferencePresent, isKeywordReferencePresent, isListReferencePresent } = condition;
  const values = [...new Set(several(condition.value))];
  const named = [isKeywordsReferencePresent, isKeywordReferencePresent, isListReferencePresent].includes(true);
  const found = values.map((id) => lists.find((list) => list.id === id && Array.isArray(list.searchTerms)));
  const isRead = (list: KeywordList | undefined) =>
    list !== undefined && isFlag(list.isCSV) && list.searchTerms.every(isText);
  const terms = named
    ? found.flatMap((list) => termsOfList(list).map((term) => ({ term, from: list!.id })))
    : values.filter(isText).map((term) => ({ term, from: '' }));
  const isWord = (condition.category ?? 'word') === 'word';
  const excepting = readings.exceptions.flatMap((one) =>
    typeof one !== 'string' && holdsSome(one, lists) ? [one] : [],
  );
  // What is equal once folded, read alike and held against the same exceptions is one, as first
  // written.
  const form = ({ term, from }: { term: string; from: string }) => {
    const spared = excepting.map(
      (one) => one.for?.rules?.includes(rule) !== false && one.for?.lists?.includes(from) !== false,
    );
    if (!isWord) return JSON.stringify([term, spared]);
    const folding = foldingOf(readings, from);
    const [text, reading] = condition.operator === 'equals' ? [term.trim(), ''] : readTerm(term, readings, from);
    if (reading === 'links') return JSON.stringify([linkTerm(term) ?? term, reading, folding === 'hardened', spared]);
    const bare = folding === 'accents' ? bareForm(text).text : text;
    const folded = folding === 'exact' ? text : simpleFold(bare);
    return JSON.stringify([folded.replace(/\s+/g, ' '), reading, folding, spared]);
  };
  const forms = terms.map(form);
  const first = terms.filter((_, at) => forms.indexOf(forms[at]!) === at);
  return {
    terms: first.filter(({ term }) => term.trim() !== ''),
    missing: values.length === 0 || !values.every(isText) || !hasFlags(condition) || (named && !found.every(isRead)),
  };
}

/** Whether the flags of a condition are flags. */
export function hasFlags(condition: Condition): boolean {
  const { isKeywordsReferencePresent, isKeywordReferencePresent, isListReferencePresent } = condition;
  return [isKeywordsReferencePresent, isKeywordReferencePresent, isListReferencePresent].every(isFlag);
}

const isFlag = (flag: unknown) => typeof (flag ?? false) === 'boolean';
const isText = (value: unknown) => typeof value === 'string';

/** Whether an exception has a term or a pattern, in its lists too. */
export function holdsSome(
  { terms = [], patterns = [], lists: ids = [] }: Exception,
  lists: readonly KeywordList[],
): boolean {
  const listed = ids.flatMap((id) => termsOfList(lists.find((list) => list.id === id)));
  return [...terms, ...patterns, ...listed].some((written) => written.trim() !== '');
}

/** How terms from a list are folded, or those from none. */
export function foldingOf({ words, folding }: Pick<Readings, 'words' | 'folding'>, from: string): Readings['folding'] {
  const own = typeof words === 'string' ? undefined : new Map(Object.entries(words.lists)).get(from);
  return (typeof own === 'object' ? own.folding : undefined) ?? folding;
}

/** The terms of a list as a cell of a file has them, each once. */
export function termsOfList(list: KeywordList | undefined): string[] {
  const terms = (list?.searchTerms ?? []).filter(isText).map((term) => {
    if (list?.isCSV !== true) return term;
    const cell = term.trim();
    return /^".*"$/s.test(cell) ? cell.slice(1, -1).replaceAll('""', '"').trim() : cell;
  });
  return [...new Set(terms)];
}

/** Whether a message holds a file of a kind, or scores of one were brought. */
export function holdsMedia(operand: string, { message, media }: World): boolean {
  return media.some((entry) => entry.operand === operand) || filesOf(operand, message).length > 0;
}

/** Whether what stands in place of the files of a message cannot be read as a list of files. */
export function hidesFiles({ data }: Partial<Message>): boolean {
  return !Array.isArray(data?.attachments ?? []);
}

/** What a filter says of a message. */
export function askFilter(
  { type, entity, operand = '', operator = '', value }: Filter,
  message: Partial<Message>,
): 'holds' | 'fails' | 'not-compiled' | 'not-answerable' {
  const properties = ['name', 'tags', 'createdAt', ...(entity === 'group' ? ['guid', 'type'] : ['uid', 'role'])];
  if (!properties.includes(operand) || !Object.hasOwn(tests, operator)) return 'not-compiled';
  if (!['user/sender', 'user/receiver', 'group/receiver'].includes(`${entity}/${type}`)) return 'not-compiled';
  const written = several(value).map(String);
  if (written.length === 0 || written.some((text) => text.trim() === '')) return 'not-compiled';
  const items = written.flatMap((text) => (/in$/i.test(operator) ? text.split(',') : [text]));
  const wanted = /in$/i.test(operator) ? items.map((item) => item.trim()).filter((item) => item !== '') : items;
  if (wanted.length === 0) return 'not-compiled';
  const isOrder = /Than$/.test(operator);
  if (isOrder && operand !== 'createdAt') return 'not-compiled';
  const means = (text: string) => (isOrder ? isInstant(text) : /^\d+(\.\d+)?$/.test(text));
  if (operand === 'createdAt' && !wanted.every(means)) return 'not-compiled';
  const party = type as 'sender' | 'receiver';
  const { receiverType } = message;
  if (party === 'receiver' && receiverType !== undefined && receiverType !== entity) return 'fails';
  const profile = message.data?.entities?.[party]?.entity as Record<string, string | string[]> | undefined;
  const isId = operand === 'uid' || operand === 'guid';
  const id = party === 'sender' || receiverType !== undefined ? message[party] : undefined;
  const isNegative = operator.startsWith('not');
  // A profile that lacks the property has none that a negative filter could forbid.
  const none = profile && (isNegative || operand === 'tags') ? [] : undefined;
  const actual = isId ? id : (profile?.[operand] ?? none);
  if (actual === undefined) return 'not-answerable';
  if (isOrder && Number.isNaN(seconds(String(actual)))) return 'not-answerable';
  const limits = wanted.map((text) => (text.startsWith('-') ? before(message.sentAt, text) : text));
  const some = several(actual).some((one) =>
    limits.some((limit) => limit !== undefined && tests[operator]!(String(one), limit)),
  );
  if (!some && limits.includes(undefined)) return 'not-answerable';
  return some === isNegative ? 'fails' : 'holds';
}

/** Seconds below 10^11, a date of ISO 8601, or a duration. */
function isInstant(text: string): boolean {
  if (/^-\d{1,9}[smhdw]$/.test(text)) return true;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) < 1e11;
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text)?.map(Number) ?? [];
  const isCalendar = year !== undefined && new Date(Date.UTC(year, month! - 1, day)).getUTCDate() === day;
  return isCalendar && !Number.isNaN(Date.parse(text.replace(' ', 'T')));
}

/** So long before a time. */
function before(time: number | undefined, duration: string): string | undefined {
  if (time === undefined || time >= 1e11) return undefined;
  const unit = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60, w: 7 * 24 * 60 * 60 }[duration.slice(-1)]!;
  return String(time - Number(duration.slice(1, -1)) * unit);
}

const equal = (actual: string, wanted: string) => actual === wanted;
const seconds = (text: string) =>
  /^-?\d/.test(text) && !text.includes('-', 1) ? Number(text) : Date.parse(utc(text)) / 1000;
const utc = (text: string) =>
  /:\d\d$/.test(text) && !/[+-]\d\d:\d\d$/.test(text) ? `${text.replace(' ', 'T')}Z` : text;
const tests: Readonly<Record<string, (actual: string, wanted: string) => boolean>> = {
  equals: equal,
  'not equals': equal,
  notEquals: equal,
  in: equal,
  'not in': equal,
  notIn: equal,
  startsWith: (actual, wanted) => actual.startsWith(wanted),
  endsWith: (actual, wanted) => actual.endsWith(wanted),
  lessThan: (actual, wanted) => seconds(actual) < seconds(wanted),
  greaterThan: (actual, wanted) => seconds(actual) > seconds(wanted),
};
