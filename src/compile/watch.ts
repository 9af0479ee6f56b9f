import type { CompileStage } from './compiled-rule-set.js';

/** Tells how long each stage of a compilation took, in milliseconds. */
export interface Watch {
  readonly stages: Readonly<Record<CompileStage, number>>;
  /** Ends a stage: it has lasted since the one before it. */
  lap(stage: CompileStage): void;
}

/** Starts the first stage. */
export function startWatch(): Watch {
  const stages = { lists: 0, rules: 0, patterns: 0, words: 0 };
  let since = performance.now();
  return {
    stages,
    lap: (stage) => {
      const now = performance.now();
      stages[stage] = now - since;
      since = now;
    },
  };
}
