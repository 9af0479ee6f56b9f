import type { Output } from '../../src/cli/io.js';
import { main } from '../../src/cli/main.js';

/** How a command is run inside a test: what it is given and what kind of terminal it believes to have. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly interrupted?: AbortSignal;
  /** What is to be done every so often; nothing is by itself, since a slow machine would do it more often. */
  readonly ticks?: Set<() => void>;
  /** Hears everything as it is written. */
  readonly onWrite?: (stream: 'stdout' | 'stderr', text: string) => void;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line inside this process. The clock goes a quarter of a second with every look at it. */
export async function sluice(args: readonly string[], given: Surroundings = {}): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const output = (stream: 'stdout' | 'stderr'): Output => ({
    isTTY: given.isTTY,
    columns: given.columns,
    write(text, done) {
      written[stream] += text;
      given.onWrite?.(stream, text);
      setImmediate(done);
    },
  });
  let milliseconds = 0;
  const code = await main(args, {
    stdin: toAsync(given.stdin ?? []),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: given.env ?? {},
    interrupted: given.interrupted ?? new AbortController().signal,
    now: () => {
      milliseconds += 250;
      return milliseconds;
    },
    every: (_ms, tick) => {
      given.ticks?.add(tick);
      return () => given.ticks?.delete(tick);
    },
  });
  return { code, ...written };
}

async function* toAsync<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
