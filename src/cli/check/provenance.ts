import { stops } from '../../engine/compile/verdicts.js';
import type { ConditionHit, Match, RuleHit } from '../../engine/evaluate/decision.js';
import { maybeTruncated, notEvaluated, scoresAdvice } from '../doubts.js';
import { scoreWords } from '../plain-words.js';
import { columns, cut, listed, moreLines, wrapped } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { counted, escapeText, formatCount } from '../terminal/text.js';
import { type CheckResult, groupBy, matchesOf, mediumWords, withoutMatches } from './result.js';

/** Entries shown of a list; the rest becomes a number. */
const mostEntries = { reasons: 8, conditions: 6, found: 12, places: 8 } as const;

/**
 * What `check --verbose` adds to the screen, as blocks of lines: the rules that matched with their whole provenance, what could
 * not be evaluated and where, and how many rules decided by which revision.
 */
export function provenanceBlocks(result: CheckResult, output: Output): string[][] {
  return [...ruleBlocks(result, output), unevaluatedLines(result, output), lastLines(result, output)];
}

/** The rules that matched: those that determine the verdict, the others, and those in shadow. */
function ruleBlocks(result: CheckResult, output: Output): string[][] {
  const { matched } = result.decision;
  const deciding = matched.filter((hit) => hit.determining);
  const others = matched.filter((hit) => !hit.determining && !hit.shadow);
  const shadows = matched.filter((hit) => hit.shadow);
  const section = (heading: string | undefined, hits: readonly RuleHit[]) =>
    hits.map((hit, index) => [
      ...(index === 0 && heading !== undefined ? wrapped(heading, 'head', output) : []),
      ...ruleLines(hit, result, output),
    ]);
  return [
    ...section(undefined, deciding),
    ...section(deciding.length > 0 ? 'also matched' : undefined, others),
    ...section('would also match, in shadow: these rules never decide', shadows),
  ];
}

/**
 * The provenance of a rule that matched: rule@revision, then each condition with its list@revision, then each term,
 * pattern or threshold with its places.
 */
function ruleLines(hit: RuleHit, result: CheckResult, output: Output): string[] {
  const { ruleId, ruleName, revisionId, actions, determining, shadow } = hit;
  const acts = actions.length === 0 ? 'no action' : cut(actions.join(', '), columns.name);
  const tone = determining && stops(result.decision.verdict) ? 'bad' : shadow ? 'faint' : undefined;
  return [
    ...wrapped(`${cut(ruleName, columns.name)}: ${acts}`, tone, output, '    '),
    ...wrapped(`  rule ${cut(ruleId, columns.name)}${atRevision(revisionId)}`, undefined, output, '    '),
    ...hit.conditions.flatMap((condition) => conditionLines(condition, result, output)),
  ];
}

function conditionLines(condition: ConditionHit, result: CheckResult, output: Output): string[] {
  const { conditionId, operand, message = [], matches } = condition;
  const origin = (own: readonly Match[]) => (own.length === 0 ? withoutMatches(operand, result) : originOf(own[0]!));
  const lists = groupBy(matches, (match) => JSON.stringify(listOf(match) ?? match.kind));
  const lines = (lists.length === 0 ? [[]] : lists).flatMap((own) => [
    ...wrapped(
      `  → condition ${conditionId}, ${cut(operand, columns.name)} → ${origin(own)}`,
      undefined,
      output,
      '    ',
    ),
    ...foundLines(own, result, output),
  ]);
  const notes = message.filter((note) => note.trim() !== '');
  return [...lines, ...notes.flatMap((note) => wrapped(`    says "${escapeText(note)}"`, undefined, output, '      '))];
}

function listOf(match: Match): readonly [id: string, revision: string | undefined] | undefined {
  return match.kind === 'score' || match.listId === undefined ? undefined : [match.listId, match.listRevisionId];
}

function originOf(match: Match): string {
  const list = listOf(match);
  if (list !== undefined) return cut(list[0], columns.name) + atRevision(list[1]);
  if (match.kind === 'score') return 'thresholds';
  return match.kind === 'word' ? 'words of the rule itself' : 'patterns of the rule itself';
}

function foundLines(matches: readonly Match[], result: CheckResult, output: Output): string[] {
  const found = groupBy(matches, foundWords);
  const lines = found.slice(0, mostEntries.found).flatMap((own) => {
    const places = listed(own, mostEntries.places, (match) => placeWords(match, result));
    return wrapped(`    → ${foundWords(own[0]!)}: ${places}`, undefined, output, '      ');
  });
  return [...lines, ...moreLines(found.length - mostEntries.found, output, undefined, '', '    ')];
}

/** The term, the pattern, or the score with its threshold. */
function foundWords(match: Match): string {
  if (match.kind === 'word') return `"${cut(match.term, columns.text)}"`;
  if (match.kind === 'pattern') return `/${cut(match.pattern, columns.pattern)}/`;
  return scoreWords(match);
}

/**
 * The place of a match: its path when the message has matches in more than one text, its span, its text when that
 * differs from the term, and the transforms of an obfuscated word.
 */
function placeWords(match: Match, result: CheckResult): string {
  const { decision, redact } = result;
  if (match.kind === 'score') return mediumWords(match.path, result);
  const { path, span, text } = match;
  const isOnlyText = matchesOf(decision).every((other) => other.kind === 'score' || other.path === 'data.text');
  const place = `${isOnlyText ? '' : `${escapeText(path)} `}${span.start}..${span.end}`;
  const through = match.kind === 'word' && match.transforms !== undefined ? ` (${match.transforms.join(', ')})` : '';
  if (redact) return `${place} ${text}${through}`;
  return match.kind === 'word' && match.term === text ? place : `${place} "${cut(text, columns.text)}"${through}`;
}

function unevaluatedLines({ decision: { unevaluated }, scores }: CheckResult, output: Output): string[] {
  if (unevaluated.length === 0) return [];
  const reasons = groupBy(unevaluated, ({ detail }) => detail);
  const lines = reasons.slice(0, mostEntries.reasons).flatMap((own) => {
    const where = listed(own, mostEntries.conditions, ({ ruleId, conditionId }) => `${ruleId}#${conditionId}`);
    return wrapped(`  ${escapeText(`${where}: ${own[0]?.detail}`)}`, undefined, output, '    ');
  });
  const advice = scoresAdvice(unevaluated, { scores });
  return [
    ...wrapped(notEvaluated, 'doubt', output),
    ...lines,
    ...moreLines(reasons.length - mostEntries.reasons, output, undefined, '', '  '),
    ...(advice === undefined ? [] : wrapped(`  ${advice}`, 'faint', output)),
  ];
}

function lastLines({ decision, engine, ruleSet }: CheckResult, output: Output): string[] {
  const { running, rules } = engine.counts;
  const evaluated = running === rules ? counted(rules, 'rule') : `${formatCount(running)} of ${counted(rules, 'rule')}`;
  const words = `${decision.exempt ? 'no rule' : evaluated} evaluated, engine revision ${decision.revision.slice(0, 12)}`;
  return [...(ruleSet.truncated ? wrapped(maybeTruncated, 'doubt', output) : []), ...wrapped(words, 'faint', output)];
}

function atRevision(revision: string | undefined): string {
  return revision === undefined ? '' : `@${cut(revision, columns.name)}`;
}
