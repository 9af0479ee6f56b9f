import { asFields, asList, asString, type Fields } from '../../../engine/compile/untrusted.js';
import type { Check } from '../context.js';
import type { Found } from '../finding.js';

/** Characters of ids, names and descriptions, on the platform. */
const texts = [
  ['id', 100],
  ['name', 100],
  ['description', 255],
] as const;
const mostOfOwn = 25;
const mostInRule = 10;
const mostOfTerm = 100;
const mostOfList = 1_000_000;

/** Finds what exceeds the documented limits of the platform, which may refuse it or cut it off. The engine has no such limits. */
export const overLimit: Check = {
  id: 'over-limit',
  severity: 'info',
  *find({ ruleSet }) {
    const rules = ruleSet.rules.map(asFields).filter((fields) => fields !== undefined);
    const lists = (ruleSet.lists ?? []).map(asFields).filter((fields) => fields !== undefined);
    yield* tooMany(rules, 'rules');
    yield* tooMany(lists, 'lists');
    for (const rule of rules) {
      const place = { ruleId: asString(rule.id) ?? '' };
      yield* longTexts(rule, place);
      for (const part of ['conditions', 'filters'] as const) {
        const count = asList(rule[part]).length;
        if (count > mostInRule) yield over(place, `has ${count} ${part}`, mostInRule, 'split it into several rules');
      }
    }
    for (const list of lists) {
      const place = { listId: asString(list.id) ?? '' };
      yield* longTexts(list, place);
      let size = 0;
      for (const [index, term] of asList(list.searchTerms).entries()) {
        if (typeof term !== 'string') continue;
        size += encoder.encode(term).length + 1;
        if (term.length <= mostOfTerm) continue;
        const kind = list.category === 'pattern' ? { pattern: term } : { term };
        yield { ...over(place, `has ${term.length} characters`, mostOfTerm, 'shorten it'), index, ...kind };
      }
      if (size > mostOfList) yield over(place, `has ${size} bytes of terms`, mostOfList, 'split it into several lists');
    }
  },
};

function over(place: Pick<Found, 'ruleId' | 'listId'>, what: string, limit: number, mend: string): Found {
  return { ...place, detail: `${what}; the platform documents ${limit} at most`, mend };
}

function* tooMany(all: readonly Fields[], what: string): Generator<Found> {
  const own = all.filter((fields) => fields.default !== true).length;
  if (own > mostOfOwn) yield over({}, `there are ${own} own ${what}`, mostOfOwn, 'join those that are alike');
}

function* longTexts(fields: Fields, place: Pick<Found, 'ruleId' | 'listId'>): Generator<Found> {
  for (const [field, limit] of texts) {
    const text = asString(fields[field]) ?? '';
    if (text.length > limit) yield over(place, `\`${field}\` has ${text.length} characters`, limit, 'shorten it');
  }
  if (/[^\w-]/.test(asString(fields.id) ?? ''))
    yield { ...place, detail: '`id` has characters other than letters, digits, `-` and `_`', mend: 'take them out' };
}

const encoder = new TextEncoder();
