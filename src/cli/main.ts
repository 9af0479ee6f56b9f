/** Runs a command line, and converts errors to a line and an exit code. */
import { UsageError } from '../foundation/errors.js';
import { nearestNames } from '../foundation/nearest-names.js';
import { version } from '../foundation/version.js';
import { type Command, parseOptions } from './command.js';
import { commands, loadCommand } from './commands.js';
import { exitCode } from './exit-code.js';
import { commandHelp, programHelp } from './help.js';
import { type Io, print, printWords } from './io.js';
import type { Form } from './outcome.js';
import { createReporter } from './terminal/progress.js';
import { screenWidth } from './terminal/style.js';

/**
 * Runs a command line, given without the name of the program, and returns its exit code. Never
 * throws. A `SluiceError` is printed as one line on stderr; any other error is a bug and is printed
 * with its stack.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    if (io.interrupted.aborted) {
      await printWords(io, 'sluice: interrupted\n');
      return exitCode.interrupted;
    }
    const { failureOf } = await import('./failure.js');
    const failure = failureOf(error);
    if (failure !== undefined) {
      await printWords(io, failure.words);
      return failure.code;
    }
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    await printWords(io, `sluice: this is a bug in sluice, please report it\n${stack}\n`);
    return exitCode.bug;
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = argv;
  if (first === '--version' || first === '-v') {
    await print(io, `sluice ${version}\n`);
    return exitCode.done;
  }
  if (first === undefined || first === '--help' || first === '-h' || (first === 'help' && rest[0] === undefined)) {
    const help = programHelp(commands, screenWidth(io.stdout));
    await (first === undefined ? printWords(io, help) : print(io, help));
    return first === undefined ? exitCode.usage : exitCode.done;
  }
  const command = await commandNamed(first === 'help' ? (rest[0] ?? '') : first);
  const given = parseOptions(command, first === 'help' ? ['--help'] : rest);
  const { values, operands } = given;
  if (values.help) {
    await print(io, commandHelp(command, screenWidth(io.stdout)));
    return exitCode.done;
  }
  const { inputFiles, refuseReplacing } = await import('./output-files.js');
  const inputs = await inputFiles(command, given);
  await refuseReplacing(command, given, inputs);
  const reporter = createReporter(io, { quiet: values.quiet !== undefined });
  try {
    const outcome = await command.run(values, { ...io, reporter, inputs }, ...operands);
    if (typeof outcome === 'number') return outcome;
    const { printOutcome } = await import('./outcome.js');
    return await printOutcome(io, values as Form, outcome);
  } finally {
    reporter.end();
  }
}

async function commandNamed(name: string): Promise<Command> {
  if (Object.hasOwn(commands, name)) return loadCommand(name);
  const [near] = nearestNames(name, Object.keys(commands));
  const what = name.startsWith('-') ? 'option' : 'command';
  throw new UsageError(`unknown ${what} \`${name}\`; ${near ? `did you mean \`${near}\`?` : 'see `sluice --help`'}`);
}
