/**
 * What to do with a message: let it through, refuse it, or discard it without telling its sender. Other actions of a rule are
 * passed through in `Decision.actions` (§2.8).
 */
export type Verdict = 'allow' | 'blockMessage' | 'dropMessage';

const isVerdict: Readonly<Record<Verdict, true>> = { allow: true, blockMessage: true, dropMessage: true };

/** All verdicts; which of them is the stronger one, the reading `precedence` says. */
export const verdicts = Object.keys(isVerdict) as readonly Verdict[];
