import type { DiffExample, DiffKind } from '../../audit/count/diff-causes.js';
import { cut, joinBlocks, moreLines, wrapped } from '../terminal/lines.js';
import type { Output, Tone } from '../terminal/style.js';
import { escapeText, fitText, graphemesOf, textWidth } from '../terminal/text.js';
import { type DiffReport, type DiffWords, diffWords, type KindWords, placeWords, type ShownCause } from './words.js';

/** Changes that are shown; `--json` has all. */
const mostChanges = 20;

/** Columns from which on the numbers of a cause stand in columns of their own. */
const tabular = 60;

/** A value from a rule set or a message in quotation marks, cut to a width. */
const quote = (text: string) => `"${cut(text, 60)}"`;

/** The screen of a diff, one string per line: the result, what changed, the causes by kind, what is doubtful, gates, the receipt. */
export function diffScreen(report: DiffReport, output: Output): string[] {
  const words = diffWords(report, mostChanges, quote);
  const { judged, assumed } = words;
  const said = (texts: readonly string[], tone?: Tone) => texts.flatMap((text) => wrapped(text, tone, output));
  const changes = changeLines(words, output);
  const readings = [...said([words.readings]), ...said(assumed === undefined ? [] : [assumed], 'doubt')];
  const errors = said(words.errors, 'bad');
  const closed = report.closed.map((why) => `closed: ${why}`);
  const end = [...said(closed, 'bad'), ...said([words.receipt], 'faint')];
  if (judged === undefined) return joinBlocks([changes, readings, errors, end]);
  return joinBlocks([
    [...said([`${judged.messages}, two rule sets: ${judged.result}`], 'head'), ...readings],
    changes,
    ...judged.kinds.map((kind) => kindLines(kind, report, output)),
    said(judged.outcomes),
    [...errors, ...said(judged.doubts, 'doubt')],
    end,
  ]);
}

function changeLines({ changes, moreChanges }: DiffWords, output: Output): string[] {
  if (changes.length === 0) return [output.paint('head', 'the rule sets are equal')];
  return [
    output.paint('head', 'what changed'),
    ...changes.flatMap((clause) => wrapped(`  ${clause}`, undefined, output, '    ')),
    ...moreLines(moreChanges, output, undefined, ' (--json)', '  '),
  ];
}

const signs: Readonly<Record<DiffKind, string>> = { newlyStopped: '+', released: '-', changed: '~', reasonOnly: '=' };
const tones: Readonly<Record<DiffKind, Tone>> = {
  newlyStopped: 'bad',
  released: 'good',
  changed: 'doubt',
  reasonOnly: 'faint',
};

function kindLines({ kind, title, causes, more }: KindWords, report: DiffReport, output: Output): string[] {
  const { width, paint } = output;
  const named = `${signs[kind]}${title}${kind === 'released' ? ', by what stopped them' : ''}`;
  const heads = ['only this', 'also another'];
  const head = width < tabular ? named : named.padEnd(width - columnsWidth) + heads.map(inColumn).join('');
  return [
    paint('head', paint(tones[kind], head)),
    ...causes.flatMap((cause) => causeLines(cause, report, output)),
    ...moreLines(more, output, 'cause', ' (--top N)', '  '),
  ];
}

const columnWidth = 14;
const columnsWidth = 2 * columnWidth;
const inColumn = (text: string) => text.padStart(columnWidth);

function causeLines(cause: ShownCause, { redact }: DiffReport, output: Output): string[] {
  const { words, onlyThis, alsoAnother } = cause;
  const { width, paint } = output;
  const examples = cause.examples.map((example) => exampleLine(example, width - 6, paint, redact));
  if (width < tabular) {
    const named = `${words}: ${onlyThis} only this, ${alsoAnother} also another`;
    return [...wrapped(`  ${named}`, undefined, output, '    '), ...examples.map((line) => `      ${line}`)];
  }
  // A name that is too long for its column has lines of its own; the numbers stand behind the last.
  const lines = wrapped(`  ${words}`, undefined, { ...output, width: width - columnsWidth }, '    ');
  const last = lines.pop() ?? '';
  const blank = ' '.repeat(Math.max(0, width - columnsWidth - textWidth(last)));
  return [
    ...lines,
    last + blank + [onlyThis, alsoAnother].map(inColumn).join(''),
    ...examples.map((line) => `      ${line}`),
  ];
}

/** Columns of a message id. */
const idWidth = 16;

/** An example on one line: the id of the message, its score if it has one, and its text with the match in brackets. */
function exampleLine(example: DiffExample, width: number, paint: Output['paint'], redact: boolean): string {
  const { messageId, text, span, score } = example;
  const id = `${cut(messageId ?? 'no id', idWidth)}: `;
  const room = width - textWidth(id);
  if (redact) return paint('faint', id) + fitText(placeWords(example), room);
  if (span === undefined) {
    const scored = score === undefined ? [] : [placeWords(example)];
    return paint('faint', id) + fitText([...scored, ...(text === '' ? [] : [escapeText(text)])].join(' · '), room);
  }
  const marked = cut(text.slice(span.start, span.end), Math.max(8, room - 2));
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
