import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type OptionSpec, optionHelp, optionTitle } from '../src/cli/command.js';
import { commands } from './support/commands.js';

/**
 * The pages that list the options of a command, each between two comments. `-u` writes them anew.
 */
const pages = ['rules-in-a-repository.md'];

/** A text as the cell of a table. */
const cell = (text: string) => text.replaceAll('|', '\\|');

function tableOf(name: string): string {
  const { options } = commands.find((command) => command.name === name)!;
  const rows = Object.entries(options).map(
    ([option, spec]: [string, OptionSpec]) =>
      `| \`${cell(optionTitle(option, spec))}\` | ${cell(optionHelp(spec))} |\n`,
  );
  return `| option | does |\n|---|---|\n${rows.join('')}`;
}

describe('the options in the docs', () => {
  it.each(pages)('%s lists those that the command declares', async (page) => {
    const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8');
    const block = /(<!-- options: (\w+) -->\n)[\s\S]*?(<!-- end of options -->)/g;
    expect(text.match(block)).not.toBeNull();
    await expect(text.replace(block, (_all, begin, name, end) => begin + tableOf(name) + end)).toMatchFileSnapshot(
      `../docs/${page}`,
    );
  });
});
