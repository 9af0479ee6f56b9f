/**
 * The fields that are known of a rule set's objects, and what is said of others. Platforms add fields, so an unknown one is no
 * defect; one that is nearly a known one, or that is called like a reading of the semantics, was most likely meant to be read.
 */
import { editDistance, nearestNames } from '../nearest-names.js';
import type { Semantics } from '../semantics.js';
import type { IssueCode, IssueLog, IssuePlace } from './issue.js';
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

/** `test/compile/known-fields.test.ts` holds the fields to the schemas. */
export const knownFields: Readonly<Record<FieldOwner, Known>> = {
  rule: {
    what: 'a rule',
    fields: [
      'id',
      'name',
      'description',
      'enabled',
      'active',
      'conditions',
      'filters',
      'action',
      'createdAt',
      'updatedAt',
      'revisionId',
      'default',
    ],
    flags: ['enabled', 'active'],
    malformed: 'malformed-rule',
  },
  condition: {
    what: 'a condition',
    fields: [
      'id',
      'isKeywordsReferencePresent',
      'isKeywordReferencePresent',
      'isListReferencePresent',
      'isMediaPresent',
      'entity',
      'operand',
      'category',
      'operator',
      'value',
      'message',
    ],
    flags: ['isKeywordsReferencePresent', 'isKeywordReferencePresent', 'isListReferencePresent'],
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
    fields: [
      'id',
      'name',
      'category',
      'isCSV',
      'searchTerms',
      'createdAt',
      'updatedAt',
      'revisionId',
      'active',
      'default',
    ],
    flags: ['isCSV'],
    malformed: 'malformed-list',
  },
};

/** Fields of live platforms that are near a known one. Others of theirs, such as `weight` and `appId`, are near none. */
const ofPlatforms: ReadonlySet<string> = new Set(['_id']);

/** Not measured against: nothing depends on them, and platforms have others of their kind (`updatedBy`, `created_at`). */
const timestamps: readonly string[] = ['createdAt', 'updatedAt'];

/** Readings that people write into a rule or a list, by the names under which they do. */
const readings: ReadonlyMap<string, keyof Semantics> = new Map([
  ['words', 'words'],
  ['reading', 'words'],
  ['wholeWord', 'words'],
  ['wholeWords', 'words'],
  ['wildcards', 'wildcards'],
  ['folding', 'folding'],
  ['caseSensitive', 'folding'],
  ['caseInsensitive', 'folding'],
  ['ignoreCase', 'folding'],
  ['matchCase', 'folding'],
  ['allowTerms', 'allowTerms'],
  ['exempt', 'exempt'],
  ['shadow', 'shadow'],
  ['missingScores', 'missingScores'],
]);

/** Most unknown fields of one object that are looked at: an object may have as many as a file has room for. */
const MAX_UNKNOWN = 50;

/**
 * Checks the fields of one object: a flag that is neither true nor false is an error, an unknown field that is near a known one
 * or called like a reading a warning. Returns what is wrong with a flag; it does not count as true.
 */
export function checkFields(owner: FieldOwner, fields: Fields, place: IssuePlace, log: IssueLog): string | undefined {
  const { what, fields: known, flags, malformed } = knownFields[owner];
  let unknown = 0;
  for (const name of Object.keys(fields)) {
    if (known.includes(name)) continue;
    if (++unknown > MAX_UNKNOWN) break;
    const meant = meantBy(name, owner, fields.id);
    if (meant !== undefined)
      log.add('unknown-field', place, `\`${name.slice(0, 40)}\` is no field of ${what}; ${meant}`);
  }
  let fault: string | undefined;
  for (const name of flags) {
    const value = fields[name];
    if (value === undefined || value === null || typeof value === 'boolean') continue;
    const given = typeof value === 'string' ? `the text \`${value.slice(0, 20)}\`` : `a value of type ${typeof value}`;
    const counts = owner === 'rule' ? 'the rule runs' : 'it counts as false';
    const issue = log.add(
      malformed,
      place,
      `\`${name}\` must be true or false without quotes; it is ${given}, and ${counts}`,
    );
    fault ??= issue.detail;
  }
  return fault;
}

/** What an unknown field was most likely meant to be, as advice; `undefined` when it is near nothing. */
function meantBy(name: string, owner: FieldOwner, id: unknown): string | undefined {
  const reading = readings.get(name);
  if (reading !== undefined && owner !== 'filter') {
    const ofList = owner === 'list' && reading === 'words' && typeof id === 'string';
    const written = ofList ? `words: { lists: { ${JSON.stringify(id.slice(0, 40))}: 'substring' } }` : reading;
    return `how it is read is a reading of the semantics: set \`${written}\` there`;
  }
  if (ofPlatforms.has(name)) return undefined;
  const near = nearestNames(name, knownFields[owner].fields).find(
    (field) => !timestamps.includes(field) && isNear(name, field),
  );
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

/** Short names are near many words (`note` is two letters from `name`), so of four letters one may differ, and of two none. */
function isNear(name: string, field: string): boolean {
  return field.length > 4 || editDistance(name.toLowerCase(), field) <= field.length >> 2;
}
