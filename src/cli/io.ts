/** The streams, signals and clock that a command is given. */
import { fstatSync, writeSync } from 'node:fs';
import { SluiceError } from '../foundation/errors.js';
import { fileReason } from '../foundation/files/file-reason.js';
import { safeJson } from '../foundation/files/ndjson.js';

/** A stream that a command writes to: `process.stdout`, `process.stderr`, or one of a test. */
export interface OutputStream {
  write(text: string, done: (error?: Error | null) => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** A stream that a command reads: `process.stdin`, or one of a test. */
interface InputStream extends AsyncIterable<Uint8Array> {
  readonly isTTY?: boolean | undefined;
}

/**
 * A standard output that writes every byte. Node writes to a file once, and does not look how much of the text a full disk took; for a pipe or a terminal it
 * takes care of that itself. `write` writes bytes to a file descriptor, and returns how many it wrote.
 */
export function wholeOutput(
  stream: OutputStream & { readonly fd: number },
  { isFile = fstatSync(stream.fd).isFile(), write = (fd: number, bytes: Uint8Array) => writeSync(fd, bytes) } = {},
): OutputStream {
  if (!isFile) return stream;
  return {
    write(text, done) {
      try {
        for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(write(stream.fd, rest));
      } catch (error) {
        return done(error as Error);
      }
      done();
    },
  };
}

/** All inputs and outputs of the program besides files and sockets, injected so that a test can replace them. */
export interface Io {
  /** Standard input, opened by the first call: an open one keeps the process alive. */
  readonly stdin: () => InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts on the first SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** The day in UTC, `2027-01-31`, used only for the notes on terms with a date. */
  readonly today: () => string;
  /** Calls `tick` every `ms` until the returned function is called; keeps no process alive. */
  readonly every: (ms: number, tick: () => void) => () => void;
}

/** Standard output did not take what was to be printed. */
export class OutputError extends SluiceError {
  override readonly name: string = 'OutputError';

  constructor(cause: Error) {
    super('output', `cannot write to standard output: ${fileReason(cause) ?? 'unknown error'}`, { cause });
  }
}

/** Reports whether an output has no reader any more: a closed pipe (`| head`), or a terminal that is gone, as after SIGHUP. */
function isUnread({ code }: NodeJS.ErrnoException, { isTTY }: OutputStream): boolean {
  return code === 'EPIPE' || (code === 'EIO' && isTTY === true);
}

/**
 * Prints a text on standard output, and waits until it is taken; false where the output has no reader any more, which is not an error. Throws
 * `OutputError`, for a full disk for instance.
 */
export async function print({ stdout }: Pick<Io, 'stdout'>, text: string): Promise<boolean> {
  const error = await write(stdout, text);
  if (error !== undefined && !isUnread(error, stdout)) throw new OutputError(error);
  return error === undefined;
}

/** Prints words for people on standard error, as far as it takes them: an error would have nowhere to be printed. */
export async function printWords({ stderr }: Pick<Io, 'stderr'>, text: string): Promise<void> {
  await write(stderr, text);
}

function write(stream: OutputStream, text: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => stream.write(text, (error) => resolve(error ?? undefined)));
}

/** Prints a value as JSON on standard output, indented by two spaces, or by `indent`. */
export async function printJson(io: Io, value: unknown, indent = 2): Promise<void> {
  await print(io, `${safeJson(value, indent)}\n`);
}
