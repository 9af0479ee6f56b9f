/** What a worker on another machine has to have to judge windows of an audit: `parts/windows/plan.json` in the audit's directory. */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { EnginePlan } from '../audit/engines.js';
import type { JudgeOptions } from '../audit/judge.js';
import { type AuditInputs, inputsSchema } from '../audit/keep/manifest.js';
import { partsFolder, privateFile, removeWindows, windowsName } from '../audit/keep/parts.js';
import { byName } from '../contract/fields.js';
import { parse } from '../contract/parse.js';
import type { RuleSetInput } from '../engine.js';
import { ShapeError } from '../errors.js';
import { makeDirectory } from '../files/make-directory.js';
import { isOwn, makeOwnFolder, readOwn } from '../files/own-entries.js';
import { writeOwn } from '../files/replace-file.js';
import type { Semantics } from '../semantics.js';

/** Everything that the result of a window depends on, besides the window. */
export interface FleetPlan extends EnginePlan {
  readonly inputs: AuditInputs;
  readonly options: JudgeOptions;
}

/** A plan, and the digest of its file, which names its queue. */
export interface FoundPlan {
  readonly plan: FleetPlan;
  readonly digest: string;
}

const anObject = (value: unknown) => typeof value === 'object' && value !== null;

const planSchema = z.object({
  /** Made up when the plan is written: two audits of the same in two directories have two queues. */
  id: z.string(),
  inputs: inputsSchema,
  // INVARIANT: `createEngine` checks rules and readings, and the digest of both is that of `inputs`.
  ruleSet: z.custom<RuleSetInput>(anObject),
  semantics: z.custom<Partial<Semantics>>(anObject),
  patternEngine: z.string().optional(),
  options: z.object({
    counts: z.custom<JudgeOptions['counts']>(anObject),
    rows: z.enum(['all', 'findings', 'differences', 'none']),
    withText: z.boolean().optional(),
  }),
  scores: z.array(z.tuple([z.string(), byName(z.number())])),
});

/** The folder of plan and results, within that of the parts, with which it goes. */
export const windowsFolder = (directory: string) => join(partsFolder(directory), windowsName);

const pathOf = (directory: string) => join(windowsFolder(directory), 'plan.json');

/** Writes the plan of an audit unless it is there, and returns its digest. Results of another plan are removed. */
export async function writePlan(directory: string, { options, ...plan }: FleetPlan): Promise<string> {
  const { scores, ...others } = options;
  const textOf = (id: string) => `${JSON.stringify({ id, ...plan, options: others, scores: [...scores] })}\n`;
  const found = await readText(directory);
  if (found !== undefined && found === textOf(idOf(found))) return digestOf(found);
  await removeWindows(directory);
  await makeDirectory(directory);
  await makeOwnFolder(partsFolder(directory));
  await makeOwnFolder(windowsFolder(directory));
  const text = textOf(randomUUID());
  await writeOwn(pathOf(directory), text, privateFile);
  return digestOf(text);
}

/** Reads the plan of the audit in a directory; undefined when there is none. Throws `ShapeError` for a file that is no plan. */
export async function readPlan(directory: string): Promise<FoundPlan | undefined> {
  const text = await readText(directory);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ShapeError(pathOf(directory), 'the whole value', 'must be the plan of an audit');
  }
  const { id: _, scores, options, ...plan } = parse(planSchema, value, pathOf(directory));
  return { plan: { ...plan, options: { ...options, scores: new Map(scores) } }, digest: digestOf(text) };
}

/** The digest of the plan in a directory; undefined when there is none. */
export async function digestOfPlan(directory: string): Promise<string | undefined> {
  const text = await readText(directory);
  return text === undefined ? undefined : digestOf(text);
}

/** The id of a plan that is there; another one for what is no plan. */
function idOf(text: string): string {
  return /^\{"id":"([\da-f-]{36})"/.exec(text)?.[1] ?? randomUUID();
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

async function readText(directory: string): Promise<string | undefined> {
  await isOwn(partsFolder(directory), 'folder');
  await isOwn(windowsFolder(directory), 'folder');
  return readOwn(pathOf(directory));
}
