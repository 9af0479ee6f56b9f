/** A stream that a command writes to: `process.stdout`, `process.stderr`, or a test's own. */
export interface Output {
  write(text: string, done: (error?: Error | null) => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Everything that a command knows of the world, so that it runs inside a test as it runs in a shell. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts on the first SIGINT or SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Calls `tick` every so many milliseconds until the function that it gives back is called; keeps no process alive. */
  readonly every: (ms: number, tick: () => void) => () => void;
}

/** Writes a text and waits until it is on its way. A reader that went away (`| head`) is no error. */
export function print(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error instanceof Error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error);
      else resolve();
    });
  });
}
