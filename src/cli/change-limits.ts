/**
 * Options that limit how many messages a change of rules may decide differently: gates of `diff`,
 * and the canary of `moderate`.
 */

import { UsageError } from '../foundation/errors.js';
import type { GateLimit } from '../review/compare/gates.js';

export const limitOptions = { newlyStopped: 'max-newly-stopped', released: 'max-released' } as const;

/** Reads a limit: a number of messages, or a percentage of all. Throws `UsageError`. */
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
