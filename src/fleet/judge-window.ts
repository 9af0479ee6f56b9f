/** The other end of an audit on many machines: a worker fetches the messages of a window and judges them. */

import type { Engines } from '../audit/engines.js';
import { createJudge, type JudgeOptions } from '../audit/judge.js';
import { checkListed } from '../audit/source/message-row.js';
import { type ListMessages, timeWindows } from '../audit/source/time-windows.js';
import type { JudgedWindow, WindowBounds } from './windows.js';

/** After so many messages the event loop turns once: the locks of the worker's windows are renewed by timers. */
const turn = 10;

/** Judges the messages of a window. Rejects with the error of the platform: then the window has no result. */
export async function judgeWindow(
  list: ListMessages,
  { from, seconds }: WindowBounds,
  engines: Engines,
  options: JudgeOptions,
): Promise<JudgedWindow> {
  const judge = createJudge(engines, options);
  for await (const { messages } of timeWindows(list, { from: { from, seconds }, until: from + seconds - 1 })) {
    for (const [index, message] of messages.entries()) {
      checkListed(message);
      judge.add(message);
      if (index % turn === turn - 1) await new Promise((resume) => setImmediate(resume));
    }
  }
  return { ...judge.end(), bad: [], badCount: 0 };
}
