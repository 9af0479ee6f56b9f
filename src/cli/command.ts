/**
 * The type of a command: its options, its help, and the function that runs it. Parses and checks
 * arguments.
 */
import { parseArgs } from 'node:util';
import { UsageError } from '../foundation/errors.js';
import { nearestNames } from '../foundation/nearest-names.js';
import type { ExitName } from './exit-code.js';
import type { Io } from './io.js';
import type { Outcome } from './outcome.js';
import type { Reporter } from './terminal/progress.js';

/**
 * An option of a command. Help, completions and error messages are derived from it, and commands
 * receive values that are already checked.
 */
export interface OptionSpec {
  readonly type: 'boolean' | 'string';
  /**
   * Whether it may be given several times. If so, its value is an array; if not, a repeated option
   * is an error.
   */
  readonly multiple?: true;
  /** Whether its value may be omitted. It is empty then. */
  readonly optional?: true;
  /**
   * Name of the value in the help, such as `FILE`. Absent for choices, which are their own name,
   * and for numbers, which are `N`.
   */
  readonly value?: string;
  /** The only values that are allowed. */
  readonly choices?: readonly string[];
  /** The bounds of a whole number, both included. The value is parsed as a number. */
  readonly integer?: { readonly min?: number; readonly max?: number };
  /** Names of options of which at least one must also be given. The help begins with them. */
  readonly needs?: readonly string[];
  /** Names of options that must not be given together with it. */
  readonly excludes?: readonly string[];
  readonly help: string;
  /**
   * How the command writes to the path. `whole`: a file that replaces what was there; a file that
   * is not empty is replaced only with `--force`. `own`: a file or folder in which the command
   * recognizes what it wrote itself. Neither may be the input of another option or an operand.
   */
  readonly writes?: 'whole' | 'own';
  /** Heading in the help. Default: `options`. */
  readonly group?: string;
}

/** The options of a command, by name without dashes. */
export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** Puts options under one heading of the help. */
export function optionGroup<const Table extends OptionTable>(group: string, table: Table): Table {
  const grouped = Object.entries(table).map(([name, spec]) => [name, { ...spec, group }]);
  return Object.fromEntries(grouped) as Table;
}

/**
 * The value of an option: one of its choices, a number, or a string, which is empty if the value
 * may be omitted and is.
 */
type OptionValue<Spec extends OptionSpec> =
  | (Spec extends { readonly choices: readonly (infer Choice extends string)[] }
      ? Choice
      : Spec extends { readonly integer: object }
        ? number
        : string)
  | (Spec extends { readonly optional: true } ? '' : never);

/**
 * The parsed options by name: flags, strings, numbers, and arrays for options that may be repeated.
 * Absent if not given.
 */
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
  /** Whether it may be repeated. */
  readonly many?: boolean;
}

/** A file that a command reads. */
export interface InputFile {
  /** The option that names the file, with its dashes, or the title of the operand. */
  readonly option: string;
  /** Device and inode. They identify the file under any path, link or descriptor. */
  readonly identity: string;
}

/**
 * The surroundings of a command: inputs, outputs, and a progress reporter, which ends with the
 * command.
 */
export interface RunContext extends Io {
  readonly reporter: Reporter;
  /** The files that the command reads. It never replaces them. */
  readonly inputs: readonly InputFile[];
}

/** A command: its help, and the function that runs it. */
export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  /** A paragraph for the help of the command. */
  readonly description: string;
  /** Complete command lines. */
  readonly examples: readonly string[];
  readonly options: Table;
  /** A description of each exit code that the command ends with, by name. */
  readonly exits: Readonly<Partial<Record<ExitName, string>>>;
  /** Absent if the command has no positional arguments. */
  readonly operand?: Operand;
  /**
   * Returns the result, or an exit code if the result is already printed. Throws `SluiceError` for
   * failures that the user can fix.
   */
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

/**
 * Names for a key option, none of which may exist: other processes and the history of the shell can
 * read arguments.
 */
const keyOptions = new Set(['api-key', 'apikey', 'key']);

/**
 * Parses the arguments of a command. Throws `UsageError` with one line that names the option and
 * the fix, but never a value: a value may be a key, and an argument may be a message of a user. The
 * strict mode of `parseArgs` quotes values, and so is not used.
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

/**
 * Throws `UsageError` for surplus arguments, and for options that do not exist, lack their value,
 * or are repeated.
 */
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

/** Checks the value of an option against its declaration, and returns it. Throws `UsageError`. */
function parseValue(name: string, written: unknown, spec: OptionSpec): unknown {
  if (Array.isArray(written)) return written.map((item) => parseValue(name, item, spec));
  if (typeof written !== 'string' || (written === '' && spec.optional)) return written;
  if (spec.integer !== undefined) return parseWholeNumber(name, written, spec.integer);
  if (spec.choices === undefined || spec.choices.includes(written)) return written;
  throw new UsageError(`\`--${name}\` must be one of ${spec.choices.join(', ')}`);
}

/**
 * Parses the whole number that is the value of an option. Throws `UsageError`, which names the
 * option and its range.
 */
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

/**
 * Throws `UsageError` if an option lacks the options that it needs, or is given with one that it
 * excludes.
 */
function checkTogether(given: readonly string[], known: OptionTable): void {
  for (const name of given) {
    const { needs, excludes = [] } = known[name]!;
    if (needs !== undefined && !needs.some((needed) => given.includes(needed))) {
      const titles = needs.map((needed) => `\`${optionTitle(needed, known[needed]!)}\``);
      throw new UsageError(`\`--${name}\` goes with ${titles.join(' or ')}`);
    }
    const conflict = excludes.find((excluded) => given.includes(excluded));
    if (conflict !== undefined) {
      throw new UsageError(`\`--${name}\` and \`--${conflict}\` exclude each other; leave out one of them`);
    }
  }
}

/** Returns the name of a value for help and errors: `FILE`, the choices, or `N` for a number. */
export function valueTitle({ value, choices, integer }: OptionSpec): string {
  return value ?? choices?.join('|') ?? (integer === undefined ? 'VALUE' : 'N');
}

/** Returns an option with its value, for help and errors: `--out DIR`. */
export function optionTitle(name: string, spec: OptionSpec): string {
  if (spec.type === 'boolean') return `--${name}`;
  return `--${name} ${spec.optional ? `[${valueTitle(spec)}]` : valueTitle(spec)}`;
}

/** Returns the help text of an option, which begins with the options that it needs. */
export function optionHelp({ needs, help }: OptionSpec): string {
  return needs === undefined ? help : `with ${needs.map((name) => `--${name}`).join(' or ')}: ${help}`;
}

/**
 * Adds an empty value after each option whose value may be omitted and is: the next argument is
 * another option or missing.
 */
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
    // Arguments that are not a single word may be the beginning of a message, and are not repeated
    // in errors.
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
