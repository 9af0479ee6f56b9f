import { styleText } from 'node:util';
import type { Io, Output } from '../io.js';

/** What colours mean here; few on purpose. */
const formats = {
  head: 'bold',
  faint: 'dim',
  bad: 'red',
  doubt: 'yellow',
  good: 'green',
  /** A place in a text. */
  mark: 'inverse',
} as const;

export type Tone = keyof typeof formats;

/** Gives a text its tone, or leaves it alone where colour is not wanted. */
export type Paint = (tone: Tone | undefined, text: string) => string;

/** Whether colour is wanted: on terminals only; `NO_COLOR` and `TERM=dumb` turn it off, `FORCE_COLOR` turns it on. */
export function wantsColour(output: Output, env: Io['env']): boolean {
  const asked = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const refused = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb' || env.FORCE_COLOR === '0';
  return !refused && (asked || output.isTTY === true);
}

/** Paints where colour is wanted. */
export function painter(output: Output, env: Io['env']): Paint {
  if (!wantsColour(output, env)) return (_tone, text) => text;
  return (tone, text) => (tone === undefined ? text : styleText(formats[tone], text, { validateStream: false }));
}
