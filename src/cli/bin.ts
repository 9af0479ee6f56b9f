#!/usr/bin/env node
import { wholeOutput } from './io.js';
import { main } from './main.js';

/** Time in which an interrupted command must end by itself. */
const graceMs = 8_000;

/**
 * Ends the process like an interruption, with exit code 130 in a shell. `process.exit` would wait
 * for the threads of file operations, and a pipe without a reader or a hanging disk would block it
 * for ever.
 */
function endNow(): void {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
  // The first process of a container ignores signals that it sends to itself.
  setTimeout(() => process.abort(), 500);
}

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (interruption.signal.aborted) return endNow();
    setTimeout(() => {
      process.stderr.write(`sluice: something still runs ${graceMs / 1000} s after ${signal}; stopping without it\n`);
      endNow();
    }, graceMs).unref();
    interruption.abort(new Error(`interrupted by ${signal}`));
  });
}
// Otherwise a pending read of stdin would keep the process alive until the writer closes its end.
interruption.signal.addEventListener('abort', () => process.stdin.destroy());
// A failed write is reported to its callback. Without a listener, the event would also end the
// process.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

process.exitCode = await main(process.argv.slice(2), {
  stdin: () => process.stdin,
  stdout: wholeOutput(process.stdout),
  stderr: process.stderr,
  env: process.env,
  interrupted: interruption.signal,
  now: () => performance.now(),
  today: () => new Date().toISOString().slice(0, '2027-01-31'.length),
  every: (ms, tick) => {
    const timer = setInterval(tick, ms).unref();
    return () => clearInterval(timer);
  },
});
