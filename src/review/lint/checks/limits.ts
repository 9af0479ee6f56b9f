import { asFields, asList, asString, type Fields } from '../../../engine/compile/untrusted.js';
import { writeLimits } from '../../../platform/contract/moderation-writes.js';
import type { Part } from '../../../platform/loader/part-form.js';
import { limitsExceeded } from '../../apply/limits.js';
import type { Check } from '../context.js';
import type { Found } from '../finding.js';

/**
 * Finds rules and lists that exceed the documented limits of the platform, which may refuse them or
 * cut them off. The engine has no such limits.
 */
export const overLimit: Check = {
  id: 'over-limit',
  severity: 'info',
  *find({ ruleSet }) {
    const rules = ruleSet.rules.map(asFields).filter((fields) => fields !== undefined);
    const lists = (ruleSet.lists ?? []).map(asFields).filter((fields) => fields !== undefined);
    yield* tooMany(rules, 'rules');
    yield* tooMany(lists, 'lists');
    const subjects = [
      ...rules.map((rule) => ['rule', rule, { ruleId: asString(rule.id) ?? '' }] as const),
      ...lists.map((list) => ['list', withTerms(list), { listId: asString(list.id) ?? '' }] as const),
    ];
    for (const [kind, subject, place] of subjects)
      for (const { detail, index } of limitsExceeded(kind, subject as unknown as Part))
        yield { ...place, ...(index !== undefined && { index }), detail: `${detail}; the platform may refuse it` };
  },
};

/** Returns a copy of a list in which entries that are not texts are empty texts. */
function withTerms(list: Fields): Fields {
  return { ...list, searchTerms: asList(list.searchTerms).map((term) => asString(term) ?? '') };
}

function* tooMany(all: readonly Fields[], what: 'rules' | 'lists'): Generator<Found> {
  const count = all.filter((fields) => fields.default !== true).length;
  if (count <= writeLimits[what]) return;
  const detail = `there are ${count} own ${what}; the platform documents ${writeLimits[what]} at most`;
  yield { detail, mend: 'join those that are alike' };
}
