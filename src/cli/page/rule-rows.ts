/** The rules of a report: rows with a bar, which open to show what matched, with examples. */
import { type RuleCount, stoppedBy } from '../../audit/count/audit-summary.js';
import { keyOf } from '../../audit/count/cause.js';
import type { CauseExamples, Example, ExampleContent } from '../../audit/count/examples.js';
import type { AuditReport } from '../../audit/keep/audit-report.js';
import type { Position } from '../../audit/source/blocks.js';
import { type StoppedAs, stoppedAs, stoppedNames, stops } from '../../engine/compile/verdicts.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { commentOf } from '../../platform/loader/term-comments.js';
import { actionWord } from '../audit/screen.js';
import { type CountedCause, causesOf, causeWords } from '../audit/sections.js';
import { groupBy } from '../check/result.js';
import { timeWords } from '../day-bins.js';
import {
  type Block,
  type Column,
  type Item,
  joined,
  list,
  name,
  paragraph,
  parts,
  plain,
  quotation,
  quoted,
  table,
  type Words,
  words,
} from '../document/document.js';
import { counted, formatCount } from '../terminal/text.js';

/** The input of a report. Nothing else changes its bytes. */
export interface ReportInput {
  /** The counts, including those by sender and by conversation. */
  readonly audit: AuditReport;
  readonly examples: readonly CauseExamples[];
  readonly content: ExampleContent;
  /** The rule set, which determines the numbers of patterns. */
  readonly ruleSet: RuleSet;
  /** The name of the source of the rules: `rules.json`. */
  readonly rulesFrom: string;
  /** Version of Sluice. */
  readonly version: string;
  /** The name of the source of the messages: `may.ndjson`. */
  readonly from: string;
  /** How far the file of messages was read. Absent for a platform. */
  readonly messages?: Position | undefined;
  /** The command line, with placeholders for the names of files. */
  readonly command: string;
}

/** Number of causes that are shown for a rule. */
const mostCauses = 15;

/** Returns the rules that matched, those with the most stopped messages first. */
export function ruleRows({ audit, ruleSet, examples }: ReportInput): readonly Block[] {
  const rules = [...audit.rules].sort((left, right) => stoppedBy(right) - stoppedBy(left));
  const [first] = rules;
  if (first === undefined) return [paragraph('No rule matched a message.')];
  const largest = Math.max(1, stoppedBy(first));
  const examplesOf = new Map(examples.map((row) => [keyOf(row), row.examples]));
  const causes = new Map<string, CountedCause[]>(rules.map(({ ruleId }) => [ruleId, []]));
  for (const cause of causesOf(audit)) causes.get(cause.ruleId)?.push(cause);
  const columns: Column<RuleCount>[] = [
    { title: 'rule', cell: ruleTitle },
    { title: 'stopped', align: 'right', cell: countsOf },
    { title: '', cell: (rule) => ({ share: stoppedBy(rule) / largest, verdict: verdictOf(rule) }) },
  ];
  const below = (rule: RuleCount): readonly Block[] => {
    const ruleCauses = causes.get(rule.ruleId) ?? [];
    const items = ruleCauses
      .slice(0, mostCauses)
      .map((cause) => causeItem(cause, examplesOf.get(keyOf(cause)) ?? [], ruleSet));
    const left = ruleCauses.length - items.length;
    const rest: Words[] = left > 0 ? [{ words: `${formatCount(left)} more matched`, tone: 'faint' }] : [];
    return [parts(factsOf(rule), 'faint'), ...list([...items, ...rest])];
  };
  return table(columns, rules, { noun: 'rules', below });
}

function ruleTitle({ ruleName, actions, shadow }: RuleCount): Words {
  const further = actions.filter((action) => !stops(action));
  const notes: Words[] = [...(further.length > 0 ? [name(further.join(', '))] : []), ...(shadow ? ['in shadow'] : [])];
  return [name(ruleName), ...notes.flatMap((note): Words[] => [' ', { words: note, tone: 'faint' }])];
}

function countsOf(rule: RuleCount): string {
  const stopped = stoppedBy(rule);
  return stopped > 0 ? `${formatCount(stopped)} ${verdictOf(rule)}` : `0 stopped, ${formatCount(rule.matched)} matched`;
}

function factsOf(rule: RuleCount): Words[] {
  const { ruleId, actions, shadow, matched, alone, wouldStop } = rule;
  const stopped = stoppedBy(rule);
  return [
    ...(actions.length > 0 ? [plain(actions.map(actionWord).join(', '))] : []),
    `${counted(matched, 'message')} matched`,
    ...(shadow ? [`in shadow: would stop ${formatCount(wouldStop)} more`] : []),
    ...(stopped > 0 ? [aloneWords(alone, stopped)] : []),
    words`rule ${name(ruleId)}`,
  ];
}

/**
 * Returns the verdict of the messages that a rule stops. If the rule has several stopping actions,
 * this is the verdict of the messages that it decides.
 */
function verdictOf({ actions, verdicts }: RuleCount): StoppedAs {
  const stopping = actions.filter(stops);
  return stoppedAs(stopping.find((action) => verdicts[action] > 0) ?? stopping[0]) ?? stoppedNames[0]!;
}

/** Describes how many of the verdicts that a rule determines would differ without it. */
function aloneWords(alone: number, stopped: number): string {
  if (alone >= stopped) return 'without it all of them would have another verdict';
  if (alone === 0) return 'without it all of them would have the same verdict by other rules';
  return `without it ${formatCount(alone)} of them would have another verdict`;
}

function causeItem(cause: CountedCause, examples: readonly Example[], ruleSet: RuleSet): Item {
  const { stopped, messages, listId, term, pattern } = cause;
  const counts = stopped === messages ? formatCount(stopped) : `${formatCount(stopped)} of ${formatCount(messages)}`;
  const comment = listId === undefined ? undefined : commentOf(ruleSet, listId, term ?? pattern ?? '');
  const from = listId === undefined ? undefined : ({ words: words` of ${name(listId)}`, tone: 'faint' } as const);
  const what = term === undefined ? causeWords(cause, ruleSet) : quoted(term);
  return {
    blocks: [
      paragraph(words`${what}${from}: ${counts}`),
      ...(comment === undefined ? [] : [paragraph(words`why it is there: ${plain(comment)}`, 'faint')]),
      ...list(exampleItems(examples)),
    ],
  };
}

/**
 * Returns the examples to show. Messages with the same text and the same matches are merged into
 * one.
 */
function exampleItems(examples: readonly Example[]): Item[] {
  const found = groupBy(examples, ({ text, path, spans, messageId }) =>
    JSON.stringify(text === undefined ? [messageId, path] : [text, path, spans]),
  );
  return found.map(exampleItem);
}

/**
 * Returns an example: the text with its matches marked, or only their positions, followed by
 * sender, time and conversation of each message.
 */
function exampleItem(alike: readonly Example[]): Item {
  const { path, text, from, spans, score } = alike[0]!;
  const ranges = spans.map(({ start, end }) => `${from + start} to ${from + end}`).join(', ');
  const marks = spans.map((span) => ({ ...span, labels: [] }));
  const isElsewhere = path !== 'data.text' && path !== 'text';
  return {
    blocks: [
      score === undefined && text !== undefined
        ? quotation(text, marks)
        : paragraph(score === undefined ? `characters ${ranges}` : `${score} of 100`),
      ...(isElsewhere ? [paragraph(plain(path), 'faint')] : []),
      ...alike.map((example) => paragraph(originWords(example), 'faint')),
    ],
  };
}

/** Describes the sender, the time and the conversation of a message, and its id or its row. */
function originWords({ messageId, sender, sentAt, conversationId, row }: Example): Words {
  const time = sentAt === undefined ? undefined : timeWords(sentAt);
  return joined(
    [
      ...(sender === undefined ? [] : [words`from ${name(sender)}`]),
      ...(time === undefined ? [] : [time]),
      ...(conversationId === undefined ? [] : [words`in ${name(conversationId)}`]),
      ...(messageId !== null
        ? [words`message ${name(messageId)}`]
        : row === undefined
          ? []
          : [`row ${formatCount(row)}`]),
    ],
    ' · ',
  );
}
