import type { Io, Output } from '../io.js';
import { progressLine } from './progress-line.js';
import { fitText } from './text-width.js';

/** The last line of a terminal, while work is going on. Drawn ten times a second at most, and not at all for quick work. */
export interface StatusLine {
  /** Says what is going on. */
  show(words: string): void;
  /** Says how far it has come; cheap, so it may be told of every message. */
  count(count: number, share: number | undefined): void;
  /** Takes the line away, so that something can be written; it comes back with the next drawing. */
  erase(): void;
  /** Takes the line away for good. */
  end(): void;
}

const drawEveryMs = 100;
const eraseLine = '\r\u{1b}[K';

/** A status line on a terminal. */
export function createStatusLine(output: Output, { now, every }: Pick<Io, 'now' | 'every'>): StatusLine {
  let words = '';
  let counted: { readonly since: number; count: number; share: number | undefined } | undefined;
  let drawn = false;
  const write = (text: string) => void output.write(text, () => undefined);
  const erase = () => {
    if (drawn) write(eraseLine);
    drawn = false;
  };
  const stop = every(drawEveryMs, () => {
    const line = counted === undefined ? words : progressLine(counted.count, counted.share, now() - counted.since);
    write(eraseLine + fitText(line, (output.columns ?? 80) - 1));
    drawn = true;
  });
  return {
    show(newWords) {
      words = newWords;
      counted = undefined;
    },
    count(count, share) {
      counted ??= { since: now(), count, share };
      counted.count = count;
      counted.share = share;
    },
    erase,
    end() {
      stop();
      erase();
    },
  };
}
