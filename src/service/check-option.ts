import type * as z from 'zod';
import { fieldPath } from '../contract/parse.js';
import { UsageError } from '../errors.js';

/**
 * Checks an option against its schema. `source` names the option or the file that it came from. Throws `UsageError` of one
 * line with the first wrong field and what it should be: the words are those of the schema, never the value.
 */
export function checkOption<T extends z.ZodType>(schema: T, value: unknown, source: string): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const field = issue.keys[0] ?? '';
    throw new UsageError(`${source}: \`${fieldPath([...issue.path, field])}\` is no field that is known; take it out`);
  }
  throw new UsageError(`${source}: \`${fieldPath(issue?.path ?? [])}\` ${issue?.message ?? 'has an unexpected shape'}`);
}
