/** The name of an exit code. */
export type ExitName = keyof typeof exitCode;

/** The exit codes of all commands. */
export const exitCode = {
  done: 0,
  /** A message was not allowed, a gate closed, or something was found. */
  findings: 1,
  usage: 2,
  /** Rules or data could not be used, or results could not be written. */
  data: 3,
  /** The platform failed. */
  platform: 4,
  /** A bug in Sluice. It differs from 1, the code of findings. */
  bug: 70,
  interrupted: 130,
} as const;

/** Descriptions of the exit codes that every command with rules or messages has, for its help. */
export const commonExits = {
  usage: 'the command line is wrong, or a file cannot be read',
  data: 'rules or data cannot be used, or results cannot be written',
  platform: 'the platform failed',
  interrupted: 'interrupted',
} as const satisfies Partial<Record<ExitName, string>>;
