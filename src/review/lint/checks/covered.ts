import { namesLists } from '../../../engine/compile/list-flags.js';
import { isTextOperand } from '../../../engine/compile/operands.js';
import { unquoteCsv } from '../../../engine/compile/terms.js';
import { asFields, asList } from '../../../engine/compile/untrusted.js';
import { charactersOf, createTermReader, keyOfTerm } from '../../../engine/compile/word-readings.js';
import { foldKey } from '../../../engine/match/folding.js';
import type { Check, LintContext } from '../context.js';
import type { Cover } from '../coverage.js';
import { type Entry, named, type Place } from '../entries.js';
import type { Found } from '../finding.js';

/** Finds terms and patterns that others cover: duplicates, and those that fire only where another fires. */
export const covered: Check = {
  id: 'covered',
  severity: 'warning',
  *find(context) {
    const repeated = new Set<string>();
    for (const found of repetitions(context)) {
      repeated.add(keyOf(found));
      yield found;
    }
    if (context.semantics.conditions === 'all') return;
    for (const { entry, cover } of coveredPlaces(context)) {
      const place = context.sources.placeOf(entry);
      // Without a term a list of exceptions excepts less.
      if (repeated.has(keyOf(place)) || context.sources.exceptionLists.has(place.listId ?? '')) continue;
      const by = named(context.sources.placeOf(cover.entry), place.ruleId);
      const witness = context.languages.sampleOf(entry.language);
      const detail =
        cover.proof === 'proved'
          ? `every text that fires it fires ${by} too`
          : `all texts that were tried fire ${by} too; both are too large to be decided`;
      yield {
        ...place,
        detail,
        ...(cover.proof === 'proved' && { mend: `leave it out: ${changesWithout(cover)}` }),
        ...(witness !== undefined && { witness }),
        proof: cover.proof,
      };
    }
  },
};

/** Returns what changes without a term or a pattern that another covers. */
function changesWithout({ lost }: Cover): string {
  if (lost.length === 0) return 'nothing changes';
  const names = lost.map((action) => `\`${action}\``).join(', ');
  return `the verdict stays, ${names} ${lost.length === 1 ? 'is' : 'are'} no longer among the actions`;
}

/** Finds two of a rule that are one word by different edges or case: neither covers the other, though that was probably meant. */
export const nearlyCovered: Check = {
  id: 'nearly-covered',
  severity: 'info',
  *find({ languages, semantics, sources }) {
    if (semantics.conditions === 'all') return;
    const known = new Map<string, { readonly entry: Entry; readonly place: Place }>();
    for (const { entry, place } of sources.placed(languages.all())) {
      const word = entry.reference.scopes === undefined ? languages.wordOf(entry) : undefined;
      if (word === undefined) continue;
      const key = JSON.stringify([place.ruleId, entry.operand, word]);
      const other = known.get(key);
      if (other === undefined) known.set(key, { entry, place });
      const witness = other && languages.missedBoth(entry.language, other.entry.language);
      if (other === undefined || witness === undefined) continue;
      const detail = `is nearly ${named(other.place, place.ruleId)}: they differ in word edges or case, and each fires on texts of its own`;
      yield { ...place, detail, mend: 'write the one that is meant', witness };
    }
  },
};

const keyOf = ({ listId, ruleId, conditionId, index }: Place) =>
  JSON.stringify(listId === undefined ? [ruleId, conditionId, index] : [listId, index]);

/** Returns the places whose entries are all covered, each with its first entry: several conditions may name a list. */
function coveredPlaces({
  languages,
  coverage,
}: LintContext): readonly { readonly entry: Entry; readonly cover: Cover }[] {
  const places = new Map<string, { readonly entry: Entry; cover: Cover | undefined }>();
  for (let language = 0; language < languages.count; language++) {
    for (const entry of [...languages.entriesOf(language), ...languages.repeatedIn(language)]) {
      const { written, listId, condition } = entry.reference;
      const key = `${listId === undefined ? condition : `list ${listId}`} ${written}`;
      const known = places.get(key);
      if (known !== undefined && known.cover === undefined) continue;
      const cover = coverage.coverOf(entry, { otherRule: false });
      if (known === undefined) places.set(key, { entry, cover });
      else known.cover = weaker(known.cover!, cover);
    }
  }
  return [...places.values()].flatMap(({ entry, cover }) => (cover === undefined ? [] : [{ entry, cover }]));
}

/** Returns the cover that claims less; of two proofs one that names the actions that either loses. */
function weaker(one: Cover, other: Cover | undefined): Cover | undefined {
  if (other === undefined || one.proof === 'over-budget') return other && one;
  return other.proof === 'over-budget' ? other : { ...one, lost: [...new Set([...one.lost, ...other.lost])] };
}

/** Finds terms and patterns that occur twice in a list or condition, in the same form or in forms that the folding makes equal. */
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
    const own = kinds.get(id);
    if (own === undefined || seenIn.has(id)) continue;
    seenIn.add(id);
    const written = asList(searchTerms).map((term) =>
      isCSV === true && typeof term === 'string' ? unquoteCsv(term) : term,
    );
    yield* repeatedIn(written, own.has('pattern') ? 'pattern' : 'word', { listId: id as string });
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
      // A list may have another folding as exceptions.
      const isAsWritten = kind === 'pattern' || sources.exceptionLists.has(where.listId ?? '');
      const key = isAsWritten ? written : termKey(written, where.listId);
      const first = before.get(key);
      if (first === undefined) {
        before.set(key, index);
        continue;
      }
      const isHardened = kind === 'word' && reader.foldingOf(where.listId) === 'hardened';
      yield {
        ...where,
        index,
        ...(kind === 'word' ? { term: written } : { pattern: written }),
        detail: `is there twice: ${values[first] === written ? 'the same' : `\`${values[first]}\``} at position ${first + 1}`,
        mend: 'leave it out: nothing changes',
        ...(kind === 'word' && { witness: reader.read(written, where.listId).text }),
        ...(!isHardened && { proof: 'proved' }),
      };
    }
  }

  function termKey(written: string, listId: string | undefined): string {
    const read = reader.read(written, listId);
    if (read.reading === 'links') return read.text === '' ? written : keyOfTerm(read);
    return `${read.reading} ${keyOfTerm(read)} ${foldKey(written.trim(), charactersOf(read.folding))}`;
  }
}
