/** A stream that a command writes to: `process.stdout`, `process.stderr`, or one of a test. */
export interface OutputStream {
  write(text: string, done: (error?: Error | null) => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** All inputs and outputs of the program besides files and sockets, injected so that a test can replace them. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts on the first SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Calls `tick` every `ms` until the returned function is called; keeps no process alive. */
  readonly every: (ms: number, tick: () => void) => () => void;
}

/** Whether nobody reads an output any more: a closed pipe (`| head`), or a terminal that is gone, as after SIGHUP. */
export function isUnread(error: unknown): boolean {
  return ['EPIPE', 'EIO'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
}

/** Writes a text and waits until the stream has accepted it. An output that nobody reads is no error. */
export function print(stream: OutputStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error instanceof Error && !isUnread(error)) reject(error);
      else resolve();
    });
  });
}
