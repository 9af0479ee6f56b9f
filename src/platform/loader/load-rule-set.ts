/** Fetches a rule set from a platform: all rules, and each referenced list once. */
import pLimit from 'p-limit';
import { namesLists } from '../../engine/compile/list-flags.js';
import { exceptionLists, ownSemantics } from '../../engine/semantics.js';
import { digestInPortions } from '../../foundation/digest.js';
import { HttpError, isRefusal, RuleSetError, ShapeError, SluiceError, UsageError } from '../../foundation/errors.js';
import { checkOptions, isText, type OptionChecks } from '../../foundation/options.js';
import { runWithPauses } from '../../foundation/portions.js';
import type { KeywordList } from '../contract/keyword-list.js';
import type { Meta } from '../contract/meta.js';
import type { Condition, Rule } from '../contract/rule.js';
import type { MissingKind, MissingList, RuleSet } from '../contract/rule-set.js';
import type { RuleSource } from './rule-source.js';

/** Options of `loadRuleSet`. */
export interface LoadOptions {
  /** Number of keyword lists that are fetched at a time. Default 4. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * `limit` of list rules. Default 1000; if the response has status 400, the request is repeated
   * without a limit.
   */
  readonly limit?: number | undefined;
  /**
   * Ids of further keyword lists to fetch, beside those that rules and readings of the source refer
   * to.
   */
  readonly lists?: readonly string[] | undefined;
}

const checks: OptionChecks<LoadOptions> = {
  concurrency: [(count: number) => Number.isSafeInteger(count) && count >= 1, 'a whole number from 1'],
  signal: undefined,
  limit: undefined,
  lists: [(ids: unknown) => Array.isArray(ids) && ids.every(isText), 'an array of ids of keyword lists'],
};

/** A referenced keyword list, or the reason why it is missing. */
type Fetched = { readonly list: KeywordList } | { readonly missing: MissingList };

/** The document states no largest page of list rules (§8); platforms have some dozens of rules. */
const defaultRuleLimit = 1000;
/**
 * The largest number of doublings of a page: from 1,000 rules to 64,000, or from the platform's own
 * page size to 64 times that.
 */
const maxDoublings = 6;

/**
 * Fetches the rules (§4.7), each keyword list that they refer to (§4.8) once, the lists of the
 * option `lists`, and the readings of the source, if it has some. The result is plain JSON that
 * depends only on the content of the responses, not on their order.
 *
 * A list that cannot be fetched is in `missing` with the reason: one list must not disable all
 * rules. Rejects with the error of the source if the rules cannot be fetched, with `ShapeError` if
 * they are not rules, with `RuleSetError` for wrong readings, and with the reason of an aborted
 * signal.
 *
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'https://chat.example/v3', apiKey: 'from your settings' });
 * const engine = createEngine(await loadRuleSet(client));
 * ```
 */
export async function loadRuleSet(source: RuleSource, options: LoadOptions = {}): Promise<RuleSet> {
  checkOptions('`loadRuleSet`', options, checks);
  const { concurrency = 4, signal, lists: moreLists = [] } = options;
  signal?.throwIfAborted();
  if (source.load !== undefined) {
    const ruleSet = await source.load({ signal, lists: moreLists });
    refuseShapeless('`source.load`', ruleSet);
    return ruleSet;
  }
  const page = await listRules(source, options);
  const semantics = (await source.semantics?.({ signal })) ?? undefined;
  const readings = semantics && ownSemantics(semantics, '`source.semantics`');
  const limit = pLimit(concurrency);
  const ids = new Set([
    ...page.data.flatMap(({ conditions }) => conditions.flatMap(listsOf)),
    ...exceptionLists(readings),
    ...moreLists,
  ]);
  const fetching = [...ids].map((id) => limit(() => fetchList(source, id, signal)));
  const fetched = await Promise.all(fetching);
  const rules = plain(page.data);
  const lists = fetched.flatMap((entry) => ('list' in entry ? [plainList(entry.list)] : []));
  const missing = fetched.flatMap((entry) => ('missing' in entry ? [entry.missing] : []));
  const revision = await runWithPauses(digestInPortions({ rules, lists }), signal);
  const readingsField = readings && { semantics: { ...plain(readings) } };
  return { rules, lists, missing, truncated: page.truncated, revision, ...readingsField };
}

/**
 * Returns the ids of the keyword lists that a condition refers to (§2.5). Rules that do not run
 * count too: `runs` is applied in compiling.
 */
function listsOf(condition: Condition): string[] {
  if (!namesLists(condition)) return [];
  const values = typeof condition.value === 'string' ? [condition.value] : (condition.value ?? []);
  return values.filter((value) => value !== '');
}

/**
 * A page of rules, and whether it was full, so that rules may be missing: list rules has no cursor
 * (§2.7).
 */
interface RulePage {
  readonly data: readonly Rule[];
  readonly truncated: boolean;
}

/** Lists the rules; while a page comes back full, one of twice its size is requested. */
async function listRules(source: RuleSource, options: LoadOptions): Promise<RulePage> {
  const { limit = defaultRuleLimit, signal } = options;
  let page = (await listPage(source, limit, signal)) ?? (await listPage(source, undefined, signal))!;
  for (let doublings = 0; page.truncated && doublings < maxDoublings; doublings++) {
    const larger = await listPage(source, 2 * page.data.length, signal);
    if (larger === undefined || (larger.truncated && larger.data.length <= page.data.length)) break;
    page = larger;
  }
  return page;
}

/** Fetches one page; resolves to `undefined` if the platform rejects the limit. */
async function listPage(
  source: RuleSource,
  limit: number | undefined,
  signal: AbortSignal | undefined,
): Promise<RulePage | undefined> {
  try {
    const page = await source.rules.list({ ...(limit !== undefined && { limit }), signal });
    refuseShapelessRules('`source.rules.list`', 'data', page?.data);
    const { data, meta } = page;
    const { count = data.length, limit: applied = limit } = (meta as Meta | undefined | null)?.current ?? {};
    return { data, truncated: data.length > 0 && count === applied };
  } catch (error) {
    if (limit !== undefined && error instanceof HttpError && error.status === 400) return undefined;
    throw error;
  }
}

/**
 * Checks the parts of a rule set that are read before it is compiled. Throws `ShapeError` that
 * names its source.
 */
export function refuseShapeless(from: string, ruleSet: RuleSet): void {
  const { rules, lists, missing }: Partial<RuleSet> = ruleSet ?? {};
  refuseShapelessRules(from, 'rules', rules);
  for (const [name, entries] of Object.entries({ lists, missing })) {
    if (!Array.isArray(entries)) throw new ShapeError(from, name, 'must be an array');
    const broken = entries.findIndex((entry) => typeof entry !== 'object' || entry === null);
    if (broken >= 0) throw new ShapeError(from, `${name}[${broken}]`, 'must be an object');
  }
}

/**
 * Checks the parts of rules that the loader itself reads. A client has checked them; another source
 * may return anything.
 */
function refuseShapelessRules(from: string, location: string, data: unknown): void {
  if (!Array.isArray(data)) throw new ShapeError(from, location, 'must be an array of rules');
  const isWhole = (conditions: unknown) =>
    Array.isArray(conditions) && conditions.every((condition) => (condition ?? undefined) !== undefined);
  const broken = data.findIndex((rule) => !isWhole(rule?.conditions));
  if (broken < 0) return;
  throw new ShapeError(from, `${location}[${broken}].conditions`, 'must be an array of conditions');
}

async function fetchList(source: RuleSource, listId: string, signal: AbortSignal | undefined): Promise<Fetched> {
  const missing = (kind: MissingKind, reason: string): Fetched => ({ missing: { listId, reason, kind } });
  signal?.throwIfAborted();
  try {
    const list = await findList(source, listId, signal);
    if (list === undefined) return missing('gone', 'not a keyword list');
    return list.id === listId ? { list } : missing('refused', 'answered with another id');
  } catch (error) {
    signal?.throwIfAborted();
    // An abort within the source is not a failure of the list.
    if (error instanceof Error && error.name === 'AbortError') throw error;
    if (isNotFound(error)) return missing('gone', failureReason(error));
    // An id that cannot be sent cannot be sent the next time either.
    const isRefused = isRefusal(error) || error instanceof UsageError;
    return missing(isRefused ? 'refused' : 'unreachable', failureReason(error));
  }
}

/** Describes a failure in a few words without content: `http 404 (ERR_RULE_NOT_FOUND)`. */
function failureReason(error: unknown): string {
  if (error instanceof HttpError) {
    const code = error.platformCode === undefined ? '' : ` (${error.platformCode})`;
    return `http ${error.status}${code}`;
  }
  return error instanceof SluiceError ? error.code : 'unknown failure';
}

/**
 * Reports whether the id does not exist. Some live platforms use this code, with an undocumented
 * status.
 */
function isNotFound(error: unknown): boolean {
  return error instanceof HttpError && (error.status === 404 || error.platformCode === 'ERR_RULE_NOT_FOUND');
}

/**
 * Fetches a keyword list from get rule (§4.8). Live platforms return a rule or status 404 there,
 * and have lists at another path, which is requested next. Resolves to `undefined` if the id is
 * that of a rule.
 */
async function findList(
  source: RuleSource,
  id: string,
  signal: AbortSignal | undefined,
): Promise<KeywordList | undefined> {
  const { keywords } = source;
  try {
    const resource = await source.rules.get(id, { signal });
    if (isKeywordList(resource)) return resource;
  } catch (error) {
    if (keywords === undefined || !isNotFound(error)) throw error;
  }
  return keywords?.get(id, { signal });
}

function isKeywordList(resource: Rule | KeywordList): resource is KeywordList {
  return 'searchTerms' in resource && !('conditions' in resource);
}

/**
 * Copies a list. Its terms are copied apart, since a hundred thousand of them would hold the event
 * loop for 30 ms.
 */
function plainList(list: KeywordList): KeywordList {
  if (!Array.isArray(list.searchTerms)) return plain(list);
  const searchTerms: readonly unknown[] = [...list.searchTerms];
  if (!searchTerms.every((term) => typeof term === 'string')) return plain(list);
  return Object.assign(plain({ ...list, searchTerms: [] }), { searchTerms });
}

/**
 * Copies a value through JSON: undefined fields become absent, so that the value round-trips
 * through a file.
 */
function plain<T>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch (error) {
    throw new RuleSetError('the rules or keyword lists are nested too deeply to be kept', { cause: error });
  }
}
