import type { DiffExample } from '../../audit/count/diff-causes.js';
import { cut, moreWords } from '../terminal/lines.js';
import { type DiffReport, type DiffWords, diffWords, type KindWords, placeWords } from './words.js';

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
export const quote = (text: string, width: number = widths.value) => `<code>${inert(cut(text, width))}</code>`;

/** A text as content that no syntax of Markdown is made of. */
export function inert(text: string): string {
  return text.replace(/[!-+./:-@[-`{-~]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The diff as Markdown for a comment on a pull request. Fits into one, whatever the rules and messages hold. */
export function diffMarkdown(report: DiffReport): string {
  const words = diffWords(report, mostChanges, quote, quote);
  const end = [
    ...report.closed.map((why) => `\n**Gate closed:** ${why}\n`),
    `\n<sub>${inert(words.receipt)}</sub>\n`,
  ].join('');
  let text = '';
  for (const part of partsOf(words, report)) {
    if (text.length + part.length > mostCharacters - reserved) {
      text += '\nThe rest was left out: it is too long for a comment.\n';
      break;
    }
    text += part;
  }
  return text + end;
}

/** Parts that can be left out from the end, each with its line breaks. */
function partsOf(words: DiffWords, report: DiffReport): string[] {
  const { judged } = words;
  if (judged === undefined) return [...changeParts(words), ...basisParts(words)];
  const notes = [...judged.outcomes, ...judged.doubts].map((note) => `- ${note}\n`);
  return [
    `### ${judged.messages}: ${judged.result}\n`,
    ...basisParts(words),
    ...changeParts(words),
    ...(notes.length > 0 ? [`\n${notes.join('')}`] : []),
    ...judged.kinds.flatMap((kind) => kindParts(kind, report)),
  ];
}

/** What the result rests on: the readings of either side, and the errors of the rules. */
function basisParts({ readings, assumed, errors }: DiffWords): string[] {
  const note = assumed === undefined ? '' : `; ${inert(assumed)}`;
  return [`\n${readings}${note}\n`, ...errors.map((words) => `\n**${words}**\n`)];
}

function changeParts({ changes, moreChanges }: DiffWords): string[] {
  if (changes.length === 0) return ['\nThe rule sets are equal.\n'];
  return [
    '\n**What changed**\n\n',
    ...changes.map((clause) => `- ${clause}\n`),
    ...(moreChanges > 0 ? [`- ${moreWords(moreChanges)}\n`] : []),
  ];
}

function kindParts({ title, causes, more }: KindWords, { redact }: DiffReport): string[] {
  if (causes.length === 0) return [];
  const examples = causes
    .filter((cause) => cause.examples.length > 0)
    .map(({ words, examples: own }) => {
      const lines = own.map((example) => `  - ${exampleWords(example, redact)}\n`);
      return `- ${words}\n${lines.join('')}`;
    });
  return [
    `\n**${title}**\n\n| cause | only this | also another |\n| --- | ---: | ---: |\n`,
    ...causes.map(({ words, onlyThis, alsoAnother }) => `| ${words} | ${onlyThis} | ${alsoAnother} |\n`),
    ...(more > 0 ? [`\n${moreWords(more, 'cause')}\n`] : []),
    ...(examples.length > 0 ? [`\n<details><summary>examples</summary>\n\n${examples.join('')}\n</details>\n`] : []),
  ];
}

function exampleWords(example: DiffExample, redact: boolean): string {
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
