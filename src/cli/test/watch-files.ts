import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import type { RunContext } from '../command.js';
import { failureOf } from '../exit-code.js';
import { print, printWords } from '../io.js';
import { counted } from '../terminal/text.js';

/** Events of one change come in a row: a run begins when the first of them is so old. */
const settleMs = 100;

/** Clears screen and scrollback, and moves to the first line. */
const clearScreen = '\u{1b}[2J\u{1b}[3J\u{1b}[H';

/**
 * Runs work, and again whenever one of the files changed, until the command is interrupted; then returns the exit code of the last run. Folders
 * are watched rather than files, since editors put a new file in the place of the old one; what counts is whether a file differs by
 * its identity, size or time. An error that the user can mend is printed and ends a run, not the watch.
 */
export async function watchAndRun(
  files: readonly string[],
  context: RunContext,
  work: () => Promise<number>,
): Promise<number> {
  const { interrupted, every, stdout, reporter } = context;
  let wake: () => void = () => undefined;
  let stopTimer: (() => void) | undefined;
  const onEvent = () => {
    stopTimer ??= every(settleMs, () => {
      stopTimer?.();
      stopTimer = undefined;
      wake();
    });
  };
  interrupted.addEventListener('abort', () => wake());
  const folders = new Set(files.map((file) => dirname(file)));
  const stops: (() => void)[] = [];
  try {
    for (const folder of folders) {
      stops.push(await withFileErrors('watch', folder, async () => context.watch(folder, onEvent)));
    }
    for (;;) {
      const before = await identify(files);
      if (stdout.isTTY === true) await print(context, clearScreen);
      const code = await runOnce(work, context);
      if (interrupted.aborted) return code;
      await reporter.note(`watching ${counted(files.length, 'file')}; ctrl-c ends`);
      for (let changed = false; !changed; ) {
        // Made before the files are looked at: what happens from here on ends the wait.
        const event = new Promise<void>((resolve) => {
          wake = resolve;
        });
        changed = (await identify(files)) !== before;
        if (!changed && !interrupted.aborted) await event;
        if (interrupted.aborted) return code;
      }
    }
  } finally {
    stopTimer?.();
    for (const stop of stops) stop();
  }
}

async function runOnce(work: () => Promise<number>, context: RunContext): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined || context.interrupted.aborted) throw error;
    await printWords(context, failure.words);
    return failure.code;
  }
}

/** What tells a state of files from another one. */
async function identify(files: readonly string[]): Promise<string> {
  const states = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ dev, ino, size, mtimeMs }) => [dev, ino, size, mtimeMs],
        () => null,
      ),
    ),
  );
  return JSON.stringify(states);
}
