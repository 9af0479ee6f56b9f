/** The limits of live platforms, which refuse a rule or a list that exceeds them. */
import { asFields, asList, asString } from '../../engine/compile/untrusted.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import { isWritableId, writeLimits } from '../../platform/contract/moderation-writes.js';
import type { Rule } from '../../platform/contract/rule.js';
import { type Part, type PartKind, termsOf } from '../../platform/loader/part-form.js';

const encoder = new TextEncoder();

/** Reports whether a list of these terms is too large for a platform. */
export function isTooLarge(terms: readonly string[]): boolean {
  return encoder.encode(terms.join()).length > writeLimits.listBytes;
}

/**
 * A limit that a rule or a list exceeds, in words. `index` is the index of the term that exceeds
 * it.
 */
interface Exceeded {
  readonly detail: string;
  readonly index?: number;
}

/** Returns the limits that a rule or a list exceeds. */
export function limitsExceeded(kind: PartKind, part: Part): Exceeded[] {
  const fields = asFields(part) ?? {};
  const found: Exceeded[] = [];
  if (!isWritableId(part.id))
    found.push({ detail: `its id has other characters than letters, digits, \`.\`, \`_\` and \`-\`, or is too long` });
  const tooMany = (count: number, limit: keyof typeof writeLimits, what: string, whose = 'it') => {
    if (count > writeLimits[limit]) found.push({ detail: `${whose} has more than ${writeLimits[limit]} ${what}` });
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
  const index = terms.findIndex((term) => term.length > writeLimits.term);
  if (index >= 0) found.push({ detail: `a term has more than ${writeLimits.term} characters`, index });
  if (isTooLarge(terms)) found.push({ detail: 'its terms have more than 1 MB' });
  return found;
}
