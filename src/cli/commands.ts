/**
 * Loads commands. They are listed in the order of the help, and each is loaded when it is called,
 * so that the others cost no time.
 */
import type { Command } from './command.js';

/** The summary of each command, by name. */
export const commands: Readonly<Record<string, string>> = {
  check: 'judge one text or message and say exactly why',
  audit: 'judge many messages and say what the rules did',
  lint: 'say what is wrong with the rules, with a text that shows it',
  test: 'test the rules with cases of your own',
  diff: 'say what a change of rules would do with your messages',
  precision: 'say how right each rule is, by a random sample that people judged',
  play: 'edit rules, and see what they would have done to messages',
  judge: 'judge standard input line by line: one line in, one line out',
  pull: 'fetch rules, messages and decisions of reviewers into files',
  apply: 'send a change of rules to the platform',
  moderate: 'answer over HTTP what the rules say of a message',
  serve: 'serve the whole interface on this machine, no account needed',
  completions: 'print the script that completes commands and options in a shell',
};

/** Imports the module of each command, which exports `NAMECommand`. */
const modules: Readonly<Record<string, () => Promise<object>>> = {
  check: () => import('./commands/check.js'),
  audit: () => import('./commands/audit.js'),
  lint: () => import('./commands/lint.js'),
  test: () => import('./commands/test.js'),
  diff: () => import('./commands/diff.js'),
  precision: () => import('./commands/precision.js'),
  play: () => import('./commands/play.js'),
  judge: () => import('./commands/judge.js'),
  pull: () => import('./commands/pull.js'),
  apply: () => import('./commands/apply.js'),
  moderate: () => import('./commands/moderate.js'),
  serve: () => import('./commands/serve.js'),
  completions: async () => ({
    completionsCommand: (await import('./commands/completions.js')).completionsFor(loadAll),
  }),
};

export async function loadCommand(name: string): Promise<Command> {
  const loaded = (await modules[name]!()) as Readonly<Record<string, Command>>;
  return loaded[`${name}Command`]!;
}

/** Loads all commands, each with its summary. */
export function loadAll(): Promise<readonly (Command & { readonly summary: string })[]> {
  return Promise.all(
    Object.entries(commands).map(async ([name, summary]) => ({ ...(await loadCommand(name)), summary })),
  );
}
