/** The section of the screen of `sluice audit` that compares with the decisions of the platform. */
import type { DisagreementCount, PlatformComparison, ReadingEffect } from '../../audit/count/platform.js';
import {
  type Block,
  type Column,
  type Group,
  heading,
  list,
  name,
  paragraph,
  plain,
  table,
  type Words,
  words,
} from '../document/document.js';
import { counted, formatCount, formatPercent } from '../terminal/text.js';
import { countColumn } from './sections.js';

/**
 * Returns the result of `audit --compare-platform`: how often both agree, where they differ, and
 * which readings would change that.
 */
export function platformGroups(comparison: PlatformComparison, top: number): Group[] {
  const { carrying, unreadable, compared, agreed, rules } = comparison;
  if (carrying === 0) {
    const reason =
      unreadable > 0
        ? `${counted(unreadable, 'message')} with a \`data.moderation\` that says no \`status\`, so there is nothing to compare`
        : "no message carries the platform's decision (`data.moderation`), so there is nothing to compare; take messages of " +
          'an app whose moderation is switched on, from the platform or from a file that kept all of their fields';
    return [[paragraph(reason, 'warning')]];
  }
  const share = compared === 0 ? '' : ` (${formatPercent(agreed, compared)})`;
  const result = `as the platform decided: ${formatCount(agreed)} of ${counted(compared, 'message')}${share}`;
  const columns: Column<DisagreementCount>[] = [
    { title: 'differs by rule', flexible: 'last', cell: ({ ruleId }) => name(ruleId ?? '(no rule named)') },
    countColumn('here alone', ({ onlyHere }) => onlyHere),
    countColumn('platform alone', ({ onlyThere }) => onlyThere),
  ];
  return [
    [heading(result), ...list(detailsOf(comparison))],
    table(columns, rules, { most: top }),
    readingBlocks(comparison),
  ];
}

function detailsOf(comparison: PlatformComparison): Words[] {
  const { onlyHere, onlyThere, examples, ruleNamed, sameRule, unreadableRules } = comparison;
  const such = (ids: readonly string[]) => (ids.length > 0 ? words`, such as ${plain(ids.join(', '))}` : '');
  const uncompared = notCompared(comparison);
  return [
    ...(onlyHere > 0 ? [words`stopped here alone: ${formatCount(onlyHere)}${such(examples.onlyHere)}`] : []),
    ...(onlyThere > 0
      ? [words`stopped by the platform alone: ${formatCount(onlyThere)}${such(examples.onlyThere)}`]
      : []),
    ...(ruleNamed > 0
      ? [`stopped by both: ${formatCount(sameRule)} of ${formatCount(ruleNamed)} for the same rule`]
      : []),
    ...(unreadableRules > 0
      ? [`no rule could be read from the \`data.moderation.rule\` of ${counted(unreadableRules, 'message')}`]
      : []),
    ...(uncompared.length > 0 ? [words`not compared: ${plain(uncompared.join(', '))}`] : []),
  ];
}

function notCompared({ undecided, unreadable, without }: PlatformComparison): string[] {
  return [
    ...undecided.map(({ status, messages }) => `${formatCount(messages)} ${status}`),
    ...(unreadable > 0 ? [`${formatCount(unreadable)} whose \`data.moderation\` says no \`status\``] : []),
    ...(without > 0 ? [`${formatCount(without)} without a decision`] : []),
  ];
}

/**
 * Returns the readings that would change the agreement. A reading that resolves many differences
 * and adds none is probably the platform's.
 */
function readingBlocks({ readings, compared, agreed }: PlatformComparison): readonly Block[] {
  const changing = readings.filter(({ resolves, breaks }) => resolves > 0 || breaks > 0);
  if (changing.length === 0) {
    return compared === agreed ? [] : [paragraph('no other reading would change any of this (docs/readings.md)')];
  }
  const columns: Column<ReadingEffect>[] = [
    { title: 'another reading', flexible: 'last', cell: ({ reading, value }) => `${reading}: ${value}` },
    countColumn('resolves', ({ resolves }) => resolves),
    countColumn('breaks', ({ breaks }) => breaks),
  ];
  return table(columns, changing);
}
