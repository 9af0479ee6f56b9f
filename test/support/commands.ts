import type { Command } from '../../src/cli/command.js';
import { loadAll } from '../../src/cli/commands.js';

/** All commands, in the order of the help. */
export const commands: readonly (Command & { readonly summary: string })[] = await loadAll();
