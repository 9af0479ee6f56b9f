/**
 * The reading `exceptions` as it is compiled: entries, each a term or a pattern, in the order of the reading, and scopes, which say
 * what they are for. Equal targets are one scope; a reference has the scopes that apply to its matches.
 */
import { UsageError } from '../errors.js';
import type { PatternSet } from '../match/patterns/engine.js';
import { PORTION, type Portions } from '../portions.js';
import type { Exception, Semantics } from '../semantics.js';
import type { IssueLog } from './issue.js';
import { compilePatterns } from './link-patterns.js';
import type { TermList } from './terms.js';

/** A term or a pattern of the exceptions. */
export interface ExceptionEntry {
  readonly kind: 'word' | 'pattern';
  /** As its author wrote it. */
  readonly written: string;
  readonly listId?: string;
  readonly scope: number;
  /** Position in the reading, or in the list. */
  readonly index: number;
}

/** Entries by what is found: of a term or a pattern, by its number in matcher or set, indices of its entries, one of each scope. */
export type EntriesByFound = readonly (readonly number[])[];

/** The patterns of exceptions. */
export interface ExceptionPatterns {
  readonly set: PatternSet;
  readonly entries: EntriesByFound;
}

/** The exceptions of a rule set, before anything is compiled. */
export interface ReadExceptions {
  readonly entries: readonly ExceptionEntry[];
  /** How many scopes there are. */
  readonly scopes: number;
  /** Whether all are for everything. */
  readonly isForAll: boolean;
  /** The scopes that apply to what a rule looks for, in a list or in none; `undefined` when none does. Equal ones are one array. */
  scopesOf(ruleId: string, listId: string | undefined): readonly number[] | undefined;
}

type Target = NonNullable<Exception['for']>;

/** Reads the exceptions of the semantics, in portions; `undefined` where there is nothing to be found. */
export function* readExceptions(
  { exceptions }: Pick<Semantics, 'exceptions'>,
  lists: ReadonlyMap<string, TermList>,
): Portions<ReadExceptions | undefined> {
  const entries: ExceptionEntry[] = [];
  const targets: Target[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (target: Target): number => {
    const key = JSON.stringify([target.rules, target.lists]);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, targets.length);
    return targets.push(target) - 1;
  };
  for (const [index, written] of exceptions.entries()) {
    const { terms = [], patterns = [], lists: ids = [], for: target = {} } = asException(written);
    const scope = numberOf(target);
    for (const term of terms) entries.push({ kind: 'word', written: term, scope, index });
    for (const pattern of patterns) entries.push({ kind: 'pattern', written: pattern, scope, index });
    for (const listId of ids) {
      const list = lists.get(listId);
      const kind = list?.category === 'pattern' ? 'pattern' : 'word';
      for (const [at, entry] of list?.terms ?? []) {
        entries.push({ kind, written: entry, listId, scope, index: at });
        if (entries.length % PORTION === 0) yield;
      }
    }
    yield;
  }
  // An empty one is never found, as in rules.
  const found = entries.filter(({ written }) => written.trim() !== '');
  if (found.length === 0) return undefined;
  return {
    entries: found,
    scopes: targets.length,
    isForAll: targets.every(({ rules, lists }) => rules === undefined && lists === undefined),
    scopesOf: createScopeLookup(targets),
  };
}

function asException(written: string | Exception): Exception {
  return typeof written === 'string' ? { terms: [written] } : written;
}

function createScopeLookup(targets: readonly Target[]): ReadExceptions['scopesOf'] {
  const sets = targets.map(({ rules, lists }) => ({ rules: rules && new Set(rules), lists: lists && new Set(lists) }));
  const known = new Map<string, readonly number[]>();
  return (ruleId, listId) => {
    const scopes = sets.flatMap(({ rules, lists }, scope) => {
      const isOfLists = lists === undefined || (listId !== undefined && lists.has(listId));
      return isOfLists && (rules === undefined || rules.has(ruleId)) ? [scope] : [];
    });
    if (scopes.length === 0) return undefined;
    const key = scopes.join();
    const same = known.get(key) ?? scopes;
    known.set(key, same);
    return same;
  };
}

/** What the ids of exceptions may name. */
interface Named {
  readonly ruleIds: ReadonlySet<unknown>;
  readonly lists: ReadonlyMap<string, TermList>;
  /** Why a list could not be loaded, by its id. */
  readonly missing: ReadonlyMap<string, string>;
}

/** Reports lists of exceptions that are not there, and rules and lists that exceptions are for and that are not there. */
export function reportUnknown({ exceptions }: Pick<Semantics, 'exceptions'>, named: Named, log: IssueLog): void {
  const { ruleIds, lists, missing } = named;
  for (const [index, written] of exceptions.entries()) {
    const { lists: ids = [], for: target = {} } = asException(written);
    for (const listId of ids) {
      const reason = missing.get(listId);
      if (lists.has(listId)) continue;
      const why = reason === undefined ? '' : `: ${reason}`;
      log.add('missing-list', { listId, index }, `keyword list of exceptions is not there${why}; it excepts nothing`);
    }
    const what = 'is what an exception of the semantics is for, and no';
    for (const ruleId of target.rules ?? [])
      if (!ruleIds.has(ruleId)) log.add('unknown-exception-target', { ruleId, index }, `${what} rule has this id`);
    for (const listId of target.lists ?? [])
      if (!lists.has(listId)) log.add('unknown-exception-target', { listId, index }, `${what} list has this id`);
  }
}

/**
 * Compiles the patterns of exceptions into a set of their own, in portions; `undefined` where there is none. Throws `UsageError` for a
 * rejected one of the semantics; one of a list is an issue.
 */
export function* linkExceptionPatterns(
  entries: readonly ExceptionEntry[],
  semantics: Semantics,
  log: IssueLog,
): Portions<ExceptionPatterns | undefined> {
  const byPattern = new Map<string, number[]>();
  for (const [at, { kind, written }] of entries.entries()) {
    if (at % PORTION === 0) yield;
    if (kind === 'word') continue;
    const same = byPattern.get(written);
    if (same === undefined) byPattern.set(written, [at]);
    else same.push(at);
  }
  const sources = [...byPattern.keys()].map((written) => ({ written, whole: false }));
  const { set, fault } = yield* compilePatterns(sources, semantics);
  const groups = [...byPattern.values()];
  const placeOf = (at: number) => {
    const { listId, index } = entries[at]!;
    return { ...(listId !== undefined && { listId }), index };
  };
  if (fault !== undefined) log.add('engine-fault', placeOf(groups[0]![0]!), `pattern engine failed: ${fault}`);
  for (const { index, reason, isUnsupported } of set?.rejected ?? []) {
    for (const at of groups[index]!) {
      const { listId, written } = entries[at]!;
      if (listId === undefined && isUnsupported !== true) {
        set?.close();
        throw new UsageError(`reading \`exceptions\`: pattern \`${written.slice(0, 60)}\` was rejected: ${reason}`);
      }
      log.add('rejected-pattern', placeOf(at), `exception was rejected: ${reason}`);
    }
  }
  return set && { set, entries: groups.map((group) => oneOfEachScope(group, entries)) };
}

/** The first of the entries of each scope. */
export function oneOfEachScope(group: readonly number[], entries: readonly ExceptionEntry[]): readonly number[] {
  const scopes = new Set<number>();
  return group.filter((at) => {
    const { scope } = entries[at]!;
    const isFirst = !scopes.has(scope);
    scopes.add(scope);
    return isFirst;
  });
}
