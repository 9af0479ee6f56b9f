/** `sluice completions`: the scripts that complete commands in a shell. */
import { UsageError } from '../../foundation/errors.js';
import { type Command, type OptionSpec, type OptionTable, optionHelp, valueTitle } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { print } from '../io.js';

type Commands = readonly (Pick<Command, 'name' | 'options' | 'operand'> & { readonly summary: string })[];

const options = {} as const satisfies OptionTable;

const scripts: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh, fish };
const shells = Object.keys(scripts);

/**
 * Creates `sluice completions`: it prints the script with which a shell completes the given
 * commands and their options.
 */
export const completionsFor = (loadAll: () => Promise<Commands>): Command<typeof options> => ({
  name: 'completions',
  description:
    'Prints a script for bash, zsh or fish. Load it in the startup file of the shell; that of bash and fish may also be ' +
    'saved where the shell looks for completions.',
  examples: [
    'source <(sluice completions bash)',
    'source <(sluice completions zsh)',
    'sluice completions fish > ~/.config/fish/completions/sluice.fish',
  ],
  operand: { title: shells.join('|'), noun: 'shell' },
  options,
  exits: { done: 'the script was printed', usage: commonExits.usage },
  run: async (_values, context, shell) => {
    const script = shell !== undefined && Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined) throw new UsageError(`which shell? give one of ${shells.join(', ')}`);
    await print(context, script(await loadAll()));
    return exitCode.done;
  },
});

function optionsOf({ options: table }: Commands[number]): [name: string, spec: OptionSpec][] {
  return [...Object.entries(table), ['help', { type: 'boolean', help: 'print the help of the command' }]];
}

/**
 * Returns the completions for the value of an option: its choices, or the words and files that its
 * name stands for. Empty if a shell cannot know them.
 */
function completionsOf(spec: OptionSpec): { readonly files: boolean; readonly words: readonly string[] } {
  return spec.choices === undefined ? completionsOfTitle(valueTitle(spec)) : { files: false, words: spec.choices };
}

/** Returns the completions for a value by its name, such as `FILE` or `a|b`. */
function completionsOfTitle(value = 'VALUE'): { readonly files: boolean; readonly words: readonly string[] } {
  const words = value.split('|').filter((word) => /^[a-z\d-]{2,}$/.test(word));
  return { files: value.startsWith('FILE') || value.startsWith('DIR'), words };
}

/**
 * Returns the script for bash. The shell itself completes file names: for option values, and if
 * nothing else fits.
 */
function bash(commands: Commands): string {
  const optionNames = (command: Commands[number], withValue: boolean) =>
    optionsOf(command)
      .filter(([, { type }]) => !withValue || type === 'string')
      .map(([name]) => `--${name}`)
      .join(' ');
  const chosen = commands.flatMap((command) =>
    optionsOf(command).flatMap(([name, spec]) => {
      const choices = completionsOf(spec).words.join(' ');
      return choices === '' ? [] : [`    "${command.name} --${name}") known="${choices}" ;;`];
    }),
  );
  return `_sluice() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" known= valued=
  COMPREPLY=()
  case "\${COMP_WORDS[1]}" in
${commands
  .map((command) => {
    const known = [optionNames(command, false), ...completionsOfTitle(command.operand?.title).words].join(' ');
    return `    ${command.name}) known="${known}" valued="${optionNames(command, true)}" ;;`;
  })
  .join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then known="${commands.map(({ name }) => name).join(' ')}"; fi
  case " $valued " in *" $previous "*) known= ;; esac
  case "\${COMP_WORDS[1]} $previous" in
${chosen.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$known" -- "$current"))
}
complete -o default -F _sluice sluice
`;
}

/** Returns the script for zsh: that of bash, which zsh can read with a module. */
function zsh(commands: Commands): string {
  return `autoload -Uz +X compinit bashcompinit && compinit && bashcompinit
${bash(commands)}`;
}

function fish(commands: Commands): string {
  const escaped = (text: string) => text.replace(/[\\']/g, '\\$&');
  const option = (spec: OptionSpec) => {
    if (spec.type === 'boolean') return '';
    const { files, words } = completionsOf(spec);
    return (files ? ' -r -F' : ' -x') + (words.length > 0 ? ` -a '${words.join(' ')}'` : '');
  };
  return commands
    .flatMap((command) => {
      const inside = `-n '__fish_seen_subcommand_from ${command.name}'`;
      const { words } = completionsOfTitle(command.operand?.title);
      return [
        `complete -c sluice -f -n __fish_use_subcommand -a ${command.name} -d '${escaped(command.summary)}'`,
        ...(words.length > 0 ? [`complete -c sluice -f ${inside} -a '${words.join(' ')}'`] : []),
        ...optionsOf(command).map(
          ([name, spec]) => `complete -c sluice ${inside} -l ${name}${option(spec)} -d '${escaped(optionHelp(spec))}'`,
        ),
      ];
    })
    .map((line) => `${line}\n`)
    .join('');
}
