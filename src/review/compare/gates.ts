/** Gates for a change of rules: limits on how many messages may be decided differently. */
import type { RuleSetDiff } from './diff-rule-sets.js';

/** A limit on the number of messages of one kind. */
export interface GateLimit {
  readonly kind: 'newlyStopped' | 'released';
  /**
   * The largest allowed number of messages, or their largest share in percent as decimal digits
   * such as `0.5`.
   */
  readonly most: { readonly messages: number } | { readonly percent: string };
}

/** The conditions that a diff must meet. */
export interface Gates {
  readonly limits: readonly GateLimit[];
  /** Whether rules, lists and readings must be equal. */
  readonly isChangeRefused: boolean;
  /** Whether they differ. By default the changes and the digests of both sides decide. */
  readonly isChanged?: boolean | undefined;
}

/** A reason why a gate is closed. */
export type ClosedGate =
  /**
   * The new rules have errors that the old rules do not have. They stop less than is written, so
   * limits prove nothing.
   */
  | { readonly code: 'errors-added' }
  /**
   * The old rules have errors that the new rules do not have. They stopped too little, so too few
   * messages count as released.
   */
  | { readonly code: 'errors-removed' }
  /** No messages were judged, so limits prove nothing. */
  | { readonly code: 'nothing-judged' }
  | { readonly code: 'over-limit'; readonly limit: GateLimit; readonly messages: number }
  | { readonly code: 'rules-differ' };

/** A diff, or those of its fields that need no messages. */
export type ComparedRuleSets = RuleSetDiff | Pick<RuleSetDiff, 'changes' | 'errors' | 'revision' | 'receipt'>;

/** Returns the gates that a diff closes. Those about errors come first. */
export function closedGates(
  diff: ComparedRuleSets,
  { limits, isChangeRefused, isChanged }: Gates,
): readonly ClosedGate[] {
  const { errors, changes, receipt } = diff;
  const hasGate = limits.length > 0 || isChangeRefused;
  const isReleaseLimited = limits.some(({ kind }) => kind === 'released');
  const isAdded = hasGate && errors.added.length > 0;
  const isRemoved = !isAdded && isReleaseLimited && errors.removed.length > 0;
  const judged = 'messages' in diff ? diff : undefined;
  const over = limits.flatMap((limit) => {
    const messages = judged?.[limit.kind] ?? 0;
    return judged === undefined || isWithin(messages, judged.messages, limit.most) ? [] : [{ limit, messages }];
  });
  return [
    ...(isAdded ? [{ code: 'errors-added' } as const] : []),
    ...(isRemoved ? [{ code: 'errors-removed' } as const] : []),
    ...(limits.length > 0 && judged?.messages === 0 ? [{ code: 'nothing-judged' } as const] : []),
    ...over.map(({ limit, messages }) => ({ code: 'over-limit', limit, messages }) as const),
    ...(isChangeRefused && (isChanged ?? (changes.length > 0 || receipt.rules !== receipt.against))
      ? [{ code: 'rules-differ' } as const]
      : []),
  ];
}

/** Reports whether errors of the rules close a gate. If so, counts of messages prove nothing. */
export function isClosedByErrors(closed: readonly ClosedGate[]): boolean {
  return closed.some(({ code }) => code === 'errors-added' || code === 'errors-removed');
}

/**
 * Reports whether a count is within a limit. Shares are compared in whole numbers, so that a count
 * that is exactly at the limit passes.
 */
function isWithin(count: number, all: number, most: GateLimit['most']): boolean {
  if ('messages' in most) return count <= most.messages;
  const scale = 10 ** (/\.(\d+)/.exec(most.percent)?.[1]?.length ?? 0);
  return count * 100 * scale <= Math.round(Number.parseFloat(most.percent) * scale) * all;
}
