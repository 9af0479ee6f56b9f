/** The help of the program and of its commands. */
import { type Command, optionHelp, optionTitle } from './command.js';
import { type ExitName, exitCode } from './exit-code.js';
import { wrapWords } from './terminal/text.js';

const indent = '  ';

/** Returns the help of the program, with a summary of each command. */
export function programHelp(commands: Readonly<Record<string, string>>, width: number): string {
  return lines([
    ...wrapWords('sluice: what would your moderation rules do with these messages, and exactly why', width),
    '',
    'usage: sluice COMMAND [options]',
    '',
    ...twoColumns(Object.entries(commands), width),
    '',
    ...twoColumns(
      [
        ['sluice COMMAND --help', 'options and examples of a command'],
        ['sluice --version', 'version'],
      ],
      width,
    ),
    '',
    'try it now:',
    '  sluice audit --demo',
    '  sluice check --demo "contact me at bob@example.com, you idiot"',
  ]);
}

export function commandHelp(command: Command, width: number): string {
  const groups = new Map<string, Row[]>();
  for (const [name, spec] of Object.entries(command.options)) {
    const group = spec.group ?? 'options';
    groups.set(group, [...(groups.get(group) ?? []), [optionTitle(name, spec), optionHelp(spec)]]);
  }
  return lines([
    `usage: sluice ${command.name} [options]${command.operand === undefined ? '' : ` [${command.operand.title}]`}`,
    '',
    ...wrapWords(command.description, width),
    '',
    ...[...groups].flatMap(([group, rows]) => [`${group}:`, ...twoColumns(rows, width), '']),
    'exit codes:',
    ...twoColumns(exitRows(command), width),
    '',
    'examples:',
    ...command.examples.map((example) => indent + example),
  ]);
}

type Row = readonly [title: string, text: string];

function exitRows({ exits }: Command): Row[] {
  const names = Object.keys(exitCode) as ExitName[];
  return names.flatMap((name): Row[] => {
    const description = exits[name];
    return description === undefined ? [] : [[String(exitCode[name]), description]];
  });
}

function twoColumns(rows: readonly Row[], width: number): string[] {
  const left = Math.max(...rows.map(([title]) => title.length));
  const room = width - left - 2 * indent.length;
  return rows.flatMap(([title, text]) =>
    wrapWords(text, room).map((line, index) => indent + (index === 0 ? title : '').padEnd(left) + indent + line),
  );
}

function lines(blocks: readonly string[]): string {
  return `${blocks.join('\n')}\n`;
}
