/** The rules of a report: rows with a bar that open into what matched, with examples. */
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

/** The content of a report: nothing else changes its bytes. */
export interface ReportInput {
  /** Counts, those by sender and by conversation among them. */
  readonly audit: AuditReport;
  readonly examples: readonly CauseExamples[];
  readonly content: ExampleContent;
  /** The rules, for the numbers of patterns. */
  readonly ruleSet: RuleSet;
  /** Source of the rules in words: `rules.json`. */
  readonly rulesFrom: string;
  /** Version of Sluice. */
  readonly version: string;
  /** Source of the messages in words: `may.ndjson`. */
  readonly from: string;
  /** The file of messages that was read; absent for those of a platform. */
  readonly messages?: Position | undefined;
  /** The command line, with placeholders for names of files. */
  readonly command: string;
}

/** Causes shown of a rule. */
const mostCauses = 15;

/** Returns the rules that matched, the most stopped messages first. */
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
    const own = causes.get(rule.ruleId) ?? [];
    const items = own
      .slice(0, mostCauses)
      .map((cause) => causeItem(cause, examplesOf.get(keyOf(cause)) ?? [], ruleSet));
    const left = own.length - items.length;
    const rest: Words[] = left > 0 ? [{ words: `${formatCount(left)} more matched`, tone: 'faint' }] : [];
    return [parts(factsOf(rule), 'faint'), ...list([...items, ...rest])];
  };
  return table(columns, rules, { noun: 'rules', below });
}

function ruleTitle({ ruleName, actions, shadow }: RuleCount): Words {
  const others = actions.filter((action) => !stops(action));
  const notes: Words[] = [...(others.length > 0 ? [name(others.join(', '))] : []), ...(shadow ? ['in shadow'] : [])];
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

/** Returns the verdict of the messages that a rule stops. For a rule with several stopping actions, the one that its deciding messages have. */
function verdictOf({ actions, verdicts }: RuleCount): StoppedAs {
  const own = actions.filter(stops);
  return stoppedAs(own.find((action) => verdicts[action] > 0) ?? own[0]) ?? stoppedNames[0]!;
}

/** Returns how many of the verdicts that rest on a rule would be another one without it. */
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

/** Examples as they are shown; messages of one text and equal matches are one of them. */
function exampleItems(examples: readonly Example[]): Item[] {
  const found = groupBy(examples, ({ text, path, spans, messageId }) =>
    JSON.stringify(text === undefined ? [messageId, path] : [text, path, spans]),
  );
  return found.map(exampleItem);
}

/** Returns an example: the text with its matches marked, or only where they are; then each message with its sender, time and conversation. */
function exampleItem(alike: readonly Example[]): Item {
  const { path, text, from, spans, score } = alike[0]!;
  const places = spans.map(({ start, end }) => `${from + start} to ${from + end}`).join(', ');
  const marks = spans.map((span) => ({ ...span, labels: [] }));
  const isElsewhere = path !== 'data.text' && path !== 'text';
  return {
    blocks: [
      score === undefined && text !== undefined
        ? quotation(text, marks)
        : paragraph(score === undefined ? `characters ${places}` : `${score} of 100`),
      ...(isElsewhere ? [paragraph(plain(path), 'faint')] : []),
      ...alike.map((example) => paragraph(originWords(example), 'faint')),
    ],
  };
}

/** Returns the sender of a message, its time, its conversation, and its id or its place among the rows. */
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
