import type { Match, RuleHit, Verdict } from '../evaluate/decision.js';
import type { Auditable, AuditEntry } from './audit.js';
import type { AuditSummary, LabelCount, PatternCount, RuleCount, TermCount, VerdictCounts } from './audit-summary.js';

/** The summary of one message. Rows may repeat ids, as a term may occur twice; a tally adds them up. */
export function countEntry({ message, decision }: Pick<AuditEntry, 'message' | 'decision'>): AuditSummary {
  const sentAt = typeof message === 'string' ? undefined : message.sentAt;
  const hits = decision.matched;
  const found = hits.map((hit) => countMatches(hit));
  return {
    messages: 1,
    ...(typeof sentAt === 'number' ? { firstSentAt: sentAt, lastSentAt: sentAt } : {}),
    verdicts: one(decision.verdict),
    exempt: Number(decision.exempt),
    truncated: Number(decision.truncated),
    ...countTexts(message),
    actions: decision.actions.map((action) => ({ action, messages: 1 })),
    rules: hits.map((hit) => countRule(hit, decision.verdict)),
    terms: found.flatMap((counts) => counts.terms),
    patterns: found.flatMap((counts) => counts.patterns),
    labels: found.flatMap((counts) => counts.labels),
    unevaluated: {
      messages: Number(decision.unevaluated.length > 0),
      total: decision.unevaluated.length,
      conditions: decision.unevaluated.map(({ ruleId, conditionId, why }) => ({
        ruleId,
        conditionId,
        why,
        messages: 1,
      })),
    },
  };
}

/** Whether a message should have a text, and whether it has none that can be read. */
export function countTexts(message: Auditable): Pick<AuditSummary, 'texts' | 'unreadable'> {
  if (typeof message === 'string') return { texts: 1, unreadable: 0 };
  const { category, type, deletedAt, data } = message;
  const isText = (category ?? 'message') === 'message' && (type ?? 'text') === 'text' && (deletedAt ?? null) === null;
  return { texts: Number(isText), unreadable: Number(isText && typeof data?.text !== 'string') };
}

function one(verdict: Verdict): VerdictCounts {
  return { allow: 0, blockMessage: 0, dropMessage: 0, [verdict]: 1 };
}

function countRule(hit: RuleHit, verdict: Verdict): RuleCount {
  const { ruleId, ruleName, actions, shadow, determining } = hit;
  return { ruleId, ruleName, actions, shadow, matched: 1, determining: Number(determining), verdicts: one(verdict) };
}

/** One row for each match; only the first match of a term, pattern or label has `messages: 1`. */
function countMatches({ ruleId, conditions }: RuleHit) {
  const terms: TermCount[] = [];
  const patterns: PatternCount[] = [];
  const labels: LabelCount[] = [];
  const seen = new Set<string>();
  for (const match of conditions.flatMap((condition) => condition.matches)) {
    const key = keyOf(match);
    const counts = { ruleId, matches: 1, messages: seen.has(key) ? 0 : 1 };
    seen.add(key);
    if (match.kind === 'score') labels.push({ label: match.label, threshold: match.threshold, ...counts });
    else {
      const list = match.listId === undefined ? {} : { listId: match.listId };
      if (match.kind === 'word') terms.push({ term: match.term, ...list, ...counts });
      else patterns.push({ pattern: match.pattern, ...list, ...counts });
    }
  }
  return { terms, patterns, labels };
}

function keyOf(match: Match): string {
  if (match.kind === 'word') return JSON.stringify(['word', match.listId, match.term]);
  if (match.kind === 'pattern') return JSON.stringify(['pattern', match.listId, match.pattern]);
  return JSON.stringify(['score', match.label, match.threshold]);
}
