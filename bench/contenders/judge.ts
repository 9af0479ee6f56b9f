/**
 * Contenders of `judge`: lines of NDJSON come in as chunks of a pipe, and a line with the verdict
 * goes out for each.
 */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { answerLines, createAnswer } from '../../src/cli/judge/answer-lines.js';
import { lineReaders } from '../../src/cli/judge/line-reader.js';
import { createEngine, type Engine } from '../../src/engine/engine.js';
import type { Verdict } from '../../src/engine/evaluate/decision.js';
import { type Contender, ours, verdictWeights, type Workload } from '../rules/contenders.js';
import { listedMessages, timed } from './audit.js';

/** The bytes of all lines, as a pipe hands them over. */
type Chunks = () => AsyncIterable<Uint8Array>;
type Write = (text: string) => void;

/** What a pipe hands over at once. */
const chunkBytes = 1 << 16;

/** A contender that writes the verdicts of all lines; they are counted behind the clock. */
export function lineContender(
  name: string,
  note: string,
  walk: (engine: Engine, chunks: Chunks, write: Write) => Promise<void>,
  rowsOf: (texts: readonly string[]) => readonly object[] = listedMessages,
): Contender {
  const prepare = ({ ruleSet, semantics, texts }: Workload) => {
    const bytes = Buffer.from(
      rowsOf(texts)
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(''),
    );
    const cut = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
      bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
    );
    const chunks: Chunks = () => Readable.from(cut);
    const engine = createEngine(ruleSet, semantics);
    const pass = async (times: number) => {
      let written: string[] = [];
      const { ns } = await timed(times, async () => {
        written = [];
        await walk(engine, chunks, (text) => void written.push(text));
        return 0;
      });
      const verdicts = written.join('').split('\n').filter(Boolean) as Verdict[];
      return { ns, count: verdicts.reduce((sum, verdict) => sum + verdictWeights[verdict], 0) };
    };
    return { pass, close: () => engine.close() };
  };
  return { name, note, prepare };
}

const command = lineContender(ours, 'the loop of `sluice judge --out verdict`', (engine, chunks, write) => {
  const stdout = {
    write: (text: string, done: () => void) => {
      write(text);
      done();
    },
  };
  const interrupted = new AbortController().signal;
  const answer = createAnswer({ engine, scores: new Map() }, lineReaders.messages(), 'verdict');
  return answerLines(answer, { stdin: chunks, stdout, interrupted });
});

/** The least that does it, by hand: no line that is not a message, no bounds. */
const byHand = lineContender(
  'split, JSON.parse, decide',
  'decoded by chunk and split at newlines; nothing checked',
  async (engine, chunks, write) => {
    const decoder = new TextDecoder();
    let rest = '';
    let out = '';
    for await (const chunk of chunks()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) out += `${engine.decide(JSON.parse(line))}\n`;
      write(out);
      out = '';
    }
  },
);

/** The bare loop over rows of some texts. */
export const readlineContender = (rowsOf = listedMessages as (texts: readonly string[]) => readonly object[]) =>
  lineContender(
    'readline, JSON.parse, decide',
    'lines of `node:readline`; nothing checked',
    async (engine, chunks, write) => {
      for await (const line of createInterface({ input: Readable.from(chunks()) })) {
        write(`${engine.decide(JSON.parse(line))}\n`);
      }
    },
    rowsOf,
  );

export const judgeContenders: readonly Contender[] = [command, byHand, readlineContender()];
