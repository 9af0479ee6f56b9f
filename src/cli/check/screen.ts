import { textAt } from '../../audit/count/excerpt.js';
import { errorsOf } from '../../engine/compile/issue.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { ConditionHit, Decision, Match, RuleHit, ScoreMatch } from '../../engine/evaluate/decision.js';
import { commentOf } from '../../platform/loader/term-comments.js';
import { optionWords, reasonWords, unchecked } from '../doubts.js';
import { exceptionWords, patternName, scoreWords } from '../plain-words.js';
import { errorLines } from '../rule-errors.js';
import { columns, cut, joinBlocks, moreLines, wrapped } from '../terminal/lines.js';
import { type Mark, type MarkLabel, markedLines } from '../terminal/marked-text.js';
import type { Output, Tone } from '../terminal/style.js';
import { counted, escapeText } from '../terminal/text.js';
import { provenanceBlocks } from './provenance.js';
import { type CheckResult, groupBy, matchesOf, mediumWords, type ShownDecision, withoutMatches } from './result.js';

/** Entries shown of a list; the rest becomes a number. */
const mostEntries = { texts: 20, media: 8, places: 8, rules: 8, excepted: 8 } as const;

/**
 * The screen of a decision, one string per line: the verdict, the marked texts with what each mark is and which rule it is for,
 * and what could not be checked; `verbose` adds the whole provenance.
 */
export function checkScreen(
  result: CheckResult,
  output: Output,
  { verbose }: { readonly verbose: boolean } = { verbose: false },
): string[] {
  const { unevaluated, exempt, matched } = result.decision;
  const [verdict = [], ...found] = decisionBlocks(result, output);
  const blocks = [
    verdict,
    // So that no verdict is taken for that of rules which are evaluated as they are written.
    result.showErrors ? errorLines(errorsOf(result.engine), output, { verbose }) : [],
    ...found,
    ...(verbose ? provenanceBlocks(result, output) : []),
    verbose || unevaluated.length === 0 ? [] : wrapped(uncheckedWords(result), 'faint', output),
  ];
  const isShort = !verbose && (exempt || matched.length === 0);
  return isShort ? blocks.flat() : joinBlocks(blocks);
}

/** The verdict, then what was found, as blocks of lines. */
export function decisionBlocks(result: ShownDecision, output: Output): string[][] {
  return [
    verdictLines(result.decision, output),
    ...textBlocks(result, output),
    commentLines(result, output),
    ...scoreBlocks(result, output),
    ruleLines(result, output),
    exceptedLines(result, output),
  ];
}

function verdictLines(decision: Decision, output: Output): string[] {
  const { verdict, actions, truncated, exempt, matched } = decision;
  const further = escapeText(actions.filter((action) => action !== verdict).join(', '));
  const heading = stops(verdict)
    ? `stopped: ${verdict}${further === '' ? '' : `, also ${further}`}`
    : exempt
      ? 'allowed unseen: the message is exempt from all rules'
      : further !== ''
        ? `allowed, with ${further}`
        : matched.length > 0 && matched.every(({ shadow }) => shadow)
          ? 'allowed: only rules in shadow matched'
          : 'allowed';
  const tone = stops(verdict) ? 'bad' : exempt ? 'doubt' : 'good';
  const many = 'not every match is listed: the verdict rests on all of them, the first are shown';
  return [
    ...wrapped(heading, tone, output).map((line) => output.paint('head', line)),
    ...(truncated ? wrapped(many, 'doubt', output) : []),
  ];
}

/** A match with the rule that it is for. */
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

/** Where the text of a message stands. */
const ownText = 'data.text';

/** The texts with matches, each under its path unless it is the text of the message and the only one. */
function textBlocks(result: ShownDecision, output: Output): string[][] {
  const { decision, message, redact, isWhole = false } = result;
  const found = groupBy(ruleMatches(decision).filter(isInText), ({ match }) => match.path);
  const texts = found.map((own) => ({ path: own[0]!.match.path, own }));
  if (isWhole && texts.every(({ path }) => path !== ownText)) texts.unshift({ path: ownText, own: [] });
  const blocks = texts.slice(0, mostEntries.texts).map(({ path, own }) => {
    const marks = marksOf(own, result);
    const isOnly = texts.length === 1 && path === ownText;
    return [
      ...(isOnly && !redact ? [] : wrapped(escapeText(path), 'faint', output)),
      ...(redact ? placeLines(marks, output) : markedLines(textAt(message, path) ?? '', marks, output, isWhole)),
    ];
  });
  return [...blocks, moreLines(texts.length - mostEntries.texts, output, 'text', ' with matches')];
}

/** Why the terms that were found are in their lists, where somebody noted it. */
function commentLines({ decision, ruleSet }: ShownDecision, output: Output): string[] {
  const noted = matchesOf(decision).flatMap((match) => {
    if (match.kind === 'score' || match.listId === undefined) return [];
    const written = match.kind === 'word' ? match.term : match.pattern;
    const comment = commentOf(ruleSet, match.listId, written);
    if (comment === undefined) return [];
    const term = match.kind === 'word' ? `"${cut(written, columns.text)}"` : `/${cut(written, columns.pattern)}/`;
    return [`why ${term} is in ${cut(match.listId, columns.name)}: ${cut(comment, columns.pattern)}`];
  });
  return [...new Set(noted)].slice(0, mostEntries.texts).flatMap((words) => wrapped(words, 'faint', output));
}

/** The places of a text, each with a label for every term or pattern of every rule; lists of equal terms share a label. */
function marksOf(found: readonly RuleMatch<Exclude<Match, ScoreMatch>>[], result: ShownDecision): Mark[] {
  return groupBy(found, ({ match: { span } }) => `${span.start} ${span.end}`).map((own) => {
    const named = own.map(({ match, hit, tone }) => ({ match, hit, tone, what: nameOf(match, hit, result) }));
    const labels = groupBy(named, ({ hit, what }) => JSON.stringify([hit.ruleId, what])).map((equal): MarkLabel => {
      const { what, hit, tone } = equal[0]!;
      const lists = new Set(equal.map(({ match }) => match.listId).filter((listId) => listId !== undefined));
      const from = lists.size === 0 ? '' : ` · ${[...lists].map((id) => cut(id, columns.name)).join(', ')}`;
      return { text: `${what}${from} → ${ruleWords(hit)}`, tone };
    });
    return { ...own[0]!.match.span, labels };
  });
}

function nameOf(match: Exclude<Match, ScoreMatch>, hit: RuleHit, { ruleSet }: ShownDecision): string {
  return match.kind === 'word' ? `"${cut(match.term, columns.text)}"` : patternName(ruleSet, hit.ruleId, match);
}

/** The name of a rule, with its actions where the verdict does not rest on it. */
function ruleWords({ ruleName, determining, shadow, actions }: RuleHit): string {
  const name = cut(ruleName, columns.name);
  if (determining) return name;
  return `${name} (${shadow ? 'shadow' : actions.length === 0 ? 'no action' : cut(actions.join(', '), columns.name)})`;
}

/** Places and labels without the text. */
function placeLines(marks: readonly Mark[], output: Output): string[] {
  return [
    ...marks
      .slice(0, mostEntries.places)
      .flatMap(({ start, end, labels }) =>
        labels.flatMap(({ text, tone }) => wrapped(`  ${start}..${end} ${text}`, tone, output, '    ')),
      ),
    ...moreLines(marks.length - mostEntries.places, output, 'mark', '', '  '),
  ];
}

/** The files with scores over a threshold. */
function scoreBlocks(result: ShownDecision, output: Output): string[][] {
  const media = groupBy(ruleMatches(result.decision).filter(isScore), ({ match }) => match.path);
  const blocks = media
    .slice(0, mostEntries.media)
    .map((own) => [
      ...wrapped(mediumWords(own[0]!.match.path, result), 'faint', output),
      ...own
        .slice(0, mostEntries.places)
        .flatMap(({ match, hit, tone }) => wrapped(`  ${scoreWords(match)} → ${ruleWords(hit)}`, tone, output, '    ')),
      ...moreLines(own.length - mostEntries.places, output, undefined, '', '  '),
    ]);
  return [...blocks, moreLines(media.length - mostEntries.media, output, 'file', ' with scores')];
}

/** The rules that matched without a place in the message. */
function ruleLines(result: ShownDecision, output: Output): string[] {
  const bare = result.decision.matched.filter(({ conditions }) =>
    conditions.every(({ matches }) => matches.length === 0),
  );
  const why = ({ conditions }: { readonly conditions: readonly ConditionHit[] }) =>
    withoutMatches(conditions[0]?.operand ?? '', result);
  return [
    ...bare.slice(0, mostEntries.rules).flatMap((hit) => wrapped(`${ruleWords(hit)}: ${why(hit)}`, undefined, output)),
    ...moreLines(bare.length - mostEntries.rules, output, 'rule'),
  ];
}

/** What would have matched, and what excepted it. */
function exceptedLines({ decision: { excepted }, ruleSet }: ShownDecision, output: Output): string[] {
  const lines = excepted.slice(0, mostEntries.excepted).flatMap(({ ruleId, match, exception }) => {
    const ruleName = ruleSet.rules.find(({ id }) => id === ruleId)?.name ?? ruleId;
    const what = `"${cut(match.text, columns.text)}" → ${cut(ruleName, columns.name)}`;
    return wrapped(`excepted: ${what}, inside ${exceptionWords(exception)}`, 'faint', output);
  });
  return [...lines, ...moreLines(excepted.length - mostEntries.excepted, output, undefined, ' excepted')];
}

/** How many conditions could not be checked, why, and the option that helps. */
function uncheckedWords({ decision: { unevaluated }, scores, isTextAlone }: CheckResult): string {
  const given = { faults: '--verbose', scores, isTextAlone };
  const reasons = groupBy(unevaluated, ({ why }) => why).map(
    (own) => reasonWords(own) + optionWords(own[0]!.why, given),
  );
  return `${counted(unevaluated.length, 'condition')} ${unchecked}: ${reasons.join('; ')}`;
}
