/** Findings that are known and left out, by id and place, of a call or of the rule set itself. */
import { issueSeverities } from '../../engine/compile/issue.js';
import type { RuleSetInput } from '../../engine/engine.js';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { nearestNames } from '../../foundation/nearest-names.js';
import { checks } from './checks.js';
import type { Finding, IgnoredFinding } from './finding.js';

const fields = [
  'ruleId',
  'conditionId',
  'listId',
  'index',
  'term',
  'pattern',
] as const satisfies (keyof IgnoredFinding)[];

/** The findings to ignore, from a call and from `lint` of the rule set. Only entries of the latter must ignore something. */
interface Ignored {
  readonly given: readonly IgnoredFinding[];
  readonly own: readonly IgnoredFinding[];
}

/** Every id that a finding can have. */
const ids = [...Object.keys(issueSeverities), ...checks.map(({ id }) => id), 'needless-ignore'];

/**
 * Reads which findings are ignored. Throws `UsageError` if a call gives something that is not a list of entries, or names an unknown finding,
 * and `RuleSetError` if `lint` of the rule set is not such a list.
 */
export function ignoredFindings(ruleSet: RuleSetInput, given: readonly IgnoredFinding[] = []): Ignored {
  const { lint = [] } = ruleSet;
  const ignore = Array.isArray(lint) ? lint : ((lint as { readonly ignore?: unknown }).ignore ?? []);
  const asked = faultOf(given);
  if (asked !== undefined) throw new UsageError(`\`ignore\`: ${asked}`);
  for (const { id } of given) if (!ids.includes(id)) throw new UsageError(`\`ignore\`: ${unknownWords(id)}`);
  const own = faultOf(ignore);
  if (own !== undefined) throw new RuleSetError(`\`lint\` of the rule set: ${own}`);
  return { given, own: ignore as readonly IgnoredFinding[] };
}

/** Says that no finding has the id, and which one may be meant. */
function unknownWords(id: string): string {
  const [near] = nearestNames(id, ids);
  const hint = near === undefined ? 'docs/lint.md lists them' : `did you mean \`${near}\`?`;
  return `no finding has the id \`${id.slice(0, 40)}\`; ${hint}`;
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

/** Reports whether an entry is about a finding: of its id, and of each place that it names. */
function isAbout(entry: IgnoredFinding, finding: Partial<Finding>): boolean {
  return (
    entry.id === finding.id && fields.every((field) => entry[field] === undefined || entry[field] === finding[field])
  );
}

/** Reports whether a finding is ignored. */
function isIgnored(finding: Partial<Finding>, entries: readonly IgnoredFinding[]): boolean {
  return entries.some((entry) => isAbout(entry, finding));
}

/**
 * Returns the remaining findings, and a `needless-ignore` for each entry of the rule set that ignores none, except entries whose id is in `unasked`,
 * which were not looked for. Such a finding can be ignored too. Entries of a call may match nothing, since one call serves many rule sets.
 */
export function withoutIgnored(
  findings: readonly Finding[],
  { given, own }: Ignored,
  unasked: ReadonlySet<string>,
): Finding[] {
  const entries = [...given, ...own];
  // An entry is compared only with the findings of its own id.
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
  const needless = own
    .filter((entry) => !used.has(entry) && !unasked.has(entry.id) && entry.id !== 'needless-ignore')
    .map(
      ({ id, why: _, ...place }): Finding => ({
        ...(place as Partial<Finding>),
        id: 'needless-ignore',
        severity: 'warning',
        detail: ids.includes(id) ? `\`${id}\` is ignored here, and there is no such finding` : unknownWords(id),
        mend: ids.includes(id) ? 'take the entry out of `ignore`' : 'write the id of a finding, or take the entry out',
      }),
    );
  return [...left, ...needless.filter((finding) => !isIgnored(finding, entries))];
}
