import { outcomeKeys } from '../../audit/sample/label.js';
import { filesOf } from '../../engine/media.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { decisionGroups } from '../check/screen.js';
import { timeWords } from '../day-bins.js';
import { name, paragraph, parts, plain, words } from '../document/document.js';
import { plainText } from '../document/runs.js';
import { screenLines } from '../document/terminal.js';
import type { Output } from '../terminal/style.js';
import { fitText, formatCount } from '../terminal/text.js';
import type { LabelSession, SessionItem } from './session.js';

/** A sample has no rules, so patterns are shown in full. */
const noRules: RuleSet = { rules: [], lists: [], missing: [], truncated: false, revision: '' };
const keys = [...outcomeKeys, ['b', 'back'], ['q', 'quit']].map((key) => key.join(' ')).join('  ');

/**
 * Returns the screen of the current message, at most `height` lines: verdict, all texts with their marks, author and time, the question, and the
 * keys. A long message has several pages; `page` is one of them, and wraps around.
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
  const title = fitText(plainText(current.name), Math.max(4, output.width - `${place} ·  · ${keys}${more}`.length));
  const shown = body.slice(at * room, (at + 1) * room);
  return [
    ...shown,
    // The keys stay where they are.
    ...Array.from({ length: room - shown.length + 1 }, () => ''),
    fitText(questionOf(current, session), output.width),
    footer(`${place} · ${title} · ${keys}${more}`),
  ];
}

function bodyOf({ row: { decision, message } }: SessionItem, output: Output): string[] {
  const sources = { ruleSet: noRules, scores: new Map(), media: [] };
  const shown = { decision, message, ...sources, redact: false, isTextAlone: false, isWhole: true };
  const { customData } = message.data ?? {};
  const { sender, sentAt, conversationId } = message;
  const origin = [
    ...(typeof sender === 'string' ? [words`from ${name(sender)}`] : []),
    ...(typeof sentAt === 'number' ? [timeWords(sentAt) ?? ''] : []),
    ...(typeof conversationId === 'string' ? [words`in ${name(conversationId)}`] : []),
  ];
  const groups = [
    ...decisionGroups(shown),
    customData === undefined ? [] : [paragraph(plain(JSON.stringify(customData)))],
    filesOf(message).map(({ operand, url = 'without an address' }) => paragraph(words`${operand} ${plain(url, 400)}`)),
    origin.length === 0 ? [] : [parts(origin, 'faint')],
  ];
  return screenLines(groups, output);
}

/** Returns the question of a message, and its label so far. */
function questionOf({ row, name: stratum }: SessionItem, { labels }: LabelSession): string {
  const doer = { rule: stratum, stopped: 'the rules', allowed: 'nothing' }[row.stratum.kind];
  const label = labels.ofRow(row);
  const by = label?.by === undefined ? undefined : words` by ${name(label.by)}`;
  const known = label === undefined ? undefined : words`  so far: ${label.outcome}${by}`;
  return plainText(words`is it right that ${doer} stopped this?${known}`);
}
