import type { Decision, Match, RuleHit, Verdict } from '../evaluate/decision.js';
import { ruleLines } from './check-chain.js';
import type { Checked } from './checked.js';
import { groupBy } from './group-by.js';
import { maybeTruncated } from './rule-set-words.js';
import type { Canvas } from './terminal/canvas.js';
import { escapeText } from './terminal/escape-text.js';
import { counted, formatCount } from './terminal/format.js';
import { markedLines } from './terminal/marked-text.js';
import type { Tone } from './terminal/paint.js';
import { wrapHanging } from './terminal/wrap.js';
import { textAt } from './text-at.js';

/** Entries of a list before the rest becomes a number. */
const shown = { reasons: 8, conditions: 6, parts: 20 } as const;

/** A decision as a person reads it, one string per line: verdict, text, rules, what was not heard, by what revision. */
export function checkScreen(checked: Checked, canvas: Canvas): string[] {
  const blocks = [
    verdictLines(checked.decision, canvas),
    ...textBlocks(checked, canvas),
    ...ruleBlocks(checked, canvas),
    unheardLines(checked, canvas),
  ].filter((lines) => lines.length > 0);
  const isPlain = blocks.length === 1;
  return [
    ...blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])),
    ...(isPlain ? [] : ['']),
    ...lastLines(checked, canvas),
  ];
}

const verdictWords: Readonly<Record<Verdict, string>> = {
  allow: 'allowed',
  blockMessage: 'blocked (blockMessage)',
  dropMessage: 'dropped (dropMessage)',
};

function verdictLines(decision: Decision, canvas: Canvas): string[] {
  const { verdict, actions, truncated } = decision;
  const further = actions.filter((action) => action !== verdict);
  const heading = wrapped(`${verdictWords[verdict]}${reasonWords(decision)}`, toneOf(decision), canvas);
  const acts = `${verdict === 'allow' ? 'actions' : 'further actions'}: ${escapeText(further.join(', '))}`;
  const many = 'more than 1,000 matches: the verdict rests on all, the first 1,000 are told';
  return [
    ...heading.map((line) => canvas.paint('head', line)),
    ...(further.length === 0 ? [] : wrapped(acts, undefined, canvas)),
    ...(truncated ? wrapped(many, 'doubt', canvas) : []),
  ];
}

function toneOf({ verdict, unheard, exempt }: Decision): Tone {
  if (verdict !== 'allow') return 'bad';
  return unheard.length > 0 || exempt ? 'doubt' : 'good';
}

function reasonWords({ verdict, matched, unheard, exempt }: Decision): string {
  if (exempt) return ' unseen: the message is exempt from all rules';
  const deciding = matched.filter((hit) => hit.determining).length;
  const acting = matched.filter((hit) => !hit.shadow).length;
  const doubt =
    unheard.length > 0 && verdict === 'allow' ? `, but ${counted(unheard.length, 'condition')} could not be heard` : '';
  if (deciding > 0) return ` by ${counted(deciding, 'rule')}${doubt}`;
  if (acting > 0) return `: ${counted(acting, 'rule')} matched, and nothing that blocks or drops${doubt}`;
  return `: ${matched.length > 0 ? 'only rules in shadow matched' : 'no rule matched'}${doubt}`;
}

/** The texts that hold matches, each under its path. */
function textBlocks({ decision, input, redact }: Checked, canvas: Canvas): string[][] {
  if (redact) return [];
  const spans = new Map<string, { start: number; end: number }[]>();
  for (const match of matchesOf(decision.matched)) {
    if (match.kind !== 'score') spans.set(match.path, [...(spans.get(match.path) ?? []), match.span]);
  }
  const blocks = [...spans]
    .slice(0, shown.parts)
    .map(([path, own]) => [
      ...wrapped(escapeText(path), 'faint', canvas),
      ...markedLines(textAt(input.message, path) ?? '', own, canvas),
    ]);
  const left = spans.size - shown.parts;
  return left > 0 ? [...blocks, [canvas.paint('faint', `+${counted(left, 'more text')} with matches`)]] : blocks;
}

function matchesOf(matched: readonly RuleHit[]): readonly Match[] {
  return matched.flatMap(({ conditions }) => conditions.flatMap(({ matches }) => matches));
}

/** The rules that matched: those the verdict rests on, the others, and those in shadow. */
function ruleBlocks(checked: Checked, canvas: Canvas): string[][] {
  const { matched } = checked.decision;
  const deciding = matched.filter((hit) => hit.determining);
  const others = matched.filter((hit) => !hit.determining && !hit.shadow);
  const shadows = matched.filter((hit) => hit.shadow);
  const section = (heading: string | undefined, hits: readonly RuleHit[]) =>
    hits.map((hit, index) => [
      ...(index === 0 && heading !== undefined ? wrapped(heading, 'head', canvas) : []),
      ...ruleLines(hit, checked, canvas),
    ]);
  return [
    ...section(undefined, deciding),
    ...section(deciding.length > 0 ? 'also matched' : undefined, others),
    ...section('would also match, in shadow: these rules never decide', shadows),
  ];
}

function unheardLines({ decision, input }: Checked, canvas: Canvas): string[] {
  const { width, paint } = canvas;
  const { unheard } = decision;
  if (unheard.length === 0) return [];
  const reasons = groupBy(unheard, ({ detail }) => detail);
  const lines = reasons.slice(0, shown.reasons).flatMap((own) => {
    const where = own.slice(0, shown.conditions).map(({ ruleId, conditionId }) => `${ruleId}#${conditionId}`);
    const more = own.length > where.length ? ` +${formatCount(own.length - where.length)} more` : '';
    return wrapHanging(`  ${escapeText(`${where.join(', ')}${more}: ${own[0]?.detail}`)}`, width, '    ');
  });
  const left = reasons.length - shown.reasons;
  const wantsScores = input.scores.size === 0 && unheard.some(({ why }) => why === 'no-scores');
  return [
    ...wrapped('not heard, so neither a match nor a clean bill', 'doubt', canvas),
    ...lines,
    ...(left > 0 ? [paint('faint', `  +${formatCount(left)} more`)] : []),
    ...(wantsScores ? wrapped('  add `--scores FILE` to have pictures and videos heard', 'faint', canvas) : []),
  ];
}

function lastLines({ decision, input }: Checked, canvas: Canvas): string[] {
  const { running, rules } = input.engine.counts;
  const asked = running === rules ? counted(rules, 'rule') : `${formatCount(running)} of ${counted(rules, 'rule')}`;
  const words = `asked ${decision.exempt ? 'no rule' : asked}, engine revision ${decision.revision.slice(0, 12)}`;
  return [
    ...(input.ruleSet.truncated ? wrapped(maybeTruncated, 'doubt', canvas) : []),
    ...wrapped(words, 'faint', canvas),
  ];
}

function wrapped(text: string, tone: Tone | undefined, { width, paint }: Canvas): string[] {
  return wrapHanging(text, width, '  ').map((line) => paint(tone, line));
}
