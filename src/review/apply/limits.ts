/** The limits of live platforms, which refuse a rule or a list beyond them. */
import { asFields, asList, asString } from '../../engine/compile/untrusted.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import { isWritableId, writeLimits } from '../../platform/contract/moderation-writes.js';
import type { Rule } from '../../platform/contract/rule.js';
import { type Part, type PartKind, termsOf } from '../../platform/loader/part-form.js';

const encoder = new TextEncoder();

/** Reports whether a list of these terms is too large. */
export function isTooLarge(terms: readonly string[]): boolean {
  return encoder.encode(terms.join()).length > writeLimits.listBytes;
}

export function limitsExceeded(kind: PartKind, part: Part): string[] {
  const fields = asFields(part) ?? {};
  const found: string[] = isWritableId(part.id)
    ? []
    : ['its id has other characters than letters, digits, `.`, `_` and `-`'];
  const tooMany = (count: number, limit: keyof typeof writeLimits, what: string, whose = 'it') => {
    if (count > writeLimits[limit]) found.push(`${whose} has more than ${writeLimits[limit]} ${what}`);
  };
  for (const field of ['name', 'description'] as const)
    tooMany(asString(fields[field])?.length ?? 0, field, 'characters', `its ${field}`);
  if (kind === 'rule') {
    const { conditions, filters } = part as Rule;
    tooMany(asList(conditions).length, 'conditions', 'conditions');
    tooMany(asList(filters).length, 'filters', 'filters');
    return found;
  }
  const terms = termsOf(part as KeywordList);
  tooMany(
    terms.reduce((most, term) => Math.max(most, term.length), 0),
    'term',
    'characters',
    'a term',
  );
  if (isTooLarge(terms)) found.push('its terms have more than 1 MB');
  return found;
}
