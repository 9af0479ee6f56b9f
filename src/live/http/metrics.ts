/** The counters of a handler, printed as Prometheus reads them (text format 0.0.4). */
import { stops } from '../../engine/compile/verdicts.js';
import type { Decision } from '../../engine/evaluate/decision.js';

/**
 * The most rows of a counter: rules come and go, and their ids must not add up. Further ones are
 * rule `other`.
 */
const mostRows = 1_000;

/** Most characters of a label, since ids come from the source. */
const mostOfLabel = 100;

/**
 * Upper bounds of the histogram, in seconds; the last one is the time within which a platform takes
 * an answer.
 */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/**
 * Counts by a word of a few, and by a rule. Labels are made when they are printed: rows are counted
 * with every request.
 */
class Counter {
  readonly #label: string;
  readonly #rows = new Map<string, Map<string | undefined, number>>();
  #count = 0;

  constructor(label: string) {
    this.#label = label;
  }

  add(word: string, rule?: string): void {
    let rows = this.#rows.get(word);
    if (rows === undefined) {
      rows = new Map();
      this.#rows.set(word, rows);
    }
    let row = rule?.slice(0, mostOfLabel);
    const count = rows.get(row);
    if (count === undefined && this.#count++ >= mostRows && row !== undefined) row = 'other';
    rows.set(row, (count ?? rows.get(row) ?? 0) + 1);
  }

  lines(name: string): string[] {
    return [...this.#rows].flatMap(([word, rows]) =>
      [...rows].map(([rule, count]) => {
        const labels = printLabels({ [this.#label]: word, ...(rule !== undefined && { rule }) });
        return `${name}${labels} ${count}`;
      }),
    );
  }
}

/** Values at the time of printing. */
interface Gauges {
  readonly inFlight: number;
  readonly isReady: boolean;
  /** Absent for rules without an age. */
  readonly ageMs: number | undefined;
  /** Issues of the rules in use; absent where nothing is known of them. */
  readonly issues: { readonly error: number; readonly warning: number } | undefined;
  /** The warning about scores, if there is one. */
  readonly scoresWarning: { readonly code: string } | undefined;
}

export class Metrics {
  readonly #decisions = new Counter('verdict');
  readonly #unevaluated = new Counter('why');
  readonly #unanswered = new Counter('why');
  readonly #refused = new Counter('status');
  readonly #refreshes = new Counter('outcome');
  readonly #durations = new Map<string, { readonly buckets: number[]; sum: number; count: number }>();

  /**
   * Counts a decision under the first rule that it rests on, or under none, and its unevaluated
   * conditions, without those whose scores were not requested because the answer did not need them.
   */
  decision({ verdict, matched, unevaluated }: Decision, isWithoutScores = false): void {
    const [first] = matched;
    this.#decisions.add(verdict, stops(verdict) && first?.determining === true ? first.ruleId : '');
    for (const { ruleId, why } of unevaluated) {
      if (why !== 'no-scores' || !isWithoutScores) this.#unevaluated.add(why, ruleId);
    }
  }

  unanswered(why: string): void {
    this.#unanswered.add(why);
  }

  refused(status: number): void {
    this.#refused.add(String(status));
  }

  refresh(outcome: string): void {
    this.#refreshes.add(outcome);
  }

  took(route: string, ms: number): void {
    const seconds = ms / 1_000;
    let durations = this.#durations.get(route);
    if (durations === undefined) {
      durations = { buckets: bounds.map(() => 0), sum: 0, count: 0 };
      this.#durations.set(route, durations);
    }
    durations.sum += seconds;
    durations.count++;
    const bucket = bounds.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) durations.buckets[bucket]!++;
  }

  print({ inFlight, isReady, ageMs, issues, scoresWarning: scores }: Gauges): string {
    const metric = (name: string, type: string, help: string, lines: readonly string[]): string[] => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...lines,
    ];
    const counter = (name: string, help: string, rows: Counter) => metric(name, 'counter', help, rows.lines(name));
    const gauge = (name: string, help: string, value: number | undefined) =>
      metric(name, 'gauge', help, value === undefined ? [] : [`${name} ${value}`]);
    const severities = issues === undefined ? [] : (['error', 'warning'] as const);
    const issueLines = severities.map((severity) => `sluice_rule_issues{severity="${severity}"} ${issues?.[severity]}`);
    const scoresLines = scores === undefined ? [] : [`sluice_scores_warning${printLabels({ code: scores.code })} 1`];
    const latency = 'sluice_request_duration_seconds';
    const lines = [
      ...counter('sluice_decisions_total', 'Messages judged, by the first rule of the verdict.', this.#decisions),
      ...counter('sluice_unevaluated_total', 'Conditions that could not be evaluated.', this.#unevaluated),
      ...counter('sluice_unanswered_total', 'Requests of a platform that no rules could answer.', this.#unanswered),
      ...counter('sluice_refused_requests_total', 'Requests answered with another status than 200.', this.#refused),
      ...counter('sluice_refreshes_total', 'Refreshes of the rules.', this.#refreshes),
      ...metric(latency, 'histogram', 'Time from the head of a request to its answer.', this.#printDurations(latency)),
      ...gauge('sluice_rules_ready', 'Whether there are rules that are not too old.', isReady ? 1 : 0),
      ...gauge('sluice_rules_age_seconds', 'Time since the rules were confirmed.', ageMs && ageMs / 1_000),
      ...metric('sluice_rule_issues', 'gauge', 'Issues of the rules in use.', issueLines),
      ...metric('sluice_scores_warning', 'gauge', 'Why scores have no effect.', scoresLines),
      ...gauge('sluice_requests_in_flight', 'Requests that are being answered.', inFlight),
    ];
    return `${lines.join('\n')}\n`;
  }

  #printDurations(name: string): string[] {
    return [...this.#durations].flatMap(([route, { buckets, sum, count }]) => {
      let below = 0;
      const lines = bounds.map((bound, at) => {
        below += buckets[at]!;
        return `${name}_bucket${printLabels({ route, le: String(bound) })} ${below}`;
      });
      const labels = printLabels({ route });
      const last = `${name}_bucket${printLabels({ route, le: '+Inf' })} ${count}`;
      return [...lines, last, `${name}_sum${labels} ${sum}`, `${name}_count${labels} ${count}`];
    });
  }
}

function printLabels(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`)
    .join(',')}}`;
}
