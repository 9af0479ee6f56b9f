/** The colours of a terminal. */
import { styleText } from 'node:util';
import type { Io, OutputStream } from '../io.js';

const formats = {
  head: 'bold',
  faint: 'dim',
  bad: 'red',
  warning: 'yellow',
  good: 'green',
  /** The tones of marks. Rules take them in turn. */
  mark1: 'magenta',
  mark2: 'cyan',
  mark3: 'blue',
  mark4: 'yellow',
} as const;

/** The meaning of a colour. */
export type Tone = keyof typeof formats;

/** Colours a text by its tone. Returns it unchanged if colour is off. */
type Paint = (tone: Tone | undefined, text: string) => string;

/** The layout of a screen: its width and its colours. Colour never carries a meaning alone. */
export interface Output {
  readonly width: number;
  readonly paint: Paint;
}

/** Returns the layout of standard output. Its width is that of the screen, unless one is given. */
export function outputOf({ stdout, env }: Pick<Io, 'stdout' | 'env'>, width = screenWidth(stdout)): Output {
  const coloured = wantsColour(stdout, env);
  const paint: Paint = (tone, text) =>
    coloured && tone !== undefined ? styleText(formats[tone], text, { validateStream: false }) : text;
  return { width, paint };
}

/**
 * Returns the width of a screen in columns: that of the terminal, limited to 40 to 140, or 80 if it
 * reports none, or 0 like some pseudo-terminals.
 */
export function screenWidth({ columns }: OutputStream): number {
  return Math.max(40, Math.min(columns || 80, 140));
}

/**
 * Reports whether colour is on. It is on only for terminals; `NO_COLOR` and `TERM=dumb` turn it
 * off, `FORCE_COLOR` turns it on.
 */
function wantsColour(stream: OutputStream, env: Io['env']): boolean {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const off = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb' || env.FORCE_COLOR === '0';
  return !off && (forced || stream.isTTY === true);
}

/** A piece of text in one tone. */
export type Run = readonly [text: string, tone: Tone | undefined];

/**
 * Joins runs to a line without trailing blanks. Neighbouring runs with the same tone are painted at
 * once.
 */
export function paintRuns(runs: readonly Run[], paint: Paint): string {
  const joined: [text: string, tone: Tone | undefined][] = [];
  for (const [text, tone] of runs) {
    const last = joined.at(-1);
    if (last !== undefined && last[1] === tone) last[0] += text;
    else joined.push([text, tone]);
  }
  while (joined.length > 0 && joined.at(-1)![1] === undefined && joined.at(-1)![0].trimEnd() === '') joined.pop();
  const last = joined.at(-1);
  if (last !== undefined) last[0] = last[0].trimEnd();
  return joined.map(([text, tone]) => paint(tone, text)).join('');
}
