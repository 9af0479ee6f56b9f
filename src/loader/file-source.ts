/** Rules of a file or a folder as a source, which says when they changed. */
import { stat } from 'node:fs/promises';
import type { RuleSet } from '../contract/rule-set.js';
import { RuleSetError, UsageError } from '../errors.js';
import { refuseUnknownOptions } from '../unknown-options.js';
import { refuseShapeless } from './load-rule-set.js';
import { readRuleSetFile } from './rule-set-file.js';
import { filesOfRuleSet } from './rule-set-folder.js';
import type { RuleSource } from './rule-source.js';

/** Options of `createFileSource`. */
export interface FileSourceOptions {
  /** Whether a moderator loads the rules again whenever the files change. Default true. */
  readonly watch?: boolean | undefined;
}

/** Milliseconds between two looks at the files. */
const LOOK_EVERY = 250;

/** Files that change from look to look are read all the same after so many. */
const MOST_MOVES = 4;

/** So often files are read again that changed meanwhile. */
const MOST_READS = 10;

/**
 * A source of the rule set at a path, a file or a folder as `readRuleSetFile` takes them. A moderator of it has new rules within two seconds,
 * however the files were replaced: the files are looked at four times a second, since no notification of changes works on every file system.
 * What cannot be read rejects as in `readRuleSetFile`, what changes each time it is read with `RuleSetError` of code `changing`; a moderator
 * keeps its rules then, and goes on trying. Throws `UsageError` for a bad path or option.
 *
 * @example
 * ```ts
 * const moderator = await createModerator({ source: createFileSource('rules') });
 * moderator.on('refresh', ({ outcome, error }) => console.log(outcome, error?.message));
 * ```
 */
export function createFileSource(path: string, options: FileSourceOptions = {}): RuleSource {
  refuseUnknownOptions('`createFileSource`', options, ['watch'] satisfies (keyof FileSourceOptions)[]);
  const { watch = true } = options;
  if (typeof path !== 'string' || path === '') {
    throw new UsageError('`createFileSource` must be given the path of a rule set file or folder');
  }
  if (typeof watch !== 'boolean') throw new UsageError('`watch` must be true or false');
  const states = new WeakMap<RuleSet, string>();
  const load: NonNullable<RuleSource['load']> = async ({ signal, lists } = {}) => {
    for (let reads = 1; ; reads += 1) {
      signal?.throwIfAborted();
      const before = await stateOf(path);
      const read = await readRuleSetFile(path, { lists }).catch((error: unknown) => ({ error }));
      if ((await stateOf(path)) !== before) {
        if (reads < MOST_READS) continue;
        throw new RuleSetError(`${path}: changed each time while it was read`, { code: 'changing' });
      }
      if ('error' in read) throw read.error;
      refuseShapeless(path, read);
      states.set(read, before);
      return read;
    }
  };
  const watchFiles: RuleSource['watch'] = (onChange, { signal, since }) => {
    let known = states.get(since);
    let [isChanged, moves] = [false, 0];
    const look = async () => {
      const state = await stateOf(path);
      if (signal.aborted) return;
      const moved = state !== known;
      known = state;
      isChanged ||= moved;
      moves = moved ? moves + 1 : 0;
      // Files that still move may be half written, or half of them replaced.
      if (isChanged && moves % MOST_MOVES === 0) {
        isChanged = moved;
        onChange();
      }
      timer = setTimeout(look, LOOK_EVERY).unref();
    };
    let timer = setTimeout(look, LOOK_EVERY).unref();
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
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
    ...(watch && { watch: watchFiles }),
  };
}

/** What another state shows to be other files or content, links followed. Never rejects: that a file cannot be looked at is a state too. */
async function stateOf(path: string): Promise<string> {
  const code = (error: NodeJS.ErrnoException) => error.code ?? 'unknown';
  const files = await filesOfRuleSet(path).catch(code);
  if (typeof files === 'string') return files;
  // All at once: one after the other, each waits for its turn where the processors are busy.
  const states = files.sort().map(async (file) => {
    const found = await stat(file, { bigint: true }).catch(code);
    if (typeof found === 'string') return `${file} ${found}`;
    return [file, found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
  });
  return (await Promise.all(states)).join('\n');
}
