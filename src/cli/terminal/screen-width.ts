import type { Output } from '../io.js';

const widest = 100;
const usual = 80;
const narrowest = 40;

/** Columns to write tables in: those of the terminal, but no wider than is pleasant to read; 80 where nobody says. */
export function screenWidth({ columns }: Output): number {
  return Math.max(narrowest, Math.min(columns ?? usual, widest));
}
