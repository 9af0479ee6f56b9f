/** What a finding and a mend are called, on screens and in Markdown. */
import type { Engine } from '../../engine/engine.js';
import type { Finding, FindingSeverity, LintReport } from '../../review/lint/finding.js';
import type { Mend } from '../../review/lint/mend.js';
import { counted } from '../terminal/text.js';

/** What is shown of a report. */
export interface LintView {
  readonly report: LintReport;
  /** By which witnesses are marked. */
  readonly engine: Engine;
  /** Findings of one id that are shown. */
  readonly most: number;
}

const severities = ['error', 'warning', 'info'] as const satisfies readonly FindingSeverity[];

/** How a severity is called. */
export const severityName = { error: 'error', warning: 'warning', info: 'note' } as const;

/** `2 errors, 3 warnings, 4 notes`; `nothing found` for none of them. */
export function countWords({ counts }: Pick<LintReport, 'counts'>): string {
  const some = severities.filter((severity) => counts[severity] > 0);
  return some.map((severity) => counted(counts[severity], severityName[severity])).join(', ') || 'nothing found';
}

/** Findings of one id. */
export interface FindingGroup {
  readonly id: Finding['id'];
  readonly severity: FindingSeverity;
  readonly shown: readonly Finding[];
  readonly more: number;
}

/** The findings by id, errors first, the first ones of each. */
export function groupsOf({ report, most }: LintView): FindingGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of report.findings) {
    const group = groups.get(finding.id);
    if (group === undefined) groups.set(finding.id, [finding]);
    else group.push(finding);
  }
  return severities.flatMap((severity) =>
    [...groups].flatMap(([id, all]) => {
      const own = all.filter((finding) => finding.severity === severity);
      return own.length === 0
        ? []
        : [{ id: id as Finding['id'], severity, shown: own.slice(0, most), more: Math.max(0, own.length - most) }];
    }),
  );
}

/** `spam-terms, term 4`, `old-spam, condition 2, pattern 3`; by `quote` what comes from the rules. */
export function findingPlace(finding: Finding | Mend, quote: (text: string) => string): string {
  const { ruleId, conditionId, listId, index } = finding;
  const isWritten = 'pattern' in finding || 'term' in finding;
  const isOfList = listId !== undefined && conditionId === undefined;
  const plain = isOfList ? 'term' : conditionId === undefined ? 'filter' : 'value';
  const value = 'pattern' in finding ? 'pattern' : 'term' in finding ? 'term' : plain;
  if (isWritten && listId !== undefined) {
    const rule = ruleId === undefined ? '' : ` → ${quote(ruleId)}`;
    return `${quote(listId)}${index === undefined ? '' : `, ${value} ${index + 1}`}${rule}`;
  }
  return [
    ...(ruleId === undefined ? [] : [quote(ruleId)]),
    ...(conditionId === undefined ? [] : [`condition ${conditionId}`]),
    ...(listId === undefined ? [] : [quote(listId)]),
    ...(index === undefined ? [] : [`${value} ${index + 1}`]),
  ].join(', ');
}

/** Where in its witness a finding is: the matches of its term or pattern, else of its rule, else all. */
export function witnessSpans({ witness = '', ...finding }: Finding, engine: Engine) {
  const all = engine
    .explain(witness)
    .matched.flatMap(({ ruleId, conditions }) =>
      conditions.flatMap(({ matches }) => matches.map((match) => ({ ruleId, match }))),
    );
  const own = all.filter(({ ruleId, match }) => {
    if (match.kind === 'score' || match.path !== 'data.text') return false;
    if (finding.term !== undefined) return match.kind === 'word' && match.term === finding.term;
    if (finding.pattern !== undefined) return match.kind === 'pattern' && match.pattern === finding.pattern;
    return finding.ruleId === undefined || finding.ruleId === ruleId;
  });
  return own.flatMap(({ match }) => (match.kind === 'score' ? [] : [match.span]));
}

/** One line of a diff: what is taken out, put in, or said of both. */
export interface MendLine {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
}

/** The mends as a diff: by place what goes, and what comes in its stead. */
export function mendLines(mends: readonly Mend[], quote: (text: string) => string): MendLine[] {
  return mends.flatMap((mend): MendLine[] => {
    const place: MendLine = { sign: ' ', text: `${findingPlace(mend, quote)}: ${mend.why}` };
    if (mend.before === undefined) return [place, { sign: '-', text: 'the whole list' }];
    const gone: MendLine = { sign: '-', text: quote(JSON.stringify(mend.before)) };
    return [
      place,
      gone,
      ...(mend.after === undefined ? [] : [{ sign: '+', text: quote(JSON.stringify(mend.after)) } as const]),
    ];
  });
}
