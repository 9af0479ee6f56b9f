/**
 * What a diff says, once for the terminal and for Markdown: what changed, the causes by kind, what is doubtful, what review found, what it
 * rests on. Values of rules and messages are as `quote` shows them; what is laid out is data.
 */

import { type DiffCause, type DiffExample, type DiffKind, diffKinds } from '../../audit/count/diff-causes.js';
import type { Issue } from '../../engine/compile/issue.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { commentOf } from '../../platform/loader/term-comments.js';
import type { RuleSetChange } from '../../review/compare/describe-change.js';
import type { DiffReceipt, RuleSetDiff } from '../../review/compare/diff-rule-sets.js';
import type { ComparedRuleSets } from '../../review/compare/gates.js';
import type { SideErrors } from '../../review/compare/rule-errors.js';
import { uncheckedByEveryRule } from '../doubts.js';
import { patternName } from '../plain-words.js';
import { type ErrorWords, errorWords } from '../rule-errors.js';
import { cut, listed } from '../terminal/lines.js';
import { counted, escapeText, formatCount } from '../terminal/text.js';

/** How a value from a rule set or a message is shown: escaped and marked as a quotation. */
export type Quote = (text: string) => string;

/** A diff with what is shown beside it. */
export interface DiffReport {
  /** Without messages, the counts and causes are absent. */
  readonly diff: ComparedRuleSets;
  readonly rules: RuleSet;
  readonly against: RuleSet;
  /** Whether the old rules are judged by the readings of the new ones without anybody having said so. */
  readonly isAssumed: boolean;
  /** The gates that closed, in words. */
  readonly closed: readonly string[];
  /** Whether examples are redacted. */
  readonly redact: boolean;
  /** Causes of a kind that are shown; the rest becomes a number. */
  readonly top: number;
}

/** What a diff says of its messages. */
export interface JudgedWords {
  /** How many there are. */
  readonly messages: string;
  /** The numbers in one sentence. */
  readonly result: string;
  /** Kinds without a message are left out. */
  readonly kinds: readonly KindWords[];
  readonly outcomes: readonly string[];
  readonly doubts: readonly string[];
}

/** The messages of one kind, with the first of their causes. */
export interface KindWords {
  readonly kind: DiffKind;
  readonly title: string;
  readonly causes: readonly ShownCause[];
  /** Causes beyond those. */
  readonly more: number;
}

/** A cause in words, with the messages that have no other and those that have. */
export interface ShownCause {
  readonly words: string;
  readonly onlyThis: string;
  readonly alsoAnother: string;
  readonly examples: readonly DiffExample[];
}

/** What a diff says. */
export interface DiffWords {
  /** Absent when no messages were judged. */
  readonly judged: JudgedWords | undefined;
  /** The first changes, one clause each; none when the rule sets are equal. */
  readonly changes: readonly string[];
  /** Changes beyond those. */
  readonly moreChanges: number;
  readonly readings: string;
  /** Said where nobody said by which readings the old rules are judged. */
  readonly assumed: string | undefined;
  readonly errors: readonly string[];
  readonly receipt: string;
}

/** What a diff says, with so many changes. */
export function diffWords(
  { diff, rules, against, isAssumed, top }: DiffReport,
  mostChanges: number,
  quote: Quote,
  quoteError?: ErrorWords['quote'],
): DiffWords {
  const clauses = changeClauses(diff.changes, quote, rules);
  const kindOf = (judged: RuleSetDiff, kind: DiffKind): KindWords[] => {
    const causes = judged.causes.filter((cause) => cause.kind === kind);
    const shown = causes.slice(0, top).map((cause) => ({
      words: causeWords(cause, cause.of === 'rules' ? rules : against, quote),
      onlyThis: formatCount(cause.onlyCause),
      alsoAnother: formatCount(cause.messages - cause.onlyCause),
      examples: cause.examples,
    }));
    if (judged[kind] === 0) return [];
    const title = `${formatCount(judged[kind])} ${kindWords[kind]}`;
    return [{ kind, title, causes: shown, more: causes.length - shown.length }];
  };
  return {
    judged:
      'messages' in diff
        ? {
            messages: counted(diff.messages, 'message'),
            result: resultWords(diff),
            kinds: diffKinds.flatMap((kind) => kindOf(diff, kind)),
            outcomes: outcomeWords(diff),
            doubts: doubtClauses(diff),
          }
        : undefined,
    changes: clauses.slice(0, mostChanges),
    moreChanges: Math.max(0, clauses.length - mostChanges),
    readings: readingWords(diff.receipt, quote),
    assumed: isAssumed ? assumedReadings : undefined,
    errors: sideErrorClauses(diff.errors, quoteError),
    receipt: receiptClauses(diff.receipt).join(', '),
  };
}

/** Kinds in words, for headings and sentences. */
const kindWords: Readonly<Record<DiffKind, string>> = {
  newlyStopped: 'newly stopped',
  released: 'released',
  changed: 'changed',
  reasonOnly: 'stopped for another reason',
};

/** The numbers of a diff in one sentence; those of nothing are left out but for the first two. */
function resultWords({ newlyStopped, released, changed, reasonOnly }: RuleSetDiff): string {
  if (newlyStopped + released + changed + reasonOnly === 0) return 'no message fares differently';
  return [
    `${formatCount(newlyStopped)} newly stopped, ${formatCount(released)} released`,
    ...(changed > 0 ? [`${formatCount(changed)} changed`] : []),
    ...(reasonOnly > 0 ? [`${formatCount(reasonOnly)} ${kindWords.reasonOnly}`] : []),
  ].join(', ');
}

/** Entries of a change, and changes, that are shown; the rest becomes a number. */
const mostEntries = 5;

/** Fields that no decision depends on. */
const bookkeeping = new Set(['revisionId', 'updatedAt', 'createdAt', 'description', 'default']);

/**
 * What changed, one clause each; fields that no decision depends on are one clause together. Terms that a list gained stand with the comments
 * of the new rules.
 */
export function changeClauses(changes: readonly RuleSetChange[], quote: Quote, rules: RuleSet): string[] {
  const isAside = (change: RuleSetChange) =>
    (change.kind === 'rule-field' || change.kind === 'list-field') && bookkeeping.has(change.field);
  const aside = changes.filter(isAside).flatMap((change) => ('field' in change ? [change.field] : []));
  const clauses = changes.filter((change) => !isAside(change)).map((change) => changeWords(change, quote, rules));
  if (aside.length === 0) return clauses;
  return [...clauses, `fields that decide nothing: ${[...new Set(aside)].join(', ')}`];
}

function changeWords(change: RuleSetChange, quote: Quote, rules: RuleSet): string {
  switch (change.kind) {
    case 'reading':
      return `reading ${change.reading}: ${becameWords(change, quote)}`;
    case 'rule-order':
      return 'the rules stand in another order';
    case 'list-order':
      return 'the lists stand in another order';
    case 'rule-added':
    case 'rule-removed':
    case 'rule-enabled':
    case 'rule-disabled':
      return `${ruleWords(change, quote)} ${change.kind.slice('rule-'.length)}`;
    case 'rule-renamed':
      return `rule ${quote(change.ruleId)}: name ${quote(change.before)} became ${quote(change.after)}`;
    case 'rule-action':
      return `${ruleWords(change, quote)}: action ${quote(change.before.join(', '))} became ${quote(change.after.join(', '))}`;
    case 'rule-field':
      return `${ruleWords(change, quote)}: ${fieldWords(change, quote)}`;
    case 'condition-added':
    case 'condition-removed':
      return `${conditionWords(change, quote)} ${change.kind.slice('condition-'.length)}`;
    case 'condition-values':
      return `${conditionWords(change, quote)} ${entryWords(change, change.what, quote)}`;
    case 'threshold-moved':
      return `${conditionWords(change, quote)}: threshold ${quote(change.label)} ${change.before} became ${change.after}`;
    case 'condition-field':
      return `${conditionWords(change, quote)}: ${fieldWords(change, quote)}`;
    case 'list-added':
    case 'list-removed':
      return `${listWords(change, quote)} ${change.kind.slice('list-'.length)}, with ${counted(change.entries, 'term')}`;
    case 'list-entries':
      return `${listWords(change, quote)} ${entryWords(change, 'term', (term) => {
        const comment = commentOf(rules, change.listId, term);
        return comment === undefined ? quote(term) : `${quote(term)} (${quote(comment)})`;
      })}`;
    case 'list-revision':
      return `${listWords(change, quote)}: revision ${quote(change.before ?? 'none')} became ${quote(change.after ?? 'none')}`;
    case 'list-field':
      return `${listWords(change, quote)}: ${fieldWords(change, quote)}`;
  }
}

function ruleWords({ ruleName }: { readonly ruleName: string }, quote: Quote): string {
  return `rule ${quote(ruleName)}`;
}

function conditionWords(of: { readonly ruleName: string; readonly conditionId: number }, quote: Quote): string {
  return `${ruleWords(of, quote)}, condition ${of.conditionId}`;
}

function listWords({ listId, ruleNames }: { listId: string; ruleNames: readonly string[] }, quote: Quote): string {
  return `list ${quote(listId)} (${ruleNames.length === 0 ? 'of no rule' : listed(ruleNames, 2, quote)})`;
}

function entryWords(
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
  noun: string,
  quote: Quote,
): string {
  const some = (verb: string, entries: readonly string[]) =>
    entries.length === 0 ? [] : [`${verb} ${counted(entries.length, noun)}: ${listed(entries, mostEntries, quote)}`];
  return [...some('gained', added), ...some('lost', removed)].join('; ');
}

/** Two values, of which either may be absent. */
interface Became {
  readonly before?: unknown;
  readonly after?: unknown;
}

function fieldWords(change: { readonly field: string } & Became, quote: Quote): string {
  const { field } = change;
  if (!('before' in change)) return `the same ${quote(field)} in another order or number`;
  return `${quote(field)} ${becameWords(change, quote)}`;
}

/** What a value was and is, without the parts that it has still: `"a" became "b"`, or `gained "c"`. */
function becameWords({ before, after }: Became, quote: Quote): string {
  const [was, is] = [partsOf(before), partsOf(after)];
  const [old, now] = [new Set(was), new Set(is)];
  const [lost, gained] = [was.filter((part) => !now.has(part)), is.filter((part) => !old.has(part))];
  const isOfParts = was.length > 0 && is.length > 0;
  if (isOfParts && lost.length === 0 && gained.length > 0) return `gained ${partWords(gained, quote)}`;
  if (isOfParts && gained.length === 0 && lost.length > 0) return `lost ${partWords(lost, quote)}`;
  // The same parts may stand in another order.
  const isMoved = lost.length + gained.length === 0;
  return `${partWords(isMoved ? was : lost, quote)} became ${partWords(isMoved ? is : gained, quote)}`;
}

function partWords(parts: readonly string[], quote: Quote): string {
  return parts.length === 0 ? 'none' : listed(parts, mostEntries, quote);
}

/** The parts of a value: itself, or what an object or an array holds with the path to it, as `lists.names: word`. */
function partsOf(value: unknown, path = ''): string[] {
  if (value === undefined) return [];
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (fields.length === 0) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [path === '' ? text : `${path}: ${text}`];
  }
  return fields.flatMap(([name, part]) => {
    const inArray = typeof part === 'object' ? `${path}[${name}]` : path;
    return partsOf(part, Array.isArray(value) ? inArray : path === '' ? name : `${path}.${name}`);
  });
}

/** What a cause is: the term, pattern, threshold or condition, its list, and its rule. `ruleSet` is that of its side. */
function causeWords(cause: DiffCause, ruleSet: RuleSet, quote: Quote): string {
  const { of, ruleId, ruleName, conditionId, listId, listRevisionId, term, pattern, threshold, exception } = cause;
  const what =
    term !== undefined
      ? quote(term)
      : pattern !== undefined
        ? patternName(ruleSet, ruleId, { pattern, listId })
        : threshold !== undefined
          ? `${quote(threshold.label)} over ${threshold.greaterThan}`
          : `condition ${conditionId}`;
  const list = listId === undefined ? '' : ` of ${quote(listId + revisionWords(listRevisionId))}`;
  const by = exception && quote(exception.term ?? exception.pattern ?? '');
  const from = exception?.listId === undefined ? '' : ` of ${quote(exception.listId)}`;
  const excepted = exception ? `, ${of === 'rules' ? 'no longer excepted' : 'excepted now'} by ${by}${from}` : '';
  const comment = listId === undefined ? undefined : commentOf(ruleSet, listId, term ?? pattern ?? '');
  return `${what}${list} → ${quote(ruleName)}${excepted}${comment === undefined ? '' : `, why: ${quote(comment)}`}`;
}

/** The place of the match of an example whose text is not shown, or its score: `characters 4 to 9 of 33`. */
export function placeWords({ length, span, score }: DiffExample): string {
  if (score !== undefined) return `${escapeText(score.label)} ${score.score}`;
  return span === undefined ? `text of ${length} characters` : `characters ${span.start} to ${span.end} of ${length}`;
}

/** The revision of a list as `@8`: platforms end its id in a number. */
function revisionWords(revision: string | undefined): string {
  return revision === undefined ? '' : `@${/_(\d+)$/.exec(revision)?.[1] ?? revision.slice(0, 12)}`;
}

/** What review says of messages that the new rules treat differently. */
function outcomeWords({ outcomes }: RuleSetDiff): string[] {
  if (outcomes === undefined) return [];
  const words = {
    newlyStopped: ['wrongly sent, so stopping them is right', 'rightly sent, so stopping them is a false positive'],
    released: ['wrongly stopped, so sending them is right', 'rightly stopped, so sending them is a miss'],
    changed: ['wrongly handled', 'rightly handled'],
  } as const;
  return (Object.keys(words) as (keyof typeof words)[]).flatMap((kind) => {
    const { wrong, right, unknown } = outcomes[kind];
    if (wrong + right + unknown === 0) return [];
    const [good, bad] = words[kind];
    return [
      `review of the ${kindWords[kind]}: ${formatCount(wrong)} were ${good}; ${formatCount(right)} ${bad}; ` +
        `${formatCount(unknown)} have no outcome`,
    ];
  });
}

/** What is doubtful about a diff. */
function doubtClauses({ unevaluated, truncated, messages }: RuleSetDiff): string[] {
  const { newlyStopped, released, changed } = unevaluated;
  const differing = newlyStopped + released + changed;
  return [
    ...(unevaluated.rules + unevaluated.against > 0
      ? [
          `${uncheckedByEveryRule}: ${formatCount(unevaluated.rules)} of ${counted(messages, 'message')} by the new ` +
            `rules, ${formatCount(unevaluated.against)} by the old; ${formatCount(differing)} of them fare differently`,
        ]
      : []),
    ...(truncated > 0
      ? [`more matches than a decision lists, so causes may be missing: ${counted(truncated, 'message')}`]
      : []),
  ];
}

/** The errors of the rules, one clause for each side or for both; those that the other side has not come first. */
export function sideErrorClauses(errors: SideErrors, quote?: ErrorWords['quote']): string[] {
  const { rules, against, added, removed } = errors;
  const words = (all: readonly Issue[], own: readonly Issue[], [side, other]: readonly [string, string]) => {
    const isOwn = new Set(own);
    const share =
      own.length === 0 || own.length === all.length ? '' : `, ${formatCount(own.length)} of them not ${other}`;
    const where = `${side}${share}`;
    return errorWords([...own, ...all.filter((issue) => !isOwn.has(issue))], { where, ...(quote && { quote }) });
  };
  const clauses =
    added.length + removed.length === 0
      ? [words(rules, [], ['in the new rules and in the old', ''])]
      : [
          words(rules, added, ['in the new rules', 'in the old']),
          words(against, removed, ['in the old rules', 'in the new']),
        ];
  return clauses.filter((clause) => clause !== undefined);
}

/** The readings that either side was judged by, in one sentence. */
function readingWords({ semantics }: Pick<DiffReceipt, 'semantics'>, quote: Quote): string {
  const [own, other] = [sideReadings(semantics.rules, quote), sideReadings(semantics.against, quote)];
  return own === other ? `readings of both: ${own}` : `readings of the new rules: ${own}; of the old: ${other}`;
}

/** What is said where nobody said by which readings the old rules are judged. */
const assumedReadings =
  'the old rules are judged by the readings of --semantics too; --against-semantics FILE gives them their own';

function sideReadings(semantics: Readonly<Record<string, unknown>>, quote: Quote): string {
  const changed = Object.entries(semantics).map(([reading, value]) => `${reading} ${partWords(partsOf(value), quote)}`);
  return changed.length === 0 ? 'the defaults' : changed.join(', ');
}

/** The receipt in one clause each. */
function receiptClauses({ rules, against, messages, semantics, engine }: DiffReceipt): string[] {
  const short = (digest: string) => digest.slice(0, 12);
  return [
    `receipt: rules ${short(rules)}`,
    `against ${short(against)}`,
    ...(messages === undefined ? [] : [`messages ${short(messages)}`]),
    readingWords({ semantics }, (text) => cut(text, 60)),
    `sluice ${engine}`,
  ];
}
