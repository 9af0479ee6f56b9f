/** How many retries a client may make over all its calls. */
export interface RetryBudget {
  /** Takes one retry out, or says that there is none. */
  readonly take: () => boolean;
  /** A call was answered by a platform that works. */
  readonly refill: () => void;
}

/** `retries` is what a full budget holds, `ratio` how much of one each answered call puts back. */
export interface BudgetLimits {
  readonly retries: number;
  readonly ratio: number;
}

/**
 * A bucket of tokens, one for each retry. Only answered calls refill it, and a retry that succeeds puts back no more
 * than any other answer: against a dead platform N calls become at most N + `retries` requests, and against one that
 * fails by halves the retries stay under `ratio` of the calls once the bucket is empty.
 */
export function createRetryBudget({ retries, ratio }: BudgetLimits): RetryBudget {
  // Counted in thousandths, since ten times 0.1 is not 1.
  const full = retries * 1000;
  const share = Math.round(ratio * 1000);
  let left = full;
  return {
    take: () => {
      if (left < 1000) return false;
      left -= 1000;
      return true;
    },
    refill: () => {
      left = Math.min(full, left + share);
    },
  };
}
