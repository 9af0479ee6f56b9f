/**
 * Selects findings that are known and left out, by id and place. A call or the rule set itself
 * names them.
 */
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

/** All ids that findings can have. */
const ids = [...Object.keys(issueSeverities), ...checks.map(({ id }) => id)];

/**
 * Returns the entries that select ignored findings: those of a call, and those of the field `lint`
 * of the rule set. Throws `UsageError` for the first and `RuleSetError` for the second if they are
 * not a list of entries, or name an unknown id.
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

/**
 * Returns the findings that no entry selects. An entry may select nothing, since one call serves
 * many rule sets.
 */
export function withoutIgnored(findings: readonly Finding[], ignored: readonly IgnoredFinding[]): Finding[] {
  return findings.filter((finding) => !ignored.some((entry) => isAbout(entry, finding)));
}

function faultOf(entries: unknown): string | undefined {
  if (!Array.isArray(entries)) return 'must be an array of entries such as { "id": "covered", "listId": "spam" }';
  for (const [at, entry] of entries.entries()) {
    const given: object = typeof entry === 'object' && entry !== null ? entry : {};
    if (!('id' in given) || typeof given.id !== 'string') return `entry ${at + 1} has no \`id\` of findings`;
    const unknown = Object.keys(given).find(
      (name) => name !== 'id' && name !== 'why' && !fields.some((known) => known === name),
    );
    const { id } = given;
    if (!ids.includes(id)) {
      const [near] = nearestNames(id, ids);
      const hint = near === undefined ? 'docs/lint.md lists them' : `did you mean \`${near}\`?`;
      return `no finding has the id \`${id.slice(0, 40)}\`; ${hint}`;
    }
    if (unknown !== undefined) return `entry ${at + 1}: there is no \`${unknown}\`; a place is ${fields.join(', ')}`;
  }
  return undefined;
}

/**
 * Reports whether an entry selects a finding: its id and every place that the entry names are those
 * of the finding.
 */
function isAbout(entry: IgnoredFinding, finding: Finding): boolean {
  return (
    entry.id === finding.id && fields.every((field) => entry[field] === undefined || entry[field] === finding[field])
  );
}
