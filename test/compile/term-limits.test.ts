import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readExceptions } from '../../src/engine/compile/exceptions.js';
import { IssueLog } from '../../src/engine/compile/issue.js';
import { joinTerms, type WordRequest } from '../../src/engine/compile/join-terms.js';
import { lowerCondition } from '../../src/engine/compile/lower-condition.js';
import { admitTerms, termLimits } from '../../src/engine/compile/term-limits.js';
import { readTermLists } from '../../src/engine/compile/terms.js';
import { resolveSemantics } from '../../src/engine/semantics.js';
import { runAtOnce } from '../../src/foundation/portions.js';
import { createEngine, type Rule, type Semantics } from '../../src/index.js';
import { judge } from '../support/oracle.js';

const { termCharacters, allCharacters } = termLimits;
const rule = (id: string, condition: object): Rule =>
  ({ id, action: ['blockMessage'], conditions: [{ id: 1, operand: 'text', category: 'word', ...condition }] }) as Rule;
const list = { isKeywordsReferencePresent: true, value: ['l'] };
const foldings = ['exact', 'case', 'hardened'] as const;

/**
 * Which of some texts are found, of terms that are linked under small limits, and the details of
 * what is rejected.
 */
function link(
  terms: readonly (readonly [term: string, condition: number, listId?: string, whole?: boolean])[],
  limits: Partial<typeof termLimits>,
  changes: Partial<Semantics> = {},
) {
  const log = new IssueLog();
  const requests = terms.map(([written, condition, listId, whole = false], index): WordRequest => {
    const reference = { condition, written, ...(listId !== undefined && { listId }) };
    return { reference, operand: 'text', whole, place: { ruleId: 'r', conditionId: condition }, index };
  });
  const semantics = resolveSemantics(changes);
  const named = { ruleIds: new Set(), lists: new Map(), missing: new Map() };
  const { entries = [] } = runAtOnce(readExceptions(semantics, named, log)) ?? {};
  const linked = runAtOnce(joinTerms(requests, entries, semantics, log, { ...termLimits, ...limits }));
  const { index, errors, exceptions } = linked;
  const references = index.references.text.references.map(({ written }) => written);
  return { index, errors, references, exceptions, issues: log.issues.map(({ code, severity, ...rest }) => rest) };
}

describe('term limits', () => {
  it.each(foldings)('admit a term of 100,000 characters, and reject only a longer one: %s', (folding) => {
    const [longest, tooLong] = ['x'.repeat(termCharacters), 'y'.repeat(termCharacters + 1)];
    const detail = 'term was rejected: is 100001 characters long, more than 100000';
    for (const condition of [{ value: [tooLong, longest, 'z'] }, list]) {
      const lists = [{ id: 'l', searchTerms: [tooLong, longest, 'z'] }];
      const engine = createEngine({ rules: [rule('r', condition)], lists }, { folding });
      const where = condition === list ? { ruleId: 'r', conditionId: 1, listId: 'l' } : { ruleId: 'r', conditionId: 1 };
      expect(engine.issues).toEqual([{ code: 'rejected-term', severity: 'error', ...where, index: 0, detail }]);
      expect(engine.counts.terms).toBe(2);
      expect(['z', longest, tooLong].map((text) => engine.decide(text) === 'allow')).toEqual([false, false, true]);
      expect(engine.explain('z').unevaluated).toEqual([]);
      expect(engine.explain('fine').unevaluated).toMatchObject([{ ruleId: 'r', conditionId: 1, why: 'not-compiled' }]);
    }
  });

  it('apply to `equals` and to exceptions', () => {
    const long = `${'y'.repeat(termCharacters)} y`;
    const rules = [rule('whole', { operator: 'equals', value: [long, 'fine'] }), rule('y', { value: ['y'] })];
    const engine = createEngine({ rules, lists: [] }, { exceptions: ['', long, 'my y'] });
    expect(engine.issues.map(({ ruleId, index, detail }) => [ruleId, index, detail])).toEqual([
      ['whole', 0, 'term was rejected: is 100002 characters long, more than 100000'],
      [undefined, 1, 'exception was rejected: is 100002 characters long, more than 100000'],
    ]);
    expect(engine.explain(long).matched.map(({ ruleId }) => ruleId)).toEqual(['y']);
    expect(engine.decide('my y')).toBe('allow');
    expect(engine.decide('fine')).toBe('blockMessage');
  });

  it('throw under `broken: "fail"`, with the figure', () => {
    const rules = [rule('r', { value: ['x'.repeat(termCharacters + 1)] })];
    expect(() => createEngine({ rules, lists: [] }, { broken: 'fail' })).toThrow(
      /^rule `r`: rejected-term: term was rejected: is 100001 characters long, more than 100000; /,
    );
  });

  it.each(foldings)('the engine agrees with the oracle on the admitted terms: %s', (folding) => {
    // Short texts: the oracle tries every character of a text, and takes time in proportion to the
    // square of it.
    const texts = ['fine', 'short one', 'short'];
    const long = 'x'.repeat(termCharacters + 1);
    const value = ['short', long];
    const rules = ['contains', 'equals'].map((operator) => rule(operator, { operator, value }));
    const exceptions = [`short one${' '.repeat(termCharacters)}`];
    const engine = createEngine({ rules, lists: [] }, { folding, exceptions });
    for (const text of texts) {
      const message = { data: { text } };
      const readings = { ...resolveSemantics({ folding, exceptions }), runs: 'all', exempt: [] } as const;
      const wanted = judge({ rules, lists: [], message, media: [], readings });
      const { verdict, matched, unevaluated } = engine.explain(message);
      expect([verdict, matched.map(({ ruleId }) => ruleId).sort()]).toEqual([
        wanted.verdict,
        Object.keys(wanted.matched).sort(),
      ]);
      expect(unevaluated.map(({ ruleId, conditionId, why }) => `${ruleId}#${conditionId} ${why}`)).toEqual(
        wanted.unevaluated,
      );
    }
  });

  it('admit the shortest terms first, and in order within one length', () => {
    const limits = { terms: 9, allCharacters: 10 };
    expect([...admitTerms([5, 3, 3, 3, 1], limits).admitted]).toEqual([0, 1, 1, 1, 1]);
    expect([...admitTerms([4, 4, 4], limits).admitted]).toEqual([1, 1, 0]);
    expect([...admitTerms([4, 4, 2], limits).admitted]).toEqual([1, 1, 1]);
    expect([...admitTerms([2, 1, 2], { ...limits, terms: 2 }).admitted]).toEqual([1, 1, 0]);
    expect(admitTerms([], limits)).toEqual({ admitted: new Uint8Array(0) });
  });

  it('report terms beyond the total once per list and condition, with the figures', () => {
    const terms = [
      ['a', 1],
      ['bbbb', 1, 'l'],
      ['ccccc', 1, 'l'],
      ['ddd', 2],
      ['eeeeee', 2],
    ] as const;
    const { references, issues, errors } = link(terms, { allCharacters: 9 });
    expect(references).toEqual(['a', 'bbbb', 'ddd']);
    const why = 'all terms together have 19 characters, more than 9';
    expect(issues).toEqual([
      { ruleId: 'r', conditionId: 1, listId: 'l', detail: `1 term was rejected, of 5 characters: ${why}` },
      { ruleId: 'r', conditionId: 2, detail: `1 term was rejected, of 6 characters: ${why}` },
    ]);
    expect([...errors.keys()]).toEqual([1, 2]);
    expect(link(terms, { terms: 2 }).issues.map(({ detail }) => detail)).toEqual([
      '2 terms were rejected, of 4 characters and more: there are 5 different terms, more than 2',
      '1 term was rejected, of 6 characters: there are 5 different terms, more than 2',
    ]);
  });

  it('count terms that are equal once folded once, exceptions and `equals` included', () => {
    const twice = [
      ['Bad', 1],
      ['bad', 2, 'l'],
      ['b a\td', 3],
      ['b  a d', 4],
    ] as const;
    const fitting = link(twice, { terms: 2, allCharacters: 8 });
    expect([fitting.issues, fitting.references]).toEqual([[], ['Bad', 'bad', 'b a\td', 'b  a d']]);
    expect(link(twice, { terms: 1 }).references).toEqual(['Bad', 'bad']);
    const whole = [
      ['bad', 1],
      [' bad ', 2, 'l', true],
    ] as const;
    expect(link(whole, { allCharacters: 6 }).issues).toEqual([]);
    const crowded = link(whole, { allCharacters: 5 });
    expect([crowded.references, [...crowded.errors.keys()]]).toEqual([['bad'], [2]]);
    const { issues, index, exceptions } = link([['bad', 1]], { allCharacters: 6 }, { exceptions: ['Bad', 'not bad'] });
    expect(issues).toEqual([
      { index: 1, detail: 'exception was rejected: all terms together have 10 characters, more than 6' },
    ]);
    expect([index.count, index.distinct, exceptions?.entries]).toEqual([1, 1, [[0]]]);
  });

  it('bound how many terms all conditions refer to together', () => {
    const log = new IssueLog();
    const lists = runAtOnce(readTermLists([{ id: 'l', searchTerms: ['a', 'b', 'c'] }], log));
    const fields = { operand: 'text', isKeywordsReferencePresent: true, value: ['l'] };
    const place = { ruleId: 'r', conditionId: 1 };
    const lower = (room: number) =>
      runAtOnce(lowerCondition(fields, { place, lists, missing: new Map(), room, reported: new Set(), log }));
    const lowered = lower(3);
    expect(lowered?.kind === 'words' && [...lowered.sources].map(({ written }) => written)).toEqual(['a', 'b', 'c']);
    const detail = 'refers to 3 terms, and conditions before it leave 2 of 4000000';
    expect([lower(2), log.issues]).toMatchObject([undefined, [{ code: 'rejected-term', ruleId: 'r', detail }]]);
  });

  it('are those of docs/rules.md', () => {
    const page = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8');
    const [each, terms, all] = [termCharacters, termLimits.terms, allCharacters].map((limit) =>
      limit.toLocaleString('en-US'),
    );
    expect(page).toContain(`(\`rejected-term\`) | ${each} characters | ${terms} that differ, ${all} characters |`);
  });
});
