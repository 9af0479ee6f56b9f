/** Every command, in the order of the help. A command is loaded when it is called, so that others cost no time. */
import type { Command } from './command.js';

/** A command that is not loaded yet. */
export interface NamedCommand {
  /** One line for the list of commands. */
  readonly summary: string;
  load(): Promise<Command>;
}

export const commands: Readonly<Record<string, NamedCommand>> = {
  check: {
    summary: 'judge one text or message and say exactly why',
    load: async () => (await import('./commands/check.js')).checkCommand as Command,
  },
  audit: {
    summary: 'judge many messages and say what the rules did',
    load: async () => (await import('./commands/audit.js')).auditCommand as Command,
  },
  lint: {
    summary: 'say what is wrong with the rules, with a text that shows it',
    load: async () => (await import('./commands/lint.js')).lintCommand as Command,
  },
  test: {
    summary: 'test the rules with cases of your own',
    load: async () => (await import('./commands/test.js')).testCommand as Command,
  },
  diff: {
    summary: 'say what a change of rules would do with your messages',
    load: async () => (await import('./commands/diff.js')).diffCommand as Command,
  },
  precision: {
    summary: 'say how right each rule is, by a random sample that people judged',
    load: async () => (await import('./commands/precision.js')).precisionCommand as Command,
  },
  play: {
    summary: 'edit rules, and see what they would have done to messages',
    load: async () => (await import('./commands/play.js')).playCommand as Command,
  },
  judge: {
    summary: 'judge standard input line by line: one line in, one line out',
    load: async () => (await import('./commands/judge.js')).judgeCommand as Command,
  },
  pull: {
    summary: 'fetch rules, messages and decisions of reviewers into files',
    load: async () => (await import('./commands/pull.js')).pullCommand as Command,
  },
  apply: {
    summary: 'send a change of rules to the platform',
    load: async () => (await import('./commands/apply.js')).applyCommand as Command,
  },
  moderate: {
    summary: 'answer over HTTP what the rules say of a message',
    load: async () => (await import('./commands/moderate.js')).moderateCommand as Command,
  },
  serve: {
    summary: 'serve the whole interface on this machine, no account needed',
    load: async () => (await import('./commands/serve.js')).serveCommand as Command,
  },
  completions: {
    summary: 'print the script that completes commands and options in a shell',
    load: async () => (await import('./commands/completions.js')).completionsCommand(loadAll),
  },
};

/** Loads all commands. */
export function loadAll(): Promise<readonly (Command & Pick<NamedCommand, 'summary'>)[]> {
  return Promise.all(Object.values(commands).map(async ({ summary, load }) => ({ ...(await load()), summary })));
}
