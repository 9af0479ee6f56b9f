import { printThreshold } from '../../engine/compile/threshold.js';
import type { CurvePoint, ThresholdCurve } from '../../review/precision/curve.js';
import { type Column, type Group, heading, name, paragraph, table, words } from '../document/document.js';
import { countColumn, shareColumns } from './wording.js';

/**
 * Returns a table for each threshold of a rule: what is right and wrong above it and above higher
 * ones.
 */
export function curveBlocks(rule: string, curves: readonly ThresholdCurve[]): readonly Group[] {
  return curves.map((curve, at) => {
    const isUnsure = curve.points.some(({ unsure }) => unsure > 0);
    const columns: Column<CurvePoint>[] = [
      { title: 'over', cell: ({ greaterThan }) => String(greaterThan), align: 'right' },
      countColumn('labelled', true),
      countColumn('right'),
      countColumn('wrong'),
      ...(isUnsure ? [countColumn('unsure', true)] : []),
      ...shareColumns<CurvePoint>(),
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
