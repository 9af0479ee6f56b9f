import { exceptionLists } from '../../engine/semantics.js';
import { TimeoutError } from '../../foundation/errors.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { loadRuleSet } from '../../platform/loader/load-rule-set.js';
import type { ResolvedOptions } from './options.js';

/** Loads rules, one load at a time: each load that hangs occupies a thread or a connection. */
export class OneLoad {
  readonly #options: ResolvedOptions;
  /** Settles with the last load, which may outlast its deadline. */
  #last: Promise<void> | undefined;

  constructor(options: ResolvedOptions) {
    this.#options = options;
  }

  /**
   * Loads the rules before the deadline, once an earlier load has ended. Rejects on time even if
   * the source ignores its signal: with `TimeoutError`, with the reason of `ending`, or with the
   * error of the source.
   */
  async load(ending: AbortSignal): Promise<RuleSet> {
    const { source, startMs, semantics } = this.#options;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new TimeoutError('loading the rules', startMs)), startMs);
    const signal = AbortSignal.any([ending, deadline.signal]);
    const load = async () => {
      await this.#last;
      signal.throwIfAborted();
      const loading = loadRuleSet(source, { signal, lists: exceptionLists(semantics) });
      const settle = () => {};
      this.#last = loading.then(settle, settle);
      return loading;
    };
    let onAbort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort);
    });
    try {
      return await Promise.race([load(), aborted]);
    } finally {
      clearTimeout(timer);
      // A signal with a listener stays in memory as long as the moderator.
      signal.removeEventListener('abort', onAbort);
    }
  }
}
