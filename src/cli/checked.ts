import type { Decision } from '../evaluate/decision.js';
import type { CheckInput } from './check-input.js';

/** A decision and what its screen says beyond it. */
export interface Checked {
  /** Redacted already when `redact` holds. */
  readonly decision: Decision;
  readonly input: Pick<CheckInput, 'message' | 'media' | 'ruleSet' | 'engine' | 'scores'>;
  /** Whether nothing of the message may be shown. */
  readonly redact: boolean;
}
