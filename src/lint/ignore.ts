/** Findings that people know of and do not want to see: by id and place, of a call or of the rule set itself. */
import type { RuleSetInput } from '../engine.js';
import { RuleSetError, UsageError } from '../errors.js';
import type { Finding, IgnoredFinding } from './finding.js';

const fields = [
  'ruleId',
  'conditionId',
  'listId',
  'index',
  'term',
  'pattern',
] as const satisfies (keyof IgnoredFinding)[];

/** What is ignored of a rule set: what a call says, and `lint` of the rule set. Throws `UsageError` and `RuleSetError` for what is no such list. */
export function ignoredFindings(
  ruleSet: RuleSetInput,
  given: readonly IgnoredFinding[] = [],
): readonly IgnoredFinding[] {
  const { lint = [] } = ruleSet;
  const ignore = Array.isArray(lint) ? lint : ((lint as { readonly ignore?: unknown }).ignore ?? []);
  const asked = faultOf(given);
  if (asked !== undefined) throw new UsageError(`\`ignore\`: ${asked}`);
  const own = faultOf(ignore);
  if (own !== undefined) throw new RuleSetError(`\`lint\` of the rule set: ${own}`);
  return [...given, ...(ignore as readonly IgnoredFinding[])];
}

function faultOf(entries: unknown): string | undefined {
  if (!Array.isArray(entries)) return 'must be an array of entries such as { "id": "covered", "listId": "spam" }';
  for (const [at, entry] of entries.entries()) {
    const own: object = typeof entry === 'object' && entry !== null ? entry : {};
    if (!('id' in own) || typeof own.id !== 'string') return `entry ${at + 1} has no \`id\` of findings`;
    const unknown = Object.keys(own).find(
      (name) => name !== 'id' && name !== 'why' && !fields.some((known) => known === name),
    );
    if (unknown !== undefined) return `entry ${at + 1}: there is no \`${unknown}\`; a place is ${fields.join(', ')}`;
  }
  return undefined;
}

/** Whether an entry is about a finding: of its id, and of each place that it names. */
function isAbout(entry: IgnoredFinding, finding: Partial<Finding>): boolean {
  return (
    entry.id === finding.id && fields.every((field) => entry[field] === undefined || entry[field] === finding[field])
  );
}

/** Whether a finding is ignored. */
export function isIgnored(finding: Partial<Finding>, entries: readonly IgnoredFinding[]): boolean {
  return entries.some((entry) => isAbout(entry, finding));
}

/**
 * The findings that are left, and one of `needless-ignore` for each entry that ignores none, but for entries of ids that nothing was looked
 * for of: `unasked`. Such a finding can be ignored too.
 */
export function withoutIgnored(
  findings: readonly Finding[],
  entries: readonly IgnoredFinding[],
  unasked: ReadonlySet<string>,
): Finding[] {
  // By id: an entry is compared with the findings of its own alone.
  const byId = new Map<string, IgnoredFinding[]>();
  for (const entry of entries) {
    const same = byId.get(entry.id);
    if (same === undefined) byId.set(entry.id, [entry]);
    else same.push(entry);
  }
  const used = new Set<IgnoredFinding>();
  const left = findings.filter((finding) => {
    const about = (byId.get(finding.id) ?? []).filter((entry) => isAbout(entry, finding));
    for (const entry of about) used.add(entry);
    return about.length === 0;
  });
  const needless = entries
    .filter((entry) => !used.has(entry) && !unasked.has(entry.id) && entry.id !== 'needless-ignore')
    .map(
      ({ id, why: _, ...place }): Finding => ({
        ...(place as Partial<Finding>),
        id: 'needless-ignore',
        severity: 'warning',
        detail: `\`${id}\` is ignored here, and there is no such finding`,
        mend: 'take the entry out of `ignore`',
      }),
    );
  return [...left, ...needless.filter((finding) => !isIgnored(finding, entries))];
}
