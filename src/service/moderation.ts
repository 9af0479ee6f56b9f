import type { ModerationRow } from './data.js';

/** The rules and keyword lists that are served: those of the data, or those of a revision. */
export interface Moderation {
  readonly rules: readonly ModerationRow[];
  /** By id; the first of several. */
  readonly ruleById: ReadonlyMap<string, ModerationRow>;
  readonly listById: ReadonlyMap<string, ModerationRow>;
}

/** Indexes rules and lists. */
export function createModeration(rules: readonly ModerationRow[], lists: readonly ModerationRow[]): Moderation {
  return { rules, ruleById: firstById(rules), listById: firstById(lists) };
}

function firstById(rows: readonly ModerationRow[]): ReadonlyMap<string, ModerationRow> {
  return new Map(rows.toReversed().map((row) => [row.id, row]));
}
