/**
 * The judge of diffs: random changes of random rule sets over random texts, against two naive
 * evaluations and a naive grouping.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DiffCause,
  type DiffKind,
  diffRuleSets,
  type Message,
  type RuleSetDiff,
  type Scores,
} from '../../src/index.js';
import { anyRuleSet } from '../support/arbitrary.js';
import { anyMedia, anyMessage } from '../support/arbitrary-message.js';
import { naiveChoice } from '../support/naive-rank.js';
import { judge, type OracleAnswer } from '../support/oracle.js';
import { defaultReadings, type Readings } from '../support/oracle-world.js';
import { isFull, runs } from '../support/runs.js';
import { anyMutation, anyReadingPair, type PlainRuleSet } from './mutations.js';

interface NaiveSide extends PlainRuleSet {
  readonly readings: Readings;
}

interface Occurrence {
  readonly cause: string;
  readonly messageId: string;
  readonly onlyCause: boolean;
}

/** A cause in a form in which both diffs can be compared. */
const causeKey = (cause: { readonly [Field in keyof DiffCause]?: unknown }): string =>
  JSON.stringify([
    cause.kind,
    cause.of,
    cause.ruleId,
    cause.conditionId,
    cause.listId,
    cause.term,
    cause.pattern,
    cause.threshold,
    cause.exception,
  ]);

function naiveDiff(
  messages: readonly Message[],
  media: readonly Scores[],
  rules: NaiveSide,
  against: NaiveSide,
  examples: number,
) {
  const counts: Record<DiffKind, number> = { newlyStopped: 0, released: 0, changed: 0, reasonOnly: 0 };
  const unevaluated = { rules: 0, against: 0 };
  const occurrences: Occurrence[] = [];
  for (const message of messages) {
    const before = judge({ ...against, message, media });
    const after = judge({ ...rules, message, media });
    unevaluated.rules += after.unevaluated.length > 0 ? 1 : 0;
    unevaluated.against += before.unevaluated.length > 0 ? 1 : 0;
    const kind = kindOf(before, after);
    if (kind === undefined) continue;
    counts[kind] += 1;
    const isNew = after.restsOn.filter((id) => !before.restsOn.includes(id));
    const isGone = before.restsOn.filter((id) => !after.restsOn.includes(id));
    const causes =
      kind === 'released'
        ? causesOf({ kind, of: 'against' }, before, after, before.restsOn, against)
        : kind !== 'reasonOnly'
          ? causesOf({ kind, of: 'rules' }, after, before, after.restsOn, rules)
          : isNew.length > 0
            ? causesOf({ kind, of: 'rules' }, after, before, isNew, rules)
            : causesOf({ kind, of: 'against' }, before, after, isGone, against);
    occurrences.push(...causes.map((cause) => ({ cause, messageId: message.id, onlyCause: causes.length === 1 })));
  }
  const causes = [...new Set(occurrences.map(({ cause }) => cause))].map((cause) => {
    const own = occurrences.filter((each) => each.cause === cause);
    return {
      cause,
      messages: own.length,
      onlyCause: own.filter(({ onlyCause }) => onlyCause).length,
      examples: naiveChoice(own, examples).map(({ messageId }) => messageId),
    };
  });
  return { ...counts, unevaluated, causes: causes.sort((a, b) => (a.cause < b.cause ? -1 : 1)) };
}

function kindOf(before: OracleAnswer, after: OracleAnswer): DiffKind | undefined {
  if (before.verdict === 'allow' && after.verdict !== 'allow') return 'newlyStopped';
  if (before.verdict !== 'allow' && after.verdict === 'allow') return 'released';
  if (before.verdict !== after.verdict) return 'changed';
  if (after.verdict === 'allow') return undefined;
  return String([...before.restsOn].sort()) === String([...after.restsOn].sort()) ? undefined : 'reasonOnly';
}

function causesOf(
  side: { readonly kind: DiffKind; readonly of: 'rules' | 'against' },
  answer: OracleAnswer,
  other: OracleAnswer,
  ruleIds: readonly string[],
  { rules }: NaiveSide,
): string[] {
  const causes = ruleIds.flatMap((ruleId) =>
    Object.entries(answer.matched[ruleId]!).flatMap(([number, found]) => {
      const rule = rules.find(({ id }) => id === ruleId)!;
      const condition = rule.conditions.find(({ id }, index) => (id ?? index + 1) === Number(number))!;
      const place = { ...side, ruleId, conditionId: Number(number) };
      const things = found.map((match) => {
        const score = /^scores\[\d+\] .* \d+(?:\.\d+)? (\D.*) (\S+)$/.exec(match);
        if (score !== null) return { threshold: { label: score[1]!, greaterThan: Number(score[2]) } };
        const [, thing, list] = /^\S+(?: key"\]\S*)? \d+ \d+ (.*) (\S*)$/s.exec(match)!;
        // What keeps the same match from counting on the other side.
        const excepted = other.excepted.find((one) => one.startsWith(`${ruleId}#`) && one.includes(` ${match} < `));
        const exception = excepted?.slice(excepted.indexOf(` ${match} < `) + match.length + 4);
        const listed = { ...(list !== '' && { listId: list }), ...(exception !== undefined && { exception }) };
        return condition.category === 'pattern' ? { pattern: thing, ...listed } : { term: thing, ...listed };
      });
      return (things.length > 0 ? things : [{}]).map((thing) => causeKey({ ...place, ...thing }));
    }),
  );
  return [...new Set(causes)];
}

const anyMessages = fc
  .array(anyMessage, { minLength: 1, maxLength: 12, size: 'max' })
  .map((messages) => messages.map((message, index) => ({ ...message, id: `m${index}` })));
const anyMutations = fc.array(anyMutation, { minLength: 1, maxLength: 3 });

/** A diff in the form of the naive one. */
/** An exception as the oracle names it. */
const exceptionName = ({ term, pattern, listId }: NonNullable<DiffCause['exception']>) =>
  `${term ?? pattern} ${listId ?? ''}`;

function asNaive({ newlyStopped, released, changed, reasonOnly, unevaluated, causes }: RuleSetDiff) {
  const rows = causes.map((cause) => ({
    cause: causeKey({ ...cause, exception: cause.exception && exceptionName(cause.exception) }),
    messages: cause.messages,
    onlyCause: cause.onlyCause,
    examples: cause.examples.map(({ messageId }) => messageId),
  }));
  return {
    newlyStopped,
    released,
    changed,
    reasonOnly,
    unevaluated: { rules: unevaluated.rules, against: unevaluated.against },
    causes: rows.sort((a, b) => (a.cause < b.cause ? -1 : 1)),
  };
}

describe('diffRuleSets', () => {
  it('equals two naive evaluations and a naive grouping, for random changes of random rule sets', async () => {
    const differing = { newlyStopped: 0, released: 0, changed: 0, reasonOnly: 0 };
    await fc.assert(
      fc.asyncProperty(anyRuleSet, anyMutations, anyMessages, anyMedia, anyReadingPair, async (...given) => {
        const [against, mutations, messages, media, readings] = given;
        const rules = mutations.reduce((ruleSet: PlainRuleSet, mutate) => mutate(ruleSet), against);
        const diff = await diffRuleSets(messages, {
          rules,
          against,
          semantics: readings.after,
          againstSemantics: readings.before,
          scores: () => media,
          examples: 2,
        });
        const naive = naiveDiff(
          messages,
          media,
          { ...rules, readings: { ...defaultReadings, ...readings.after } },
          { ...against, readings: { ...defaultReadings, ...readings.before } },
          2,
        );
        expect(asNaive(diff)).toEqual(naive);
        for (const kind of Object.keys(differing) as (keyof typeof differing)[]) differing[kind] += diff[kind];
      }),
      { numRuns: runs(50) },
    );
    // Agreement says something when there are differences; of a hundred runs, a rare kind may be in
    // none.
    const counts = Object.values(differing);
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
    if (isFull) for (const count of counts) expect(count).toBeGreaterThan(10);
  });
});
