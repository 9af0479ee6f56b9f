import type { WordReading } from '../../src/index.js';
import { isFull } from './runs.js';

/** The readings of terms. */
export const wordReadings: readonly WordReading[] = ['word', 'substring', 'prefix', 'suffix'];

/**
 * Readings of lists, as tests are named by them: in `mixed` ones terms have the four in turn, which
 * takes in what lists of one have.
 */
export const listReadings = isFull ? ([...wordReadings, 'mixed'] as const) : (['word', 'substring', 'mixed'] as const);

/** The readings of so many terms. */
export function readingsOf(name: WordReading | 'mixed', count: number): WordReading[] {
  return Array.from({ length: count }, (_, at) => (name === 'mixed' ? wordReadings[at % wordReadings.length]! : name));
}
