/** The wording of findings. */
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

/** A report of lint, and what is needed to show it. */
interface LintView {
  readonly report: LintReport;
  /** The engine that marks the witnesses. */
  readonly engine: Engine;
  /** Number of findings of one id that are shown. */
  readonly most: number;
  /** Returns the line of a finding in its file, or `undefined`. */
  readonly lineOf: (finding: Finding) => string | undefined;
}

const severities = ['error', 'warning', 'info'] as const satisfies readonly FindingSeverity[];

/** The names of severities. */
const severityName = { error: 'error', warning: 'warning', info: 'note' } as const;

const tones = { error: 'bad', warning: 'warning', info: 'faint' } as const satisfies Record<string, Tone>;

/**
 * Returns a report as a document: the number of findings, then each with its witness and its fix.
 */
export function lintDocument(view: LintView): Group[] {
  const { counts } = view.report;
  const found = severities
    .filter((severity) => counts[severity] > 0)
    .map((severity) => counted(counts[severity], severityName[severity]));
  const tone = counts.error > 0 ? 'bad' : counts.warning > 0 ? 'warning' : 'good';
  return [[title(found.join(', ') || 'nothing found', tone)], ...findingGroups(view)];
}

/** Returns the findings by id, errors first. Only the first ones of each id are shown. */
function findingGroups({ report, engine, most, lineOf }: LintView): Group[] {
  return severities.flatMap((severity) =>
    groupBy(
      report.findings.filter((finding) => finding.severity === severity),
      ({ id }) => id,
    ).map((all) => {
      const shown = all.slice(0, most);
      // If several findings have the same fix, it is shown below the last of them.
      const items = shown.map(({ mend, ...finding }, at) =>
        findingItem(
          mend === undefined || mend === shown[at + 1]?.mend ? finding : { ...finding, mend },
          engine,
          lineOf(finding),
        ),
      );
      return [...list(items), ...more(all.length - shown.length, undefined, ` of ${all[0]!.id} (--verbose)`)];
    }),
  );
}

function findingItem(finding: Finding, engine: Engine, line: string | undefined): Item {
  const { id, severity, term, pattern, detail, witness, mend } = finding;
  const written = term ?? pattern;
  const what = written === undefined ? undefined : words`${quoted(written, patternWidth)}: `;
  // A term that is its own witness is already shown.
  const isShown = witness !== undefined && witness !== written?.trim();
  return {
    label: { words: severityName[severity], tone: tones[severity] },
    blocks: [
      paragraph(words`${{ words: id, tone: 'head' }}  ${{ words: findingPlace(finding, line), tone: 'faint' }}`),
      paragraph(words`${what}${plain(detail)}`),
      ...(isShown ? [witnessBlock(finding, witness, engine)] : []),
      ...(mend === undefined ? [] : [paragraph(words`fix: ${plain(mend)}`, 'faint')]),
    ],
  };
}

/** Width of a term, pattern or witness, in columns. */
const patternWidth = 200;

/**
 * Returns the witness with the matches of the finding marked, or in quotation marks if there are
 * none.
 */
function witnessBlock(finding: Finding, witness: string, engine: Engine): Block {
  const marks = witnessSpans(finding, engine).map((span) => ({ ...span, labels: [] }));
  return marks.length === 0 ? paragraph(quoted(witness, patternWidth)) : quotation(witness, marks);
}

/**
 * Describes the place of a finding: `spam-terms → Spam, lists/spam-terms.txt:4`, `old-spam,
 * condition 2, rules.json:31`.
 */
function findingPlace({ ruleId, conditionId, listId, term, pattern }: Finding, line: string | undefined): Words {
  const at = line === undefined ? [] : [line];
  if ((term ?? pattern) !== undefined && listId !== undefined) {
    return joined([ruleId === undefined ? name(listId) : words`${name(listId)} → ${name(ruleId)}`, ...at]);
  }
  return joined([
    ...(ruleId === undefined ? [] : [name(ruleId)]),
    ...(conditionId === undefined ? [] : [`condition ${conditionId}`]),
    ...(listId === undefined ? [] : [name(listId)]),
    ...at,
  ]);
}

/**
 * Returns the matches in a witness: those of the term or pattern of the finding, or else those of
 * its rule.
 */
function witnessSpans({ witness = '', ...finding }: Finding, engine: Engine) {
  const all = engine
    .explain(witness)
    .matched.flatMap(({ ruleId, conditions }) =>
      conditions.flatMap(({ matches }) => matches.map((match) => ({ ruleId, match }))),
    );
  const found = all.filter(({ ruleId, match }) => {
    if (match.kind === 'score' || match.path !== 'data.text') return false;
    if (finding.term !== undefined) return match.kind === 'word' && match.term === finding.term;
    if (finding.pattern !== undefined) return match.kind === 'pattern' && match.pattern === finding.pattern;
    return finding.ruleId === undefined || finding.ruleId === ruleId;
  });
  return found.flatMap(({ match }) => (match.kind === 'score' ? [] : [match.span]));
}
