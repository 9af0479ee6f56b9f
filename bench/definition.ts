import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { modelNames } from '../src/bench/model.js';
import { parse } from '../src/contract/parse.js';
import { projectRoot } from './project-root.js';

const counts = z.strictObject({ quick: z.int().nonnegative(), full: z.int().nonnegative() });

/** A measurement as data: a question, what is asked about, what is right, and why it exists. */
export const definitionSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  model: z.enum(modelNames),
  why: z.string().min(1),
  ask: z.enum(['first', 'all']).default('all'),
  ruleSet: z.strictObject({
    language: z.enum(['english', 'mixed']).default('english'),
    terms: z.int().nonnegative(),
    patterns: z.int().nonnegative(),
    hostile: z.boolean().default(false),
    rules: z.int().positive(),
    words: z.enum(['word', 'substring']).default('substring'),
  }),
  corpus: z.strictObject({
    kind: z.enum(['natural', 'chat', 'hostile']),
    messages: z.int().positive(),
    quick: z.int().positive(),
    length: z.int().positive().optional(),
    hitsPerThousand: z.int().min(0).max(1000).optional(),
    ascii: z.boolean().optional(),
    undisguised: z.boolean().optional(),
  }),
  /** Rounds of a full run, where the usual number would take hours. */
  rounds: z.int().min(2).optional(),
  /** Contenders that take part; all of the model when absent. */
  only: z.array(z.string()).optional(),
  /** The right count, made by `bench/naive.ts`, which shares nothing with the engine. */
  expected: counts,
  /** Contenders that answer another question than the model's, with their own right count and the reason. */
  own: z.record(z.string(), z.strictObject({ ...counts.shape, why: z.string() })).optional(),
});

/** A row of definitions that differ in one number, `at`. */
export const curveSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  axis: z.enum(['terms', 'patterns', 'characters', 'hits per thousand', 'rules', 'messages']),
  why: z.string().min(1),
  base: definitionSchema.omit({ name: true, why: true, expected: true }),
  points: z
    .array(
      z.strictObject({
        at: z.int().nonnegative(),
        /** How many messages, where that must change along the way. */
        messages: z.int().positive().optional(),
        rounds: z.int().min(2).optional(),
        /** Taken part in by `--quick` too. */
        quick: z.boolean().default(false),
        expected: counts,
      }),
    )
    .min(2),
});

export type CurveDefinition = z.infer<typeof curveSchema>;

export type Definition = z.infer<typeof definitionSchema>;

/** All curves. Throws as `readDefinitions` does. */
export function readCurves(folder = join(projectRoot, 'bench/curves')): CurveDefinition[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return files.flatMap((name) => {
    const value: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return parse(z.array(curveSchema), value, `bench/curves/${name}`);
  });
}

/** The definitions that a curve stands for, point by point. */
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

/** All definitions, in the order of their files and within them. Throws `ShapeError` that names file and field. */
export function readDefinitions(folder = join(projectRoot, 'bench/definitions')): Definition[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return files.flatMap((name) => {
    const value: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return parse(z.array(definitionSchema), value, `bench/definitions/${name}`);
  });
}
