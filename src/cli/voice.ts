import { type Io, print } from './io.js';
import { escapeText } from './terminal/escape-text.js';
import { createStatusLine } from './terminal/status-line.js';

/** How a command speaks on stderr: a status line on a terminal, a few plain words elsewhere. */
export interface Voice {
  /** Whether somebody watches a status line. */
  readonly isWatched: boolean;
  /** A step that takes time. */
  step(words: string): Promise<void>;
  /** How many messages have been judged, and which share of all that is, where it is known. */
  progress(count: number, share: number | undefined): void;
  /** Something worth keeping on the screen. */
  note(words: string): Promise<void>;
  /** Takes the status line away; before anything else is written, and at the end. */
  end(): void;
}

const nothing = () => undefined;
const nothingAsync = async () => undefined;

/** The voice of a command; a quiet one says nothing at all. */
export function createVoice(io: Io, { quiet }: { readonly quiet: boolean }): Voice {
  if (quiet) return { isWatched: false, step: nothingAsync, progress: nothing, note: nothingAsync, end: nothing };
  const line = (words: string) => print(io.stderr, `${escapeText(words)}\n`);
  if (io.stderr.isTTY !== true) return { isWatched: false, step: line, progress: nothing, note: line, end: nothing };
  const status = createStatusLine(io.stderr, io);
  return {
    isWatched: true,
    step: async (words) => status.show(escapeText(words)),
    progress: status.count,
    note: (words) => {
      status.erase();
      return line(words);
    },
    end: status.end,
  };
}
