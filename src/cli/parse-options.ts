import { parseArgs } from 'node:util';
import { UsageError } from '../errors.js';
import { closest } from './closest.js';
import type { OptionTable, OptionValues } from './command.js';

/** Spellings of the option that must not exist: arguments are seen by every process of the machine and kept by shells. */
const keyOptions = new Set(['api-key', 'apikey', 'key']);

/**
 * Reads the arguments of a command. Throws `UsageError` of one line that names the option and how to mend it, never a
 * value, since a value may be a key.
 */
export function parseOptions<Table extends OptionTable>(
  command: string,
  table: Table,
  args: readonly string[],
): OptionValues<Table> & { readonly help?: boolean } {
  const known: OptionTable = { ...table, help: { type: 'boolean', help: '' } };
  const options = Object.fromEntries(Object.entries(known).map(([name, { type }]) => [name, { type }]));
  const { tokens, values } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional')
      throw new UsageError(`\`${command}\` takes no argument besides its options; ${seeHelp(command)}`);
    if (token.kind === 'option') checkOption(command, known, token);
  }
  return values as OptionValues<Table> & { readonly help?: boolean };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function checkOption(command: string, known: OptionTable, token: OptionToken): void {
  const { name, rawName, value, inlineValue } = token;
  if (keyOptions.has(name)) {
    throw new UsageError(
      `\`${rawName}\` does not exist, since other processes can read arguments; set SLUICE_API_KEY or use \`--api-key-file FILE\``,
    );
  }
  const spec = Object.hasOwn(known, name) ? known[name] : undefined;
  if (spec === undefined) {
    const near = closest(name, Object.keys(known));
    throw new UsageError(`unknown option \`${rawName}\`; ${near ? `did you mean \`--${near}\`?` : seeHelp(command)}`);
  }
  if (spec.type === 'boolean' && value !== undefined) throw new UsageError(`\`${rawName}\` takes no value`);
  const looksLikeOption = inlineValue === false && value !== undefined && value.startsWith('-') && value !== '-';
  if (spec.type === 'string' && (value === undefined || value === '' || looksLikeOption)) {
    throw new UsageError(`\`${rawName}\` needs a value: \`${rawName} ${spec.value ?? 'VALUE'}\``);
  }
}

function seeHelp(command: string): string {
  return `see \`sluice ${command} --help\``;
}
