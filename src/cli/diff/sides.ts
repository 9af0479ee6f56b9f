/**
 * Determines the two rule sets of a diff from the options, and refuses gates that do not fit them.
 */
import type { Semantics } from '../../engine/semantics.js';
import { UsageError } from '../../foundation/errors.js';
import type { DiffSides } from '../../review/compare/describe-change.js';
import { platformChanges, withNamedLists } from '../../review/compare/platform-changes.js';

/** The options that name rule sets. */
interface SideValues {
  readonly rules?: string | undefined;
  readonly against?: string | undefined;
  readonly live?: boolean | undefined;
  readonly demo?: boolean | undefined;
}

/**
 * Reports whether rules differ from those of the platform in anything that a platform can have.
 * Readings count only if options name them.
 */
export function isPlatformOther(
  { rules, against }: DiffSides,
  [semantics, againstSemantics]: readonly Partial<Semantics>[],
) {
  const bare = ({ rules, lists }: DiffSides['rules']) => ({ rules, lists });
  const sides = { rules: bare(rules), against: bare(against), semantics, againstSemantics };
  return platformChanges(withNamedLists(sides)).length > 0;
}

/**
 * Returns the sources of the new and the old rules: a path, `platform`, `other` for the same rules
 * with other readings, or `proposed` for the change of the demo.
 */
export function sidesOf({ rules, against, live, demo }: SideValues, hasOther: boolean): readonly [string, string] {
  const isLive = live === true || demo === true;
  if (rules !== undefined && against !== undefined) {
    if (!live) return [rules, against];
    throw new UsageError('`--rules` and `--against` give both rule sets; leave out one of them, or `--live`');
  }
  if (rules !== undefined) {
    if (isLive || hasOther) return [rules, isLive ? 'platform' : 'other'];
    throw new UsageError(
      'nothing to compare with; add `--against FILE`, or `--live` for the rules of the platform, or `--against-semantics FILE`',
    );
  }
  if (against !== undefined) {
    if (isLive) return ['platform', against];
    throw new UsageError('no new rules; add `--rules FILE`, or `--live` for the rules of the platform');
  }
  if (isLive && hasOther) return ['platform', 'other'];
  if (demo) return ['proposed', 'platform'];
  throw new UsageError(
    'no rules; give `--rules NEW --against OLD`, or `--rules NEW --live` with `--base-url URL`, or `--demo`',
  );
}

/** Throws `UsageError` for a gate that would not check what it promises. */
export function refuseGate(
  gate: string,
  { isAssumed, lacksMessages }: { isAssumed: boolean; lacksMessages: boolean },
): void {
  if (lacksMessages) throw new UsageError(`\`${gate}\` needs messages; add \`--messages FILE\` or a platform`);
  if (gate === '' || !isAssumed) return;
  throw new UsageError(
    `\`${gate}\` with \`--semantics\` alone would judge the old rules by the new readings; add \`--against-semantics FILE\`, ` +
      'the readings of the old rules ({} for those that they bring), or `--against-semantics same` when they are the same',
  );
}
