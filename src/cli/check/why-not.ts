/** Why rules did not match, as `check` and `test` show it. */
import { textAt } from '../../audit/count/excerpt.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { ExceptedMatch, Match } from '../../engine/evaluate/decision.js';
import { redactMatch } from '../../engine/evaluate/redact-decision.js';
import type { NearReading, WhyNot, WhyNotReason } from '../../review/why-not/answer.js';
import { reasonsOf } from '../../review/why-not/why-not.js';
import { exceptionWords, patternName, scoreWords } from '../plain-words.js';
import type { EngineInput } from '../sources.js';
import { columns, cut, listed, moreLines, wrapped } from '../terminal/lines.js';
import { markedLines } from '../terminal/marked-text.js';
import type { Output } from '../terminal/style.js';
import { escapeText } from '../terminal/text.js';
import { type CheckResult, groupBy } from './result.js';

const most = { answers: 20, names: 12, filtered: 3, places: 8 } as const;

const whyWords: Readonly<Record<WhyNotReason, string>> = {
  disabled: 'disabled',
  inactive: 'not active',
  'not-compiled': 'not compiled',
  filtered: 'filtered',
  exempt: 'exempt',
  'operand-absent': 'nothing to look at',
  'no-scores': 'no scores',
  'below-threshold': 'below threshold',
  excepted: 'excepted',
  'no-match': 'no match',
};

/** Reasons that are the same for many rules, which are told together where all rules are asked about. */
const plain: readonly WhyNotReason[] = ['disabled', 'inactive', 'operand-absent', 'no-match', 'exempt'];

/** Why rules did not match, rule by rule and condition by condition; with `whole` also what many rules have in common. */
export function whyNotLines(
  answers: readonly WhyNot[],
  result: Omit<CheckResult, 'engine' | 'scores'>,
  output: Output,
  { whole }: { readonly whole: boolean },
): string[] {
  if (answers.length === 0) return wrapped('every rule in question matched', 'good', output);
  const isTogether = ({ why, near, match, hint }: WhyNot) => !whole && plain.includes(why) && !near && !match && !hint;
  const own = answers.filter((answer) => !isTogether(answer));
  const shown = whole ? own : own.slice(0, most.answers);
  const together = worthTelling(answers).filter(isTogether);
  const others = groupBy(together, ({ why }) => why).flatMap((same) => {
    const names = listed([...new Set(same.map(({ ruleId }) => ruleId))], most.names, (id) => cut(id, columns.name));
    return wrapped(`${whyWords[same[0]!.why]}: ${names}`, 'faint', output);
  });
  return [
    ...shown.flatMap((answer) => answerLines(answer, result, output)),
    ...moreLines(own.length - shown.length, output, 'reason', ' (--verbose)'),
    ...others,
  ];
}

/** The reasons without those of conditions that read nothing of the message, of rules of which others did. */
export function worthTelling(answers: readonly WhyNot[]): readonly WhyNot[] {
  const looked = new Set(answers.flatMap(({ ruleId, why }) => (why === 'operand-absent' ? [] : [ruleId])));
  return answers.filter(({ ruleId, why }) => why !== 'operand-absent' || !looked.has(ruleId));
}

/** A reason in words, without what was excepted and what is near. */
export function answerWords({ ruleId, conditionId, why, detail, near }: WhyNot, ruleName = ruleId): string {
  const name = ruleName === ruleId ? '' : ` (${cut(ruleName, columns.name)})`;
  const place = `${cut(ruleId, columns.name)}${name}${conditionId === undefined ? '' : `, condition ${conditionId}`}`;
  const other = near === undefined ? ', with other readings either' : '; near';
  const more = why === 'no-match' ? other : why === 'excepted' ? '' : `: ${escapeText(detail)}`;
  return `${place}: ${whyWords[why]}${more}`;
}

/** A reading with its value: `words: substring`. */
export function readingWords({ reading, value }: NearReading): string {
  return `${reading}: ${value}`;
}

/** The reasons with nothing of the message, only where and how long. */
export function redactAnswers(answers: readonly WhyNot[]): readonly WhyNot[] {
  return answers.map((answer) => ({
    ...answer,
    ...(answer.match && { match: redactMatch(answer.match) }),
    ...(answer.near && { near: answer.near.map((near) => ({ ...near, match: redactMatch(near.match) })) }),
    ...(answer.excepted && { excepted: answer.excepted.map((one) => ({ ...one, match: redactMatch(one.match) })) }),
  }));
}

/** Why a message is allowed that a filter keeps from a rule which would stop it, in one line; nothing where none does. */
export function filteredLines(
  { decision, message, media: scores, ruleSet }: CheckResult,
  semantics: EngineInput['semantics'],
  output: Output,
): string[] {
  if (stops(decision.verdict) || decision.exempt) return [];
  const rules = ruleSet.rules.filter(
    ({ id, action, filters }) =>
      (filters ?? []).length > 0 && !semantics.shadow.includes(id) && [action].flat().some(stops),
  );
  if (rules.length === 0) return [];
  const answers = reasonsOf(rules, { ruleSet, semantics, message, scores }, { near: false });
  const kept = answers.filter(({ filter, match }) => filter?.result === 'fails' && match !== undefined);
  if (kept.length === 0) return [];
  const names = listed(
    kept,
    most.filtered,
    ({ ruleId, detail }) => `${cut(ruleId, columns.name)} (${escapeText(detail)})`,
  );
  return wrapped(`filtered: ${names}`, 'faint', output);
}

function answerLines(answer: WhyNot, result: Omit<CheckResult, 'engine' | 'scores'>, output: Output): string[] {
  const { ruleId, excepted = [], near = [], hint } = answer;
  const ruleName = result.ruleSet.rules.find(({ id }) => id === ruleId)?.name ?? ruleId;
  return [
    ...wrapped(answerWords(answer, ruleName), undefined, output, '    '),
    ...groupBy(excepted, ({ match }) => match.path).flatMap((own) => exceptedLines(own, result, output)),
    ...near.flatMap((one) =>
      wrapped(`  ${foundWords(one.match, ruleId, result)} with ${readingWords(one)}`, undefined, output, '    '),
    ),
    ...(hint === undefined ? [] : wrapped(`  hint: ${hint}`, 'faint', output, '    ')),
  ];
}

/** What was excepted of one text, marked in it. */
function exceptedLines(
  excepted: readonly ExceptedMatch[],
  { message, redact, ruleSet }: Omit<CheckResult, 'engine' | 'scores'>,
  output: Output,
): string[] {
  const marks = excepted.map(({ ruleId, match, exception }) => {
    const what = match.kind === 'word' ? `"${cut(match.term, columns.text)}"` : patternName(ruleSet, ruleId, match);
    return {
      ...match.span,
      labels: [{ text: `${what}, excepted by ${exceptionWords(exception)}`, tone: 'mark1' as const }],
    };
  });
  if (!redact) return markedLines(textAt(message, excepted[0]!.match.path) ?? '', marks, output);
  return [
    ...marks
      .slice(0, most.places)
      .flatMap(({ start, end, labels }) => wrapped(`  ${start}..${end} ${labels[0]!.text}`, undefined, output, '    ')),
    ...moreLines(marks.length - most.places, output, 'mark', '', '  '),
  ];
}

/** What was found, and by what: `"BUY now" by "buy now"`. */
function foundWords(
  match: Match,
  ruleId: string,
  { ruleSet, redact }: Pick<CheckResult, 'ruleSet' | 'redact'>,
): string {
  if (match.kind === 'score') return scoreWords(match);
  const by = match.kind === 'word' ? `"${cut(match.term, columns.text)}"` : patternName(ruleSet, ruleId, match);
  const list = match.listId === undefined ? '' : ` of ${cut(match.listId, columns.name)}`;
  const { span, text } = match;
  return `${redact ? `${span.start}..${span.end}` : `"${cut(text, columns.text)}"`} by ${by}${list}`;
}
