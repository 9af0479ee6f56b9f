import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parse } from '../src/platform/contract/parse.js';
import { type ModelName, models } from './models.js';
import { projectRoot } from './record.js';

const counts = z.strictObject({ quick: z.int().nonnegative(), full: z.int().nonnegative() });

/** A measurement as data: a question, its input, the right count, and the reason for it. */
export const definitionSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  model: z.enum(Object.keys(models) as ModelName[]),
  why: z.string().min(1),
  ask: z.enum(['first', 'all']).default('all'),
  ruleSet: z.strictObject({
    /** `english`: ASCII terms only. `mixed`: all scripts alike. */
    language: z.enum(['english', 'mixed']).default('english'),
    terms: z.int().nonnegative(),
    patterns: z.int().nonnegative(),
    hostile: z.boolean().default(false),
    rules: z.int().positive(),
    words: z.enum(['word', 'substring']).default('substring'),
  }),
  corpus: z.strictObject({
    /**
     * `natural`: messages of the fixtures as they are. `chat`: lines of them joined, with hits
     * inserted.
     */
    kind: z.enum(['natural', 'chat', 'hostile']),
    messages: z.int().positive(),
    /** Messages of `--quick`. */
    quick: z.int().positive(),
    /** UTF-16 units of every text, about; without, lengths vary as in chats, 80 on average. */
    length: z.int().positive().optional(),
    /** Texts of 1,000 into which a term or a match of a pattern is inserted. */
    hitsPerThousand: z.int().min(0).max(1000).optional(),
    /** ASCII texts only. */
    ascii: z.boolean().optional(),
    /**
     * Mentions, tags, entities, emoji and numbers in every text; a sign of formatting in every
     * fifth, two in six of a hundred.
     */
    signs: z.boolean().optional(),
    /** No text with an obfuscated word. */
    undisguised: z.boolean().optional(),
  }),
  /** Rounds of a full run, where the usual number would take hours. */
  rounds: z.int().min(2).optional(),
  /** Contenders that take part; all of the model when absent. */
  only: z.array(z.string()).optional(),
  /** The right counts, by `npm run bench -- counts`. */
  expected: counts,
});

/** A series of definitions that differ in one number, `at`. */
export const curveSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  axis: z.enum(['terms', 'patterns', 'characters', 'hits per thousand', 'rules', 'messages']),
  why: z.string().min(1),
  base: definitionSchema.omit({ name: true, why: true, expected: true }),
  points: z
    .array(
      z.strictObject({
        at: z.int().nonnegative(),
        /** The number of messages, where it has to change along the axis. */
        messages: z.int().positive().optional(),
        rounds: z.int().min(2).optional(),
        /** Whether `--quick` has it too. */
        quick: z.boolean().default(false),
        expected: counts,
      }),
    )
    .min(2),
});

export type Definition = z.infer<typeof definitionSchema>;
export type CurveDefinition = z.infer<typeof curveSchema>;

/**
 * All definitions, in the order of their files and within them. Throws `ShapeError` that names file
 * and field.
 */
export function readDefinitions(folder = join(projectRoot, 'bench/definitions')): Definition[] {
  return readAll(folder, (value, path) => parse(z.array(definitionSchema), value, path));
}

/** All curves. Throws as `readDefinitions` does. */
export function readCurves(folder = join(projectRoot, 'bench/curves')): CurveDefinition[] {
  return readAll(folder, (value, path) => parse(z.array(curveSchema), value, path));
}

function readAll<T>(folder: string, read: (value: unknown, path: string) => T[]): T[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.sort().flatMap((name) => read(JSON.parse(readFileSync(join(folder, name), 'utf8')), join(folder, name)));
}

/** The definitions of a curve, point by point. */
export function definitionsOf({ name, axis, why, base, points }: CurveDefinition): Definition[] {
  return points.map(({ at, messages = base.corpus.messages, rounds = base.rounds, expected }) => {
    const corpus = { ...base.corpus, messages, quick: Math.min(messages, base.corpus.quick) };
    const ruleSet = { ...base.ruleSet };
    if (axis === 'characters') corpus.length = at;
    else if (axis === 'hits per thousand') corpus.hitsPerThousand = at;
    else if (axis === 'messages') corpus.messages = at;
    else ruleSet[axis] = at;
    return { ...base, name: `${name}-${at}`, why, ruleSet, corpus, expected, ...(rounds !== undefined && { rounds }) };
  });
}
