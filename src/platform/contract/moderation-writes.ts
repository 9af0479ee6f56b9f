/**
 * The bodies with which rules and keyword lists are written on live platforms, beyond the interface
 * document, and their limits.
 */
import * as z from 'zod';

/**
 * The limits that live platforms document, in characters of each field, in entries, and in bytes of
 * all terms of a list.
 */
export const writeLimits = {
  id: 100,
  name: 100,
  description: 255,
  conditions: 10,
  filters: 10,
  term: 100,
  listBytes: 1_000_000,
  /** Rules, and lists, without `default`; counted when one is created. */
  rules: 25,
  lists: 25,
} as const;

const atMost = (field: keyof typeof writeLimits, what: string) => ({
  error: `must have at most ${writeLimits[field]} ${what}`,
});
const text = (field: 'name' | 'description' | 'term') =>
  z.string({ error: 'must be a string' }).max(writeLimits[field], atMost(field, 'characters'));
const objects = (field: 'conditions' | 'filters') => {
  const error = 'must be an array of objects';
  return z.array(z.looseObject({}, { error }), { error }).max(writeLimits[field], atMost(field, 'entries'));
};

/**
 * Reports whether an id is one that live platforms take: letters, digits, `.`, `_` and `-`, at most
 * 100.
 */
export function isWritableId(id: unknown): id is string {
  return typeof id === 'string' && id.length <= writeLimits.id && /^[\w.-]+$/.test(id);
}

const id = z
  .string({ error: 'must be a string' })
  .refine(isWritableId, { error: `must be at most ${writeLimits.id} letters, digits, \`.\`, \`_\` and \`-\`` });
const encoder = new TextEncoder();

/** Body of the operations that write a rule. Fields that are not named here are kept. */
export const ruleBodySchema = z.looseObject({
  name: text('name').optional(),
  description: text('description').optional(),
  enabled: z.boolean({ error: 'must be true or false' }).optional(),
  conditions: objects('conditions'),
  filters: objects('filters').optional(),
  action: z.union([z.string(), z.array(z.string())], { error: 'must be one action or an array of actions' }).optional(),
});

/** Body of the operations that write a keyword list. */
export const listBodySchema = z.looseObject({
  name: text('name').optional(),
  description: text('description').optional(),
  category: z.string({ error: 'must be a string' }).optional(),
  searchTerms: z
    .array(text('term'), { error: 'must be an array of strings' })
    .refine((terms) => encoder.encode(terms.join()).length <= writeLimits.listBytes, atMost('listBytes', 'bytes')),
});

/** Bodies of the operations that create: those above, with an id. */
export const newRuleBodySchema = ruleBodySchema.extend({ id });
export const newListBodySchema = listBodySchema.extend({ id });
