import type { LabelUse } from '../../review/tune/items.js';
import type { Proposal, TunedRules, TuneReport } from '../../review/tune/report.js';
import type { CurvePoint, NewScores, ThresholdCurve } from '../../review/tune/thresholds.js';
import {
  type Block,
  type Column,
  type Group,
  heading,
  joined,
  listed,
  moreWords,
  name,
  paragraph,
  plain,
  table,
  type Words,
  words,
} from '../document/document.js';
import { intervalText, shareText } from '../precision/words.js';
import { counted, formatCount } from '../terminal/text.js';

/** Proposals that a screen shows, and points of a curve. */
const mostProposals = 10;
const mostPoints = 12;

/** The result of `sluice tune` as a document. */
export function tuneDocument({ proposals, set, thresholds, labels, messages, tried, notHeld }: TuneReport): Group[] {
  const kept = labels.aside > 0 ? `, ${formatCount(labels.aside)} of them kept aside` : '';
  const dropped = notHeld > 0 ? `, ${formatCount(notHeld)} did not hold on the labels kept aside` : '';
  const few = labels.aside === 0 && proposals.length > 0;
  return [
    [
      paragraph(
        `${counted(labels.used, 'label')} used${kept}; ${counted(messages, 'message')}; ${counted(tried, 'change')} tried${dropped}`,
      ),
      ...leftOut(labels),
    ],
    ...(proposals.length === 0
      ? [
          [
            paragraph(
              `nothing to propose${notHeld > 0 ? '; `--holdout 0` shows as suggestions what did not hold' : ''}`,
            ),
          ],
        ]
      : []),
    ...proposals.slice(0, mostProposals).map((one, index) => proposalBlocks(one, index + 1)),
    ...(proposals.length > mostProposals
      ? [[paragraph(moreWords(proposals.length - mostProposals, 'proposal'), 'faint' as const)]]
      : []),
    ...(set === null ? [] : [[heading(setTitle(set.members)), ...effectBlocks(set)]]),
    ...(few
      ? [
          [
            paragraph(
              'suggestions, since no label was kept aside to hold them to: label more messages before they are used',
            ),
          ],
        ]
      : []),
    ...thresholds.filter(({ curve, newScores }) => curve.length > 0 || newScores !== undefined).map(thresholdBlocks),
  ];
}

function setTitle(members: readonly number[]): string {
  return `together: ${members.map((index) => index + 1).join(', ')}`;
}

/** Says which labels were not used, with ids of their messages. */
function leftOut({ unsure, absent, changed, contradictory, examples }: LabelUse): readonly Block[] {
  const ids = (kind: keyof typeof examples): Words =>
    words` (${listed(examples[kind] ?? [], 3, (id) => name(id, 20))})`;
  const parts: readonly (readonly [number, Words])[] = [
    [unsure, `${formatCount(unsure)} unsure`],
    [absent, words`${absent} of messages that are not there${ids('absent')}`],
    [changed, words`${changed} of rules that changed, or do not match now${ids('changed')}`],
    [contradictory, words`${contradictory} contradict another one${ids('contradictory')}`],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([, text]) => text);
  return shown.length === 0 ? [] : [paragraph(words`labels left out: ${joined(shown)}`)];
}

function proposalBlocks(proposal: Proposal, number: number): Group {
  return [heading(words`${number}  ${plain(proposal.detail)}`), ...effectBlocks(proposal)];
}

/** Says what changed rules do with labels and all messages. */
function effectBlocks({
  freed,
  found,
  lost,
  released,
  unlabelled,
  newlyStopped,
  precision,
  examples,
}: TunedRules): Block[] {
  const done = [
    ...(freed > 0 ? [`frees ${counted(freed, 'message')} that labels call wrong`] : []),
    ...(found > 0 ? [`finds ${formatCount(found)} that labels call missed`] : []),
    ...(lost > 0 ? [`loses ${formatCount(lost)} that labels call right`] : []),
  ];
  const all = [
    ...(released > 0 ? [`releases ${formatCount(released)}, ${formatCount(unlabelled)} of them without a label`] : []),
    ...(newlyStopped > 0 ? [`stops ${formatCount(newlyStopped)} more`] : []),
  ];
  const { before, after, isAside } = precision;
  const shares = [before, after].map((one) => `${shareText(one)} ${intervalText(one)}`.trim() || 'none');
  const from = isAside ? 'by the labels kept aside' : 'by the labels that it was made from';
  return [
    paragraph(`${done.join(', ')}; of all messages ${all.join(', and ') || 'none is decided otherwise'}`),
    paragraph(`right of what is stopped: ${shares.join(' → ')}, ${from}`),
    paragraph(words`such as ${joined(examples.map((id) => name(id, 20)))}`, 'faint'),
  ];
}

function thresholdBlocks({ ruleId, conditionId, label, greaterThan, curve, chosen, newScores }: ThresholdCurve): Group {
  const mark = (level: number) =>
    [...(level === greaterThan ? ['now'] : []), ...(level === chosen ? ['best'] : [])].join(', ');
  const columns: Column<CurvePoint>[] = [
    { title: 'over', cell: (point) => String(point.greaterThan), align: 'right' },
    { title: 'right', cell: ({ right }) => formatCount(right), align: 'right' },
    { title: 'wrong', cell: ({ labelled, right }) => formatCount(labelled - right), align: 'right' },
    { title: 'missed', cell: ({ missed }) => formatCount(missed), align: 'right' },
    { title: 'share', cell: shareText, align: 'right' },
    { title: '95 %', cell: intervalText },
    {
      title: '0 to 100',
      cell: ({ precision, low, high }) => (precision === null ? '' : { low, at: precision, high }),
      optional: true,
    },
    { title: '', cell: (point) => mark(point.greaterThan) },
  ];
  return [
    heading(words`${name(label)} over ${greaterThan} of ${name(ruleId)}, condition ${conditionId}`),
    ...table(columns, somePoints(curve, [greaterThan, chosen]), { noun: 'points' }),
    ...(newScores === undefined ? [] : [paragraph(newScoresWords(newScores, greaterThan))]),
  ];
}

/** Returns points that are spread over a curve, and those that have to be among them. */
function somePoints(curve: readonly CurvePoint[], needed: readonly (number | undefined)[]): readonly CurvePoint[] {
  const step = Math.max(1, curve.length / mostPoints);
  const places = new Set(Array.from({ length: mostPoints }, (_, at) => Math.round(at * step)));
  return curve.filter((point, at) => places.has(at) || needed.includes(point.greaterThan));
}

function newScoresWords({ messages, over, asMany, agrees, differing }: NewScores, greaterThan: number): Words {
  const some = listed(differing, 5, (id) => name(id, 20));
  const ids = agrees.differ === 0 ? '' : words` (${some})`;
  return words`${formatCount(over)} of ${formatCount(messages)} messages are over ${greaterThan}; on the new scores ${formatCount(asMany.over)} are over ${asMany.greaterThan}, and over ${agrees.greaterThan} agrees best: ${formatCount(agrees.differ)} differ${ids}`;
}
