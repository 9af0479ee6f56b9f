/**
 * Small components that the sections of the page share: numbers, marked texts, names of causes and
 * verdicts.
 */
import type { Cause } from '../../audit/count/cause.js';
import type { Verdict } from '../../engine/evaluate/decision.js';
import type { Segment } from '../worker/protocol.js';

export const formatCount = (count: number) => count.toLocaleString('en');
export const counted = (count: number, noun: string) => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Characters of a line above which browsers take seconds to lay out a field with it. */
export const longestLine = 20_000;

/** A text with its matches marked. It is laid out by its own direction, whatever is around it. */
export function Marked({ segments }: { readonly segments: readonly Segment[] }) {
  return <bdi class="text">{segments.map(({ text, isMarked }) => (isMarked ? <mark>{text}</mark> : text))}</bdi>;
}

const verdictWords: Readonly<Record<Verdict, string>> = {
  allow: 'allowed',
  blockMessage: 'blocked',
  dropMessage: 'dropped',
};

export function VerdictName({ verdict }: { readonly verdict: Verdict }) {
  return <span class={`verdict ${verdict}`}>{verdictWords[verdict]}</span>;
}

/** Returns the short form of a revision that a platform counts: `@8`. */
export function revisionWords(revision: string | undefined): string {
  return revision === undefined ? '' : `@${/_(\d+)$/.exec(revision)?.[1] ?? revision.slice(0, 12)}`;
}

/** Names a match: a term in quotation marks, a pattern, or a score over a threshold. */
export function Thing({ cause }: { readonly cause: Omit<Cause, 'ruleId'> }) {
  const { term, pattern, threshold } = cause;
  if (term !== undefined) return <bdi class="thing">“{shortened(term)}”</bdi>;
  if (pattern !== undefined) return <code class="thing">{shortened(pattern)}</code>;
  if (threshold === undefined) return <span class="thing">the whole condition</span>;
  return (
    <span class="thing">
      {threshold.label} over {threshold.greaterThan}
    </span>
  );
}

/** Cuts a term or pattern that would fill the page. */
export function shortened(text: string, longest = 120): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
