/** Findings as they are shown. */
import type { Engine } from '../../engine/engine.js';
import type { Finding, FindingSeverity, LintReport } from '../../review/lint/finding.js';
import { groupBy } from '../check/result.js';
import {
  type Block,
  type Group,
  type Item,
  joined,
  list,
  more,
  name,
  paragraph,
  plain,
  quotation,
  quoted,
  title,
  type Words,
  words,
} from '../document/document.js';
import type { Tone } from '../terminal/style.js';
import { counted } from '../terminal/text.js';

/** A report with what shows it. */
export interface LintView {
  readonly report: LintReport;
  /** Marks the witnesses. */
  readonly engine: Engine;
  /** Findings of one id that are shown. */
  readonly most: number;
}

const severities = ['error', 'warning', 'info'] as const satisfies readonly FindingSeverity[];

/** The names of severities. */
const severityName = { error: 'error', warning: 'warning', info: 'note' } as const;

const tones = { error: 'bad', warning: 'warning', info: 'faint' } as const satisfies Record<string, Tone>;

/** Returns the report: how much was found, then each finding with its term, what is wrong, a text that shows it, and how to fix it. */
export function lintDocument(view: LintView): Group[] {
  const { counts } = view.report;
  const found = severities
    .filter((severity) => counts[severity] > 0)
    .map((severity) => counted(counts[severity], severityName[severity]));
  const tone = counts.error > 0 ? 'bad' : counts.warning > 0 ? 'warning' : 'good';
  return [[title(found.join(', ') || 'nothing found', tone)], ...findingGroups(view)];
}

/** Returns the findings by id, errors first, the first ones of each. */
function findingGroups({ report, engine, most }: LintView): Group[] {
  return severities.flatMap((severity) =>
    groupBy(
      report.findings.filter((finding) => finding.severity === severity),
      ({ id }) => id,
    ).map((all) => {
      const shown = all.slice(0, most);
      // How to fix several that are alike is said below the last of them.
      const items = shown.map(({ mend, ...finding }, at) =>
        findingItem(mend === undefined || mend === shown[at + 1]?.mend ? finding : { ...finding, mend }, engine),
      );
      return [...list(items), ...more(all.length - shown.length, undefined, ` of ${all[0]!.id} (--verbose)`)];
    }),
  );
}

function findingItem(finding: Finding, engine: Engine): Item {
  const { id, severity, term, pattern, detail, witness, proof, mend } = finding;
  const written = term ?? pattern;
  const what = written === undefined ? undefined : words`${quoted(written, patternWidth)}: `;
  const proved = proof === 'proved' ? '; proved for all texts' : proof === undefined ? '' : '; too large to be proved';
  // A term that is its own witness stands there already.
  const isShown = witness !== undefined && witness !== written?.trim();
  return {
    label: { words: severityName[severity], tone: tones[severity] },
    blocks: [
      paragraph(words`${{ words: id, tone: 'head' }}  ${{ words: findingPlace(finding), tone: 'faint' }}`),
      paragraph(words`${what}${plain(detail)}${proved}`),
      ...(isShown ? [witnessBlock(finding, witness, engine)] : []),
      ...(mend === undefined ? [] : [paragraph(words`fix: ${plain(mend)}`, 'faint')]),
    ],
  };
}

/** Columns of a term, pattern or witness. */
const patternWidth = 200;

/** Returns the witness with the matches of the finding marked; in quotation marks where there are none. */
function witnessBlock(finding: Finding, witness: string, engine: Engine): Block {
  const marks = witnessSpans(finding, engine).map((span) => ({ ...span, labels: [] }));
  return marks.length === 0 ? paragraph(quoted(witness, patternWidth)) : quotation(witness, marks);
}

/** `spam-terms, term 4`, `old-spam, condition 2, pattern 3`. */
function findingPlace(finding: Finding): Words {
  const { ruleId, conditionId, listId, index } = finding;
  const isWritten = 'pattern' in finding || 'term' in finding;
  const isOfList = listId !== undefined && conditionId === undefined;
  const other = isOfList ? 'term' : conditionId === undefined ? 'filter' : 'value';
  const value = 'pattern' in finding ? 'pattern' : 'term' in finding ? 'term' : other;
  const at = index === undefined ? [] : [`${value} ${index + 1}`];
  if (isWritten && listId !== undefined) {
    const rule = ruleId === undefined ? undefined : words` → ${name(ruleId)}`;
    return words`${joined([name(listId), ...at])}${rule}`;
  }
  return joined([
    ...(ruleId === undefined ? [] : [name(ruleId)]),
    ...(conditionId === undefined ? [] : [`condition ${conditionId}`]),
    ...(listId === undefined ? [] : [name(listId)]),
    ...at,
  ]);
}

/** The places in its witness where a finding is: the matches of its term or pattern, else of its rule, else all. */
function witnessSpans({ witness = '', ...finding }: Finding, engine: Engine) {
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
