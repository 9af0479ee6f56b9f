/** The screen of `sluice check`. */
import { textAt } from '../../audit/count/excerpt.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { Decision, Match, RuleHit, ScoreMatch } from '../../engine/evaluate/decision.js';
import { commentOf } from '../../platform/loader/term-comments.js';
import { exceptionWords, matchName, scoreWords, writtenOf } from '../cause-names.js';
import {
  type Block,
  type Group,
  heading,
  joined,
  list,
  more,
  moreWords,
  name,
  paragraph,
  plain,
  quotation,
  quoted,
  type Words,
  words,
} from '../document/document.js';
import { plainText } from '../document/runs.js';
import { errorBlocks } from '../rule-errors.js';
import type { Mark, MarkLabel } from '../terminal/marked-text.js';
import type { Tone } from '../terminal/style.js';
import { counted } from '../terminal/text.js';
import { optionWords, reasonWords, unchecked } from '../unchecked.js';
import { provenanceGroups } from './provenance.js';
import { type CheckResult, groupBy, matchesOf, mediumWords, withoutMatches } from './result.js';

/** Numbers of shown entries. Further ones are counted. */
const mostEntries = { texts: 20, media: 8, places: 8, rules: 8, excepted: 8 } as const;

/**
 * Returns the screen of a decision: the verdict, the texts with a label for each mark and its rule,
 * and what could not be checked. `verbose` adds the complete provenance.
 */
export function checkScreen(
  result: CheckResult,
  { verbose }: { readonly verbose: boolean } = { verbose: false },
): readonly Group[] {
  const { unevaluated, exempt, matched } = result.decision;
  const groups = [
    verdictBlocks(result.decision),
    // The verdict may differ from that of the rules as they are written.
    result.showErrors ? errorBlocks(errorsOf(result.engine), { verbose }) : [],
    ...textGroups(result),
    commentBlocks(result),
    ...scoreGroups(result),
    ruleBlocks(result),
    exceptedBlocks(result),
    ...(verbose ? provenanceGroups(result) : []),
    verbose || unevaluated.length === 0 ? [] : [paragraph(uncheckedWords(result), 'faint')],
  ];
  const isShort = !verbose && (exempt || matched.length === 0);
  return isShort ? [groups.flat()] : groups;
}

function verdictBlocks(decision: Decision): readonly Block[] {
  const { verdict, truncated, exempt } = decision;
  const tone = stops(verdict) ? 'bad' : exempt ? 'warning' : 'good';
  const many = 'not every match is listed: the verdict rests on all of them, the first are shown';
  return [heading(verdictWords(decision), tone), ...(truncated ? [paragraph(many, 'warning')] : [])];
}

function verdictWords({ verdict, actions, exempt, matched }: Decision): Words {
  const further = actions.filter((action) => action !== verdict).join(', ');
  if (stops(verdict)) return words`stopped: ${verdict}${further === '' ? '' : words`, also ${plain(further)}`}`;
  if (exempt) return 'allowed unseen: the message is exempt from all rules';
  if (further !== '') return words`allowed, with ${plain(further)}`;
  const isShadowed = matched.length > 0 && matched.every(({ shadow }) => shadow);
  return isShadowed ? 'allowed: only rules in shadow matched' : 'allowed';
}

/** A match with the rule that it belongs to. */
interface RuleMatch<Kind extends Match = Match> {
  readonly match: Kind;
  readonly hit: RuleHit;
  /** The colour of the rule. */
  readonly tone: Tone;
}

const tones: readonly Tone[] = ['mark1', 'mark2', 'mark3', 'mark4'];

function ruleMatches({ matched }: Decision): RuleMatch[] {
  return matched.flatMap((hit, index) =>
    hit.conditions.flatMap(({ matches }) =>
      matches.map((match) => ({ match, hit, tone: tones[index % tones.length]! })),
    ),
  );
}

const isScore = (found: RuleMatch): found is RuleMatch<ScoreMatch> => found.match.kind === 'score';
const isInText = (found: RuleMatch): found is RuleMatch<Exclude<Match, ScoreMatch>> => found.match.kind !== 'score';

/**
 * Returns the texts with matches. Each has its path above it, unless the only one is the text of
 * the message.
 */
function textGroups(result: CheckResult): readonly Group[] {
  const found = groupBy(ruleMatches(result.decision).filter(isInText), ({ match }) => match.path);
  const groups = found.slice(0, mostEntries.texts).map((group) => {
    const { path } = group[0]!.match;
    const isOnly = found.length === 1 && path === 'data.text';
    return [
      ...(isOnly ? [] : [paragraph(plain(path), 'faint')]),
      quotation(textAt(result.message, path) ?? '', marksOf(group, result)),
    ];
  });
  return [...groups, more(found.length - mostEntries.texts, 'text', ' with matches')];
}

/** Returns the comments that lists have on the terms that were found. */
function commentBlocks({ decision, ruleSet }: CheckResult): readonly Block[] {
  const noted = matchesOf(decision).flatMap((match) => {
    if (match.kind === 'score' || match.listId === undefined) return [];
    const comment = commentOf(ruleSet, match.listId, match.kind === 'word' ? match.term : match.pattern);
    if (comment === undefined) return [];
    return [plainText(words`why ${writtenOf(match)} is in ${name(match.listId)}: ${plain(comment, 400)}`)];
  });
  return [...new Set(noted)].slice(0, mostEntries.texts).map((note) => paragraph(note, 'faint'));
}

/**
 * Returns the marked positions of a text, with a label for every term or pattern of every rule.
 * Lists with the same term share a label.
 */
function marksOf(found: readonly RuleMatch<Exclude<Match, ScoreMatch>>[], result: CheckResult): Mark[] {
  return groupBy(found, ({ match: { span } }) => `${span.start} ${span.end}`).map((group) => {
    const named = group.map((each) => ({
      ...each,
      what: plainText(matchName(each.match, each.hit.ruleId, result.ruleSet)),
    }));
    const labels = groupBy(named, ({ hit, what }) => JSON.stringify([hit.ruleId, what])).map((equal): MarkLabel => {
      const { what, hit, tone } = equal[0]!;
      const lists = [...new Set(equal.flatMap(({ match }) => match.listId ?? []))];
      const from = lists.length === 0 ? undefined : words` · ${joined(lists.map((id) => name(id)))}`;
      return { text: plainText(words`${what}${from} → ${ruleWords(hit)}`), tone };
    });
    return { ...group[0]!.match.span, labels };
  });
}

/** Returns the name of a rule, and also its actions if it does not determine the verdict. */
function ruleWords({ ruleName, determining, shadow, actions }: RuleHit): Words {
  if (determining) return name(ruleName);
  const acts = shadow ? 'shadow' : actions.length === 0 ? 'no action' : name(actions.join(', '));
  return words`${name(ruleName)} (${acts})`;
}

/** Returns the files whose scores exceed a threshold. */
function scoreGroups(result: CheckResult): readonly Group[] {
  const media = groupBy(ruleMatches(result.decision).filter(isScore), ({ match }) => match.path);
  const groups = media.slice(0, mostEntries.media).map((group) => {
    const lines = group
      .slice(0, mostEntries.places)
      .map(({ match, hit, tone }): Words => ({ words: words`${scoreWords(match)} → ${ruleWords(hit)}`, tone }));
    const left = group.length - lines.length;
    return [
      paragraph(mediumWords(group[0]!.match.path, result), 'faint'),
      ...list([...lines, ...(left > 0 ? [moreWords(left)] : [])]),
    ];
  });
  return [...groups, more(media.length - mostEntries.media, 'file', ' with scores')];
}

/** Returns the rules that matched without a position in the message. */
function ruleBlocks(result: CheckResult): readonly Block[] {
  const bare = result.decision.matched.filter(({ conditions }) =>
    conditions.every(({ matches }) => matches.length === 0),
  );
  const lines = bare.slice(0, mostEntries.rules).map((hit) => {
    return paragraph(words`${ruleWords(hit)}: ${withoutMatches(hit.conditions[0]?.operand ?? '', result)}`);
  });
  return [...lines, ...more(bare.length - mostEntries.rules, 'rule')];
}

/** Returns the matches that do not count because of an exception. */
function exceptedBlocks({ decision: { excepted }, ruleSet }: CheckResult): readonly Block[] {
  const lines = excepted.slice(0, mostEntries.excepted).map(({ ruleId, match, exception }) => {
    const ruleName = ruleSet.rules.find(({ id }) => id === ruleId)?.name ?? ruleId;
    const what = words`${quoted(match.text)} → ${name(ruleName)}, inside ${exceptionWords(exception)}`;
    return paragraph(words`excepted: ${what}`, 'faint');
  });
  return [...lines, ...more(excepted.length - mostEntries.excepted, undefined, ' excepted')];
}

/** Describes how many conditions could not be checked, why, and which option helps. */
function uncheckedWords({ decision: { unevaluated }, scores, isTextAlone }: CheckResult): string {
  const given = { errors: '--verbose', scores, isTextAlone };
  const reasons = groupBy(unevaluated, ({ why }) => why).map(
    (group) => reasonWords(group) + optionWords(group[0]!.why, given),
  );
  return `${counted(unevaluated.length, 'condition')} ${unchecked}: ${reasons.join('; ')}`;
}
