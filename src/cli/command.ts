import type { Io } from './io.js';

/** One option of a command, as parsed and as shown by its help. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string';
  /** Name of the value in the help, such as `FILE`. */
  readonly value?: string;
  readonly help: string;
  /** Heading that the help puts it under. */
  readonly group?: string;
}

/** The options of a command, by name without dashes. */
export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** What was given on the command line: strings and flags by option name; what was not given is absent. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name]['type'] extends 'boolean' ? boolean : string;
};

/** The one argument that a command may take besides its options. */
export interface Operand {
  /** As the help writes it, such as `TEXT|-`. */
  readonly title: string;
  /** What it is, in a word: `text`. */
  readonly noun: string;
}

/** One command: what its help says and what it does. */
export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Paragraph for its own help. */
  readonly description: string;
  /** Whole command lines worth copying. */
  readonly examples: readonly string[];
  readonly options: Table;
  /** Absent for commands that take options alone. */
  readonly operand?: Operand;
  /** Does the work and gives the exit code. Throws `SluiceError` for what the user can mend. */
  readonly run: (values: OptionValues<Table>, io: Io, operand: string | undefined) => Promise<number>;
}
