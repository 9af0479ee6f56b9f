/** The wording of why rules did not match, for `check` and `test`. */
import { textAt } from '../../audit/count/excerpt.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { ExceptedMatch, Match } from '../../engine/evaluate/decision.js';
import type { NearReading, WhyNot, WhyNotReason } from '../../review/why-not/answer.js';
import { reasonsOf } from '../../review/why-not/why-not.js';
import { exceptionWords, matchName, scoreWords } from '../cause-names.js';
import {
  type Block,
  list,
  listed,
  more,
  name,
  paragraph,
  plain,
  quotation,
  quoted,
  type Words,
  words,
} from '../document/document.js';
import { plainText } from '../document/runs.js';
import type { EngineInput } from '../sources.js';
import { type CheckResult, groupBy } from './result.js';

const most = { answers: 20, names: 12, filtered: 3 } as const;

const whyWords: Readonly<Record<WhyNotReason, string>> = {
  disabled: 'disabled',
  inactive: 'not active',
  'not-compiled': 'not compiled',
  filtered: 'filtered',
  exempt: 'exempt',
  'operand-absent': 'not applicable',
  'no-scores': 'no scores',
  'below-threshold': 'below threshold',
  excepted: 'excepted',
  'no-match': 'no match',
};

/** Reasons that many rules may share. Rules with the same one are shown together. */
const common: readonly WhyNotReason[] = ['disabled', 'inactive', 'operand-absent', 'no-match', 'exempt'];

/** The fields of a result that the wording needs. */
type WhyNotResult = Omit<CheckResult, 'engine' | 'scores'>;

/**
 * Returns why rules did not match, by rule and condition. With `whole`, reasons that many rules
 * share are included.
 */
export function whyNotBlocks(
  answers: readonly WhyNot[],
  result: WhyNotResult,
  { whole }: { readonly whole: boolean },
): readonly Block[] {
  if (answers.length === 0) return [paragraph('every rule in question matched', 'good')];
  const isTogether = ({ why, near, match }: WhyNot) => !whole && common.includes(why) && !near && !match;
  const single = answers.filter((answer) => !isTogether(answer));
  const shown = whole ? single : single.slice(0, most.answers);
  const together = worthTelling(answers).filter(isTogether);
  const shared = groupBy(together, ({ why }) => why).map((same) => {
    const ids = listed([...new Set(same.map(({ ruleId }) => ruleId))], most.names, name);
    return paragraph(words`${whyWords[same[0]!.why]}: ${ids}`, 'faint');
  });
  return [
    ...shown.flatMap((answer) => answerBlocks(answer, result)),
    ...more(single.length - shown.length, 'reason', ' (--verbose)'),
    ...shared,
  ];
}

/**
 * Leaves out conditions that read nothing in the message if other conditions of their rule read
 * something.
 */
export function worthTelling(answers: readonly WhyNot[]): readonly WhyNot[] {
  const looked = new Set(answers.flatMap(({ ruleId, why }) => (why === 'operand-absent' ? [] : [ruleId])));
  return answers.filter(({ ruleId, why }) => why !== 'operand-absent' || !looked.has(ruleId));
}

/** Describes a reason, without excepted and near matches. */
export function answerWords({ ruleId, conditionId, why, detail, near }: WhyNot, ruleName = ruleId): Words {
  const title = ruleName === ruleId ? undefined : words` (${name(ruleName)})`;
  const subject = words`${name(ruleId)}${title}${conditionId === undefined ? '' : `, condition ${conditionId}`}`;
  const nearText = near === undefined ? ', nor with any other reading' : '; it would match';
  const rest = why === 'no-match' ? nearText : why === 'excepted' ? '' : words`: ${plain(detail)}`;
  return words`${subject}: ${whyWords[why]}${rest}`;
}

/** Describes a reading with its value: `words: substring`. */
export function readingWords({ reading, value }: NearReading): string {
  return `${reading}: ${value}`;
}

/**
 * Returns why a message is allowed although a rule would stop it, if a filter of the rule does not
 * hold. Empty otherwise.
 */
export function filteredBlocks(
  { decision, message, media: scores, ruleSet }: CheckResult,
  semantics: EngineInput['semantics'],
): readonly Block[] {
  if (stops(decision.verdict) || decision.exempt) return [];
  const rules = ruleSet.rules.filter(
    ({ id, action, filters }) =>
      (filters ?? []).length > 0 && !semantics.shadow.includes(id) && [action].flat().some(stops),
  );
  if (rules.length === 0) return [];
  const answers = reasonsOf(rules, { ruleSet, semantics, message, scores }, { near: false });
  const kept = answers.filter(({ filter, match }) => filter?.result === 'fails' && match !== undefined);
  if (kept.length === 0) return [];
  const ids = listed(kept, most.filtered, ({ ruleId, detail }) => words`${name(ruleId)} (${plain(detail)})`);
  return [paragraph(words`filtered: ${ids}`, 'faint')];
}

function answerBlocks(answer: WhyNot, result: WhyNotResult): readonly Block[] {
  const { ruleId, excepted = [], near = [] } = answer;
  const ruleName = result.ruleSet.rules.find(({ id }) => id === ruleId)?.name ?? ruleId;
  const lines = near.map((found) => words`${foundWords(found.match, ruleId, result)} with ${readingWords(found)}`);
  return [
    paragraph(answerWords(answer, ruleName)),
    ...groupBy(excepted, ({ match }) => match.path).flatMap((group) => exceptedBlocks(group, result)),
    ...list(lines),
  ];
}

/** Returns the excepted matches of one text as marks in it. */
function exceptedBlocks(excepted: readonly ExceptedMatch[], { message, ruleSet }: WhyNotResult): readonly Block[] {
  const marks = excepted.map(({ ruleId, match, exception }) => {
    const what = words`${matchName(match, ruleId, ruleSet)}, excepted by ${exceptionWords(exception)}`;
    return { ...match.span, labels: [{ text: plainText(what), tone: 'mark1' as const }] };
  });
  return [quotation(textAt(message, excepted[0]!.match.path) ?? '', marks)];
}

/** Describes a match and what it matches: `"BUY now" by "buy now"`. */
function foundWords(match: Match, ruleId: string, { ruleSet }: Pick<CheckResult, 'ruleSet'>): Words {
  if (match.kind === 'score') return scoreWords(match);
  const from = match.listId === undefined ? undefined : words` of ${name(match.listId)}`;
  return words`${quoted(match.text)} by ${matchName(match, ruleId, ruleSet)}${from}`;
}
