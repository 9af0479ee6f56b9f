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

/** Every id that a finding can have. */
const ids = [...Object.keys(issueSeverities), ...checks.map(({ id }) => id)];

/**
 * Returns which findings are ignored: those that a call names, and those of `lint` of the rule set. Throws `UsageError` and
 * `RuleSetError`, if something is not a list of entries, or no finding has an id.
 */
export function ignoredFindings(ruleSet: RuleSetInput, given: readonly IgnoredFinding[] = []): IgnoredFinding[] {
  const { lint = [] } = ruleSet;
  const ignore = Array.isArray(lint) ? lint : ((lint as { readonly ignore?: unknown }).ignore ?? []);
  const asked = faultOf(given);
  if (asked !== undefined) throw new UsageError(`\`ignore\`: ${asked}`);
  const written = faultOf(ignore);
  if (written !== undefined) throw new RuleSetError(`\`lint\` of the rule set: ${written}`);
  return [...given, ...(ignore as readonly IgnoredFinding[])];
}

/** Returns the findings that are not ignored. An entry may be about no finding: one call serves many rule sets. */
export function withoutIgnored(findings: readonly Finding[], ignored: readonly IgnoredFinding[]): Finding[] {
  return findings.filter((finding) => !ignored.some((entry) => isAbout(entry, finding)));
}

function faultOf(entries: unknown): string | undefined {
  if (!Array.isArray(entries)) return 'must be an array of entries such as { "id": "covered", "listId": "spam" }';
  for (const [at, entry] of entries.entries()) {
    const own: object = typeof entry === 'object' && entry !== null ? entry : {};
    if (!('id' in own) || typeof own.id !== 'string') return `entry ${at + 1} has no \`id\` of findings`;
    const unknown = Object.keys(own).find(
      (name) => name !== 'id' && name !== 'why' && !fields.some((known) => known === name),
    );
    const { id } = own;
    if (!ids.includes(id)) {
      const [near] = nearestNames(id, ids);
      const hint = near === undefined ? 'docs/lint.md lists them' : `did you mean \`${near}\`?`;
      return `no finding has the id \`${id.slice(0, 40)}\`; ${hint}`;
    }
    if (unknown !== undefined) return `entry ${at + 1}: there is no \`${unknown}\`; a place is ${fields.join(', ')}`;
  }
  return undefined;
}

/** Reports whether an entry is about a finding: of its id, and of each place that it names. */
function isAbout(entry: IgnoredFinding, finding: Finding): boolean {
  return (
    entry.id === finding.id && fields.every((field) => entry[field] === undefined || entry[field] === finding[field])
  );
}
