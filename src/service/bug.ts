/** A bug of the service itself, as it is told: where it happened, and nothing of what a request or a message holds. */
export interface ServiceBug {
  /** The operation by method and path template, such as `GET /users/{uid}`; `the connection` outside of one. */
  readonly operation: string;
  /** Class of what was thrown. */
  readonly error: string;
  /** Innermost first: function, file, line and column. */
  readonly at: readonly string[];
}

/** Told of each bug; the request that met it is answered with a 500 of its own. */
export type OnBug = (bug: ServiceBug) => void;

/**
 * Describes what was thrown. The message is left out, since it may quote what was served; frames are read only behind it, and
 * only as far as they are frames.
 */
export function describeBug(thrown: unknown, operation: string): ServiceBug {
  if (!(thrown instanceof Error)) return { operation, error: typeof thrown, at: [] };
  const { name, message, stack = '' } = thrown;
  const behind = stack.slice(Math.max(0, stack.indexOf(message)) + message.length);
  const at = behind.split('\n').flatMap((line) => {
    const frame = /^\s+at (?:(?:async )?([\w$.<># ]+) \()?(?:.*[\\/])?([\w.-]+:\d+:\d+)\)?$/.exec(line);
    return frame === null ? [] : [`${frame[1] ?? 'anonymous'} (${frame[2]})`];
  });
  return { operation, error: /^\w{1,60}$/.test(name) ? name : 'Error', at };
}

/** Tells a bug on standard error, in one line. */
export function printBug({ operation, error, at }: ServiceBug): void {
  process.stderr.write(`sluice service: bug in ${operation}: ${[error, ...at.slice(0, 5)].join(' < ')}\n`);
}
