import type { BenchRecord } from '../../bench/record.js';
import type { ContenderResult } from '../../bench/rules/measure.js';

const sizes = { messages: 1, bytes: 1, units: 1, terms: 1, patterns: 0, rules: 1, warmUpPasses: 1 };
const machine = { cpu: 'some', cores: 2, memoryBytes: 1, system: 'x', node: 'v20.1.0', v8: '1', load: 0 };

/** The record of a full run with one measurement. */
export function recordOf(contenders: readonly ContenderResult[], name = 'words'): BenchRecord {
  const about = { name, model: 'words', ask: 'all', why: '', question: '', unit: 'message' } as const;
  const results = [{ ...about, ...sizes, contenders }];
  return { format: 1, date: '2026-01-01T00:00:00Z', commit: 'abc', mode: 'full', machine, results, curves: [] };
}
