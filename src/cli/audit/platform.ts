import type { DisagreementCount, PlatformComparison, ReadingEffect } from '../../audit/count/platform.js';
import { joinBlocks, wrapped } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { type Column, tableLines } from '../terminal/table.js';
import { counted, escapeText, formatCount, formatPercent } from '../terminal/text.js';
import { countColumn } from './tables.js';

/** The lines of `audit --compare-platform`: agreement, where the two differ, and which readings would change that. */
export function platformLines(comparison: PlatformComparison, top: number, output: Output): string[] {
  const { compared, agreed, onlyHere, onlyThere, examples, ruleNamed, sameRule } = comparison;
  const { carrying, unreadable, unreadableRules, undecided, unnamed, without } = comparison;
  if (carrying === 0) {
    const isThere = `${counted(unreadable, 'message')} with a \`data.moderation\` that says no \`status\`, so there is nothing to compare`;
    const mend =
      unreadable > 0
        ? isThere
        : "no message carries the platform's decision (`data.moderation`), so there is nothing to compare; take messages of " +
          'an app whose moderation is switched on, from the platform or from a file that kept all of their fields';
    return wrapped(mend, 'doubt', output, '    ');
  }
  const share = compared === 0 ? '' : ` (${formatPercent(agreed, compared)})`;
  const result = `as the platform decided: ${formatCount(agreed)} of ${counted(compared, 'message')}${share}`;
  const such = (ids: readonly string[]) => (ids.length > 0 ? `, such as ${escapeText(ids.join(', '))}` : '');
  const others = [
    ...undecided.map(({ status, messages }) => `${formatCount(messages)} ${escapeText(status)}`),
    ...(unnamed > 0 ? [`${formatCount(unnamed)} of further statuses`] : []),
    ...(unreadable > 0 ? [`${formatCount(unreadable)} whose \`data.moderation\` says no \`status\``] : []),
    ...(without > 0 ? [`${formatCount(without)} without a decision`] : []),
  ];
  const details = [
    ...(onlyHere > 0 ? [`  stopped here alone: ${formatCount(onlyHere)}${such(examples.onlyHere)}`] : []),
    ...(onlyThere > 0 ? [`  stopped by the platform alone: ${formatCount(onlyThere)}${such(examples.onlyThere)}`] : []),
    ...(ruleNamed > 0
      ? [`  stopped by both: ${formatCount(sameRule)} of ${formatCount(ruleNamed)} for the same rule`]
      : []),
    ...(unreadableRules > 0
      ? [`  no rule could be read from the \`data.moderation.rule\` of ${counted(unreadableRules, 'message')}`]
      : []),
    ...(others.length > 0 ? [`  not compared: ${others.join(', ')}`] : []),
  ];
  return joinBlocks([
    [
      ...wrapped(result, 'head', output, '    '),
      ...details.flatMap((line) => wrapped(line, undefined, output, '    ')),
    ],
    ruleLines(comparison.rules, top, output),
    readingLines(comparison, output),
  ]);
}

function ruleLines(rules: readonly DisagreementCount[], top: number, output: Output): string[] {
  const columns: Column<DisagreementCount>[] = [
    { title: 'differs by rule', flexible: 'last', text: ({ ruleId }) => ruleId ?? '(no rule named)' },
    countColumn('here alone', ({ onlyHere }) => onlyHere),
    countColumn('platform alone', ({ onlyThere }) => onlyThere),
  ];
  return tableLines(columns, rules, output, top);
}

/** The readings that would change an agreement; a reading that resolves much and breaks nothing is likely the platform's. */
function readingLines({ readings, compared, agreed }: PlatformComparison, output: Output): string[] {
  const changing = readings.filter(({ resolves, breaks }) => resolves > 0 || breaks > 0);
  if (changing.length === 0) {
    const none = compared === agreed ? [] : ['no other reading would change any of this (docs/readings.md)'];
    return none.flatMap((line) => wrapped(line, undefined, output));
  }
  const columns: Column<ReadingEffect>[] = [
    { title: 'another reading', flexible: 'last', text: ({ reading, value }) => `${reading}: ${value}` },
    countColumn('resolves', ({ resolves }) => resolves),
    countColumn('breaks', ({ breaks }) => breaks),
  ];
  return tableLines(columns, changing, output);
}
