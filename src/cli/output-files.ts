/**
 * Checks the files that a command writes. It never writes one that it reads, and it replaces a file
 * with other content only with `--force`.
 */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../foundation/errors.js';
import { isDescriptor } from '../foundation/files/replace-file.js';
import { filesOfRuleSet } from '../platform/loader/rule-set-folder.js';
import type { Command, InputFile, OptionTable, ParsedArguments } from './command.js';

async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? `${found.dev}:${found.ino}` : undefined;
}

/**
 * Resolves to the files that a command reads: those of options and operands, the files in a folder
 * of rules, and standard input if it is a file.
 */
export async function inputFiles(
  { options, operand }: Pick<Command, 'options' | 'operand'>,
  { values, operands }: ParsedArguments<OptionTable>,
): Promise<readonly InputFile[]> {
  const named = Object.entries(options)
    .filter(([, { value, writes }]) => writes === undefined && /FILE|DIR/.test(value ?? ''))
    .flatMap(([name]) => [values[name] ?? []].flat().map((path) => ({ option: `--${name}`, path: String(path) })));
  const given = /^(?:file|folder)/.test(operand?.noun ?? '') ? operands : [];
  const all = [...named, ...given.map((path) => ({ option: operand!.title, path }))];
  const found: InputFile[] = [];
  for (const { option, path } of all) {
    for (const file of path === '-' ? ['/dev/stdin'] : await filesOfRuleSet(path)) {
      const identity = await identityOf(file);
      if (identity !== undefined) found.push({ option, identity });
    }
  }
  return found;
}

/**
 * Throws `UsageError` if the command also reads one of the files. `asked` is the option that names
 * them or their folder.
 */
export async function refuseInputs(
  asked: string,
  paths: readonly string[],
  inputs: readonly InputFile[],
): Promise<void> {
  for (const path of paths) {
    const identity = await identityOf(path);
    const read = inputs.find((input) => input.identity === identity);
    if (read === undefined) continue;
    throw new UsageError(
      `\`${asked}\` would write to \`${path}\`, which \`${read.option}\` reads and is never replaced; choose another path`,
    );
  }
}

/**
 * Throws `UsageError` if an option names an output file that the command reads, or one that is not
 * empty without `--force`.
 */
export async function refuseReplacing(
  { options }: Pick<Command, 'options'>,
  { values }: ParsedArguments<OptionTable>,
  inputs: readonly InputFile[],
): Promise<void> {
  const outputs = new Map<string, string>();
  for (const [name, { writes }] of Object.entries(options)) {
    const path = values[name];
    if (writes === undefined || typeof path !== 'string' || path === '-') continue;
    const earlier = outputs.get(resolve(path));
    if (earlier !== undefined)
      throw new UsageError(`\`--${earlier}\` and \`--${name}\` both write to \`${path}\`; name two files`);
    outputs.set(resolve(path), name);
    await refuseInputs(`--${name}`, [path], inputs);
    // Writing to an open descriptor appends.
    if (writes !== 'whole' || values.force || isDescriptor(path)) continue;
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() && found.size > 0) {
      throw new UsageError(
        `\`--${name}\`: \`${path}\` is there and not empty; choose another file, or add \`--force\` to replace it`,
      );
    }
  }
}
