/**
 * The known fields of the objects of a rule set, and the issues for others. Platforms add fields,
 * so an unknown one is not an error; one that is nearly a known one, or has the name of a reading
 * of the semantics, was probably meant to have an effect.
 */
import { editDistance, nearestNames } from '../../foundation/nearest-names.js';
import type { IssueCode, IssueLog, IssuePlace } from './issue.js';
import { listFlags } from './list-flags.js';
import type { Fields } from './untrusted.js';

/** An object of a rule set whose fields are checked. */
export type FieldOwner = 'rule' | 'condition' | 'filter' | 'list';

interface Known {
  readonly what: string;
  /** Fields of the contract. */
  readonly fields: readonly string[];
  /** Fields that must be true or false, since they are read. */
  readonly flags: readonly string[];
  /** The code of a flag that is neither. */
  readonly malformed: IssueCode;
}

const namesOf = (names: string): readonly string[] => names.split(' ');

/** `test/compile/known-fields.test.ts` holds the fields to the schemas. */
export const knownFields: Readonly<Record<FieldOwner, Known>> = {
  rule: {
    what: 'a rule',
    fields: namesOf(
      'id name description enabled active conditions filters action createdAt updatedAt revisionId default',
    ),
    flags: ['enabled', 'active'],
    malformed: 'malformed-rule',
  },
  condition: {
    what: 'a condition',
    fields: ['id', ...listFlags, 'isMediaPresent', 'entity', 'operand', 'category', 'operator', 'value', 'message'],
    flags: listFlags,
    malformed: 'malformed-condition',
  },
  filter: {
    what: 'a filter',
    fields: ['type', 'entity', 'operand', 'operator', 'value'],
    flags: [],
    malformed: 'malformed-filter',
  },
  list: {
    what: 'a keyword list',
    fields: namesOf('id name category isCSV searchTerms createdAt updatedAt revisionId active default'),
    flags: ['isCSV'],
    malformed: 'malformed-list',
  },
};

/**
 * Fields of live platforms that are near a known one. Others of theirs, such as `weight` and
 * `appId`, are near none.
 */
const ofPlatforms: ReadonlySet<string> = new Set(['_id']);

/**
 * Not measured against: nothing depends on them, and platforms have others of their kind
 * (`updatedBy`, `created_at`).
 */
const timestamps: readonly string[] = ['createdAt', 'updatedAt'];

/**
 * Readings of the semantics that people write into a rule or a list, by the names under which they
 * do.
 */
const readings: ReadonlyMap<string, string> = new Map([
  ['words', "words: 'substring'"],
  ['reading', "words: 'substring'"],
  ['wholeWord', "words: 'word'"],
  ['wholeWords', "words: 'word'"],
  ['wildcards', "wildcards: 'asterisk'"],
  ['folding', "folding: 'exact'"],
  ['caseSensitive', "folding: 'exact'"],
  ['matchCase', "folding: 'exact'"],
  ['caseInsensitive', "folding: 'case'"],
  ['ignoreCase', "folding: 'case'"],
  ['exceptions', 'exceptions'],
  ['exempt', 'exempt'],
  ['shadow', 'shadow'],
  ['missingScores', 'missingScores'],
]);

/**
 * Most unknown fields of one object that are looked at: an object may have as many as a file has
 * room for.
 */
const MAX_UNKNOWN = 50;

/**
 * Checks the fields of one object: a flag that is neither true nor false is an error, an unknown
 * field that resembles a known one or a reading a warning. Returns the error of a flag, which
 * counts as false.
 */
export function checkFields(
  owner: FieldOwner,
  fields: Fields,
  location: IssuePlace,
  log: IssueLog,
): string | undefined {
  const { what, fields: known, flags, malformed } = knownFields[owner];
  let unknown = 0;
  for (const name of Object.keys(fields)) {
    if (known.includes(name)) continue;
    if (++unknown > MAX_UNKNOWN) break;
    const meant = meantBy(name, owner, fields.id);
    if (meant !== undefined) log.add('unknown-field', location, `\`${cut(name)}\` is not a field of ${what}; ${meant}`);
  }
  let fault: string | undefined;
  for (const name of flags) {
    const value = fields[name];
    if (value === undefined || value === null || typeof value === 'boolean') continue;
    const given = typeof value === 'string' ? `the text \`${value.slice(0, 20)}\`` : `a value of type ${typeof value}`;
    const counts = owner === 'rule' ? 'the rule runs' : 'it counts as false';
    const issue = log.add(
      malformed,
      location,
      `\`${name}\` must be true or false without quotes; it is ${given}, and ${counts}`,
    );
    fault ??= issue.detail;
  }
  return fault;
}

/**
 * Returns what an unknown field was probably meant to be, as advice; `undefined` when it is near
 * nothing.
 */
function meantBy(name: string, owner: FieldOwner, id: unknown): string | undefined {
  const reading = owner === 'filter' ? undefined : readings.get(name);
  if (reading !== undefined) {
    const [, kind, value] =
      /^(words|folding): (.*)$/.exec(owner === 'list' && typeof id === 'string' ? reading : '') ?? [];
    const ofList = kind === 'folding' ? `{ ${reading} }` : value;
    const written =
      ofList === undefined ? reading : `words: { lists: { ${JSON.stringify(cut(id as string))}: ${ofList} } }`;
    return `set a reading of the semantics in its place, such as \`${written}\``;
  }
  if (ofPlatforms.has(name)) return undefined;
  const near = nearestNames(name, knownFields[owner].fields).find(
    (field) => !timestamps.includes(field) && isNear(name, field),
  );
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

/**
 * Reports whether a name is near a field. Short names are near many words (`note` and `name`), so
 * of four letters one may differ, and of two none.
 */
function isNear(name: string, field: string): boolean {
  return field.length > 4 || editDistance(name.toLowerCase(), field) <= field.length >> 2;
}

const cut = (text: string) => text.slice(0, 40);
