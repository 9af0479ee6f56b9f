import { type DiffCause, type DiffExample, type DiffKind, diffKinds } from '../../compare/diff-causes.js';
import type { RuleSetDiff } from '../../compare/diff-rule-sets.js';
import type { RuleSet } from '../../contract/rule-set.js';
import type { Output, Tone } from '../terminal/style.js';
import { counted, escapeText, fitText, formatCount, graphemesOf, textWidth, wrapHanging } from '../terminal/text.js';
import {
  assumedReadings,
  causeWords,
  changeClauses,
  doubtClauses,
  kindWords,
  outcomeWords,
  placeWords,
  readingWords,
  receiptClauses,
  resultWords,
  sideErrorClauses,
} from './words.js';

/** A diff with what its screens show beside it. */
export interface DiffReport {
  /** Without messages, the counts and causes are absent. */
  readonly diff: RuleSetDiff | Pick<RuleSetDiff, 'changes' | 'errors' | 'receipt'>;
  readonly rules: RuleSet;
  readonly against: RuleSet;
  /** Whether the old rules are judged by the readings of the new ones without anybody having said so. */
  readonly isAssumed: boolean;
  /** The gates that closed, in words. */
  readonly closed: readonly string[];
  /** Whether examples are redacted. */
  readonly redact: boolean;
  /** Causes of a kind that are shown; the rest becomes a number. */
  readonly top: number;
}

/** Changes that are shown; `--json` has all. */
export const mostChanges = 20;

/** Columns from which on the numbers of a cause stand in columns of their own. */
const tabular = 60;

/** A value from a rule set or a message in quotation marks, cut to a width. */
const quote = (text: string) => `"${fitText(escapeText(text), 60)}"`;

/** The screen of a diff, one string per line: the result, what changed, the causes by kind, what is doubtful, gates, the receipt. */
export function diffScreen(report: DiffReport, output: Output): string[] {
  const { diff, closed } = report;
  const { paint, width } = output;
  const said = (text: string, tone: Tone | undefined, hang = '  ') =>
    wrapHanging(text, width, hang).map((line) => paint(tone, line));
  const receipt = said(receiptClauses(diff.receipt).join(', '), 'faint');
  const gates = closed.flatMap((words) => said(`closed: ${words}`, 'bad'));
  const readings = [
    ...said(readingWords(diff.receipt, quote), undefined),
    ...(report.isAssumed ? said(assumedReadings, 'doubt') : []),
  ];
  const errors = sideErrorClauses(diff.errors).flatMap((words) => said(words, 'bad'));
  const blocks =
    'messages' in diff
      ? [
          [...said(`${counted(diff.messages, 'message')}, two rule sets: ${resultWords(diff)}`, 'head'), ...readings],
          changeLines(report, output),
          ...diffKinds.map((kind) => kindLines(kind, diff, report, output)),
          outcomeWords(diff).flatMap((words) => said(words, undefined)),
          [...errors, ...doubtClauses(diff).flatMap((words) => said(words, 'doubt'))],
          [...gates, ...receipt],
        ]
      : [changeLines(report, output), readings, errors, [...gates, ...receipt]];
  return blocks.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function changeLines({ diff, rules }: DiffReport, { width, paint }: Output): string[] {
  const clauses = changeClauses(diff.changes, quote, rules);
  if (clauses.length === 0) return [paint('head', 'the rule sets are equal')];
  const more = clauses.length - mostChanges;
  return [
    paint('head', 'what changed'),
    ...clauses.slice(0, mostChanges).flatMap((clause) => wrapHanging(`  ${clause}`, width, '    ')),
    ...(more > 0 ? [paint('faint', `  +${formatCount(more)} more (--json)`)] : []),
  ];
}

const signs: Readonly<Record<DiffKind, string>> = { newlyStopped: '+', released: '-', changed: '~', reasonOnly: '=' };
const tones: Readonly<Record<DiffKind, Tone>> = {
  newlyStopped: 'bad',
  released: 'good',
  changed: 'doubt',
  reasonOnly: 'faint',
};

function kindLines(kind: DiffKind, diff: RuleSetDiff, report: DiffReport, output: Output): string[] {
  const count = diff[kind];
  if (count === 0) return [];
  const { width, paint } = output;
  const causes = diff.causes.filter((cause) => cause.kind === kind);
  const title = `${signs[kind]}${formatCount(count)} ${kindWords[kind]}${kind === 'released' ? ', by what stopped them' : ''}`;
  const heads = ['only this', 'also another'];
  const head = width < tabular ? title : title.padEnd(width - columnsWidth) + heads.map(inColumn).join('');
  const more = causes.length - report.top;
  return [
    paint('head', paint(tones[kind], head)),
    ...causes.slice(0, report.top).flatMap((cause) => causeLines(cause, report, output)),
    ...(more > 0 ? [paint('faint', `  +${counted(more, 'more cause')} (--top N)`)] : []),
  ];
}

const columnWidth = 14;
const columnsWidth = 2 * columnWidth;
const inColumn = (text: string) => text.padStart(columnWidth);

function causeLines(cause: DiffCause, { rules, against, redact }: DiffReport, { width, paint }: Output): string[] {
  const words = causeWords(cause, cause.of === 'rules' ? rules : against, quote);
  const { onlyCause, messages } = cause;
  const numbers = [onlyCause, messages - onlyCause].map(formatCount);
  const examples = cause.examples.map((example) => exampleLine(example, width - 6, paint, redact));
  if (width < tabular) {
    const named = `${words}: ${numbers[0]} only this, ${numbers[1]} also another`;
    return [...wrapHanging(`  ${named}`, width, '    '), ...examples.map((line) => `      ${line}`)];
  }
  // A name that is too long for its column has lines of its own; the numbers stand behind the last.
  const lines = wrapHanging(`  ${words}`, width - columnsWidth, '    ');
  const last = lines.pop() ?? '';
  const blank = ' '.repeat(Math.max(0, width - columnsWidth - textWidth(last)));
  return [...lines, last + blank + numbers.map(inColumn).join(''), ...examples.map((line) => `      ${line}`)];
}

/** Columns of a message id. */
const idWidth = 16;

/** An example on one line: the id of the message, its score if it has one, and its text with the match in brackets. */
function exampleLine(example: DiffExample, width: number, paint: Output['paint'], redact: boolean): string {
  const { messageId, text, span, score } = example;
  const id = `${fitText(escapeText(messageId ?? 'no id'), idWidth)}: `;
  const room = width - textWidth(id);
  if (redact) return paint('faint', id) + fitText(placeWords(example), room);
  if (span === undefined) {
    const scored = score === undefined ? [] : [placeWords(example)];
    return paint('faint', id) + fitText([...scored, ...(text === '' ? [] : [escapeText(text)])].join(' · '), room);
  }
  const marked = fitText(escapeText(text.slice(span.start, span.end)), Math.max(8, room - 2));
  const left = room - 2 - textWidth(marked);
  const behind = escapeText(text.slice(span.end));
  const lead = fitEnd(escapeText(text.slice(0, span.start)), Math.max(Math.floor(left / 2), left - textWidth(behind)));
  const rest = fitText(behind, Math.max(0, left - textWidth(lead)));
  return paint('faint', id) + lead + paint('mark1', `[${marked}]`) + rest;
}

/** Cuts a text to its last `columns`, with an ellipsis in the first one when something was cut. */
function fitEnd(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const segments = [...graphemesOf(text)].map(({ segment }) => segment);
  let kept = '';
  let width = 1;
  for (let segment = segments.pop(); segment !== undefined; segment = segments.pop()) {
    width += textWidth(segment);
    if (width > columns) break;
    kept = segment + kept;
  }
  return columns < 1 ? '' : `…${kept}`;
}
