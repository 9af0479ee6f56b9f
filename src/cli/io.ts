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
 * Creates a standard output that writes every byte. For files, Node writes only once and ignores
 * how many bytes a full disk took; for pipes and terminals it writes everything itself. `write`
 * writes bytes to a file descriptor, and returns how many it wrote.
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

/** The inputs and outputs of the program other than files and sockets. Tests replace them. */
export interface Io {
  /** Opens standard input with the first call. Once open, it keeps the process alive. */
  readonly stdin: () => InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts on the first SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** The day in UTC, such as `2027-01-31`. Used only for notes on terms with a date. */
  readonly today: () => string;
  /**
   * Calls `tick` every `ms` milliseconds until the returned function is called. Does not keep the
   * process alive.
   */
  readonly every: (ms: number, tick: () => void) => () => void;
}

/** Thrown if standard output did not accept what was printed. */
export class OutputError extends SluiceError {
  override readonly name: string = 'OutputError';

  constructor(cause: Error) {
    super('output', `cannot write to standard output: ${fileReason(cause) ?? 'unknown error'}`, { cause });
  }
}

/**
 * Reports whether an output no longer has a reader: a closed pipe (`| head`), or a terminal that
 * was closed, which sends SIGHUP.
 */
function isUnread({ code }: NodeJS.ErrnoException, { isTTY }: OutputStream): boolean {
  return code === 'EPIPE' || (code === 'EIO' && isTTY === true);
}

/**
 * Prints a text on standard output, and waits until it is accepted. Resolves to false if the output
 * no longer has a reader, which is not an error. Throws `OutputError`, for example for a full disk.
 */
export async function print({ stdout }: Pick<Io, 'stdout'>, text: string): Promise<boolean> {
  const error = await write(stdout, text);
  if (error !== undefined && !isUnread(error, stdout)) throw new OutputError(error);
  return error === undefined;
}

/**
 * Prints a text for people on standard error. Failures are ignored, since they could not be
 * printed.
 */
export async function printWords({ stderr }: Pick<Io, 'stderr'>, text: string): Promise<void> {
  await write(stderr, text);
}

function write(stream: OutputStream, text: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => stream.write(text, (error) => resolve(error ?? undefined)));
}

/** Prints a value as JSON on standard output, indented by `indent` spaces. */
export async function printJson(io: Io, value: unknown, indent = 2): Promise<void> {
  await print(io, `${safeJson(value, indent)}\n`);
}
