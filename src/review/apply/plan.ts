/**
 * The plan of a change of rules on a platform: the parts to be written, and the reasons against it.
 */
import { asFields } from '../../engine/compile/untrusted.js';
import { canonicalJson } from '../../foundation/digest.js';
import { writeLimits } from '../../platform/contract/moderation-writes.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { PulledDigests, RuleSet } from '../../platform/contract/rule-set.js';
import {
  collections,
  digestOf,
  formOf,
  listsNamedBy,
  type Part,
  type PartKind,
  sentOver,
} from '../../platform/loader/part-form.js';
import { limitsExceeded } from './limits.js';
import { orderWrites, type Write } from './order.js';
import { absent, type LiveParts, listsOfExceptions, type PartName, partsById, stateOf, type Wanted } from './parts.js';

/** A reason not to begin. `--overwrite` ignores the first three codes. */
export type Refusal =
  /**
   * Someone else changed or deleted the part since the rules were pulled. For rules that were never
   * pulled, this is not known.
   */
  | ({ readonly code: 'changed-there' | 'deleted-there' | 'never-pulled' } & PartName)
  | ({ readonly code: 'limit'; readonly detail: string } & PartName)
  | ({ readonly code: 'too-many'; readonly most: number } & Pick<PartName, 'kind'>)
  /** A rule would name a list that does not exist. */
  | { readonly code: 'no-list'; readonly id: string; readonly ruleId: string }
  | { readonly code: 'malformed'; readonly detail: string };

/**
 * A difference that is not sent: fields that the platform does not accept, fields of a built-in
 * rule, lists that only exceptions name, and deletions without `--delete`.
 */
export interface Unsent extends PartName {
  readonly why: 'not-taken' | 'built-in' | 'exceptions' | 'delete';
  readonly fields?: readonly string[];
}

/** The writes in their order, and the reasons not to begin. */
export interface Plan {
  readonly writes: readonly Write[];
  /**
   * The parts whose write may, for a moment, let through messages that both the old and the new
   * rules stop.
   */
  readonly gaps: readonly PartName[];
  readonly refusals: readonly Refusal[];
  readonly unsent: readonly Unsent[];
}

interface PlanOptions {
  /**
   * The digests of the parts as they were pulled. If absent, a part is unchanged since it was
   * pulled if it has the `revisionId` of the file.
   */
  readonly base?: PulledDigests | undefined;
  /** Digests of lists between the two writes of an earlier apply that was interrupted. */
  readonly between?: Readonly<Record<string, string>> | undefined;
  /** Whether to delete parts that were pulled and are no longer in the rule set. */
  readonly isDeleting?: boolean | undefined;
  readonly isOverwriting?: boolean | undefined;
}

const kinds = ['list', 'rule'] as const;

/**
 * Plans the writes that give a platform the rules of a rule set. Nothing may be written if there
 * are refusals.
 */
export function planApply(
  ruleSet: Pick<RuleSet, 'rules' | 'lists' | 'semantics'>,
  live: LiveParts,
  options: PlanOptions,
): Plan {
  const refusals: Refusal[] = kinds.flatMap((kind) => malformedParts(kind, ruleSet));
  const { wanted, unsent } = differences(ruleSet, live, options);
  const foreign = foreignParts(ruleSet, live, options);
  for (const { kind, id, part } of wanted) {
    const code = options.isOverwriting === true ? undefined : foreign({ kind, id });
    if (code !== undefined) refusals.push({ code, kind, id });
    if (part !== undefined)
      for (const { detail } of limitsExceeded(kind, part)) refusals.push({ code: 'limit', kind, id, detail });
  }
  const { writes, gaps } = orderWrites(wanted, live);
  return { writes, gaps, refusals: [...refusals, ...tooMany(writes, live), ...newlyMissing(writes, live)], unsent };
}

/** Returns a refusal for each part of a kind that has no id, or has the same id as another. */
function malformedParts(kind: PartKind, ruleSet: LiveParts): Refusal[] {
  const target = partsById(ruleSet, kind);
  return (ruleSet[collections[kind]] as readonly Part[]).flatMap((part) => {
    const id: unknown = asFields(part)?.id;
    if (typeof id === 'string' && id !== '' && target.get(id) === part) return [];
    const detail = typeof id === 'string' ? `there are two ${kind}s \`${id}\`` : `a ${kind} has no id`;
    return [{ code: 'malformed', detail }];
  });
}

/** Returns the changes that the platform needs, and the differences that are not sent. */
function differences(
  ruleSet: Pick<RuleSet, 'rules' | 'lists' | 'semantics'>,
  live: LiveParts,
  { base, isDeleting = false }: PlanOptions,
): { readonly wanted: readonly Wanted[]; readonly unsent: readonly Unsent[] } {
  const [wanted, unsent]: [Wanted[], Unsent[]] = [[], []];
  const excepting = listsOfExceptions(ruleSet);
  for (const kind of kinds) {
    const [target, there] = [partsById(ruleSet, kind), partsById(live, kind)];
    for (const [id, part] of target) {
      const before = there.get(id);
      if (stateOf(kind, part) === stateOf(kind, before)) continue;
      if (kind === 'list' && excepting.has(id)) {
        unsent.push({ kind, id, why: 'exceptions' });
        continue;
      }
      const isFixed = kind === 'rule' && before?.default === true;
      const { enabled, action } = part as Rule;
      const after = sentOver(kind, isFixed ? { ...(before as Rule), enabled, action } : part, before);
      const fields = differingFields(kind, part, after);
      if (fields.length > 0) unsent.push({ kind, id, why: isFixed ? 'built-in' : 'not-taken', fields });
      if (stateOf(kind, after) !== stateOf(kind, before)) wanted.push({ kind, id, part: after });
    }
    for (const id of Object.keys(base?.[collections[kind]] ?? {})) {
      const before = there.get(id);
      if (target.has(id) || before === undefined) continue;
      if (before.default === true) unsent.push({ kind, id, why: 'built-in' });
      else if (isDeleting) wanted.push({ kind, id, part: undefined });
      else unsent.push({ kind, id, why: 'delete' });
    }
  }
  return { wanted, unsent };
}

/**
 * Returns a function that says why the content of a part on the platform may be someone else's
 * change.
 */
function foreignParts(ruleSet: LiveParts, live: LiveParts, { base, between }: PlanOptions) {
  const byKind = { rule: partsById(ruleSet, 'rule'), list: partsById(ruleSet, 'list') };
  const there = { rule: partsById(live, 'rule'), list: partsById(live, 'list') };
  return ({ kind, id }: PartName): 'changed-there' | 'deleted-there' | 'never-pulled' | undefined => {
    const before = there[kind].get(id);
    const state = stateOf(kind, before);
    if (kind === 'list' && digestOf(between, id) === state) return undefined;
    if (base === undefined) return byKind[kind].get(id)?.revisionId === before?.revisionId ? undefined : 'never-pulled';
    if ((digestOf(base[collections[kind]], id) ?? absent) === state) return undefined;
    return before === undefined ? 'deleted-there' : 'changed-there';
  };
}

/**
 * Returns the kinds of parts of which the platform cannot hold the new ones while the old ones
 * still exist.
 */
function tooMany(writes: readonly Write[], live: LiveParts): Refusal[] {
  return kinds.flatMap((kind) => {
    const most = writeLimits[collections[kind]];
    const created = writes.filter((write) => write.kind === kind && write.before === undefined).length;
    const count = (live[collections[kind]] as readonly Part[]).filter((part) => part.default !== true).length;
    return created > 0 && count + created > most ? [{ code: 'too-many', kind, most }] : [];
  });
}

/**
 * Returns the rules that would, at any moment, name a list that does not exist. Rules that already
 * do so now are left out.
 */
function newlyMissing(writes: readonly Write[], live: LiveParts): Refusal[] {
  const [rules, lists] = [partsById(live, 'rule'), partsById(live, 'list')];
  const missing = () =>
    [...rules.values()].flatMap((rule) =>
      listsNamedBy(rule as Rule).flatMap((id) => (lists.has(id) ? [] : [canonicalJson([rule.id, id])])),
    );
  const seen = new Set(missing());
  const before = new Set(seen);
  for (const { kind, id, after } of writes) {
    const sources = kind === 'rule' ? rules : lists;
    if (after === undefined) sources.delete(id);
    else sources.set(id, after);
    for (const key of missing()) seen.add(key);
  }
  return [...seen]
    .filter((key) => !before.has(key))
    .map((key) => {
      const [ruleId, id] = JSON.parse(key) as [string, string];
      return { code: 'no-list', id, ruleId };
    });
}

function differingFields(kind: PartKind, left: Part, right: Part): string[] {
  const [a, b] = [formOf(kind, left), formOf(kind, right)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (field) => canonicalJson(a[field]) !== canonicalJson(b[field]),
  );
}
