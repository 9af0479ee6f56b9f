import type { Finding } from '../../review/lint/finding.js';
import type { Mend } from '../../review/lint/mend.js';
import { columns, cut, joinBlocks, moreWords, wrapped } from '../terminal/lines.js';
import { markedLines } from '../terminal/marked-text.js';
import type { Output, Tone } from '../terminal/style.js';
import { escapeText, textWidth } from '../terminal/text.js';
import { countWords, findingPlace, groupsOf, type LintView, mendLines, severityName, witnessSpans } from './words.js';

const tones = { error: 'bad', warning: 'doubt', info: 'faint' } as const satisfies Record<string, Tone>;

/** Columns of the severity, in which nothing else stands. */
const margin = ' '.repeat('warning  '.length);

const name = (text: string) => cut(text, columns.name);

/** The report as a screen: how much was found, then each finding with its term, what is wrong, a text that shows it, and how to mend it. */
export function lintScreen(view: LintView, output: Output): string[] {
  const { counts } = view.report;
  const tone = counts.error > 0 ? 'bad' : counts.warning > 0 ? 'doubt' : 'good';
  const blocks = groupsOf(view).map(({ id, shown, more }) => [
    // How to mend several that are alike is said below the last of them.
    ...shown.flatMap(({ mend, ...finding }, at) =>
      findingLines({ ...finding, ...(mend && mend !== shown[at + 1]?.mend && { mend }) }, view, output),
    ),
    ...(more === 0 ? [] : [output.paint('faint', `${margin}${moreWords(more)} of ${id} (--verbose)`)]),
  ]);
  return joinBlocks([[output.paint('head', output.paint(tone, countWords(view.report)))], ...blocks]);
}

function findingLines(finding: Finding, { engine }: LintView, output: Output): string[] {
  const { id, severity, term, pattern, detail, witness, proof, mend } = finding;
  const { paint } = output;
  const place = findingPlace(finding, name);
  const head = `${paint(tones[severity], severityName[severity].padEnd(margin.length))}${paint('head', id)}`;
  const written = term ?? pattern;
  const what = written === undefined ? '' : `${quoted(written, output)}: `;
  const proved = proof === 'proved' ? '; proved for all texts' : proof === undefined ? '' : '; too large to be proved';
  const lines = (text: string, tone?: Tone) => wrapped(`${margin}${text}`, tone, output, margin);
  return [
    ...(place === '' ? [head] : fitted(head, margin.length + id.length, place, output)),
    ...lines(`${what}${escapeText(detail)}${proved}`),
    // A term that is its own witness stands there already.
    ...(witness === undefined || witness === written?.trim() ? [] : witnessLines(finding, engine, output)),
    ...(mend === undefined ? [] : lines(`mend: ${escapeText(mend)}`, 'faint')),
  ];
}

/** A heading with its place behind it, or below where it does not fit. */
function fitted(head: string, used: number, place: string, output: Output): string[] {
  const gap = '  ';
  if (used + gap.length + textWidth(place) <= output.width) return [head + gap + output.paint('faint', place)];
  return [head, ...wrapped(margin + place, 'faint', output, margin)];
}

/** A term or pattern in quotation marks. */
const quoted = (written: string, { width }: Output) => `"${cut(written, Math.max(20, width - margin.length - 4))}"`;

/** The witness with what it is a witness of marked; in quotation marks where nothing of it is. */
function witnessLines(finding: Finding, engine: LintView['engine'], output: Output): string[] {
  const { witness = '' } = finding;
  const marks = witnessSpans(finding, engine).map((span) => ({ ...span, labels: [] }));
  const inner = { ...output, width: output.width - margin.length };
  if (marks.length === 0) return wrapped(`${margin}“${cut(witness, columns.pattern)}”`, undefined, output, margin);
  return markedLines(witness, marks, inner).map((line) => `${margin.slice(2)}${line}`);
}

/** What is mended, as a diff. */
export function mendScreen(mends: readonly Mend[], { paint }: Output): string[] {
  const signs = { '-': 'bad', '+': 'good', ' ': 'faint' } as const satisfies Record<string, Tone>;
  return mendLines(mends, name).map(({ sign, text }) => paint(signs[sign], sign === ' ' ? text : `${sign} ${text}`));
}
