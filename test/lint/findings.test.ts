/** Planted faults and their clean neighbours, by id of the finding: `fixtures/lint`. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  createEngine,
  type Decision,
  type Finding,
  type LintOptions,
  lintRuleSet,
  type RuleSetInput,
  type Semantics,
} from '../../src/index.js';
import { checks } from '../../src/review/lint/checks.js';

interface Case extends RuleSetInput {
  readonly name: string;
  readonly semantics?: Record<string, unknown>;
  readonly findings?: readonly Partial<Finding>[];
}

const folder = new URL('../../fixtures/lint/', import.meta.url);
const ids = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));
const casesOf = (id: string) =>
  JSON.parse(readFileSync(new URL(`${id}.json`, folder), 'utf8')) as Record<'planted' | 'clean', readonly Case[]>;

const has = (decision: Decision, { ruleId, conditionId, listId, term, pattern }: Finding) =>
  decision.matched
    .filter((hit) => hit.ruleId === ruleId)
    .flatMap((hit) => hit.conditions)
    .filter((hit) => hit.conditionId === conditionId || listId !== undefined)
    .flatMap((hit) => hit.matches)
    .some((match) => ('term' in match ? match.term === term : 'pattern' in match && match.pattern === pattern));

const optionsOf = ({ semantics }: Case): LintOptions => ({ semantics: semantics as Partial<Semantics> });

/** What the engine says of a witness, for each id that has one. */
const judged: Partial<Record<Finding['id'], (decision: Decision, finding: Finding) => boolean>> = {
  'matches-empty': has,
  'never-fires': (decision, finding) => !has(decision, finding) && decision.excepted.length > 0,
  'joined-patterns': (decision, finding) => !has(decision, finding),
  'one-letter-term': has,
  'everyday-term': has,
  'everyday-pattern': has,
  'one-case-pattern': (decision, finding) => !has(decision, finding),
  shadowed: (decision, finding) => decision.matched.some(({ ruleId }) => ruleId === finding.ruleId),
  covered: (decision, finding) =>
    decision.matched.length > 0 &&
    (has(decision, finding) || finding.listId !== undefined || /twice/.test(finding.detail)),
};

function holdWitnesses({ rules, lists, semantics }: Case, findings: readonly Finding[]): void {
  // Whom a rule is for is not a matter of its words.
  const open = rules.map(({ filters: _, ...rule }) => rule);
  const engine = createEngine({ rules: open, lists }, semantics as Partial<Semantics>);
  for (const finding of findings) {
    if (finding.witness === undefined) continue;
    const holds = judged[finding.id];
    expect([finding.id, holds === undefined]).toEqual([finding.id, false]);
    expect([finding, holds!(engine.explain(finding.witness), finding)]).toEqual([finding, true]);
  }
}

describe('findings', () => {
  it('every check has planted faults and clean neighbours', () => {
    expect(checks.map(({ id }) => id).sort()).toEqual(ids);
  });

  describe.each(ids)('%s', (id) => {
    const { planted, clean } = casesOf(id);

    it.each(planted)('planted: $name', async (one) => {
      const { findings, counts } = await lintRuleSet(one, optionsOf(one));
      const own = findings.filter((finding) => finding.id === id);
      expect(own).toMatchObject(one.findings!);
      expect(counts.error + counts.warning + counts.info).toBe(findings.length);
      holdWitnesses(one, findings);
    });

    it.each(clean)('clean: $name', async (one) => {
      const { findings } = await lintRuleSet(one, optionsOf(one));
      expect(findings.filter((finding) => finding.id === id)).toEqual([]);
      holdWitnesses(one, findings);
    });
  });
});
