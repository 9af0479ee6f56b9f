import { everydayChecks } from './checks/everyday.js';
import { measuredChecks } from './checks/measured.js';
import type { Check } from './context.js';

/** All checks, in the order of their findings in a report. */
export const checks: readonly Check[] = [...everydayChecks, ...measuredChecks];
