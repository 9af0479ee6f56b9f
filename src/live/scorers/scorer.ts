/** The interface to a service that scores texts and files. */
import { asFields } from '../../engine/compile/untrusted.js';
import type { ScoreRequest } from '../../engine/evaluate/score-requests.js';

/** Scores by label, each from 0 to 100 percent, as the thresholds of conditions are (§2.5). */
export type Labels = Readonly<Record<string, number>>;

/** Scores texts and files. Messages have no scores of their own (§2.5 has thresholds only). */
export interface Scorer {
  /**
   * Resolves to the scores of one text or file, 0 to 100 by label; `undefined` if none are known.
   * They must depend only on `operand`, `labels`, and `text` or `url`, so that they serve every
   * message with the same. More labels than the requested ones may be returned. The signal aborts
   * when no caller waits any more, or when the time is up.
   */
  score(
    request: ScoreRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<Readonly<Record<string, number>> | undefined>;
}

/** Reports whether a value is scores by label, from 0 to `highest`. */
export function isLabels(value: unknown, highest = 100): value is Labels {
  const fields = asFields(value);
  return (
    fields !== undefined &&
    Object.values(fields).every((score) => typeof score === 'number' && score >= 0 && score <= highest)
  );
}
