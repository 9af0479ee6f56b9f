/** Parses values by the schemas of the contract, and names the first fault by its path. */
import type * as z from 'zod';
import { ShapeError } from '../../foundation/errors.js';

/** Prints a field path: `data[3].conditions[0].value`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let written = '';
  for (const key of path) {
    if (typeof key === 'number') written += `[${key}]`;
    else if (/^[\w$]+$/.test(String(key))) written += written === '' ? String(key) : `.${String(key)}`;
    else written += `[${JSON.stringify(String(key))}]`;
  }
  return written === '' ? 'the whole value' : written;
}

/**
 * The option with which zod's own `validate` stops at the first error, for the other methods, whose
 * types lack it (the range of zod in package.json goes no further than what the tests saw).
 * `z.record` ignores it, unlike `byName` of fields.ts. `async` is set here because `safeParse`
 * would add it to a copy, which is slower to read: a tenth of all checking.
 */
const toFirstFault: object = { async: false, abortEarly: true };

/**
 * Parses as `schema.safeParse` does, and ends at the first error. An issue takes a microsecond and
 * 400 bytes: with an issue for each element, 4 MiB of `{},` in a page would take 5 s and 2 GB, and
 * 0.4 MB inside one element would exhaust the stack.
 */
export function safeParse<T extends z.ZodType>(schema: T, value: unknown): z.ZodSafeParseResult<z.infer<T>> {
  return schema.safeParse(value, toFirstFault);
}

/**
 * Checks a value against a schema of the contract (§2). `source` names its origin, an operation or
 * a file. Throws `ShapeError` with the path of the first wrong field, never with its content; later
 * fields are not checked.
 */
export function parse<T extends z.ZodType>(schema: T, value: unknown, source: string): z.infer<T> {
  const result = safeParse(schema, value);
  if (result.success) return result.data;
  const { path, reason } = deepestIssue(result.error.issues);
  throw new ShapeError(source, fieldPath(path), reason);
}

/**
 * Returns the issue with the longest path among the branches of a union: "invalid input" at its
 * root names no field.
 */
function deepestIssue(issues: readonly z.core.$ZodIssue[]): { path: PropertyKey[]; reason: string } {
  const first = issues[0];
  if (first === undefined) return { path: [], reason: 'has an unexpected shape' };
  if (first.code === 'invalid_union' && first.errors.length > 0) {
    const branches = first.errors.map((branch) => deepestIssue(branch));
    const furthest = branches.reduce((best, branch) => (branch.path.length > best.path.length ? branch : best));
    if (furthest.path.length > 0) return { path: [...first.path, ...furthest.path], reason: furthest.reason };
    const expected = new Set(branches.map((branch) => branch.reason.replace(/^must be /, '')));
    return { path: first.path, reason: `must be ${[...expected].join(' or ')}` };
  }
  return { path: first.path, reason: reasonOf(first) };
}

/**
 * Returns the text of an issue: that of the schema if it begins with "must", else ours: texts of
 * zod may quote the input.
 */
function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith('must ')) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}`;
    case 'too_small':
      return 'must not be empty';
    default:
      return 'has an unexpected shape';
  }
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
