import { printThreshold } from '../../engine/compile/threshold.js';
import type { CurvePoint, ThresholdCurve } from '../../review/precision/curve.js';
import { type Column, type Group, heading, name, paragraph, table, words } from '../document/document.js';
import { formatCount } from '../terminal/text.js';
import { intervalText, shareText } from './words.js';

const count = (title: 'labelled' | 'right' | 'wrong' | 'unsure', optional: boolean): Column<CurvePoint> => {
  return { title, cell: (point) => formatCount(point[title]), align: 'right', optional };
};

/**
 * Returns a table for each threshold of a rule: what is right and wrong over it and over higher
 * ones.
 */
export function curveBlocks(rule: string, curves: readonly ThresholdCurve[]): readonly Group[] {
  return curves.map((curve, at) => {
    const isUnsure = curve.points.some(({ unsure }) => unsure > 0);
    const columns: Column<CurvePoint>[] = [
      { title: 'over', cell: ({ greaterThan }) => String(greaterThan), align: 'right' },
      count('labelled', true),
      count('right', false),
      count('wrong', false),
      ...(isUnsure ? [count('unsure', true)] : []),
      { title: 'share', cell: shareText, align: 'right' },
      {
        title: '0 to 100',
        cell: ({ precision, low, high }) => (precision === null ? '' : { low, at: precision, high }),
        optional: true,
      },
      { title: '95 %', cell: intervalText },
    ];
    return [
      heading(words`${name(rule)}, ${name(printThreshold(curve))}`),
      ...table(columns, curve.points, { noun: 'thresholds' }),
      ...(at < curves.length - 1
        ? []
        : [paragraph('a sample says nothing of lower thresholds: for these, draw one by rules that have them')]),
    ];
  });
}
