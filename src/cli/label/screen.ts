import { outcomeKeys } from '../../audit/sample/label.js';
import { filesOf } from '../../engine/media.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { decisionBlocks } from '../check/screen.js';
import { timeWords } from '../day-bins.js';
import { columns, cut, joinBlocks, wrapped } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { escapeText, fitText, formatCount } from '../terminal/text.js';
import type { LabelSession, SessionItem } from './session.js';

/** A sample has no rules: patterns stand for themselves where the message shows them. */
const noRules: RuleSet = { rules: [], lists: [], missing: [], truncated: false, revision: '' };
const keys = [...outcomeKeys, ['b', 'back'], ['q', 'quit']].map((key) => key.join(' ')).join('  ');

/**
 * The screen of the current message, at most `height` lines: verdict, all texts with their marks, who wrote it and when, the question, and the
 * keys. What does not fit has further pages, of which `page` is one, counted around.
 */
export function labelScreen(session: LabelSession, page: number, height: number, output: Output): string[] {
  const { current, items } = session;
  const footer = (words: string) => output.paint('head', fitText(words, output.width));
  if (current === undefined) {
    return [`all ${formatCount(items.length)} are labelled`, '', footer('b back  q quit')];
  }
  const body = bodyOf(current, output);
  const room = Math.max(1, height - 3);
  const pages = Math.ceil(body.length / room);
  const at = page % pages;
  const more = pages === 1 ? '' : `  space ${at + 1 === pages ? 'begin' : 'more'} (${at + 1}/${pages})`;
  const place = `${current.place} of ${current.of}`;
  const name = fitText(current.name, Math.max(4, output.width - `${place} ·  · ${keys}${more}`.length));
  const shown = body.slice(at * room, (at + 1) * room);
  return [
    ...shown,
    // The keys stay where they are.
    ...Array.from({ length: room - shown.length + 1 }, () => ''),
    fitText(questionOf(current, session), output.width),
    footer(`${place} · ${name} · ${keys}${more}`),
  ];
}

function bodyOf({ row: { decision, message } }: SessionItem, output: Output): string[] {
  const sources = { ruleSet: noRules, scores: new Map(), media: [] };
  const shown = { decision, message, ...sources, redact: false, isTextAlone: false, isWhole: true };
  const { customData } = message.data ?? {};
  const { sender, sentAt, conversationId } = message;
  const origin = [
    ...(typeof sender === 'string' ? [`from ${cut(sender, columns.name)}`] : []),
    ...(typeof sentAt === 'number' ? [timeWords(sentAt) ?? ''] : []),
    ...(typeof conversationId === 'string' ? [`in ${cut(conversationId, columns.name)}`] : []),
  ];
  return joinBlocks([
    ...decisionBlocks(shown, output),
    customData === undefined ? [] : wrapped(escapeText(JSON.stringify(customData)), undefined, output),
    filesOf(message).flatMap(({ operand, url = 'without an address' }) =>
      wrapped(`${operand} ${cut(url, columns.pattern)}`, undefined, output),
    ),
    wrapped(origin.join(' · '), 'faint', output),
  ]);
}

/** What the label says, and what it is so far. */
function questionOf({ row, name }: SessionItem, { labels }: LabelSession): string {
  const doer = { rule: name, stopped: 'the rules', allowed: 'nothing' }[row.stratum.kind];
  const label = labels.ofRow(row);
  const by = label?.by === undefined ? '' : ` by ${cut(label.by, columns.name)}`;
  return `is it right that ${doer} stopped this?${label === undefined ? '' : `  so far: ${label.outcome}${by}`}`;
}
