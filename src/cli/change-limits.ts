/** Limits of what other rules may do with messages, as options: of the gates of `diff`, and of the canary of `moderate`. */

import { UsageError } from '../foundation/errors.js';
import type { GateLimit } from '../review/compare/gates.js';

export const limitOptions = { newlyStopped: 'max-newly-stopped', released: 'max-released' } as const;

/** Reads a limit: a number, or a share of all in percent. Throws `UsageError`. */
export function readLimit(kind: GateLimit['kind'], written: string | undefined): GateLimit | undefined {
  if (written === undefined) return undefined;
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(written) ?? [];
  const isShare = percent === '%';
  if (digits === undefined || (isShare ? Number(digits) > 100 : !Number.isSafeInteger(Number(digits)))) {
    const option = `--${limitOptions[kind]}`;
    throw new UsageError(`\`${option}\` must be a whole number of messages, or a share such as \`0.5%\``);
  }
  return { kind, most: isShare ? { percent: digits } : { messages: Number(digits) } };
}
