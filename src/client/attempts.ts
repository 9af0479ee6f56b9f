import { backoffMs } from './backoff.js';
import type { Answer } from './exchange.js';
import { faultCode } from './fault.js';
import { askedMs, type Pacing } from './pacing.js';
import type { RetryBudget } from './retry-budget.js';
import type { RetrySettings } from './retry-options.js';
import { isTransientFault, isTransientStatus } from './transient.js';

/** How one attempt ended. `held` was not sent: the platform wants no requests for longer than the call has. */
export type Ending =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly pacing: Pacing }
  | { readonly kind: 'fault'; readonly thrown: unknown }
  | { readonly kind: 'held'; readonly heldMs: number };

/** What follows an attempt: another one after a wait, or nothing; then whether only the budget stood against it. */
export type Plan = { readonly waitMs: number } | { readonly waitMs: undefined; readonly spent: boolean };

/** What a plan rests on. */
export interface PlanContext {
  readonly repeatable: boolean;
  /** Attempts made, the one that just ended among them. */
  readonly attempts: number;
  readonly remainingMs: number;
  readonly retry: RetrySettings;
  readonly budget: RetryBudget;
  readonly random: () => number;
}

/**
 * Plans what follows an attempt. Another one only where repeating is safe and may help, where the wait that the platform
 * asks for ends before the deadline, and where the budget gives it. The random wait comes on top of the one asked for,
 * so that those who were told the same instant do not come back at once; it takes at most half of the time left.
 */
export function planAfter(ending: Ending, context: PlanContext): Plan {
  const { repeatable, attempts, remainingMs, retry, budget, random } = context;
  const over = { waitMs: undefined, spent: false } as const;
  if (!repeatable || attempts >= retry.attempts || !isTransient(ending)) return over;
  const asked = ending.kind === 'answer' ? (askedMs(ending.answer.status, ending.pacing) ?? 0) : 0;
  if (asked >= remainingMs) return over;
  if (!budget.take()) return { waitMs: undefined, spent: true };
  return { waitMs: asked + Math.min(backoffMs(attempts - 1, retry, random), (remainingMs - asked) / 2) };
}

/** Whether the same request may fare better later. */
export function isTransient(ending: Ending): boolean {
  if (ending.kind === 'answer') return isTransientStatus(ending.answer.status);
  return ending.kind === 'fault' && isTransientFault(faultCode(ending.thrown));
}
