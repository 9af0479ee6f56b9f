/** The loop of `sluice judge`: a line goes out for each that comes in. */
import { abortable } from '../../audit/source/abortable.js';
import { scoresFromTable } from '../../audit/source/scores.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { Decision } from '../../engine/evaluate/decision.js';
import { ShapeError, SluiceError } from '../../foundation/errors.js';
import { type Line, readLines } from '../../foundation/files/lines.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { standardInput } from '../input-files.js';
import { type Io, print } from '../io.js';
import type { EngineInput } from '../sources.js';
import type { ReadLine } from './line-reader.js';

/** Creates what gives the line for a line, with its newline. */
export function createAnswer(
  { engine, scores }: Pick<EngineInput, 'engine' | 'scores'>,
  read: ReadLine,
  out: 'verdict' | 'decision',
): (line: Line) => string {
  return (line) => {
    try {
      if (typeof line !== 'string') throw line;
      const message = read(line);
      // Without scores the engine takes its fast path, which an empty array of them would keep it from.
      const own = scores.size === 0 ? undefined : scoresFromTable(message, scores);
      const decision = engine.explain(message, own);
      return out === 'verdict' ? `${verdictWord(decision)}\n` : ndjsonLine(decision);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      return out === 'verdict' ? 'error\n' : ndjsonLine({ error: error.parts?.fact ?? error.message });
    }
  };
}

/**
 * Returns the verdict as one word: `allow?` if a condition could not be evaluated for this message. Conditions that could not be compiled do not
 * count; they are reported once, at the start.
 */
function verdictWord({ verdict, unevaluated }: Decision): string {
  return !stops(verdict) && unevaluated.some(({ why }) => why !== 'not-compiled') ? 'allow?' : verdict;
}

/** So many characters go out at once, so that decisions on many short lines are not held together. */
const mostCharacters = 1 << 16;

/** Answers line by line to the end of the input, or of the output. Throws `ShapeError` for an invalid header, after all answers before it. */
export async function answerLines(
  answer: (line: Line) => string,
  io: Pick<Io, 'stdin' | 'stdout' | 'interrupted'>,
  { hasHeaders }: { readonly hasHeaders: boolean },
): Promise<void> {
  let answers = '';
  /** Lines that the block at hand still has. */
  let left = hasHeaders ? 0 : Number.POSITIVE_INFINITY;
  let number = 0;
  const errorOfHeader = (what: string) => new ShapeError(`${standardInput}:${number}`, 'the chunk header', what);
  for await (const lines of readLines(abortable(io.stdin(), io.interrupted))) {
    let headerError: ShapeError | undefined;
    for (const line of lines) {
      number++;
      if (left > 0) {
        left--;
        answers += answer(line);
        if (answers.length < mostCharacters) continue;
        if (!(await print(io, answers))) return;
        answers = '';
      } else if (typeof line === 'string' && /^\d{1,15}\r?$/.test(line)) left = Number.parseInt(line, 10);
      else {
        headerError = errorOfHeader('must be the number of lines that follow');
        break;
      }
    }
    if (answers !== '' && !(await print(io, answers))) return;
    answers = '';
    if (headerError !== undefined) throw headerError;
  }
  if (hasHeaders && left > 0) throw errorOfHeader(`names ${left} more lines than there are`);
}
