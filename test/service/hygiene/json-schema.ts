/**
 * A validator for the JSON Schema (draft 2020-12) that the OpenAPI document uses: small, and it throws for a keyword that it
 * does not know, so that nothing passes unseen.
 */
type Json = unknown;
type Fields = Readonly<Record<string, Json>>;

const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const annotations = new Set(['description', 'default', 'title', 'examples']);

const types: Readonly<Record<string, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  object: isFields,
  array: Array.isArray,
  null: (value) => value === null,
};

/** What is wrong with a value, by path; empty when nothing is. `root` is the document that references point into. */
export function faultsOf(schema: Json, value: Json, root: Json, at = ''): readonly string[] {
  if (schema === true) return [];
  if (!isFields(schema)) throw new Error(`no schema at ${at}`);
  return Object.entries(schema).flatMap((entry) => check(entry, schema, value, root, at));
}

function check([keyword, its]: [string, Json], schema: Fields, value: Json, root: Json, at: string): readonly string[] {
  const fault = (holds: boolean) => (holds ? [] : [`${at}: ${keyword} ${JSON.stringify(its)}`]);
  switch (keyword) {
    case '$ref':
      return faultsOf(resolve(root, String(its)), value, root, at);
    case 'type':
      return fault([its].flat().some((type) => known(type)(value)));
    case 'enum':
      return fault((its as Json[]).includes(value));
    case 'const':
      return fault(value === its);
    case 'anyOf':
      return fault((its as Json[]).some((one) => faultsOf(one, value, root, at).length === 0));
    case 'minItems':
      return fault(!Array.isArray(value) || value.length >= Number(its));
    case 'maxItems':
      return fault(!Array.isArray(value) || value.length <= Number(its));
    case 'minLength':
      return fault(typeof value !== 'string' || value.length >= Number(its));
    case 'minimum':
      return fault(typeof value !== 'number' || value >= Number(its));
    case 'maximum':
      return fault(typeof value !== 'number' || value <= Number(its));
    case 'required':
      return isFields(value) ? fault((its as string[]).every((name) => Object.hasOwn(value, name))) : [];
    case 'items':
      return Array.isArray(value) ? value.flatMap((item, index) => faultsOf(its, item, root, `${at}[${index}]`)) : [];
    case 'properties':
      if (!isFields(value)) return [];
      return Object.entries(its as Fields).flatMap(([name, one]) =>
        Object.hasOwn(value, name) ? faultsOf(one, value[name], root, `${at}.${name}`) : [],
      );
    case 'additionalProperties':
      if (!isFields(value)) return [];
      return Object.entries(value).flatMap(([name, one]) =>
        isFields(schema.properties) && Object.hasOwn(schema.properties, name)
          ? []
          : faultsOf(its, one, root, `${at}.${name}`),
      );
    case 'propertyNames':
      return isFields(value) ? Object.keys(value).flatMap((name) => faultsOf(its, name, root, `${at} name`)) : [];
    default:
      if (annotations.has(keyword)) return [];
      throw new Error(`the keyword ${keyword} at ${at} is not known`);
  }
}

function known(type: Json): (value: Json) => boolean {
  const holds = types[String(type)];
  if (holds === undefined) throw new Error(`there is no type ${String(type)}`);
  return holds;
}

/** What a reference points at. Throws when that is nothing. */
export function resolve(root: Json, reference: string): Json {
  if (!reference.startsWith('#/')) throw new Error(`${reference} leads out of the document`);
  let found: Json = root;
  for (const part of reference.slice(2).split('/')) {
    found = isFields(found) ? found[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  if (found === undefined) throw new Error(`${reference} points at nothing`);
  return found;
}
