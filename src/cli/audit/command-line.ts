/** Makes the command line that a report shows, with which it can be made again. */
import type { OptionTable, OptionValues } from '../command.js';
import type { messageOptions } from '../message-options.js';

/** Options that change no result, which the command line of a report omits. */
const unkept: ReadonlySet<string> = new Set(['api-key-file', 'top', 'verbose', 'json', 'quiet', 'force', 'threads']);

/**
 * Returns the command line of a report, with placeholders, since names of files and machines do not
 * belong in results.
 */
export function commandWords(options: OptionTable, values: OptionValues<typeof messageOptions>): string {
  const isPlatform = (values.rules === undefined || values.messages === undefined) && !values.demo;
  const given: Readonly<Record<string, unknown>> = { ...values, 'base-url': isPlatform ? 'URL' : undefined };
  const args = Object.entries(options).flatMap(([name, spec]) => {
    const value = given[name];
    if (unkept.has(name) || value === undefined || value === false) return [];
    const placeholder = /^(?:FILE|URL|DIR)/.exec(spec.value ?? '')?.[0];
    if (placeholder !== undefined)
      return `--${name} ${placeholder}${Array.isArray(value) && value.length > 1 ? '…' : ''}`;
    return value === true ? `--${name}` : [value].flat().map((word) => `--${name} ${quoteWord(String(word))}`);
  });
  return `sluice audit ${args.join(' ')}`;
}

/** Quotes a word for a shell. */
function quoteWord(word: string): string {
  return /^[\w.:@/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
