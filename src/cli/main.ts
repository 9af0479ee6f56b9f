import { UsageError } from '../foundation/errors.js';
import { nearestNames } from '../foundation/nearest-names.js';
import { version } from '../foundation/version.js';
import { type Command, parseOptions } from './command.js';
import { applyCommand } from './commands/apply.js';
import { auditCommand } from './commands/audit.js';
import { checkCommand } from './commands/check.js';
import { completionsCommand } from './commands/completions.js';
import { diffCommand } from './commands/diff.js';
import { judgeCommand } from './commands/judge.js';
import { lintCommand } from './commands/lint.js';
import { moderateCommand } from './commands/moderate.js';
import { playCommand } from './commands/play.js';
import { precisionCommand } from './commands/precision.js';
import { pullCommand } from './commands/pull.js';
import { serveCommand } from './commands/serve.js';
import { testCommand } from './commands/test.js';
import { exitCode, failureOf } from './exit-code.js';
import { commandHelp, programHelp } from './help.js';
import { type Io, print, printWords } from './io.js';
import { type Form, printOutcome } from './outcome.js';
import { inputFiles, refuseReplacing } from './output-files.js';
import { createReporter } from './terminal/progress.js';
import { screenWidth } from './terminal/style.js';

/** Every command, in the order of the help. The type drops their option tables, which differ. */
export const commands = [
  checkCommand,
  auditCommand,
  lintCommand,
  testCommand,
  diffCommand,
  precisionCommand,
  playCommand,
  judgeCommand,
  pullCommand,
  applyCommand,
  moderateCommand,
  serveCommand,
  completionsCommand(() => commands),
] as readonly Command[];

/**
 * Runs a command line, without the name of the program, and returns its exit code. Never throws: a `SluiceError` is one
 * line on stderr, any other error is a bug and shows its stack.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    if (io.interrupted.aborted) {
      await printWords(io, 'sluice: interrupted\n');
      return exitCode.interrupted;
    }
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
  const command = commandNamed(first === 'help' ? (rest[0] ?? '') : first);
  const given = parseOptions(command, first === 'help' ? ['--help'] : rest);
  const { values, operands } = given;
  if (values.help) {
    await print(io, commandHelp(command, screenWidth(io.stdout)));
    return exitCode.done;
  }
  const inputs = await inputFiles(command, given);
  await refuseReplacing(command, given, inputs);
  const reporter = createReporter(io, { quiet: values.quiet !== undefined });
  try {
    const outcome = await command.run(values, { ...io, reporter, inputs }, ...operands);
    return typeof outcome === 'number' ? outcome : await printOutcome(io, values as Form, outcome);
  } finally {
    reporter.end();
  }
}

function commandNamed(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const [near] = nearestNames(
    name,
    commands.map((candidate) => candidate.name),
  );
  const what = name.startsWith('-') ? 'option' : 'command';
  throw new UsageError(`unknown ${what} \`${name}\`; ${near ? `did you mean \`${near}\`?` : 'see `sluice --help`'}`);
}
