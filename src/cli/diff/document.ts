/**
 * The document of a diff: what changed, the causes by kind, the warnings, what reviewers found, and
 * what it rests on.
 */
import { type DiffCause, type DiffExample, type DiffKind, diffKinds } from '../../audit/count/diff-causes.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import type { RuleSetDiff } from '../../review/compare/diff-rule-sets.js';
import type { ComparedRuleSets } from '../../review/compare/gates.js';
import { causeWords } from '../cause-names.js';
import {
  type Block,
  type Column,
  type Group,
  heading,
  list,
  more,
  name,
  paragraph,
  quotation,
  table,
  title,
  type Words,
  words,
} from '../document/document.js';
import { sideErrorClauses } from '../rule-errors.js';
import type { Tone } from '../terminal/style.js';
import { counted, formatCount } from '../terminal/text.js';
import { uncheckedByEveryRule } from '../unchecked.js';
import { assumedReadings, changeClauses, readingWords, receiptWords } from './changes.js';

/** Number of changes that are shown. `--json` has all. */
const mostChanges = 20;

/** A diff with everything that its document shows. */
interface DiffReport {
  /** Counts and causes are absent if no messages were judged. */
  readonly diff: ComparedRuleSets;
  readonly rules: RuleSet;
  readonly against: RuleSet;
  /**
   * Whether the old rules are judged with the readings of the new ones although no option says so.
   */
  readonly isAssumed: boolean;
  /** Descriptions of the gates that closed. */
  readonly closed: readonly string[];
  /** Whether examples omit their text. */
  readonly redact: boolean;
  /** Number of causes of a kind that are shown. Further ones are counted. */
  readonly top: number;
}

/**
 * Returns a diff as a document, and its last group: the gates and the receipt, which are never left
 * out.
 */
export function diffDocument(report: DiffReport): { readonly groups: readonly Group[]; readonly last: Group } {
  const { diff, rules, isAssumed, closed } = report;
  const receipt = receiptWords(diff.receipt);
  const last = [...closed.map((why) => paragraph(`closed: ${why}`, 'bad')), paragraph(receipt, 'faint')];
  const readings = [
    paragraph(readingWords(diff.receipt)),
    ...(isAssumed ? [paragraph(assumedReadings, 'warning')] : []),
  ];
  const errors = sideErrorClauses(diff.errors).map((clause) => paragraph(clause, 'bad'));
  const clauses = changeClauses(diff.changes, rules);
  const changes =
    clauses.length === 0
      ? [heading('the rule sets are equal')]
      : [
          heading('what changed'),
          ...list(clauses.slice(0, mostChanges)),
          ...more(clauses.length - mostChanges, undefined, ' (--json)'),
        ];
  if (!('messages' in diff)) return { groups: [changes, readings, errors], last };
  return {
    groups: [
      [title(`${counted(diff.messages, 'message')}, two rule sets: ${resultWords(diff)}`), ...readings, ...errors],
      changes,
      ...diffKinds.map((kind) => kindBlocks(diff, kind, report)),
      outcomeWords(diff).map((clause) => paragraph(clause)),
      warningClauses(diff).map((clause) => paragraph(clause, 'warning')),
    ],
    last,
  };
}

const kindWords: Readonly<Record<DiffKind, string>> = {
  newlyStopped: 'newly stopped',
  released: 'released',
  changed: 'changed',
  reasonOnly: 'stopped for another reason',
};
const signs: Readonly<Record<DiffKind, string>> = { newlyStopped: '+', released: '−', changed: '±', reasonOnly: '=' };
const tones: Readonly<Record<DiffKind, Tone>> = {
  newlyStopped: 'bad',
  released: 'good',
  changed: 'warning',
  reasonOnly: 'faint',
};

/**
 * Describes the numbers of a diff in one sentence. Zeros are left out, except for the first two.
 */
function resultWords({ newlyStopped, released, changed, reasonOnly }: RuleSetDiff): string {
  if (newlyStopped + released + changed + reasonOnly === 0) return 'no message is treated differently';
  return [
    `${formatCount(newlyStopped)} newly stopped, ${formatCount(released)} released`,
    ...(changed > 0 ? [`${formatCount(changed)} changed`] : []),
    ...(reasonOnly > 0 ? [`${formatCount(reasonOnly)} ${kindWords.reasonOnly}`] : []),
  ].join(', ');
}

/**
 * Returns the messages of one kind by cause, each cause with examples. Empty if there are no
 * messages of the kind.
 */
function kindBlocks(diff: RuleSetDiff, kind: DiffKind, { rules, against, redact, top }: DiffReport): readonly Block[] {
  if (diff[kind] === 0) return [];
  const by = kind === 'released' ? ', by what stopped them' : '';
  const head: Words = { words: `${signs[kind]}${formatCount(diff[kind])} ${kindWords[kind]}${by}`, tone: tones[kind] };
  const causes = diff.causes.filter((cause) => cause.kind === kind);
  if (causes.length === 0) return [heading(head)];
  const columns: Column<DiffCause>[] = [
    {
      title: head,
      flexible: 'last',
      wraps: true,
      cell: (cause) => causeWords(cause, cause.of === 'rules' ? rules : against),
    },
    { title: 'only this', align: 'right', cell: ({ onlyCause }) => formatCount(onlyCause) },
    {
      title: 'also another',
      align: 'right',
      optional: true,
      cell: ({ onlyCause, messages }) => formatCount(messages - onlyCause),
    },
  ];
  const below = ({ examples }: DiffCause) => examples.map((example) => exampleBlock(example, redact));
  return [
    ...table(columns, causes.slice(0, top), { below, noun: 'causes' }),
    ...more(causes.length - top, 'cause', ' (--top N)'),
  ];
}

/** Width of the id of a message, in columns. */
const idWidth = 16;

/**
 * Returns an example as one line: the id of the message, its score if it has one, and its text with
 * the match.
 */
function exampleBlock(example: DiffExample, redact: boolean): Block {
  const { messageId, text, span, score } = example;
  const id = messageId === null ? 'no id' : name(messageId, idWidth);
  const lead: Words = { words: words`${id}: `, tone: 'faint' };
  if (redact || (score !== undefined && text === '')) return paragraph(words`${lead}${placeWords(example)}`);
  if (span === undefined && score !== undefined)
    return quotation(text, [], 'line', words`${lead}${placeWords(example)} · `);
  return quotation(text, span === undefined ? [] : [{ ...span, labels: [] }], 'line', lead);
}

/**
 * Describes an example whose text is not shown, by the position of its match or by its score:
 * `characters 4 to 9 of 33`.
 */
function placeWords({ length, span, score }: DiffExample): Words {
  if (score !== undefined) return words`${name(score.label)} ${score.score}`;
  return span === undefined ? `text of ${length} characters` : `characters ${span.start} to ${span.end} of ${length}`;
}

/** Describes what people found about the messages that the new rules decide differently. */
function outcomeWords({ outcomes }: RuleSetDiff): string[] {
  if (outcomes === undefined) return [];
  const judgements = {
    newlyStopped: ['wrongly sent, so stopping them is right', 'rightly sent, so stopping them is a false positive'],
    released: ['wrongly stopped, so sending them is right', 'rightly stopped, so sending them is a miss'],
    changed: ['wrongly handled', 'rightly handled'],
  } as const;
  return (Object.keys(judgements) as (keyof typeof judgements)[]).flatMap((kind) => {
    const { wrong, right, unknown } = outcomes[kind];
    if (wrong + right + unknown === 0) return [];
    const [good, bad] = judgements[kind];
    return [
      `review of the ${kindWords[kind]}: ${formatCount(wrong)} were ${good}; ${formatCount(right)} ${bad}; ` +
        `${formatCount(unknown)} have no outcome`,
    ];
  });
}

/** Describes everything that limits what the numbers of a diff say. */
function warningClauses({ unevaluated, truncated, messages }: RuleSetDiff): string[] {
  const { newlyStopped, released, changed } = unevaluated;
  const differing = newlyStopped + released + changed;
  return [
    ...(unevaluated.rules + unevaluated.against > 0
      ? [
          `${uncheckedByEveryRule}: ${formatCount(unevaluated.rules)} of ${counted(messages, 'message')} by the new ` +
            `rules, ${formatCount(unevaluated.against)} by the old; ${formatCount(differing)} of them are treated differently`,
        ]
      : []),
    ...(truncated > 0
      ? [`more matches than a decision lists, so causes may be missing: ${counted(truncated, 'message')}`]
      : []),
  ];
}
