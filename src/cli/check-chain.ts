import type { ConditionHit, Match, RuleHit, ScoreMatch } from '../evaluate/decision.js';
import type { Checked } from './checked.js';
import { groupBy } from './group-by.js';
import type { Canvas } from './terminal/canvas.js';
import { escapeText } from './terminal/escape-text.js';
import { formatCount } from './terminal/format.js';
import { fitText } from './terminal/text-width.js';
import { wrapHanging } from './terminal/wrap.js';

/** Entries of a condition before the rest becomes a number, and the columns of what a rule or message writes. */
const shown = { found: 12, places: 8, name: 80, pattern: 400, text: 60 } as const;

/**
 * The chain of a rule that matched: rule@revision, then each condition with its list@revision, then each term, pattern
 * or threshold with the places where it was found.
 */
export function ruleLines(hit: RuleHit, checked: Checked, { width, paint }: Canvas): string[] {
  const { ruleId, ruleName, revisionId, actions, determining, shadow } = hit;
  const acts = actions.length === 0 ? 'no action' : cut(actions.join(', '), shown.name);
  const tone = determining && checked.decision.verdict !== 'allow' ? 'bad' : shadow ? 'faint' : undefined;
  return [
    ...wrapHanging(`${cut(ruleName, shown.name)}: ${acts}`, width, '    ').map((line) => paint(tone, line)),
    ...wrapHanging(`  rule ${cut(ruleId, shown.name)}${atRevision(revisionId)}`, width, '    '),
    ...hit.conditions.flatMap((condition) => conditionLines(condition, checked, width)),
  ];
}

function conditionLines(condition: ConditionHit, checked: Checked, width: number): string[] {
  const { conditionId, operand, message, matches } = condition;
  const start = `  → condition ${conditionId}, ${cut(operand, shown.name)}`;
  const said = (message ?? []).filter((words) => words.trim() !== '').map((words) => `says "${escapeText(words)}"`);
  const notes = said.flatMap((words) => wrapHanging(`    ${words}`, width, '      '));
  if (matches.length === 0)
    return [...wrapHanging(`${start} → ${withoutMatches(operand, checked)}`, width, '    '), ...notes];
  const lists = groupBy(matches, (match) => JSON.stringify(listOf(match) ?? match.kind));
  const lines = lists.flatMap((own) => [
    ...wrapHanging(`${start} → ${originOf(own[0]!)}`, width, '    '),
    ...foundLines(own, checked, width),
  ]);
  return [...lines, ...notes];
}

/** A condition may hold with nothing to show for it. */
function withoutMatches(operand: string, { decision }: Checked): string {
  if (decision.truncated) return 'its matches are beyond those that are told';
  if (operand === 'text' || operand === 'custom') return 'holds, but the pattern engine failed to say where';
  return 'counts as matched, since no scores were given';
}

function listOf(match: Match): readonly [id: string, revision: string | undefined] | undefined {
  return match.kind === 'score' || match.listId === undefined ? undefined : [match.listId, match.listRevisionId];
}

function originOf(match: Match): string {
  const list = listOf(match);
  if (list !== undefined) return cut(list[0], shown.name) + atRevision(list[1]);
  if (match.kind === 'score') return 'thresholds';
  return match.kind === 'word' ? 'words of the rule itself' : 'patterns of the rule itself';
}

function foundLines(matches: readonly Match[], checked: Checked, width: number): string[] {
  const found = groupBy(matches, foundWords);
  const lines = found.slice(0, shown.found).flatMap((own) => {
    const places = own.slice(0, shown.places).map((match) => placeWords(match, checked));
    const left = own.length - shown.places;
    const more = left > 0 ? `, +${formatCount(left)} more` : '';
    return wrapHanging(`    → ${foundWords(own[0]!)}: ${places.join(', ')}${more}`, width, '      ');
  });
  const left = found.length - shown.found;
  return left > 0 ? [...lines, `    +${formatCount(left)} more`] : lines;
}

/** What was found: the term, the pattern, or the score and the threshold that it is over. */
function foundWords(match: Match): string {
  if (match.kind === 'word') return `"${cut(match.term, shown.text)}"`;
  if (match.kind === 'pattern') return `/${cut(match.pattern, shown.pattern)}/`;
  return `${cut(match.label, shown.text)} ${match.score}, over ${thresholdWords(match)}`;
}

function thresholdWords({ label, threshold }: ScoreMatch): string {
  return threshold.label === label
    ? String(threshold.greaterThan)
    : `${cut(threshold.label, shown.text)} ${threshold.greaterThan}`;
}

/**
 * Where it was found. The path is told when the message has more than one text, the text when the term does not say it, and
 * what a word in disguise was read through.
 */
function placeWords(match: Match, { decision, input, redact }: Checked): string {
  if (match.kind === 'score') {
    const medium = input.media[Number(/\d+/.exec(match.path)?.[0])];
    return redact || medium?.url === undefined ? match.path : `${match.path} ${cut(medium.url, shown.name)}`;
  }
  const { path, span, text } = match;
  const place = `${path === 'data.text' && isOnlyText(decision.matched) ? '' : `${escapeText(path)} `}${span.start}..${span.end}`;
  const through = match.kind === 'word' && match.transforms !== undefined ? ` (${match.transforms.join(', ')})` : '';
  if (redact) return `${place} ${text}${through}`;
  return match.kind === 'word' && match.term === text ? place : `${place} "${cut(text, shown.text)}"${through}`;
}

function isOnlyText(matched: readonly RuleHit[]): boolean {
  const matches = matched.flatMap(({ conditions }) => conditions.flatMap((condition) => condition.matches));
  return matches.every((match) => match.kind === 'score' || match.path === 'data.text');
}

function atRevision(revision: string | undefined): string {
  return revision === undefined ? '' : `@${cut(revision, shown.name)}`;
}

function cut(text: string, columns: number): string {
  return fitText(escapeText(text), columns);
}
