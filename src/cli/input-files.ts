import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { ScoresByUrl } from '../audit/scores.js';
import { parse } from '../contract/parse.js';
import { ShapeError } from '../errors.js';
import type { Semantics } from '../semantics.js';
import { engineNamed } from './engine-choice.js';
import { withFileWords } from './file-error.js';

/** Scores of the bundled demo; the same place from `src/cli` and from `dist/cli`. */
const demoScores = new URL('../../fixtures/data/scores.json', import.meta.url);

const semanticsSchema = z.record(z.string(), z.unknown());
const scoresSchema = z.record(z.string(), z.record(z.string(), z.number()));

/**
 * Reads a file of semantics: a JSON object of readings that are plain data, with `engine` by its name. `createEngine`
 * checks the other readings. Throws `UsageError` when the file cannot be read or names an engine that does not exist,
 * and `ShapeError` when it holds no object.
 */
export async function readSemanticsFile(path: string | undefined): Promise<Partial<Semantics>> {
  if (path === undefined) return {};
  const { engine, ...readings } = parse(semanticsSchema, await readJsonFile(path), path);
  return { ...(readings as Partial<Semantics>), ...(await engineNamed(engine, 'reading `engine`')) };
}

/**
 * Reads scores: a JSON object from the URL of a picture or video to its labels with their scores, 0..100. Without a
 * path the scores of the demo when that is what is audited, otherwise none.
 */
export async function readScoresFile(path: string | undefined, isDemo: boolean): Promise<ScoresByUrl> {
  const file = path ?? (isDemo ? fileURLToPath(demoScores) : undefined);
  if (file === undefined) return new Map();
  return new Map(Object.entries(parse(scoresSchema, await readJsonFile(file), file)));
}

async function readJsonFile(path: string): Promise<unknown> {
  const text = await withFileWords('read', path, () => readFile(path, 'utf8'));
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the file.
    throw new ShapeError(path, 'the whole value', 'should be json');
  }
}
