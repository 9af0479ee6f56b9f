/** Reads the small inputs of commands: texts, messages, semantics and scores. */
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { abortable } from '../audit/source/abortable.js';
import type { ScoreTable } from '../audit/source/scores.js';
import { asPercent, type ScoreScale } from '../engine/score-scale.js';
import { defaultSemantics, type Semantics } from '../engine/semantics.js';
import { ShapeError, UsageError } from '../foundation/errors.js';
import { decodeText } from '../foundation/files/json.js';
import { readBytes, readJsonFile } from '../foundation/files/read-file.js';
import { byId } from '../platform/contract/fields.js';
import { parse } from '../platform/contract/parse.js';
import type { Io } from './io.js';

/** The name of standard input in errors and labels. */
export const standardInput = 'standard input';

/** Size limit of input that is read completely from standard input, which may be endless. */
const maxBytes = 64 * 1024 * 1024;

/** Scores of the bundled demo. The path is the same from `src/cli` and from `dist/cli`. */
const demoScores = new URL('../../fixtures/data/scores.json', import.meta.url);

/**
 * Reads a file, or standard input for `-`, as a single text without its byte order mark. Throws
 * `UsageError` if it cannot be read, `ShapeError` if it is too long or not UTF-8, and the reason of
 * an interruption.
 */
export async function readWholeText(path: string, io: Io): Promise<string> {
  return decodeText(await readWhole(path, io), sourceName(path));
}

/** Reads a file, or standard input for `-`, as bytes. */
export const readWhole = (path: string, io: Io) => (path === '-' ? readStandardInput(io) : readBytes(path));

/** Returns the name of a file for errors. */
export const sourceName = (path: string) => (path === '-' ? standardInput : path);

/**
 * Resolves to a secret from a file or else from the environment: a key, or an address with a
 * password. Undefined if there is neither. Throws `UsageError`, which calls it `what`.
 */
export async function readSecret(
  path: string | undefined,
  given: string | undefined,
  what: string,
): Promise<string | undefined> {
  const text = path === undefined ? given : decodeText(await readBytes(path), path);
  const secret = text?.trim() ?? '';
  if (secret !== '') return secret;
  if (path === undefined) return undefined;
  throw new UsageError(`\`${path}\` holds no ${what}`);
}

async function readStandardInput(io: Io): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of abortable(io.stdin(), io.interrupted)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw new ShapeError(standardInput, 'the whole text', 'is longer than 64 MiB');
  }
  return Buffer.concat(chunks);
}

const semanticsSchema = z.looseObject({});
const scoresSchema = byId(byId(z.number()));

/**
 * Reads a file of semantics: a JSON object of readings, in which `engine` is a name. `createEngine`
 * checks the other readings. Throws `UsageError` if the file cannot be read or names an unknown
 * engine, and `ShapeError` if it contains no object.
 */
export async function readSemanticsFile(path: string | undefined): Promise<Partial<Semantics>> {
  if (path === undefined) return {};
  const { engine, ...readings } = parse(semanticsSchema, await readJsonFile(path), path);
  return { ...(readings as Partial<Semantics>), ...(await engineNamed(engine)) };
}

/**
 * Resolves to the reading `engine` for the name of a pattern engine, or to no reading without a
 * name. Imports `re2-wasm` only if it is named, since the module allocates a heap of 16 MiB. Throws
 * `UsageError` for an unknown name.
 */
async function engineNamed(name: unknown): Promise<Pick<Partial<Semantics>, 'engine'>> {
  if (name === undefined) return {};
  if (name === 're2js') return { engine: defaultSemantics.engine };
  if (name !== 're2-wasm') throw new UsageError('reading `engine` must be one of re2js, re2-wasm');
  const { re2wasm } = await import('../engine/re2-wasm.js');
  return { engine: re2wasm };
}

/**
 * Reads scores: a JSON object from the URLs of files to labels with scores. The scores, which range
 * up to `scale`, are converted to percent. Without a path, returns the scores of the demo if it is
 * the platform, and otherwise none.
 */
export async function readScoresFile(
  path: string | undefined,
  scale: ScoreScale,
  isDemo: boolean,
): Promise<ScoreTable> {
  const file = path ?? (isDemo ? fileURLToPath(demoScores) : undefined);
  if (file === undefined) return new Map();
  const scores = Object.entries(parse(scoresSchema, await readJsonFile(file), file));
  return new Map(scores.map(([url, labels]) => [url, asPercent(labels, scale)]));
}
