import fc from 'fast-check';
import { describe, it } from 'vitest';
import { runs } from '../support/runs.js';
import { anyBytesAsResponse, anyJsonAsRuleSet, anyValueAsMessage } from './hostile-inputs.js';

describe('P24: hostile inputs', () => {
  it('any value as a message: a verdict, by `decide` and `explain` alike, or a UsageError', () => {
    fc.assert(anyValueAsMessage, { numRuns: runs(500, 50_000) });
  });

  it('any JSON as a rule set: an engine, or a RuleSetError', () => {
    fc.assert(anyJsonAsRuleSet, { numRuns: runs(125, 12_500) });
  });

  it('any bytes as a response: a value, a ShapeError or an HttpError', () => {
    fc.assert(anyBytesAsResponse, { numRuns: runs(500, 50_000) });
  });
});
