import type { WordReading } from '../../src/index.js';

/** The readings of terms. */
export const wordReadings: readonly WordReading[] = ['word', 'substring', 'prefix', 'suffix'];

/** The readings of so many terms, in turn. */
export const mixedReadings = (count: number): WordReading[] =>
  Array.from({ length: count }, (_, at) => wordReadings[at % 4]!);
