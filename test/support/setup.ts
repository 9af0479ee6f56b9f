/**
 * Runs before each file of tests. It sets how many random cases a property is tried on that does
 * not say it itself, and one seed for all, so that a run of the tests gives the same result on
 * every machine. `SLUICE_FULL=1` draws new cases each time.
 */
import fc from 'fast-check';
import { isFull, runs } from './runs.js';

fc.configureGlobal({ numRuns: runs(50), ...(!isFull && { seed: 2026 }) });
