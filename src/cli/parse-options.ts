import { parseArgs } from 'node:util';
import { UsageError } from '../errors.js';
import { nearestNames } from '../nearest-names.js';
import type { Command, Operand, OptionTable, OptionValues } from './command.js';

/** Spellings of the option that must not exist: arguments are seen by every process of the machine and kept by shells. */
const keyOptions = new Set(['api-key', 'apikey', 'key']);

/** What a command line says. */
export interface ParsedArguments<Table extends OptionTable> {
  readonly values: OptionValues<Table> & { readonly help?: boolean };
  /** The argument that is no option. */
  readonly operand: string | undefined;
}

/**
 * Reads the arguments of a command. Throws `UsageError` of one line that names the option and how to mend it, never a
 * value, since a value may be a key and an argument somebody's message.
 */
export function parseOptions<Table extends OptionTable>(
  { name: command, options: table, operand }: Pick<Command<Table>, 'name' | 'options' | 'operand'>,
  args: readonly string[],
): ParsedArguments<Table> {
  const known: OptionTable = { ...table, help: { type: 'boolean', help: '' } };
  const options = Object.fromEntries(Object.entries(known).map(([name, { type }]) => [name, { type }]));
  const { tokens, values, positionals } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  let left = operand === undefined ? 0 : 1;
  for (const token of tokens) {
    if (token.kind === 'positional') left -= 1;
    if (left < 0) throw new UsageError(tooMany(command, operand));
    if (token.kind === 'option') checkOption(command, known, token, operand);
  }
  return { values: values as ParsedArguments<Table>['values'], operand: positionals[0] };
}

function tooMany(command: string, operand: Operand | undefined): string {
  if (operand === undefined) return `\`${command}\` takes no argument besides its options; ${seeHelp(command)}`;
  return `\`${command}\` takes one ${operand.noun}; put quotes around it`;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function checkOption(command: string, known: OptionTable, token: OptionToken, operand: Operand | undefined): void {
  const { name, rawName, value, inlineValue } = token;
  if (keyOptions.has(name)) {
    throw new UsageError(
      `\`${rawName}\` does not exist, since other processes can read arguments; set SLUICE_API_KEY or use \`--api-key-file FILE\``,
    );
  }
  const spec = Object.hasOwn(known, name) ? known[name] : undefined;
  if (spec === undefined) {
    const [near] = nearestNames(name, Object.keys(known));
    if (near !== undefined) throw new UsageError(`unknown option \`${rawName}\`; did you mean \`--${near}\`?`);
    throw new UsageError(
      operand === undefined ? `unknown option \`${rawName}\`; ${seeHelp(command)}` : behindDashes(operand),
    );
  }
  if (spec.type === 'boolean' && value !== undefined) throw new UsageError(`\`${rawName}\` takes no value`);
  const looksLikeOption = inlineValue === false && value !== undefined && value.startsWith('-') && value !== '-';
  if (spec.type === 'string' && (value === undefined || value === '' || looksLikeOption)) {
    throw new UsageError(`\`${rawName}\` needs a value: \`${rawName} ${spec.value ?? 'VALUE'}\``);
  }
}

/** The option is not named: it may be the beginning of somebody's message. */
function behindDashes({ noun }: Operand): string {
  return `unknown option; a ${noun} that begins with \`-\` goes after \`--\``;
}

function seeHelp(command: string): string {
  return `see \`sluice ${command} --help\``;
}
