/** The limits of live platforms, which refuse a rule or a list beyond them. */
import { asFields, asList, asString } from '../../engine/compile/untrusted.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import type { Rule } from '../../platform/contract/rule.js';
import { type Part, type PartKind, termsOf } from '../../platform/loader/part-form.js';

/** The most rules, and the most lists, that a platform takes beside those that it brings itself; counted when one is created. */
export const mostParts = 25;

/** The most bytes of the terms of a list, one a line. */
const mostListBytes = 1_000_000;

const mostCharacters = { id: 100, name: 100, description: 255 } as const;
const mostTermCharacters = 100;
const mostConditions = 10;

/** Returns the bytes of terms, one a line. */
export function bytesOf(terms: readonly string[]): number {
  const encoder = new TextEncoder();
  return terms.reduce((sum, term) => sum + encoder.encode(term).length + 1, 0);
}

/** Reports whether a list of these terms is too large. */
export function isTooLarge(terms: readonly string[]): boolean {
  return bytesOf(terms) > mostListBytes;
}

/** Describes the limits that a part exceeds. */
export function limitsExceeded(kind: PartKind, part: Part): string[] {
  const fields = asFields(part) ?? {};
  const found: string[] = [];
  for (const [field, most] of Object.entries(mostCharacters)) {
    if ((asString(fields[field])?.length ?? 0) > most) found.push(`its ${field} has more than ${most} characters`);
  }
  if (kind === 'rule') {
    const { conditions, filters } = part as Rule;
    for (const [name, parts] of Object.entries({ conditions, filters })) {
      if (asList(parts).length > mostConditions) found.push(`it has more than ${mostConditions} ${name}`);
    }
    return found;
  }
  const terms = termsOf(part as KeywordList);
  const isLong = (part as KeywordList).category !== 'pattern' && terms.some((term) => term.length > mostTermCharacters);
  if (isLong) found.push(`a term has more than ${mostTermCharacters} characters`);
  if (isTooLarge(terms)) found.push('its terms have more than 1 MB');
  return found;
}
