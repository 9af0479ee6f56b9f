/** The plan of a change of rules on a platform: the parts to be written, and the reasons against it. */
import { asFields } from '../../engine/compile/untrusted.js';
import { canonicalJson } from '../../foundation/digest.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { PulledDigests, RuleSet } from '../../platform/contract/rule-set.js';
import { collections, formOf, type Part, type PartKind, sentOver } from '../../platform/loader/part-form.js';
import { limitsExceeded } from './limits.js';
import { orderWrites, type Window, type Write } from './order.js';
import {
  absent,
  type LiveParts,
  listsNamedBy,
  nameOf,
  type PartName,
  partsById,
  stateOf,
  type Wanted,
} from './parts.js';

/** A reason not to begin. `--overwrite` ignores the first three. */
export type Refusal =
  /** Another content, which others made since the rules were pulled. */
  | ({ readonly code: 'changed-there' | 'deleted-there' } & PartName)
  | ({ readonly code: 'window' } & Window)
  | ({ readonly code: 'limit'; readonly detail: string } & PartName)
  | ({ readonly code: 'too-many'; readonly most: number } & Pick<PartName, 'kind'>)
  /** A rule would name a list that is not there. */
  | { readonly code: 'no-list'; readonly id: string; readonly ruleId: string }
  | { readonly code: 'malformed'; readonly detail: string };

/** A difference that is not sent: fields that the platform does not take, fields of a built-in rule, parts that are gone without `--delete`. */
export interface Unsent extends PartName {
  readonly why: 'not-taken' | 'built-in' | 'delete';
  readonly fields?: readonly string[];
}

/** The work, in this order. */
export interface Plan {
  readonly writes: readonly Write[];
  readonly refusals: readonly Refusal[];
  readonly unsent: readonly Unsent[];
}

/** The basis of a plan. */
export interface PlanOptions {
  /** The digests of the parts as they were pulled. Absent: a part is as it was pulled if it has the `revisionId` of the file. */
  readonly base?: PulledDigests | undefined;
  /** Digests that earlier applies wrote, by `nameOf` of the part; `absent` where they deleted it. */
  readonly written?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** Whether parts go that were pulled and are not in the rule set. */
  readonly isDeleting?: boolean | undefined;
  readonly isOverwriting?: boolean | undefined;
}

const kinds = ['list', 'rule'] as const;

/** Plans how a platform comes to have a rule set. Nothing may be written while there are refusals. */
export function planApply(ruleSet: Pick<RuleSet, 'rules' | 'lists'>, live: LiveParts, options: PlanOptions): Plan {
  const refusals: Refusal[] = [];
  const unsent: Unsent[] = [];
  const wanted: Wanted[] = [];
  for (const kind of kinds) {
    const [target, there] = [partsById(ruleSet, kind), partsById(live, kind)];
    for (const part of ruleSet[collections[kind]] as readonly Part[]) {
      const id: unknown = asFields(part)?.id;
      if (typeof id === 'string' && id !== '' && target.get(id) === part) continue;
      const detail = typeof id === 'string' ? `there are two ${kind}s \`${id}\`` : `a ${kind} has no id`;
      refusals.push({ code: 'malformed', detail });
    }
    for (const [id, part] of target) {
      const before = there.get(id);
      const isFixed = kind === 'rule' && before?.default === true;
      const { enabled, action } = part as Rule;
      if (stateOf(kind, part) === stateOf(kind, before)) continue;
      const after = sentOver(kind, isFixed ? { ...(before as Rule), enabled, action } : part, before);
      const fields = differingFields(kind, part, after);
      if (fields.length > 0) unsent.push({ kind, id, why: isFixed ? 'built-in' : 'not-taken', fields });
      wanted.push({ kind, id, part: after });
    }
    for (const id of Object.keys(options.base?.[collections[kind]] ?? {})) {
      const before = there.get(id);
      if (target.has(id) || before === undefined) continue;
      if (before.default === true) unsent.push({ kind, id, why: 'built-in' });
      else if (options.isDeleting === true) wanted.push({ kind, id, part: undefined });
      else unsent.push({ kind, id, why: 'delete' });
    }
  }
  const revisions = new Map(
    kinds.flatMap((kind) => [...partsById(ruleSet, kind)].map(([id, part]) => [nameOf({ kind, id }), part.revisionId])),
  );
  const isKnown = (name: PartName, before: Part | undefined) => {
    const { base, written } = options;
    const state = stateOf(name.kind, before);
    if (written?.get(nameOf(name))?.has(state)) return true;
    if (base !== undefined) return (base[collections[name.kind]][name.id] ?? absent) === state;
    return revisions.get(nameOf(name)) === before?.revisionId;
  };
  return { ...finishPlan(wanted, live, isKnown, options.isOverwriting === true, refusals), unsent };
}

/** Plans how a platform comes to have again what it had before writes; `written` are the states of the parts since. */
export function planUndo(
  wanted: readonly Wanted[],
  live: LiveParts,
  { written, isOverwriting = false }: Pick<PlanOptions, 'written' | 'isOverwriting'>,
): Plan {
  const sent = wanted.map(({ kind, id, part }): Wanted => {
    const before = partsById(live, kind).get(id);
    return { kind, id, part: part && sentOver(kind, part, before) };
  });
  const isKnown = (name: PartName, before: Part | undefined) =>
    written?.get(nameOf(name))?.has(stateOf(name.kind, before)) === true;
  return { ...finishPlan(sent, live, isKnown, isOverwriting, []), unsent: [] };
}

function finishPlan(
  wanted: readonly Wanted[],
  live: LiveParts,
  isKnown: (name: PartName, before: Part | undefined) => boolean,
  isOverwriting: boolean,
  refusals: readonly Refusal[],
): Pick<Plan, 'writes' | 'refusals'> {
  const refused: Refusal[] = [...refusals];
  const there = { rule: partsById(live, 'rule'), list: partsById(live, 'list') };
  const changed = wanted.filter(({ kind, id, part }) => stateOf(kind, part) !== stateOf(kind, there[kind].get(id)));
  for (const { kind, id, part } of changed) {
    const before = there[kind].get(id);
    const code = before === undefined ? 'deleted-there' : 'changed-there';
    if (!isOverwriting && !isKnown({ kind, id }, before)) refused.push({ code, kind, id });
    if (part !== undefined)
      for (const detail of limitsExceeded(kind, part)) refused.push({ code: 'limit', kind, id, detail });
  }
  const { writes, windows, tooMany } = orderWrites(changed, live);
  if (tooMany !== undefined) refused.push({ code: 'too-many', ...tooMany });
  if (!isOverwriting) for (const window of windows) refused.push({ code: 'window', ...window });
  return { writes, refusals: [...refused, ...newlyMissing(writes, live)] };
}

/** Returns the rules that would, at any moment, name a list that is not there, unless they do already. */
function newlyMissing(writes: readonly Write[], live: LiveParts): Refusal[] {
  const [rules, lists] = [partsById(live, 'rule'), partsById(live, 'list')];
  const missing = () =>
    [...rules.values()].flatMap((rule) =>
      listsNamedBy(rule as Rule).flatMap((id) => (lists.has(id) ? [] : [canonicalJson([rule.id, id])])),
    );
  const seen = new Set(missing());
  const before = new Set(seen);
  for (const { kind, id, after } of writes) {
    const parts = kind === 'rule' ? rules : lists;
    if (after === undefined) parts.delete(id);
    else parts.set(id, after);
    for (const key of missing()) seen.add(key);
  }
  return [...seen]
    .filter((key) => !before.has(key))
    .map((key) => {
      const [ruleId, id] = JSON.parse(key) as [string, string];
      return { code: 'no-list', id, ruleId };
    });
}

function differingFields(kind: PartKind, one: Part, other: Part): string[] {
  const [a, b] = [formOf(kind, one), formOf(kind, other)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (field) => canonicalJson(a[field]) !== canonicalJson(b[field]),
  );
}
