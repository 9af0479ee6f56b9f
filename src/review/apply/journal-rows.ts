/** The rows of the journal of an apply: each part as it was before a write, and as it was to become. */
import type { Part, PartKind } from '../../platform/loader/part-form.js';
import { nameOf, type PartName, stateOf, type Wanted } from './parts.js';

/** One row. Null stands for a part that does not exist. */
export interface JournalRow extends PartName {
  readonly was: Part | null;
  readonly becomes: Part | null;
}

/** Returns all states that parts had by these rows, by `nameOf`: no one else made them. */
export function keptStates(rows: readonly JournalRow[]): Map<string, Set<string>> {
  const states = new Map<string, Set<string>>();
  const add = (kind: PartKind, id: string, part: Part | null) => {
    const name = nameOf({ kind, id });
    states.set(name, (states.get(name) ?? new Set()).add(stateOf(kind, part ?? undefined)));
  };
  for (const { kind, id, was, becomes } of rows) {
    add(kind, id, was);
    add(kind, id, becomes);
  }
  return states;
}

/** Returns the parts as they were before the first row about each. */
export function wantedOfJournal(rows: readonly JournalRow[]): Wanted[] {
  const first = new Map<string, Wanted>();
  for (const { kind, id, was } of rows) {
    const name = nameOf({ kind, id });
    if (!first.has(name)) first.set(name, { kind, id, part: was ?? undefined });
  }
  return [...first.values()];
}
