/**
 * The check `covered`: finds repeated terms and patterns, and terms that are covered by another:
 * every text that was tried and fires the one fires the other too.
 */
import { namesLists } from '../../../engine/compile/list-flags.js';
import { isTextOperand } from '../../../engine/compile/operands.js';
import { unquoteCsv } from '../../../engine/compile/terms.js';
import { asFields, asList } from '../../../engine/compile/untrusted.js';
import { charactersOf, createTermReader, keyOfTerm } from '../../../engine/compile/word-readings.js';
import { foldKey } from '../../../engine/match/folding.js';
import type { Check, LintContext } from '../context.js';
import { dominates, effectOf, lostActions } from '../effects.js';
import { type Entry, named, type Place } from '../entries.js';
import type { Found } from '../finding.js';

/**
 * Finds terms and patterns that can be left out: repeated ones, and terms that fire only if another
 * with the same effect fires.
 */
export const covered: Check = {
  id: 'covered',
  severity: 'warning',
  *find(context) {
    const reported = new Set<string>();
    for (const found of repetitions(context)) {
      reported.add(keyOf(found));
      yield found;
    }
    const { semantics, sources, firing } = context;
    if (semantics.conditions === 'all') return;
    const coverOf = createCovers(context, reported);
    const ruleOf = ({ reference }: Entry) =>
      context.compiled.rules[context.compiled.conditions[reference.condition]!.rule]!;
    const all = entriesByPlace(context);
    // Terms that can be left out without losing an action come first.
    for (const mayLose of [false, true]) {
      for (const [key, entries] of all) {
        const place = sources.placeOf(entries[0]!);
        // A list of exceptions without the term would except less.
        if (reported.has(key) || sources.exceptionLists.has(place.listId ?? '')) continue;
        const covers = entries.map((entry) => coverOf(entry, key, mayLose));
        const [by] = covers;
        if (by === undefined || covers.includes(undefined)) continue;
        reported.add(key);
        const lost = [...new Set(entries.flatMap((entry, at) => lostActions(ruleOf(covers[at]!), ruleOf(entry))))];
        const cover = named(sources.placeOf(by), place.ruleId);
        const isSame = covers.every((covering, at) => covering!.language === entries[at]!.language);
        const witness = firing.sampleOf(entries[0]!);
        yield {
          ...place,
          detail: isSame
            ? `is found where ${cover} is`
            : `fires ${cover} too, and so does every text with it that was tried`,
          mend: `leave it out: ${changesWithout(lost)}`,
          ...(witness !== undefined && { witness }),
        };
      }
    }
  },
};

/** Returns what changes if a covered term or pattern is left out. */
function changesWithout(lost: readonly string[]): string {
  if (lost.length === 0) return 'nothing changes';
  return `the verdict stays, ${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} no longer among the actions`;
}

const keyOf = ({ listId, ruleId, conditionId, index }: Place) =>
  JSON.stringify(listId === undefined ? [ruleId, conditionId, index] : [listId, index]);

/** Returns all entries by their place. Several conditions may name the same list. */
function entriesByPlace({ firing, sources }: LintContext): ReadonlyMap<string, readonly Entry[]> {
  const found = new Map<string, Entry[]>();
  for (let language = 0; language < firing.count; language++) {
    for (const entry of [...firing.entriesOf(language), ...firing.repeatedIn(language)]) {
      const key = keyOf(sources.placeOf(entry));
      const same = found.get(key);
      if (same === undefined) found.set(key, [entry]);
      else same.push(entry);
    }
  }
  return found;
}

/**
 * The largest number of covering terms and patterns that are examined for a term, and of effects of
 * rules for each of them.
 */
const most = { covers: 64, effects: 64 } as const;

/**
 * Creates the function that returns the entry that covers another. The covering entry has another
 * place, is not reported itself, has the same operand, and belongs to a rule with at least the same
 * effect. Entries to which exceptions apply are left out.
 */
function createCovers({ compiled, firing, sources }: LintContext, reported: ReadonlySet<string>) {
  const { rules, conditions } = compiled;
  const effects = rules.map(effectOf);
  const ruleAt = ({ reference }: Entry) => conditions[reference.condition]!.rule;
  /** The first entry for each operand and effect, by number. */
  const leaders = new Map<number, ReadonlyMap<string, Entry>>();
  const leadersOf = (language: number) => {
    const known = leaders.get(language);
    if (known !== undefined) return known;
    const found = new Map<string, Entry>();
    for (const entry of firing.entriesOf(language)) {
      const group = `${entry.operand} ${effects[ruleAt(entry)]}`;
      if (entry.reference.scopes === undefined && !found.has(group)) found.set(group, entry);
    }
    leaders.set(language, found);
    return found;
  };
  return (entry: Entry, key: string, mayLose: boolean): Entry | undefined => {
    if (entry.reference.scopes !== undefined) return undefined;
    const rule = rules[ruleAt(entry)]!;
    for (const language of [...firing.coveringOf(entry.language)].slice(0, most.covers)) {
      const group = `${entry.operand} ${effects[ruleAt(entry)]}`;
      const leading = leadersOf(language);
      const same = leading.get(group);
      for (const leader of [...(same === undefined ? [] : [same]), ...[...leading.values()].slice(0, most.effects)]) {
        const by = rules[ruleAt(leader)]!;
        if (leader.operand !== entry.operand || !dominates(by, rule)) continue;
        if (!mayLose && lostActions(by, rule).length > 0) continue;
        const leaderKey = keyOf(sources.placeOf(leader));
        if (leaderKey !== key && !reported.has(leaderKey)) return leader;
      }
    }
    return undefined;
  };
}

/**
 * Finds terms and patterns that occur twice in a list or condition, in the same form or in forms
 * that the folding makes equal.
 */
function* repetitions(context: LintContext): Generator<Found> {
  const { compiled, ruleSet, sources, semantics } = context;
  const reader = createTermReader(semantics);
  const kinds = new Map<unknown, Set<unknown>>();
  for (const fields of sources.conditions) {
    if (fields === undefined || !namesLists(fields) || !isTextOperand(fields.operand)) continue;
    for (const id of asList(fields.value)) kinds.set(id, (kinds.get(id) ?? new Set()).add(fields.category ?? 'word'));
  }
  const seenIn = new Set<unknown>();
  for (const value of ruleSet.lists ?? []) {
    const { id, searchTerms, isCSV } = asFields(value) ?? {};
    const kindsOfId = kinds.get(id);
    if (kindsOfId === undefined || seenIn.has(id)) continue;
    seenIn.add(id);
    const written = asList(searchTerms).map((term) =>
      isCSV === true && typeof term === 'string' ? unquoteCsv(term) : term,
    );
    yield* repeatedIn(written, kindsOfId.has('pattern') ? 'pattern' : 'word', { listId: id as string });
  }
  for (const [index, { id, rule }] of compiled.conditions.entries()) {
    const fields = sources.conditions[index];
    const kind = fields?.category ?? 'word';
    if (fields === undefined || namesLists(fields) || (kind !== 'word' && kind !== 'pattern')) continue;
    if (isTextOperand(fields.operand))
      yield* repeatedIn(asList(fields.value), kind, { ruleId: compiled.rules[rule]!.id, conditionId: id });
  }

  function* repeatedIn(values: readonly unknown[], kind: Entry['kind'], where: Place): Generator<Found> {
    const before = new Map<string, number>();
    for (const [index, written] of values.entries()) {
      if (typeof written !== 'string' || written.trim() === '') continue;
      // A list that also holds exceptions may be folded differently there.
      const isAsWritten = kind === 'pattern' || sources.exceptionLists.has(where.listId ?? '');
      const key = isAsWritten ? written : termKey(written, where.listId);
      const first = before.get(key);
      if (first === undefined) {
        before.set(key, index);
        continue;
      }
      yield {
        ...where,
        index,
        ...(kind === 'word' ? { term: written } : { pattern: written }),
        detail: `is there twice${values[first] === written ? '' : `: as \`${String(values[first])}\`, which is read alike`}`,
        mend: 'leave it out: nothing changes',
        ...(kind === 'word' && { witness: reader.read(written, where.listId).text }),
      };
    }
  }

  function termKey(written: string, listId: string | undefined): string {
    const read = reader.read(written, listId);
    if (read.reading === 'links') return read.text === '' ? written : keyOfTerm(read);
    return `${read.reading} ${keyOfTerm(read)} ${foldKey(written.trim(), charactersOf(read.folding))}`;
  }
}
