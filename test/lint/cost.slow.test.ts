/** What a report costs, in steps, and where it stops. */
import { describe, expect, it } from 'vitest';
import { covered } from '../../src/review/lint/checks/covered.js';
import { shadowed } from '../../src/review/lint/checks/rules.js';
import { type Check, createLintContext } from '../../src/review/lint/context.js';
import type { Found } from '../../src/review/lint/finding.js';

const syllables = ['ka', 'lo', 'mi', 'ter', 'pan', 'gol', 'ver', 'shi', 'qua', 'ned', 'ru', 'bas', 'ock', 'ine', 'ult'];

/** So many different terms: words, and phrases of which many hold a word of the list. */
function listOf(size: number): string[] {
  const terms = new Set<string>();
  for (let number = 0; terms.size < size; number++) {
    const word = (from: number) =>
      syllables[from % 15]! + syllables[(from >> 3) % 15]! + syllables[(from >> 7) % 15]! + (from >> 11 || '');
    terms.add(
      number % 3 === 0 ? `${word(number * 7)} ${number % 2 === 0 ? "o'" : ''}${word(number + 1)}` : word(number),
    );
  }
  return [...terms];
}

function ruleSetOf(size: number, patterns: readonly string[] = []) {
  const named = { id: 1, operand: 'text', category: 'word', isKeywordsReferencePresent: true, value: ['l'] };
  const written = { id: 2, operand: 'text', category: 'pattern', value: patterns };
  const conditions = patterns.length === 0 ? [named] : [named, written];
  return { rules: [{ id: 'r', action: 'blockMessage', conditions }], lists: [{ id: 'l', searchTerms: listOf(size) }] };
}

async function stepsOf(size: number, patterns?: readonly string[]) {
  const context = await createLintContext(ruleSetOf(size, patterns), {});
  const findings = [...(covered.find(context) as Iterable<Found>)];
  return { scanned: context.firing.scanned, findings: findings.length };
}

describe('cost of a report', () => {
  it('is in proportion to the list, in units scanned', async () => {
    const [few, many] = [await stepsOf(2000), await stepsOf(8000)];
    expect(few.findings).toBeGreaterThan(100);
    expect(many.findings).toBeGreaterThan(few.findings);
    expect(many.scanned).toBeLessThan(5 * few.scanned);
    expect(many.scanned).toBeLessThan(8000 * 2000);
  });

  it('beside patterns that many terms fire, too', async () => {
    const patterns = ['(?i)[a-z ]{3,40}', 'lo[a-z]', '(?i)ka.{1,9}'];
    const [few, many] = [await stepsOf(500, patterns), await stepsOf(2000, patterns)];
    expect(many.scanned).toBeLessThan(6 * few.scanned);
  });

  it('is in proportion to the rules that share a term, a list or a threshold, and leaves out all but the first', async () => {
    const conditions = [
      { id: 1, operand: 'text', value: ['spam', 'cheap spam'] },
      { id: 2, operand: 'text', isKeywordsReferencePresent: true, value: ['l'] },
      { id: 3, operand: 'image', category: 'image', value: ['nudity_greaterThan_70'] },
    ];
    const stepsFor = async (count: number, actionOf: (at: number) => string[]) => {
      const rules = Array.from({ length: count }, (_, at) => ({ id: `r${at}`, action: actionOf(at), conditions }));
      const context = await createLintContext({ rules, lists: [{ id: 'l', searchTerms: ['spam', 'scam'] }] }, {});
      const of = async (check: Check) => {
        const found: Found[] = [];
        for await (const one of check.find(context)) found.push(one);
        return found;
      };
      const findings = { covered: await of(covered), shadowed: await of(shadowed) };
      return { findings, steps: context.firing.scanned };
    };
    const alike = () => ['blockMessage'];
    const [few, many] = [await stepsFor(1000, alike), await stepsFor(5000, alike)];
    expect(many.findings.covered.filter(({ term }) => term === 'spam')).toHaveLength(5000);
    expect(many.findings.shadowed.map(({ ruleId }) => ruleId)).toEqual(
      Array.from({ length: 4999 }, (_, at) => `r${at + 1}`),
    );
    expect(many.steps).toBeLessThan(6 * few.steps);
    expect(many.steps).toBeLessThan(5000 * 50);
    const other = (at: number) => ['blockMessage', `action-${at}`];
    const [fewOthers, manyOthers] = [await stepsFor(1000, other), await stepsFor(5000, other)];
    expect(manyOthers.steps).toBeLessThan(6 * fewOthers.steps);
  });
});
