#!/usr/bin/env node
import { exitCode } from './exit-code.js';
import { main } from './main.js';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second one does not wait for anything: whoever asks twice means it.
    if (interruption.signal.aborted) process.exit(exitCode.interrupted);
    interruption.abort(new Error(`interrupted by ${signal}`));
  });
}
// A read that waits for input would keep the process alive until the writer closes its end.
interruption.signal.addEventListener('abort', () => process.stdin.destroy());
// A reader that goes away is reported to each write; without a listener it would also end the process.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await main(process.argv.slice(2), {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  interrupted: interruption.signal,
  now: () => performance.now(),
  every: (ms, tick) => {
    const timer = setInterval(tick, ms).unref();
    return () => clearInterval(timer);
  },
});
