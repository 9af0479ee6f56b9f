import { UsageError } from '../errors.js';

/**
 * Fills the `{name}` places of a path template (§4) with ids, each encoded as one segment.
 * Throws `UsageError` for an id that could reach another operation (`..`) or that would not arrive as it was given.
 */
export function writePath(template: string, ids: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(checkId(name, ids[name])));
}

/** The error names the parameter, never its content. */
function checkId(name: string, id: unknown): string {
  if (typeof id !== 'string' || id === '')
    throw new UsageError(`\`${name}\` should be a string with at least one character`);
  if (id === '.' || id === '..') throw new UsageError(`\`${name}\` is a path step, not an id`);
  if (!id.isWellFormed()) throw new UsageError(`\`${name}\` holds half of a surrogate pair, which cannot be sent`);
  if (/\p{Cc}/u.test(id)) throw new UsageError(`\`${name}\` holds a control character: remove it`);
  if (id.trim() !== id) throw new UsageError(`\`${name}\` has a blank at one of its ends: trim it`);
  return id;
}
