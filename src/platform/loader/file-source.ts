/** A source of the rules in a file or a folder, which reports when they changed. */
import { stat } from 'node:fs/promises';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { checkOptions, isText } from '../../foundation/options.js';
import type { RuleSet } from '../contract/rule-set.js';
import { refuseShapeless } from './load-rule-set.js';
import { readRuleSetFile } from './rule-set-file.js';
import { filesOfRuleSet } from './rule-set-folder.js';
import type { RuleSource } from './rule-source.js';

/** Options of `createFileSource`. */
export interface FileSourceOptions {
  /** Whether a moderator loads the rules again whenever the files change. Default true. */
  readonly watch?: boolean | undefined;
}

/** Milliseconds between two checks of the files. */
const LOOK_EVERY = 500;

/** Number of checks after which files are read although they still change. */
const MOST_MOVES = 4;

/** Largest number of times that files which change are read again. */
const MOST_READS = 10;

/**
 * Creates a source of the rule set at a path, a file or a folder as `readRuleSetFile` takes them. A
 * moderator of it has new rules within two seconds, however the files were replaced: they are
 * checked twice a second, since notifications of changes do not work on every file system, and a
 * change counts once two checks agree. Loading rejects as `readRuleSetFile` does, and with
 * `RuleSetError` of code `changing` if the files change each time they are read; a moderator then
 * keeps its rules and tries again. Throws `UsageError` for an invalid path or option.
 *
 * @example
 * ```ts
 * const moderator = await createModerator({ source: createFileSource('rules') });
 * moderator.on('refresh', ({ outcome, error }) => console.log(outcome, error?.message));
 * ```
 */
export function createFileSource(path: string, options: FileSourceOptions = {}): RuleSource {
  checkOptions('`createFileSource`', options, {
    watch: [(watch: unknown) => typeof watch === 'boolean', 'true or false'],
  });
  const { watch = true } = options;
  if (!isText(path)) throw new UsageError('`createFileSource` must be given the path of a rule set file or folder');
  const states = new WeakMap<RuleSet, States>();
  const load: NonNullable<RuleSource['load']> = async ({ signal, lists } = {}) => {
    const { ruleSet, state } = await readUnchanged(path, lists, signal);
    states.set(ruleSet, state);
    return ruleSet;
  };
  return {
    rules: {
      list: async (options) => {
        const { rules, truncated } = await load(options);
        return { data: rules, meta: truncated ? { current: { limit: rules.length, count: rules.length } } : {} };
      },
      get: async (id, options) => {
        const { rules, lists } = await load(options);
        const found = lists.find((list) => list.id === id) ?? rules.find((rule) => rule.id === id);
        if (found === undefined) throw new RuleSetError(`${path}: has no rule or keyword list of this id`);
        return found;
      },
    },
    semantics: async (options) => (await load(options)).semantics,
    load,
    ...(watch && {
      watch: (onChange: () => void, { signal, since }) =>
        watchFiles(path, states.get(since) ?? new Map(), onChange, signal),
    }),
  };
}

/**
 * Reads a rule set whose files have the same state before and after, so that no half of a change is
 * loaded. Rejects as `load` does.
 */
async function readUnchanged(path: string, lists: readonly string[] | undefined, signal: AbortSignal | undefined) {
  for (let reads = 1; ; reads += 1) {
    signal?.throwIfAborted();
    const state = await statesOf(path);
    if (state.get(path) === IRREGULAR) {
      throw new UsageError(`cannot read a rule set from \`${path}\`: it is neither a regular file nor a folder`);
    }
    const ruleSet = await readRuleSetFile(path, { lists }).catch((error: unknown) => ({ error }));
    if (!isSame(await statesOf(path), state)) {
      if (reads < MOST_READS) continue;
      throw new RuleSetError(`${path}: changed each time while it was read`, { code: 'changing' });
    }
    if ('error' in ruleSet) throw ruleSet.error;
    refuseShapeless(path, ruleSet);
    return { ruleSet, state };
  }
}

/** Checks files until the signal aborts, and calls `onChange` after each change of them. */
function watchFiles(path: string, since: States, onChange: () => void, signal: AbortSignal): void {
  let known = since;
  let [isChanged, moves] = [false, 0];
  const look = async () => {
    const state = await statesOf(path);
    if (signal.aborted) return;
    const moved = !isSame(state, known);
    known = state;
    isChanged ||= moved;
    moves = moved ? moves + 1 : 0;
    // Files that still change may be half written, or half of them replaced.
    if (isChanged && moves % MOST_MOVES === 0) {
      isChanged = moved;
      onChange();
    }
    timer = setTimeout(look, LOOK_EVERY).unref();
  };
  let timer = setTimeout(look, LOOK_EVERY).unref();
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

/** States of files by path; a changed state means a changed file. */
type States = ReadonlyMap<string, string>;

/** The state of a file that may block when it is read. */
const IRREGULAR = 'a device, a pipe or a socket';

/**
 * Resolves to the states of all files at a path. Never rejects: that a file cannot be checked is a
 * state too.
 */
async function statesOf(path: string): Promise<States> {
  const files = await filesOfRuleSet(path).catch(codeOf);
  return typeof files === 'string' ? new Map([[path, files]]) : lookAt(files);
}

/**
 * Checks all files at once, following links: one after the other, each would wait for its turn on a
 * busy machine.
 */
async function lookAt(files: readonly string[]): Promise<States> {
  const look = async (file: string): Promise<[string, string]> => {
    const found = await stat(file, { bigint: true }).catch(codeOf);
    if (typeof found === 'string') return [file, found];
    if (!found.isFile() && !found.isDirectory()) return [file, IRREGULAR];
    return [file, [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')];
  };
  return new Map(await Promise.all(files.map(look)));
}

function codeOf({ code = 'unknown' }: NodeJS.ErrnoException): string {
  return code;
}

function isSame(left: States, right: States): boolean {
  return left.size === right.size && [...left].every(([file, state]) => right.get(file) === state);
}
