/** Shows progress and notices of a command on standard error. */
import { type Io, printWords } from '../io.js';
import { escapeText, fitText, formatCount } from './text.js';

/**
 * Shows progress and notes of a command on stderr: as a status line on a terminal, as plain lines
 * elsewhere.
 */
export interface Reporter {
  readonly hasStatusLine: boolean;
  /** Announces a step that takes time. */
  step(text: string): Promise<void>;
  /**
   * Shows the number of messages that are done, the verb for that (`done`, default: judged), and
   * their share of all, from 0 to 1, if it is known. It is cheap, since it is called for every
   * message.
   */
  progress(count: number, share: number | undefined, done?: string): void;
  /** Writes a line that stays on the screen. */
  note(text: string): Promise<void>;
  /** Removes the status line. Called before results are written, and at the end. */
  end(): void;
}

const redrawEveryMs = 100;
const eraseLine = '\r\u{1b}[K';

/**
 * Creates the reporter of a command. With `quiet` it writes nothing. The status line is drawn only
 * by ticks, so that quick work draws none.
 */
export function createReporter(io: Io, { quiet }: { readonly quiet: boolean }): Reporter {
  const plain = { hasStatusLine: false, progress: () => undefined, end: () => undefined };
  if (quiet) return { ...plain, step: async () => undefined, note: async () => undefined };
  const { stderr, now } = io;
  const line = (text: string) => printWords(io, `${escapeText(text)}\n`);
  if (stderr.isTTY !== true) return { ...plain, step: line, note: line };
  let step = '';
  let counting: (Counting & { readonly since: number }) | undefined;
  let drawn = false;
  const write = (text: string) => void stderr.write(text, () => undefined);
  const erase = () => {
    if (drawn) write(eraseLine);
    drawn = false;
  };
  const stop = io.every(redrawEveryMs, () => {
    if (counting === undefined && step === '') return;
    const status = counting === undefined ? step : progressLine(counting, now() - counting.since);
    write(eraseLine + fitText(status, (stderr.columns || 80) - 1));
    drawn = true;
  });
  return {
    hasStatusLine: true,
    step: async (text) => {
      step = escapeText(text);
      counting = undefined;
    },
    progress: (count, share, done = 'judged') => {
      counting ??= { since: now(), count, share, done };
      counting.count = count;
      counting.share = share;
    },
    note: (text) => {
      erase();
      return line(text);
    },
    end: () => {
      stop();
      erase();
    },
  };
}

/**
 * The number of messages that are done, the verb for that, and their share of all, if it is known.
 */
interface Counting {
  count: number;
  share: number | undefined;
  readonly done: string;
}

/**
 * Time before which no remaining time is shown, since the first pages tell little about the others.
 */
const firstEstimateMs = 2000;

const barWidth = 20;

/**
 * Returns one line with a number of messages and its rate. A bar and the remaining time are
 * included only if the share is known.
 */
export function progressLine({ count, share, done }: Counting, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? Math.round(count / (elapsedMs / 1000)) : 0;
  const counts = `${formatCount(count)} messages ${done}, ${formatCount(rate)} a second`;
  if (share === undefined) return counts;
  const filled = Math.floor(share * barWidth);
  const bar = `[${'='.repeat(filled)}${filled < barWidth ? '>' : ''}`.padEnd(barWidth + 1);
  // Estimates that the rest takes as long as the share that is done.
  const left = elapsedMs < firstEstimateMs || share <= 0 ? undefined : (elapsedMs * (1 - share)) / share;
  return `${bar}] ${counts}${left === undefined ? '' : `, ${durationWords(left)} left`}`;
}

/** Describes a duration in seconds, minutes, or hours and minutes. */
function durationWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds <= 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
