import { covered } from './checks/covered.js';
import { everydayChecks } from './checks/everyday.js';
import { overLimit } from './checks/limits.js';
import { oneLetterTerm, unusedList } from './checks/lists.js';
import { joinedPatterns, matchesEmpty, misreadEdges, neverFires } from './checks/patterns.js';
import { idleThreshold, shadowed, stopsNothing } from './checks/rules.js';
import { slipChecks } from './checks/slips.js';
import type { Check } from './context.js';

/** All checks, in the order of their findings in a report. */
export const checks: readonly Check[] = [
  matchesEmpty,
  neverFires,
  joinedPatterns,
  misreadEdges,
  unusedList,
  stopsNothing,
  oneLetterTerm,
  ...slipChecks,
  covered,
  shadowed,
  idleThreshold,
  ...everydayChecks,
  overLimit,
];
