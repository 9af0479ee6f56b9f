import type { CompileStage } from './compiled-rule-set.js';

/** How long each stage of a compilation took, in milliseconds. */
export interface StageTimer {
  readonly stages: Readonly<Record<CompileStage, number>>;
  /** Ends a stage, which began when the one before it ended. */
  end(stage: CompileStage): void;
}

/** Starts a timer, and with it the first stage. */
export function startStageTimer(): StageTimer {
  const stages = { lists: 0, rules: 0, patterns: 0, words: 0 };
  let since = performance.now();
  return {
    stages,
    end: (stage) => {
      const now = performance.now();
      stages[stage] = now - since;
      since = now;
    },
  };
}
