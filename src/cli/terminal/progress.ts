import { type Io, printWords } from '../io.js';
import { escapeText, fitText, formatCount } from './text.js';

/** Progress and notices of a command on stderr: a status line on a terminal, plain lines elsewhere. */
export interface Reporter {
  readonly hasStatusLine: boolean;
  /** Announces a step that takes time. */
  step(text: string): Promise<void>;
  /** Messages judged so far, and their share of all, 0..1, where known. Cheap: it is called for every message. */
  progress(count: number, share: number | undefined): void;
  /** Writes a line that stays on the screen. */
  note(text: string): Promise<void>;
  /** Removes the status line for good: before results are written, and at the end. */
  end(): void;
}

const redrawEveryMs = 100;
const eraseLine = '\r\u{1b}[K';

/** The reporter of a command; a quiet one writes nothing. The line is drawn by ticks only, so quick work draws none. */
export function createReporter(io: Io, { quiet }: { readonly quiet: boolean }): Reporter {
  const plain = { hasStatusLine: false, progress: () => undefined, end: () => undefined };
  if (quiet) return { ...plain, step: async () => undefined, note: async () => undefined };
  const { stderr, now } = io;
  const line = (text: string) => printWords(io, `${escapeText(text)}\n`);
  if (stderr.isTTY !== true) return { ...plain, step: line, note: line };
  let step = '';
  let judged: { readonly since: number; count: number; share: number | undefined } | undefined;
  let drawn = false;
  const write = (text: string) => void stderr.write(text, () => undefined);
  const erase = () => {
    if (drawn) write(eraseLine);
    drawn = false;
  };
  const stop = io.every(redrawEveryMs, () => {
    if (judged === undefined && step === '') return;
    const status = judged === undefined ? step : progressLine(judged.count, judged.share, now() - judged.since);
    write(eraseLine + fitText(status, (stderr.columns || 80) - 1));
    drawn = true;
  });
  return {
    hasStatusLine: true,
    step: async (text) => {
      step = escapeText(text);
      judged = undefined;
    },
    progress: (count, share) => {
      judged ??= { since: now(), count, share };
      judged.count = count;
      judged.share = share;
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

const barWidth = 20;

/** A count of messages with its rate, in one line; bar and time left only when the share, 0..1, is known. */
export function progressLine(count: number, share: number | undefined, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? Math.round(count / (elapsedMs / 1000)) : 0;
  const counts = `${formatCount(count)} messages  ${formatCount(rate)}/s`;
  if (share === undefined) return counts;
  const filled = Math.floor(share * barWidth);
  const bar = `[${'='.repeat(filled)}${filled < barWidth ? '>' : ''}`.padEnd(barWidth + 1);
  const left = share > 0 ? `  ${timeLeft((elapsedMs * (1 - share)) / share)} left` : '';
  return `${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${counts}${left}`;
}

function timeLeft(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
