/** The lines of `sluice check` that say where a term comes from, and who owns its list. */
import { stops } from '../../engine/compile/verdicts.js';
import type { ConditionHit, Match, RuleHit } from '../../engine/evaluate/decision.js';
import { scoreWords, writtenOf } from '../cause-names.js';
import {
  type Block,
  type Group,
  heading,
  type Item,
  list,
  listed,
  moreWords,
  name,
  paragraph,
  plain,
  quoted,
  type Words,
  words,
} from '../document/document.js';
import { plainText } from '../document/runs.js';
import { counted, formatCount } from '../terminal/text.js';
import { maybeTruncated, notEvaluated, scoresAdvice } from '../unchecked.js';
import { type CheckResult, groupBy, matchesOf, mediumWords, withoutMatches } from './result.js';

/** Numbers of shown entries. Further ones are counted. */
const mostEntries = { reasons: 8, conditions: 6, found: 12, places: 8 } as const;

/**
 * Returns what `check --verbose` adds: the rules that matched with their complete provenance, the
 * conditions that could not be evaluated, and the number of evaluated rules with the revision.
 */
export function provenanceGroups(result: CheckResult): readonly Group[] {
  return [...ruleGroups(result), unevaluatedBlocks(result), lastBlocks(result)];
}

/**
 * Returns the rules that matched: first those that determine the verdict, then the others, then
 * those in shadow.
 */
function ruleGroups(result: CheckResult): readonly Group[] {
  const { matched } = result.decision;
  const deciding = matched.filter((hit) => hit.determining);
  const further = matched.filter((hit) => !hit.determining && !hit.shadow);
  const shadows = matched.filter((hit) => hit.shadow);
  const section = (title: string | undefined, hits: readonly RuleHit[]) =>
    hits.map((hit, index) => [
      ...(index === 0 && title !== undefined ? [heading(title)] : []),
      ...ruleBlocks(hit, result),
    ]);
  return [
    ...section(undefined, deciding),
    ...section(deciding.length > 0 ? 'also matched' : undefined, further),
    ...section('would also match, in shadow: these rules never decide', shadows),
  ];
}

/**
 * Returns a rule that matched as rule@revision, then each condition with its list@revision, then
 * each term, pattern or threshold with its positions.
 */
function ruleBlocks(hit: RuleHit, result: CheckResult): readonly Block[] {
  const { ruleId, ruleName, revisionId, actions, determining, shadow } = hit;
  const acts = actions.length === 0 ? 'no action' : name(actions.join(', '));
  const tone = determining && stops(result.decision.verdict) ? 'bad' : shadow ? 'faint' : undefined;
  return [
    paragraph(words`${name(ruleName)}: ${acts}`, tone),
    ...list([
      words`rule ${name(ruleId)}${atRevision(revisionId)}`,
      ...hit.conditions.flatMap((condition) => conditionItems(condition, result)),
    ]),
  ];
}

function conditionItems(condition: ConditionHit, result: CheckResult): Item[] {
  const { conditionId, operand, message = [], matches } = condition;
  const origin = (all: readonly Match[]) => (all.length === 0 ? withoutMatches(operand, result) : originOf(all[0]!));
  const lists = groupBy(matches, (match) => JSON.stringify(listOf(match) ?? match.kind));
  const notes = message.filter((note) => note.trim() !== '').map((note) => words`says "${plain(note)}"`);
  return (lists.length === 0 ? [[]] : lists).map((group, at, all) => ({
    blocks: [
      paragraph(words`→ condition ${conditionId}, ${name(operand)} → ${origin(group)}`),
      ...list([...foundLines(group, result), ...(at === all.length - 1 ? notes : [])]),
    ],
  }));
}

function listOf(match: Match): readonly [id: string, revision: string | undefined] | undefined {
  return match.kind === 'score' || match.listId === undefined ? undefined : [match.listId, match.listRevisionId];
}

function originOf(match: Match): Words {
  const source = listOf(match);
  if (source !== undefined) return words`${name(source[0])}${atRevision(source[1])}`;
  if (match.kind === 'score') return 'thresholds';
  return match.kind === 'word' ? 'words of the rule itself' : 'patterns of the rule itself';
}

function foundLines(matches: readonly Match[], result: CheckResult): Words[] {
  const found = groupBy(matches, (match) => plainText(foundWords(match)));
  const left = found.length - mostEntries.found;
  return [
    ...found.slice(0, mostEntries.found).map((group) => {
      const positions = listed(group, mostEntries.places, (match) => placeWords(match, result));
      return words`→ ${foundWords(group[0]!)}: ${positions}`;
    }),
    ...(left > 0 ? [moreWords(left)] : []),
  ];
}

/** Returns the term or the pattern of a match, or its score with the threshold. */
function foundWords(match: Match): Words {
  return match.kind === 'score' ? scoreWords(match) : writtenOf(match);
}

/**
 * Describes the position of a match: its path if more than one text of the message has matches, its
 * span, the matched text if it differs from the term, and the transforms that made an obfuscated
 * word match.
 */
function placeWords(match: Match, result: CheckResult): Words {
  const { decision } = result;
  if (match.kind === 'score') return mediumWords(match.path, result);
  const { path, span, text } = match;
  const isOnlyText = matchesOf(decision).every((each) => each.kind === 'score' || each.path === 'data.text');
  const position = words`${isOnlyText ? '' : words`${plain(path)} `}${span.start}..${span.end}`;
  const through = match.kind === 'word' && match.transforms !== undefined ? ` (${match.transforms.join(', ')})` : '';
  return match.kind === 'word' && match.term === text ? position : words`${position} ${quoted(text)}${through}`;
}

function unevaluatedBlocks({ decision: { unevaluated }, scores }: CheckResult): readonly Block[] {
  if (unevaluated.length === 0) return [];
  const reasons = groupBy(unevaluated, ({ detail }) => detail);
  const lines = reasons.slice(0, mostEntries.reasons).map((group) => {
    const where = listed(
      group,
      mostEntries.conditions,
      ({ ruleId, conditionId }) => words`${name(ruleId)}#${conditionId}`,
    );
    return words`${where}: ${plain(group[0]!.detail)}`;
  });
  const left = reasons.length - lines.length;
  const advice = scoresAdvice(unevaluated, { scores });
  return [
    paragraph(notEvaluated, 'warning'),
    ...list([
      ...lines,
      ...(left > 0 ? [moreWords(left)] : []),
      ...(advice === undefined ? [] : [{ words: advice, tone: 'faint' } as const]),
    ]),
  ];
}

function lastBlocks({ decision, engine, ruleSet }: CheckResult): readonly Block[] {
  const { running, rules } = engine.counts;
  const evaluated = running === rules ? counted(rules, 'rule') : `${formatCount(running)} of ${counted(rules, 'rule')}`;
  const decided = `${decision.exempt ? 'no rule' : evaluated} evaluated, engine revision ${decision.revision.slice(0, 12)}`;
  return [...(ruleSet.truncated ? [paragraph(maybeTruncated, 'warning')] : []), paragraph(decided, 'faint')];
}

function atRevision(revision: string | undefined): Words {
  return revision === undefined ? '' : words`@${name(revision)}`;
}
