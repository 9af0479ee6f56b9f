/** The loop of `sluice judge`: a line goes out for each that comes in. */
import { abortable } from '../../audit/source/abortable.js';
import { scoresFromTable } from '../../audit/source/scores.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { Decision } from '../../engine/evaluate/decision.js';
import { SluiceError } from '../../foundation/errors.js';
import { type Line, readLines } from '../../foundation/files/lines.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
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

/** Answers line by line to the end of the input, or of the output. */
export async function answerLines(
  answer: (line: Line) => string,
  io: Pick<Io, 'stdin' | 'stdout' | 'interrupted'>,
): Promise<void> {
  for await (const lines of readLines(abortable(io.stdin(), io.interrupted))) {
    let answers = '';
    for (const line of lines) {
      answers += answer(line);
      if (answers.length < mostCharacters) continue;
      if (!(await print(io, answers))) return;
      answers = '';
    }
    if (answers !== '' && !(await print(io, answers))) return;
  }
}
