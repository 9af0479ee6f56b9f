import pLimit from 'p-limit';
import type { KeywordList } from '../contract/keyword-list.js';
import type { Meta } from '../contract/meta.js';
import type { Rule } from '../contract/rule.js';
import type { RuleSet } from '../contract/rule-set.js';
import { digest } from '../digest.js';
import { HttpError, RuleSetError, UsageError } from '../errors.js';
import { failureReason, isAbort, isNotFound } from './failure-reason.js';
import { referencedLists } from './referenced-lists.js';
import type { RuleSource } from './rule-source.js';

/** How a rule set is loaded. */
export interface LoadOptions {
  /** Keyword lists fetched at a time. Default 4. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Rules asked for. Default 1000; when that is refused, once more without one. */
  readonly limit?: number | undefined;
}

/** A keyword list that was referenced, or why it could not be had. */
type Fetched =
  | { readonly list: KeywordList }
  | { readonly missing: { readonly listId: string; readonly reason: string } };

/** Nothing states the most that list rules gives (§8); platforms have some dozens of rules. */
const rulesAsked = 1000;

/**
 * Fetches the rules (§4.7) and each keyword list that they name once (§4.8), as one plain value that depends only on
 * what the source answers, not on the order of its answers.
 *
 * A list that cannot be had, for whatever reason, is in `missing`: one list must not take all rules down. Rejects when
 * the rules themselves cannot be had, with what the source rejected with, and with the signal's reason on an abort.
 */
export async function loadRuleSet(source: RuleSource, options: LoadOptions = {}): Promise<RuleSet> {
  const { concurrency = 4, signal } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new UsageError('`concurrency` should be a whole number from 1');
  }
  signal?.throwIfAborted();
  const page = await listRules(source, options);
  const limit = pLimit(concurrency);
  const fetching = referencedLists(page.data).map((id) => limit(() => fetchList(source, id, signal)));
  const fetched = await Promise.all(fetching);
  const { rules, lists } = plain({
    rules: page.data,
    lists: fetched.flatMap((entry) => ('list' in entry ? [entry.list] : [])),
  });
  const missing = fetched.flatMap((entry) => ('missing' in entry ? [entry.missing] : []));
  return { rules, lists, missing, truncated: isTruncated(page.meta), revision: digest({ rules, lists }) };
}

async function listRules(
  source: RuleSource,
  options: LoadOptions,
): Promise<{ readonly data: readonly Rule[]; readonly meta: Meta }> {
  const { limit = rulesAsked, signal } = options;
  try {
    return await source.rules.list({ limit, signal });
  } catch (error) {
    if (error instanceof HttpError && error.status === 400) return source.rules.list({ signal });
    throw error;
  }
}

/** The page was full, so there may be more; list rules has no cursor (§2.7). */
function isTruncated({ current }: Meta): boolean {
  return current?.count !== undefined && current.count === current.limit;
}

async function fetchList(source: RuleSource, listId: string, signal: AbortSignal | undefined): Promise<Fetched> {
  signal?.throwIfAborted();
  try {
    const list = await findList(source, listId, signal);
    if (list === undefined) return { missing: { listId, reason: 'not a keyword list' } };
    if (list.id !== listId) return { missing: { listId, reason: 'answered with another id' } };
    return { list };
  } catch (error) {
    signal?.throwIfAborted();
    if (isAbort(error)) throw error;
    return { missing: { listId, reason: failureReason(error) } };
  }
}

/**
 * §4.8 answers a keyword list. Live platforms answer a rule there, or nothing, and have lists at a path of their own.
 * `undefined` when only a rule has the id.
 */
async function findList(
  source: RuleSource,
  id: string,
  signal: AbortSignal | undefined,
): Promise<KeywordList | undefined> {
  const { keywords } = source;
  try {
    const answer = await source.rules.get(id, { signal });
    if (isKeywordList(answer)) return answer;
  } catch (error) {
    if (keywords === undefined || !isNotFound(error)) throw error;
  }
  return keywords?.get(id, { signal });
}

function isKeywordList(answer: Rule | KeywordList): answer is KeywordList {
  return 'searchTerms' in answer && !('conditions' in answer);
}

/** A copy as JSON has it: absent is absent, not `undefined`, so that a file gives back the same value. */
function plain<T>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch (error) {
    throw new RuleSetError('the rules or keyword lists are nested too deeply to be kept', { cause: error });
  }
}
