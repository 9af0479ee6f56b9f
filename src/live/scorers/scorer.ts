/** The port to whatever scores texts and files. */
import { asFields } from '../../engine/compile/untrusted.js';
import type { ScoreRequest } from '../../engine/evaluate/score-requests.js';

/** Scores by label, each from 0 to 100 percent, as the thresholds of conditions are (§2.5). */
export type Labels = Readonly<Record<string, number>>;

/** Gives the scores of texts and files, which the interface has none of (§2.5 has thresholds only). */
export interface Scorer {
  /**
   * The scores of one text or file, 0 to 100 by label; `undefined` when none are known. They are taken to depend on `operand`,
   * `labels`, and `text` or `url` alone, so they serve every message with the same. More labels than those that are requested
   * may be given. The signal aborts when nobody waits any more, or the time is up.
   */
  score(
    request: ScoreRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<Readonly<Record<string, number>> | undefined>;
}

/** Whether a value is scores by label, from 0 to 100 or to what else they count to. */
export function isLabels(value: unknown, highest = 100): value is Labels {
  const fields = asFields(value);
  return (
    fields !== undefined &&
    Object.values(fields).every((score) => typeof score === 'number' && score >= 0 && score <= highest)
  );
}
