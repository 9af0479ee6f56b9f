import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import type { OutputStream } from '../../src/cli/io.js';
import { main } from '../../src/cli/main.js';
import { textWidth } from '../../src/cli/terminal/text.js';

/** Inputs and terminal of a command that runs inside a test. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly interrupted?: AbortSignal;
  readonly today?: string;
  /**
   * Collects the ticks of the command. The test calls them: a timer would tick more often on a slow
   * machine.
   */
  readonly ticks?: Set<() => void>;
  /** Whether nobody reads standard output any more, looked at with every write. */
  readonly isUnread?: () => boolean;
  /** Called for every write. */
  readonly onWrite?: (stream: 'stdout' | 'stderr', text: string) => void;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line inside this process. The clock advances by 250 ms with every reading. */
export async function sluice(args: readonly string[], given: RunOptions = {}): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const output = (stream: 'stdout' | 'stderr'): OutputStream => ({
    isTTY: given.isTTY,
    columns: given.columns,
    write(text, done) {
      written[stream] += text;
      given.onWrite?.(stream, text);
      const isUnread = stream === 'stdout' && given.isUnread?.() === true;
      setImmediate(done, isUnread ? Object.assign(new Error('closed'), { code: 'EPIPE' }) : undefined);
    },
  });
  let milliseconds = 0;
  const code = await main(args, {
    stdin: () => Object.assign(bytesOf(given.stdin ?? []), { isTTY: given.isTTY }),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: given.env ?? {},
    interrupted: given.interrupted ?? new AbortController().signal,
    now: () => {
      milliseconds += 250;
      return milliseconds;
    },
    today: () => given.today ?? '2026-11-23',
    every: (_ms, tick) => {
      given.ticks?.add(tick);
      return () => given.ticks?.delete(tick);
    },
  });
  return { code, ...written };
}

async function* bytesOf(items: NonNullable<RunOptions['stdin']>): AsyncGenerator<Uint8Array> {
  for await (const item of items) yield typeof item === 'string' ? Buffer.from(item) : item;
}

/**
 * Expects that a screen has the same text in colour and without, fits each width, which is 140 at
 * the most, and holds no terminal controls. `isMeasured`: whether a line counts for the width.
 */
export async function expectPlainScreens(
  show: (given: RunOptions) => Promise<Outcome>,
  widths: readonly number[],
  isMeasured = (_line: string) => true,
): Promise<void> {
  for (const columns of widths) {
    const colour = await show({ isTTY: true, columns });
    const { stdout } = await show({ isTTY: true, columns, env: { NO_COLOR: '1' } });
    expect(stripVTControlCharacters(colour.stdout)).toBe(stdout);
    // Without colours, the line above would compare a screen with itself.
    expect(colour.stdout).not.toBe(stdout);
    const lines = stdout.split('\n').filter(isMeasured);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(Math.min(columns, 140));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not occur
    const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/;
    expect(stdout.replaceAll('👩‍🚀', '')).not.toMatch(controls);
  }
}

/** A service that `serve --json` has announced. */
export interface Place {
  readonly url: string;
  readonly apiKey: string;
}

/**
 * Runs a command that listens until `use` is done with what it printed first; then interrupts it.
 * Rejects when it ends before it prints.
 */
export async function listenWhile(
  args: readonly string[],
  use: (printed: string) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
  terminal: Pick<RunOptions, 'isTTY' | 'ticks'> = {},
): Promise<Outcome> {
  const controller = new AbortController();
  let printed: (text: string) => void = () => undefined;
  const first = new Promise<string>((resolve) => {
    printed = resolve;
  });
  const onWrite = (stream: string, text: string) => {
    if (stream === 'stdout') printed(text);
  };
  const ended = sluice(args, { ...terminal, env, interrupted: controller.signal, onWrite });
  try {
    await use(await Promise.race([first, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]));
  } finally {
    controller.abort();
  }
  return ended;
}

/** Runs `serve` until `use` is done with what it printed first. */
export function serveWhile(
  args: readonly string[],
  use: (printed: string) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return listenWhile(['serve', ...args], use, env);
}

/** Runs `serve --json` until `use` is done with the service. */
export function serveJsonWhile(
  args: readonly string[],
  use: (place: Place) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return serveWhile(['--json', ...args], (printed) => use(JSON.parse(printed) as Place), env);
}
