/** The type of a command: its options, its help, and the function that runs it. */
import { parseArgs } from 'node:util';
import { UsageError } from '../foundation/errors.js';
import { nearestNames } from '../foundation/nearest-names.js';
import type { ExitName } from './exit-code.js';
import type { Io } from './io.js';
import type { Outcome } from './outcome.js';
import type { Reporter } from './terminal/progress.js';

/** One option of a command. Help, completions and refusals follow from it, so that a command reads values that are already checked. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string';
  /** May be given several times; its value is then an array. An option without it is refused when it is repeated. */
  readonly multiple?: true;
  /** Its value may be left out, and is empty then. */
  readonly optional?: true;
  /** Name of the value in the help, such as `FILE`. Absent for choices, which are their own name, and for numbers, which are `N`. */
  readonly value?: string;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  /** Its value is a whole number within these bounds, both included, and is parsed as one. */
  readonly integer?: { readonly min?: number; readonly max?: number };
  /** Names of options of which at least one must be given as well; the help begins with them. */
  readonly needs?: readonly string[];
  /** Names of options that may not be given as well. */
  readonly excludes?: readonly string[];
  readonly help: string;
  /**
   * The command writes there. `whole`: a file in the place of what it held; one that is not empty is refused without `--force`. `own`: a file
   * or folder in which the command recognizes what it wrote itself. Neither may be something that another option or the operand reads.
   */
  readonly writes?: 'whole' | 'own';
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

/** One value of an option: one of its choices, a number, or a string; empty as well where it may be left out. */
type OptionValue<Spec extends OptionSpec> =
  | (Spec extends { readonly choices: readonly (infer Choice extends string)[] }
      ? Choice
      : Spec extends { readonly integer: object }
        ? number
        : string)
  | (Spec extends { readonly optional: true } ? '' : never);

/** The parsed options by name: flags, strings, numbers, and arrays of those that may be repeated; absent when not given. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name]['type'] extends 'boolean'
    ? boolean
    : Table[Name] extends { readonly multiple: true }
      ? readonly OptionValue<Table[Name]>[]
      : OptionValue<Table[Name]>;
};

/** The positional argument of a command. */
interface Operand {
  /** Name in the usage line: `TEXT|-`. */
  readonly title: string;
  /** Name in errors: `text`. */
  readonly noun: string;
  /** Whether there may be several. */
  readonly many?: boolean;
}

/** A file that a command reads. */
export interface InputFile {
  /** The option that names it, with its dashes, or the title of the operand. */
  readonly option: string;
  /** Device and inode, which identify the file whatever path, link or descriptor leads to it. */
  readonly identity: string;
}

/** The surroundings of a command: inputs, outputs, and the reporter of its progress, which ends with the command. */
export interface RunContext extends Io {
  readonly reporter: Reporter;
  /** The files that the command reads, which it never replaces. */
  readonly inputs: readonly InputFile[];
}

/** One command: its help and its work. */
export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  /** Paragraph for the help of the command. */
  readonly description: string;
  /** Complete command lines. */
  readonly examples: readonly string[];
  readonly options: Table;
  /** The exit codes that the command ends with, by name, in words. */
  readonly exits: Readonly<Partial<Record<ExitName, string>>>;
  /** Absent for commands without a positional argument. */
  readonly operand?: Operand;
  /** Returns the result, or the exit code of one that is printed already. Throws `SluiceError` for failures that the user can fix. */
  readonly run: (
    values: OptionValues<Table>,
    context: RunContext,
    ...operands: readonly string[]
  ) => Promise<number | Outcome>;
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
  checkTokens(tokens, known, operand, command);
  const given = Object.entries(values).map(([name, value]) => [name, parseValue(name, value, known[name]!)]);
  checkTogether(Object.keys(values), known);
  return { values: Object.fromEntries(given), operands: positionals };
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** Throws `UsageError` for an argument too many, an option that does not exist, lacks its value, or is repeated. */
function checkTokens(
  tokens: readonly Token[],
  known: OptionTable,
  operand: Operand | undefined,
  command: string,
): void {
  const seeHelp = `see \`sluice ${command} --help\``;
  const seen = new Set<string>();
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
    if (token.kind !== 'option') continue;
    const mistake = mistakeOf(token, known, operand, command);
    if (mistake !== undefined) throw new UsageError(mistake);
    if (seen.has(token.name) && !known[token.name]!.multiple) {
      throw new UsageError(`\`--${token.name}\` is given more than once; give it once`);
    }
    seen.add(token.name);
  }
}

/** Checks and returns the value of an option, as its declaration requires. Throws `UsageError`. */
function parseValue(name: string, written: unknown, spec: OptionSpec): unknown {
  if (Array.isArray(written)) return written.map((one) => parseValue(name, one, spec));
  if (typeof written !== 'string' || (written === '' && spec.optional)) return written;
  if (spec.integer !== undefined) return parseWholeNumber(name, written, spec.integer);
  if (spec.choices === undefined || spec.choices.includes(written)) return written;
  throw new UsageError(`\`--${name}\` must be one of ${spec.choices.join(', ')}`);
}

/** Returns the whole number that an option has. Throws `UsageError` that names the option and its range. */
export function parseWholeNumber(
  name: string,
  written: string,
  { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER }: NonNullable<OptionSpec['integer']>,
): number {
  const value = /^-?\d+$/.test(written) ? Number(written) : Number.NaN;
  if (value >= min && value <= max) return value;
  const isBounded = max < Number.MAX_SAFE_INTEGER;
  const range = isBounded ? ` from ${min} to ${max}` : min > Number.MIN_SAFE_INTEGER ? `, ${min} or more` : '';
  throw new UsageError(`\`--${name}\` must be a whole number${range}`);
}

/** Throws `UsageError` for an option without the options that it needs, or with one that it excludes. */
function checkTogether(given: readonly string[], known: OptionTable): void {
  for (const name of given) {
    const { needs, excludes = [] } = known[name]!;
    if (needs !== undefined && !needs.some((other) => given.includes(other))) {
      const others = needs.map((other) => `\`${optionTitle(other, known[other]!)}\``);
      throw new UsageError(`\`--${name}\` goes with ${others.join(' or ')}`);
    }
    const other = excludes.find((excluded) => given.includes(excluded));
    if (other !== undefined) {
      throw new UsageError(`\`--${name}\` and \`--${other}\` exclude each other; leave out one of them`);
    }
  }
}

/** Returns the name of a value, for help and errors: `FILE`, the choices, or `N` for a number. */
export function valueTitle({ value, choices, integer }: OptionSpec): string {
  return value ?? choices?.join('|') ?? (integer === undefined ? 'VALUE' : 'N');
}

/** Returns an option with its value, for help and errors: `--out DIR`. */
export function optionTitle(name: string, spec: OptionSpec): string {
  if (spec.type === 'boolean') return `--${name}`;
  return `--${name} ${spec.optional ? `[${valueTitle(spec)}]` : valueTitle(spec)}`;
}

/** Returns the words of the help for an option, with the options that it needs before them. */
export function optionHelp({ needs, help }: OptionSpec): string {
  return needs === undefined ? help : `with ${needs.map((name) => `--${name}`).join(' or ')}: ${help}`;
}

/** Returns the arguments with an empty value for each option whose value may be left out and is: nothing or another option follows. */
function withEmptyValues(args: readonly string[], table: OptionTable): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return args.map((arg, at) => {
    const isOptional = arg.startsWith('--') && at < end && table[arg.slice(2)]?.optional === true;
    return isOptional && (at + 1 === args.length || args[at + 1]!.startsWith('-')) ? `${arg}=` : arg;
  });
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
    // An argument that is not a word by itself may be the beginning of a message, which is not repeated.
    const isNamed = operand === undefined || /^--?[a-z][a-z\d-]*$/i.test(rawName);
    const unknown = isNamed ? `unknown option \`${rawName}\`` : 'unknown option';
    if (near !== undefined) return `${unknown}; did you mean \`--${near}\`?`;
    if (operand === undefined) return `${unknown}; ${seeHelp}`;
    return `${unknown}; a ${operand.noun} that begins with \`-\` goes after \`--\`; ${seeHelp}`;
  }
  if (spec.type === 'boolean') return value === undefined ? undefined : `\`${rawName}\` takes no value`;
  const looksLikeOption = inlineValue === false && value !== undefined && value.startsWith('-') && value !== '-';
  if (value !== undefined && !looksLikeOption && (value !== '' || spec.optional)) return undefined;
  return `\`${rawName}\` needs a value: \`${rawName} ${valueTitle(spec)}\``;
}
