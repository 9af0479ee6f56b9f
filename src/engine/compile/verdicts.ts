/**
 * The answer of the engine: let a message through, refuse it, or discard it without telling its
 * sender. Other actions of a rule are passed through in `Decision.actions` (§2.8).
 */
export type Verdict = 'allow' | 'blockMessage' | 'dropMessage';

/** The word of reports for a message that was stopped. */
export type StoppedAs = 'blocked' | 'dropped';

/**
 * Every verdict, from the weakest to the strongest by default, with what it makes of a message;
 * `undefined` for one that lets it through.
 */
const outcomes = {
  allow: undefined,
  blockMessage: 'blocked',
  dropMessage: 'dropped',
} as const satisfies Readonly<Record<Verdict, StoppedAs | undefined>>;

/** All verdicts. The reading `precedence` orders them by strength. */
export const verdicts = Object.keys(outcomes) as readonly Verdict[];

/** Verdicts that stop a message: the stopping actions of rules. */
type StoppingVerdict = { [Name in Verdict]: (typeof outcomes)[Name] extends undefined ? never : Name }[Verdict];

/** Reports whether a verdict, or an action of a rule, stops the message. */
export function stops(action: unknown): action is StoppingVerdict {
  return stoppedAs(action) !== undefined;
}

/** Returns how a message with this verdict was stopped; `undefined` where it was not. */
export function stoppedAs(verdict: unknown): StoppedAs | undefined {
  return typeof verdict === 'string' && Object.hasOwn(outcomes, verdict) ? outcomes[verdict as Verdict] : undefined;
}

/** The words for stopped messages, each once, in the order of the verdicts. */
export const stoppedNames: readonly StoppedAs[] = Object.values(outcomes).filter((name) => name !== undefined);

/** Makes a value for each way of being stopped. */
export function byStopped<T>(make: (name: StoppedAs) => T): Record<StoppedAs, T> {
  return Object.fromEntries(stoppedNames.map((name) => [name, make(name)])) as Record<StoppedAs, T>;
}

/** Makes a value for each verdict: counts, weights, words. */
export function byVerdict<T>(make: (verdict: Verdict) => T): Record<Verdict, T> {
  return Object.fromEntries(verdicts.map((verdict) => [verdict, make(verdict)])) as Record<Verdict, T>;
}
