/** The differences between the readings of two rule sets. */
import { asFields, asString } from '../../engine/compile/untrusted.js';
import { defaultSemantics, resolveSemantics, type Semantics } from '../../engine/semantics.js';
import { canonicalJson } from '../../foundation/digest.js';

/**
 * A changed reading as plain data. A function is written as `function`, the pattern engine as its
 * name.
 */
export interface ReadingChange {
  /** The name of the reading, such as `words`. */
  readonly reading: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Lists the readings that differ, in the order of `Semantics`. An absent reading has its default
 * value. Throws `UsageError` for invalid readings.
 */
export function readingChanges(
  before: Partial<Semantics> | undefined,
  after: Partial<Semantics> | undefined,
): ReadingChange[] {
  const [old, now] = [resolveSemantics(before), resolveSemantics(after)];
  return (Object.keys(now) as (keyof Semantics)[]).flatMap((reading): ReadingChange[] => {
    const [was, is] = [plain(old[reading]), plain(now[reading])];
    // Functions have no JSON that could be compared.
    const isEqual = typeof now[reading] === 'function' ? old[reading] === now[reading] : isSame(was, is);
    return isEqual ? [] : [{ reading, before: was, after: is }];
  });
}

/** Returns the readings that differ from the defaults, as plain data. */
export function changedReadings(semantics: Partial<Semantics> | undefined): Readonly<Record<string, unknown>> {
  const resolved = Object.entries(resolveSemantics(semantics)) as [keyof Semantics, unknown][];
  const changed = resolved.filter(([reading, value]) => !isSame(plain(value), plain(defaultSemantics[reading])));
  return Object.fromEntries(changed.map(([reading, value]) => [reading, plain(value)]));
}

/** Converts a reading to plain data. */
function plain(reading: unknown): unknown {
  if (typeof reading === 'function') return 'function';
  const fields = asFields(reading);
  return fields !== undefined && typeof fields.compile === 'function' ? asString(fields.name) : reading;
}

/** Compares resolved readings. They are never undefined, so equal JSON means equal data. */
function isSame(before: unknown, after: unknown): boolean {
  return before === after || canonicalJson(before) === canonicalJson(after);
}
