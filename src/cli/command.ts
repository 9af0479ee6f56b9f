import { parseArgs } from 'node:util';
import { UsageError } from '../errors.js';
import { nearestNames } from '../nearest-names.js';
import type { ExitName } from './exit-code.js';
import type { Io } from './io.js';
import type { Reporter } from './terminal/progress.js';

/** One option of a command. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string';
  /** May be given several times; its value is then an array. */
  readonly multiple?: true;
  /** Its value may be left out, and is empty then. */
  readonly optional?: true;
  /** Name of the value in the help, such as `FILE`. */
  readonly value?: string;
  readonly help: string;
  /** Heading in the help; `options` without. */
  readonly group?: string;
}

/** The options of a command, by name without dashes. */
export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** Options under one heading of the help. */
export function optionGroup<const Table extends OptionTable>(group: string, table: Table): Table {
  const grouped = Object.entries(table).map(([name, spec]) => [name, { ...spec, group }]);
  return Object.fromEntries(grouped) as Table;
}

/** The parsed options: strings, arrays of strings and flags by name; absent when not given. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name]['type'] extends 'boolean'
    ? boolean
    : Table[Name] extends { readonly multiple: true }
      ? readonly string[]
      : string;
};

/** The positional argument of a command. */
export interface Operand {
  /** As in the usage line: `TEXT|-`. */
  readonly title: string;
  /** As in an error: `text`. */
  readonly noun: string;
  /** Whether there may be several. */
  readonly many?: boolean;
}

/** The surroundings of a command: inputs, outputs, and the reporter of its progress, which ends with the command. */
export interface RunContext extends Io {
  readonly reporter: Reporter;
}

/** One command: its help and its work. */
export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Paragraph for the help of the command. */
  readonly description: string;
  /** Complete command lines. */
  readonly examples: readonly string[];
  readonly options: Table;
  /** The exit codes that the command ends with, by name, in words. */
  readonly exits: Readonly<Partial<Record<ExitName, string>>>;
  /** Absent for commands without a positional argument. */
  readonly operand?: Operand;
  /** Returns the exit code. Throws `SluiceError` for failures that the user can mend. */
  readonly run: (values: OptionValues<Table>, context: RunContext, ...operands: readonly string[]) => Promise<number>;
}

/** The parsed arguments of a command. */
export interface ParsedArguments<Table extends OptionTable> {
  readonly values: OptionValues<Table> & { readonly help?: boolean };
  readonly operands: readonly string[];
}

/** Names of a key option, which must not exist: other processes and the shell's history can read arguments. */
const keyOptions = new Set(['api-key', 'apikey', 'key']);

/**
 * Parses the arguments of a command. Throws `UsageError` of one line that names the option and the remedy, never a value:
 * a value may be a key, an argument a message of a user. Hence no strict mode of `parseArgs`, which quotes values.
 */
export function parseOptions<Table extends OptionTable>(
  { name: command, options: table, operand }: Pick<Command<Table>, 'name' | 'options' | 'operand'>,
  args: readonly string[],
): ParsedArguments<Table> {
  const known: OptionTable = { ...table, help: { type: 'boolean', help: '' } };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  const { tokens, values, positionals } = parseArgs({
    args: withEmptyValues(args, table),
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const seeHelp = `see \`sluice ${command} --help\``;
  let left = operand === undefined ? 0 : operand.many ? Number.POSITIVE_INFINITY : 1;
  for (const token of tokens) {
    if (token.kind === 'positional') left -= 1;
    if (left < 0) {
      throw new UsageError(
        operand === undefined
          ? `\`${command}\` takes no argument besides its options; ${seeHelp}`
          : `\`${command}\` takes one ${operand.noun}; put quotes around it`,
      );
    }
    if (token.kind === 'option') {
      const mistake = mistakeOf(token, known, operand, command);
      if (mistake !== undefined) throw new UsageError(mistake);
    }
  }
  return { values: values as ParsedArguments<Table>['values'], operands: positionals };
}

/** The arguments with an empty value for each option whose value may be left out and is: nothing or another option follows. */
function withEmptyValues(args: readonly string[], table: OptionTable): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return args.map((arg, at) => {
    const isOptional = arg.startsWith('--') && at < end && table[arg.slice(2)]?.optional === true;
    return isOptional && (at + 1 === args.length || args[at + 1]!.startsWith('-')) ? `${arg}=` : arg;
  });
}

/** The whole number of an option, if it is given. Throws `UsageError` that names the option and its range. */
export function readWholeNumber(
  name: string,
  written: string | undefined,
  { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER }: { readonly min?: number; readonly max?: number },
): number | undefined {
  if (written === undefined) return undefined;
  const value = /^-?\d+$/.test(written) ? Number(written) : Number.NaN;
  if (value >= min && value <= max) return value;
  const isBounded = max < Number.MAX_SAFE_INTEGER;
  const range = isBounded ? ` from ${min} to ${max}` : min > Number.MIN_SAFE_INTEGER ? `, ${min} or more` : '';
  throw new UsageError(`\`--${name}\` must be a whole number${range}`);
}

/** The value of an option that is one of a few names, if it is given. Throws `UsageError` that names them. */
export function readChoice<const Name extends string>(
  option: string,
  written: string | undefined,
  names: readonly Name[],
): Name | undefined {
  if (written === undefined) return undefined;
  const name = names.find((candidate) => candidate === written);
  if (name === undefined) throw new UsageError(`\`--${option}\` must be one of ${names.join(', ')}`);
  return name;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function mistakeOf(
  { name, rawName, value, inlineValue }: OptionToken,
  known: OptionTable,
  operand: Operand | undefined,
  command: string,
): string | undefined {
  const seeHelp = `see \`sluice ${command} --help\``;
  if (keyOptions.has(name)) {
    return `\`${rawName}\` does not exist, since other processes can read arguments; set SLUICE_API_KEY or use \`--api-key-file FILE\``;
  }
  const spec = Object.hasOwn(known, name) ? known[name] : undefined;
  if (spec === undefined) {
    const [near] = nearestNames(name, Object.keys(known));
    if (near !== undefined) return `unknown option \`${rawName}\`; did you mean \`--${near}\`?`;
    if (operand === undefined) return `unknown option \`${rawName}\`; ${seeHelp}`;
    // Without the name of the option, which may be the beginning of a message.
    return `unknown option; a ${operand.noun} that begins with \`-\` goes after \`--\`, or to standard input: \`sluice ${command} -\``;
  }
  if (spec.type === 'boolean') return value === undefined ? undefined : `\`${rawName}\` takes no value`;
  const looksLikeOption = inlineValue === false && value !== undefined && value.startsWith('-') && value !== '-';
  if (value !== undefined && !looksLikeOption && (value !== '' || spec.optional)) return undefined;
  return `\`${rawName}\` needs a value: \`${rawName} ${spec.value ?? 'VALUE'}\``;
}
