/**
 * The compiled reading `exceptions`: entries, each a term or a pattern, in the order of the
 * reading, and scopes, which are their targets. Equal targets are one scope; a reference has the
 * scopes that apply to its matches.
 */
import { PORTION, type Portions } from '../../foundation/portions.js';
import type { Exception, Semantics } from '../semantics.js';
import type { CompiledExceptions, ExceptionEntry } from './compiled-rule-set.js';
import { IssueLog } from './issue.js';
import { compilePatterns } from './join-patterns.js';
import type { TermList } from './terms.js';

/** The exceptions of a rule set, before anything is compiled. */
export interface ReadExceptions extends Pick<CompiledExceptions, 'entries' | 'scopes'> {
  /**
   * Returns the scopes that apply to the entries of a rule, in a list or in none; `undefined` if
   * there are none.
   */
  scopesOf(ruleId: string, listId: string | undefined): readonly number[] | undefined;
}

/** The rules and lists that exceptions may name. */
interface Named {
  readonly ruleIds: ReadonlySet<unknown>;
  readonly lists: ReadonlyMap<string, TermList>;
  /** Why a list could not be loaded, by its id. */
  readonly missing: ReadonlyMap<string, string>;
}

/**
 * Reads the exceptions of the semantics, in portions; `undefined` where there is nothing to be
 * found. An id of nothing is an issue.
 */
export function* readExceptions(
  { exceptions }: Pick<Semantics, 'exceptions'>,
  { ruleIds, lists, missing }: Named,
  log: IssueLog,
): Portions<ReadExceptions | undefined> {
  const entries: ExceptionEntry[] = [];
  const scopes = new Map<string, { readonly rules?: Set<string>; readonly lists?: Set<string> }>();
  for (const [index, written] of exceptions.entries()) {
    const exception: Exception = typeof written === 'string' ? { terms: [written] } : written;
    const { rules: forRules, lists: forLists } = exception.for ?? {};
    const key = JSON.stringify([forRules, forLists]);
    const target = { ...(forRules && { rules: new Set(forRules) }), ...(forLists && { lists: new Set(forLists) }) };
    if (!scopes.has(key)) scopes.set(key, target);
    const scope = [...scopes.keys()].indexOf(key);
    for (const term of exception.terms ?? []) entries.push({ kind: 'word', written: term, scope, index });
    for (const pattern of exception.patterns ?? []) entries.push({ kind: 'pattern', written: pattern, scope, index });
    for (const listId of exception.lists ?? []) {
      const list = lists.get(listId);
      const why = missing.has(listId) ? `: ${missing.get(listId)}` : '';
      if (list === undefined)
        log.add('missing-list', { listId, index }, `keyword list of exceptions is not there${why}`);
      const kind = list?.category === 'pattern' ? 'pattern' : 'word';
      for (const [at, entry] of list?.terms ?? []) {
        entries.push({ kind, written: entry, listId, scope, index: at });
        if (at % PORTION === 0) yield;
      }
    }
    const what = 'is named by an exception of the semantics, and does not exist';
    for (const ruleId of forRules ?? [])
      if (!ruleIds.has(ruleId)) log.add('unknown-exception-target', { ruleId, index }, what);
    for (const listId of forLists ?? [])
      if (!lists.has(listId)) log.add('unknown-exception-target', { listId, index }, what);
  }
  // An empty one is never found, as in rules.
  const found = entries.filter(({ written }) => written.trim() !== '');
  const targets = [...scopes.values()];
  const used = new Set(found.map(({ scope }) => scope));
  const scopesOf: ReadExceptions['scopesOf'] = (ruleId, listId) => {
    const isIn = (ids: ReadonlySet<unknown> | undefined, id: unknown) => ids === undefined || ids.has(id);
    const isFor = ({ rules, lists: forLists }: (typeof targets)[number]) =>
      isIn(rules, ruleId) && isIn(forLists, listId);
    const applying = targets.flatMap((target, scope) => (used.has(scope) && isFor(target) ? [scope] : []));
    return applying.length === 0 ? undefined : applying;
  };
  return found.length === 0 ? undefined : { entries: found, scopes: targets.length, scopesOf };
}

/**
 * Says which pattern of exceptions themselves is rejected first, and why; `undefined` when none is.
 * In portions.
 */
export function* rejectedException(
  exceptions: Semantics['exceptions'],
  semantics: Semantics,
): Portions<string | undefined> {
  const entries = exceptions.flatMap((exception, index) =>
    (typeof exception === 'string' ? [] : (exception.patterns ?? [])).map(
      (written): ExceptionEntry => ({ kind: 'pattern', written, scope: 0, index }),
    ),
  );
  const { patterns, refused } = yield* linkExceptionPatterns(entries, semantics, new IssueLog());
  patterns?.set.close();
  return refused;
}

/**
 * The patterns of exceptions, linked; `refused` is the first one of the semantics themselves that
 * was rejected, and why.
 */
export type LinkedExceptionPatterns = Pick<CompiledExceptions, 'patterns' | 'refused'>;

/**
 * Compiles the patterns of exceptions into a set of their own, in portions. A rejected one of a
 * list is an issue.
 */
export function* linkExceptionPatterns(
  entries: readonly ExceptionEntry[],
  semantics: Semantics,
  log: IssueLog,
): Portions<LinkedExceptionPatterns> {
  const byPattern = new Map<string, number[]>();
  for (const [at, { kind, written }] of entries.entries()) {
    if (at % PORTION === 0) yield;
    if (kind === 'pattern') byPattern.set(written, [...(byPattern.get(written) ?? []), at]);
  }
  const sources = [...byPattern.keys()].map((written) => ({ written, whole: false }));
  const { set, fault } = yield* compilePatterns(sources, semantics);
  const groups = [...byPattern.values()];
  if (fault !== undefined)
    log.add('engine-fault', {}, `pattern engine failed: ${fault}; no exception that is a pattern applies`);
  let refused: string | undefined;
  for (const { index: pattern, reason } of set?.rejected ?? []) {
    for (const at of groups[pattern]!) {
      const { listId, written, index } = entries[at]!;
      const location = { ...(listId !== undefined && { listId }), index };
      if (listId !== undefined) log.add('rejected-pattern', location, `exception was rejected: ${reason}`);
      else refused ??= `pattern \`${written.slice(0, 60)}\` was rejected: ${reason}`;
    }
  }
  return { patterns: set && { set, entries: groups }, refused };
}
