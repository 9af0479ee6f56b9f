/** The loop of `sluice judge`: it writes one line for each line that it reads. */
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

/** Creates the function that returns the answer to a line, with a newline. */
export function createAnswer(
  { engine, scores }: Pick<EngineInput, 'engine' | 'scores'>,
  read: ReadLine,
  out: 'verdict' | 'decision',
): (line: Line) => string {
  return (line) => {
    try {
      if (typeof line !== 'string') throw line;
      const message = read(line);
      // Without scores, the engine takes a fast path, which an empty array would prevent.
      const messageScores = scores.size === 0 ? undefined : scoresFromTable(message, scores);
      const decision = engine.explain(message, messageScores);
      return out === 'verdict' ? `${verdictWord(decision)}\n` : ndjsonLine(decision);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      return out === 'verdict' ? 'error\n' : ndjsonLine({ error: error.parts?.fact ?? error.message });
    }
  };
}

/**
 * Returns the verdict as one word. It is `allow?` if a condition could not be evaluated for this
 * message. Conditions that could not be compiled do not count here: they are reported once, at the
 * start.
 */
function verdictWord({ verdict, unevaluated }: Decision): string {
  return !stops(verdict) && unevaluated.some(({ why }) => why !== 'not-compiled') ? 'allow?' : verdict;
}

/**
 * Number of characters after which answers are written. It bounds how many answers to short lines
 * are held in memory.
 */
const mostCharacters = 1 << 16;

/** Answers each line until the input ends, or the output no longer has a reader. */
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
