/** Runs before each file of tests: how many random cases a property is tried on that does not say it itself. */
import fc from 'fast-check';
import { runs } from './runs.js';

fc.configureGlobal({ numRuns: runs(50) });
