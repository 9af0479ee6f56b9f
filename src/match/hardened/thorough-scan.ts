import type { KeywordMatcher } from '../keyword-scan.js';

/** Finds hardened terms without leaving anything to be asked. It reads few texts, so patterns are read by themselves then. */
export type ThoroughScan = Omit<KeywordMatcher, 'scanWith' | 'steps' | 'createClosedTerms'>;
