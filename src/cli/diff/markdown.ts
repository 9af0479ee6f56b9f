import { type DiffCause, type DiffExample, type DiffKind, diffKinds } from '../../compare/diff-causes.js';
import type { RuleSetDiff } from '../../compare/diff-rule-sets.js';
import { counted, escapeText, fitText, formatCount } from '../terminal/text.js';
import type { DiffReport } from './screen.js';
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

/** Characters of a comment at the most; pull requests take some 65,000. */
const mostCharacters = 60_000;
/** Characters kept for gates and receipt, which stand last and are never left out. */
const reserved = 4_000;
/** Changes that are shown. */
const mostChanges = 12;
/** Columns of a value from a rule set, and of a text of a message on either side of its match. */
const widths = { value: 60, text: 100 } as const;

/**
 * A value from a rule set or a message as code. Invisible characters are escaped, and punctuation is written as character
 * references, which no syntax of Markdown is made of: no table cell, code span, link, mention or HTML can begin or end in it.
 */
const quote = (text: string, width: number = widths.value) => `<code>${inert(fitText(escapeText(text), width))}</code>`;

function inert(text: string): string {
  return text.replace(/[!-+./:-@[-`{-~]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The diff as Markdown for a comment on a pull request. Fits into one, whatever the rules and messages hold. */
export function diffMarkdown(report: DiffReport): string {
  const { diff, closed } = report;
  const end = [
    ...closed.map((words) => `\n**Gate closed:** ${words}\n`),
    `\n<sub>${inert(receiptClauses(diff.receipt).join(', '))}</sub>\n`,
  ].join('');
  const begin = 'messages' in diff ? judgedParts(diff, report) : [...changeParts(report), ...basisParts(report)];
  let text = '';
  for (const part of begin) {
    if (text.length + part.length > mostCharacters - reserved) {
      text += '\nThe rest was left out: it is too long for a comment.\n';
      break;
    }
    text += part;
  }
  return text + end;
}

/** Parts that can be left out from the end, each with its line breaks. */
function judgedParts(diff: RuleSetDiff, report: DiffReport): string[] {
  const notes = [...outcomeWords(diff), ...doubtClauses(diff)];
  return [
    `### ${counted(diff.messages, 'message')}: ${resultWords(diff)}\n`,
    ...basisParts(report),
    ...changeParts(report),
    ...(notes.length > 0 ? [`\n${notes.map((note) => `- ${note}\n`).join('')}`] : []),
    ...diffKinds.flatMap((kind) => kindParts(kind, diff, report)),
  ];
}

/** What the result rests on: the readings of either side, and the errors of the rules. */
function basisParts({ diff, isAssumed }: DiffReport): string[] {
  const readings = `${readingWords(diff.receipt, quote)}${isAssumed ? `; ${inert(assumedReadings)}` : ''}`;
  const errors = sideErrorClauses(diff.errors, quote).map((words) => `\n**${words}**\n`);
  return [`\n${readings}\n`, ...errors];
}

function changeParts({ diff, rules }: DiffReport): string[] {
  const clauses = changeClauses(diff.changes, quote, rules);
  if (clauses.length === 0) return ['\nThe rule sets are equal.\n'];
  const more = clauses.length - mostChanges;
  return [
    '\n**What changed**\n\n',
    ...clauses.slice(0, mostChanges).map((clause) => `- ${clause}\n`),
    ...(more > 0 ? [`- +${formatCount(more)} more\n`] : []),
  ];
}

function kindParts(kind: DiffKind, diff: RuleSetDiff, report: DiffReport): string[] {
  const causes = diff.causes.filter((cause) => cause.kind === kind);
  if (causes.length === 0) return [];
  const shown = causes.slice(0, report.top);
  const more = causes.length - shown.length;
  const examples = shown.flatMap((cause) => exampleParts(cause, report));
  return [
    `\n**${formatCount(diff[kind])} ${kindWords[kind]}**\n\n| cause | only this | also another |\n| --- | ---: | ---: |\n`,
    ...shown.map((cause) => {
      const { onlyCause, messages } = cause;
      return `| ${wordsOf(cause, report)} | ${formatCount(onlyCause)} | ${formatCount(messages - onlyCause)} |\n`;
    }),
    ...(more > 0 ? [`\n+${counted(more, 'more cause')}\n`] : []),
    ...(examples.length > 0
      ? [['\n<details><summary>examples</summary>\n\n', ...examples, '\n</details>\n'].join('')]
      : []),
  ];
}

function wordsOf(cause: DiffCause, { rules, against }: DiffReport): string {
  return causeWords(cause, cause.of === 'rules' ? rules : against, quote);
}

function exampleParts(cause: DiffCause, report: DiffReport): string[] {
  if (cause.examples.length === 0) return [];
  const lines = cause.examples.map((example) => `  - ${exampleWords(example, report)}\n`);
  return [`- ${wordsOf(cause, report)}\n`, ...lines];
}

function exampleWords(example: DiffExample, { redact }: DiffReport): string {
  const { messageId, text, span, score } = example;
  const id = messageId === null ? 'no id' : `message ${quote(messageId)}`;
  if (redact || (score !== undefined && text === '')) return `${id}: ${inert(placeWords(example))}`;
  if (span === undefined) return `${id}: ${quote(text, widths.text)}`;
  const [match, after] = [text.slice(span.start, span.end), text.slice(span.end)];
  const before = text.slice(0, span.start);
  const lead = before.length > widths.text ? `…${before.slice(-widths.text).replace(/^[\udc00-\udfff]/, '')}` : before;
  const parts = [lead === '' ? '' : quote(lead, widths.text + 1), `<b>${quote(match)}</b>`];
  return `${id}: ${parts.join('')}${after === '' ? '' : quote(after, widths.text)}`;
}
