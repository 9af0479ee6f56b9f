#!/usr/bin/env node
import { watch } from 'node:fs';
import { exitCode } from './exit-code.js';
import { main } from './main.js';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // A second signal ends the process at once.
    if (interruption.signal.aborted) process.exit(exitCode.interrupted);
    interruption.abort(new Error(`interrupted by ${signal}`));
  });
}
// A pending read of stdin would keep the process alive until the writer closes its end.
interruption.signal.addEventListener('abort', () => process.stdin.destroy());
// A failed write is reported to its callback; without a listener the event would end the process as well.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

process.exitCode = await main(process.argv.slice(2), {
  stdin: () => process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  interrupted: interruption.signal,
  now: () => performance.now(),
  every: (ms, tick) => {
    const timer = setInterval(tick, ms).unref();
    return () => clearInterval(timer);
  },
  watch: (folder, changed) => {
    const watcher = watch(folder, changed).on('error', changed);
    return () => watcher.close();
  },
});
