import { describe, expect, it } from 'vitest';
import { re2wasm } from '../src/engine/match/patterns/re2-wasm.js';
import { re2js } from '../src/engine/match/patterns/re2js.js';
import {
  createEngine,
  type Decision,
  defaultSemantics,
  type ExceptedMatch,
  type Match,
  type Message,
  UsageError,
} from '../src/index.js';
import {
  type Case,
  type ExpectedException,
  type ExpectedMatch,
  readCaseFiles,
  ruleSetOf,
  semanticsOf,
} from './support/cases.js';
import { asAnswer } from './support/compare.js';
import { judge } from './support/oracle.js';
import { defaultReadings, isMessage, type Readings } from './support/oracle-world.js';
import { isFull } from './support/runs.js';

const files = readCaseFiles();

describe.each(files)('$file', (file) => {
  it.each(file.cases)('$name', (given) => {
    const ruleSet = ruleSetOf(file, given);
    const semantics = semanticsOf(file, given);
    // Without patterns both engines are the same code.
    const hasPatterns = JSON.stringify([ruleSet.rules, semantics]).includes('"pattern');
    let answer: ReturnType<typeof asAnswer> | undefined;
    for (const engine of hasPatterns || isFull ? [re2js, re2wasm] : [re2js]) {
      if (given.skip?.[engine.name as 're2js' | 're2-wasm'] !== undefined) continue;
      const built = createEngine(ruleSet, { ...semantics, engine });
      if (given.refused) {
        expect(() => built.explain(given.message, given.media)).toThrow(UsageError);
        expect(() => built.decide(given.message, given.media)).toThrow(/`data\.text`/);
        built.close();
        continue;
      }
      const decision = built.explain(given.message, given.media);
      const issues = built.issues.map(({ code }) => code);
      expect({ ...summary(decision, given), issues }, engine.name).toEqual(expected(given));
      expect(built.decide(given.message, given.media), `${engine.name} decides`).toBe(decision.verdict);
      expect(liesOf(decision, given)).toEqual([]);
      if (engine === re2js) answer = asAnswer(decision);
      built.close();
    }
    expect(isMessage(given.message)).toBe(given.refused !== true);
    if (given.skip?.oracle !== undefined || given.refused) return;
    const oracle = judge({
      ...ruleSet,
      message: (typeof given.message === 'string' ? { data: { text: given.message } } : given.message) as Message,
      media: given.media ?? [],
      readings: { ...defaultReadings, ...(semantics as Partial<Readings>) },
    });
    expect(oracle.verdict, 'oracle').toBe(given.verdict);
    answer ??= asAnswer(createEngine(ruleSet, semantics).explain(given.message, given.media));
    expect(answer).toEqual(oracle);
  });
});

describe.each(files.filter(({ todos }) => todos.length > 0))('$file', (file) => {
  it.each(file.todos)('todo: $name', (given) => {
    const built = createEngine(ruleSetOf(file, given), semanticsOf(file, given));
    const issues = built.issues.map(({ code }) => code);
    const answer = { ...summary(built.explain(given.message, given.media), given), issues };
    expect(answer, 'it is answered as it should be: take `todo` away').not.toEqual(expected(given));
    expect([...issues, answer.unevaluated]).toEqual([[]]);
  });
});

describe('fixtures/cases', () => {
  const all = files.flatMap(({ file, cases, todos }) => [...cases, ...todos].map((given) => ({ file, ...given })));

  it('names are unique and begin with the file, every case cites a section or reading, every skip has a reason', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { file, name, spec, skip } of all) {
      expect(name).toMatch(new RegExp(`^${file.replace('.json', '')}-\\d{3} [^A-Z.]+[^.]*$`));
      expect(spec).toMatch(/^(§\d|reading )/);
      for (const reason of Object.values(skip ?? {})) expect(reason.length).toBeGreaterThan(15);
    }
  });

  it('are sorted by number', () => {
    for (const { cases } of files) {
      const names = cases.map(({ name }) => name.split(' ')[0]!);
      expect(names).toEqual([...names].sort());
    }
  });

  it('cover every reading', () => {
    const named = new Set(all.map(({ spec }) => spec.replace(/^reading /, '')));
    const plain = Object.keys(defaultSemantics).filter((reading) => !['broken', 'engine'].includes(reading));
    expect(plain.filter((reading) => !named.has(reading))).toEqual([]);
  });
});

/**
 * A decision in the form of a case's expectations; parts that the case does not have are left out.
 */
function summary(decision: Decision, given: Case) {
  const matches = decision.matched.flatMap((rule) => rule.conditions.flatMap((condition) => condition.matches));
  const determining = decision.matched.filter((rule) => rule.determining);
  return {
    verdict: decision.verdict,
    matched: given.matched && decision.matched.map(({ ruleId }) => ruleId),
    restsOn: given.restsOn && determining.map(({ ruleId }) => ruleId),
    actions: given.actions && decision.actions,
    unevaluated: decision.unevaluated.map(({ ruleId, conditionId, why }) => `${ruleId}#${conditionId} ${why}`),
    exempt: decision.exempt,
    matches: given.matches && matches.map((match, index) => likeExpected(match, given.matches?.[index])),
    excepted: given.excepted && decision.excepted.map((entry, index) => likeException(entry, given.excepted?.[index])),
  };
}

function expected({
  verdict,
  matched,
  restsOn,
  actions,
  unevaluated = [],
  exempt = false,
  matches,
  excepted,
  issues = [],
}: Case) {
  return {
    verdict,
    matched,
    restsOn,
    actions,
    unevaluated,
    exempt,
    matches: matches?.map((match) => (match.label === undefined ? { path: 'data.text', ...match } : match)),
    excepted,
    issues,
  };
}

function likeException({ match, exception }: ExceptedMatch, wanted: ExpectedException | undefined) {
  const all: Record<string, unknown> = { ...exception, text: match.text };
  return Object.fromEntries(Object.keys(wanted ?? all).map((key) => [key, all[key]]));
}

function likeExpected(match: Match, wanted: ExpectedMatch | undefined) {
  const span = match.kind === 'score' ? undefined : [match.span.start, match.span.end];
  const all: Record<string, unknown> = { ...match, span };
  const keys = wanted === undefined ? ['path', 'text', 'span', 'label'] : Object.keys(wanted);
  const path = wanted?.label === undefined ? ['path'] : [];
  return Object.fromEntries([...path, ...keys].map((key) => [key, all[key]]));
}

/** Matches of `data.text` whose text is not what stands at their span. */
function liesOf(decision: Decision, { message }: Case): Match[] {
  const text = typeof message === 'string' ? message : message.data?.text;
  return decision.matched
    .flatMap((rule) => rule.conditions.flatMap((condition) => condition.matches))
    .filter((match) => match.kind !== 'score' && match.path === 'data.text')
    .filter(
      (match) => match.kind === 'score' || (text as string).slice(match.span.start, match.span.end) !== match.text,
    );
}
