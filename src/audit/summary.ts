import type { AuditEntry } from './audit.js';
import type {
  ActionCount,
  AuditSummary,
  LabelCount,
  PatternCount,
  RuleCount,
  TermCount,
  UnevaluatedCount,
  VerdictCounts,
} from './audit-summary.js';
import { countEntry } from './count-entry.js';
import { createTally } from './tally.js';

/** A running summary of the entries of an audit. Memory grows with the rule set, not with the messages. */
export interface Summary {
  add(entry: Pick<AuditEntry, 'message' | 'decision'>): void;
  /** Adds the summary of another part of the same audit; no message may be in both. */
  merge(part: AuditSummary): void;
  toJSON(): AuditSummary;
}

/** Starts an empty summary. */
export function createSummary(): Summary {
  const tables = createTables();
  let totals = nothing;
  const merge = (part: AuditSummary) => {
    totals = addTotals(totals, part);
    tables.actions.add(part.actions);
    tables.rules.add(part.rules);
    tables.terms.add(part.terms);
    tables.patterns.add(part.patterns);
    tables.labels.add(part.labels);
    tables.unevaluated.add(part.unevaluated.conditions);
  };
  return {
    add: (entry) => merge(countEntry(entry)),
    merge,
    toJSON: () => ({
      ...totals,
      actions: tables.actions.rows(),
      rules: tables.rules.rows(),
      terms: tables.terms.rows(),
      patterns: tables.patterns.rows(),
      labels: tables.labels.rows(),
      unevaluated: { ...totals.unevaluated, conditions: tables.unevaluated.rows() },
    }),
  };
}

type Totals = Omit<AuditSummary, 'actions' | 'rules' | 'terms' | 'patterns' | 'labels' | 'unevaluated'> & {
  readonly unevaluated: Pick<AuditSummary['unevaluated'], 'messages' | 'total'>;
};

const nothing: Totals = {
  messages: 0,
  verdicts: { allow: 0, blockMessage: 0, dropMessage: 0 },
  exempt: 0,
  truncated: 0,
  texts: 0,
  unreadable: 0,
  unevaluated: { messages: 0, total: 0 },
};

function addTotals(sum: Totals, part: Totals): Totals {
  const first = extreme(Math.min, sum.firstSentAt, part.firstSentAt);
  const last = extreme(Math.max, sum.lastSentAt, part.lastSentAt);
  return {
    messages: sum.messages + part.messages,
    ...(first === undefined ? {} : { firstSentAt: first }),
    ...(last === undefined ? {} : { lastSentAt: last }),
    verdicts: addVerdicts(sum.verdicts, part.verdicts),
    exempt: sum.exempt + part.exempt,
    truncated: sum.truncated + part.truncated,
    texts: sum.texts + part.texts,
    unreadable: sum.unreadable + part.unreadable,
    unevaluated: {
      messages: sum.unevaluated.messages + part.unevaluated.messages,
      total: sum.unevaluated.total + part.unevaluated.total,
    },
  };
}

function extreme(pick: (a: number, b: number) => number, a: number | undefined, b: number | undefined) {
  return a === undefined || b === undefined ? (a ?? b) : pick(a, b);
}

function addVerdicts(sum: VerdictCounts, part: VerdictCounts): VerdictCounts {
  return {
    allow: sum.allow + part.allow,
    blockMessage: sum.blockMessage + part.blockMessage,
    dropMessage: sum.dropMessage + part.dropMessage,
  };
}

function createTables() {
  const messages = (row: { readonly messages: number }) => row.messages;
  const addMessages = <Row extends { readonly messages: number }>(sum: Row, row: Row): Row => ({
    ...sum,
    messages: sum.messages + row.messages,
  });
  const addFound = <Row extends { readonly messages: number; readonly matches: number }>(sum: Row, row: Row): Row => ({
    ...sum,
    messages: sum.messages + row.messages,
    matches: sum.matches + row.matches,
  });
  return {
    actions: createTally<ActionCount>({ ids: (row) => [row.action], plus: addMessages, size: messages }),
    rules: createTally<RuleCount>({ ids: (row) => [row.ruleId], plus: addRule, size: (row) => row.matched }),
    terms: createTally<TermCount>({
      ids: (row) => [row.term, row.listId, row.ruleId],
      plus: addFound,
      size: messages,
    }),
    patterns: createTally<PatternCount>({
      ids: (row) => [row.pattern, row.listId, row.ruleId],
      plus: addFound,
      size: messages,
    }),
    labels: createTally<LabelCount>({
      ids: (row) => [row.label, row.threshold.label, row.threshold.greaterThan, row.ruleId],
      plus: addFound,
      size: messages,
    }),
    unevaluated: createTally<UnevaluatedCount>({
      ids: (row) => [row.ruleId, row.conditionId, row.why],
      plus: addMessages,
      size: messages,
    }),
  };
}

function addRule(sum: RuleCount, row: RuleCount): RuleCount {
  return {
    ...sum,
    matched: sum.matched + row.matched,
    determining: sum.determining + row.determining,
    verdicts: addVerdicts(sum.verdicts, row.verdicts),
  };
}
